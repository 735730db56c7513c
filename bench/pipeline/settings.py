"""What decides the figures of a run."""

from __future__ import annotations

from dataclasses import dataclass

from bench.core.model import Json
from bench.core.taxonomy import Policy
from bench.ensembles import Ensemble


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What decides the figures of a run, beside the corpora themselves.

    Parameters
    ----------
    ensemble
        The voting rule and its members.
    policy
        Replaced types.
    seed, resamples
        Of every bootstrap.
    candidates
        Candidate set of the front.
    """

    ensemble: Ensemble
    policy: Policy
    seed: int = 0
    resamples: int = 1000
    candidates: str = "triples"

    def as_json(self) -> dict[str, Json]:
        """Canonical form: what the run's key is made of and ``run.json`` stores."""
        return {
            "ensemble": self.ensemble.expression,
            "ensemble_name": self.ensemble.name,
            "policy": self.policy.name,
            "seed": self.seed,
            "resamples": self.resamples,
            "candidates": self.candidates,
        }
