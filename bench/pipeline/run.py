"""``bench run``: the whole chain for one or more corpora and an ensemble, into one run folder.

The folder ``runs/<name>/`` holds ``results.parquet`` (every number), ``run.json`` (versions, fingerprints, seeds, hardware),
``tables.tex``, and per corpus ``front-<corpus>.parquet`` (every candidate of the front), ``documents-<corpus>.parquet`` (figures
of every document), ``survivors-<corpus>.parquet`` (every exposed mention, without its text) and ``stage-<corpus>.json`` (what a
later run of the same reads back). It is written again after every corpus, so that a later failure loses nothing; each file is
replaced whole.
"""

from __future__ import annotations

import datetime
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from bench.core.atomic import replacing, write_atomic
from bench.core.corpus import Corpus
from bench.core.errors import DataError, StoreError, UsageError
from bench.core.jsonio import digest, read_json
from bench.core.results import SCHEMA_VERSION, concat, write_table
from bench.core.workspace import Workspace
from bench.detection import DetectionSummary
from bench.pipeline.member_spans import MemberSpans
from bench.pipeline.members import Progress, known_members, read_members, run_members
from bench.pipeline.settings import RunSettings
from bench.pipeline.stage import KINDS, Stage, load_stage, previous_results, save_stage, stage_key
from bench.provenance import hardware, versions
from conditions.keys import SecretKey
from reports.latex import document, leakage, operating_points


@dataclass(frozen=True, slots=True)
class CorpusOutcome:
    """Everything that a run knows of one corpus."""

    corpus: Corpus
    members: Sequence[MemberSpans]
    detection: Sequence[DetectionSummary]
    stage: Stage
    key: str
    detection_seconds: float

    @property
    def failed(self) -> int:
        """Pairs of a detector and a document that failed, in detectors that ran here and in imported ones."""
        return sum(member.count("failed") for member in self.members)


@dataclass(slots=True)
class RunOutcome:
    """A run: its name, folder and outcomes so far."""

    name: str
    folder: Path
    settings: RunSettings
    previous: pl.DataFrame | None = None
    corpora: list[CorpusOutcome] = field(default_factory=list)

    @property
    def results(self) -> pl.DataFrame:
        """All rows, corpus by corpus."""
        return concat([outcome.stage.results for outcome in self.corpora])

    @property
    def failed(self) -> int:
        """Pairs of a detector and a document that failed, over all corpora."""
        return sum(outcome.failed for outcome in self.corpora)

    def files(self) -> list[Path]:
        """What the run folder holds for people and programs."""
        names = ["results.parquet", "run.json", "tables.tex"]
        for outcome in self.corpora:
            names += [f"{kind}-{outcome.corpus.name}.parquet" for kind in KINDS]
        return [self.folder / name for name in names if (self.folder / name).exists()]


def run_key(settings: RunSettings, corpora: Sequence[Corpus]) -> str:
    """Twelve hex digits over settings and corpus fingerprints: equal for a run that is started again."""
    return digest({"settings": settings.as_json(), "corpora": [[c.name, c.fingerprint] for c in corpora]}, 12)


def default_name(settings: RunSettings, corpora: Sequence[Corpus]) -> str:
    """Name of a run that was given none: what it is about, and its key, so that the same command finds the same folder."""
    about = corpora[0].name if len(corpora) == 1 else f"{corpora[0].name}-and-{len(corpora) - 1}-more"
    ensemble = re.sub(r"[^A-Za-z0-9._-]+", "-", settings.ensemble.name).strip("-")[:40]
    return f"{about}-{ensemble}-{run_key(settings, corpora)}"


def open_run(workspace: Workspace, settings: RunSettings, corpora: Sequence[Corpus], name: str | None) -> RunOutcome:
    """Choose the run folder; a name that holds a run of other settings or corpora is refused, so that nothing is lost."""
    chosen = name or default_name(settings, corpora)
    folder = workspace.run_dir(chosen)
    record = folder / "run.json"
    if record.exists():
        try:
            stored = read_json(record)
        except DataError as error:
            raise StoreError(f"the record of run {chosen!r} is damaged: {error}; choose another --name, or remove it") from None
        if not isinstance(stored, dict) or stored.get("key") != run_key(settings, corpora):
            raise UsageError(
                f"run {chosen!r} exists and is about other corpora or settings ({str(record)!r}); "
                "choose another --name, or remove it"
            )
    return RunOutcome(chosen, folder, settings, previous_results(folder))


def run_corpus(
    workspace: Workspace,
    corpus: Corpus,
    run: RunOutcome,
    key: SecretKey,
    *,
    workers: int,
    progress: Progress,
    retry_failed: bool = False,
) -> CorpusOutcome:
    """Detection, votes, releases and measures of one corpus; what is known already is read back."""
    settings = run.settings
    known = known_members(workspace, corpus, settings.ensemble)
    began = time.perf_counter()
    summaries = run_members(workspace, corpus, known, workers=workers, progress=progress, retry_failed=retry_failed)
    seconds = time.perf_counter() - began
    members = read_members(workspace.spans, corpus, known)
    wanted = stage_key(corpus, members, settings, key.fingerprint, run.name)
    stage = load_stage(run.folder, corpus.name, wanted, run.previous)
    if stage is None:
        # Imported here: the compiled kernels and the surrogate pools take longer to load than a stored answer to be read.
        from bench.pipeline.chain import compute_stage

        stage = compute_stage(corpus, members, settings, key, run.name, run.folder, progress=progress)
    return CorpusOutcome(corpus, members, summaries, stage, wanted, seconds)


def _corpus_record(outcome: CorpusOutcome) -> dict[str, Any]:
    corpus = outcome.corpus
    summaries = {summary.detector: summary for summary in outcome.detection}
    detectors: dict[str, Any] = {}
    for member in outcome.members:
        summary = summaries.get(member.name)
        detectors[member.name] = {
            "fingerprint": member.fingerprint,
            "imported": summary is None,
            "seconds_measured_on": [dict(machine) for machine in member.hardware],
        }
        if summary is not None:
            # A reason never quotes the document, but there may be one for every document: the first ones tell what is wrong.
            detectors[member.name] |= {**summary.as_json(), "failures": dict(list(summary.failures.items())[:20])}
    return {
        "fingerprint": corpus.fingerprint,
        "counts": dict(corpus.counts),
        "tokeniser": corpus.tokeniser,
        "identity_scope": corpus.info.identity_scope,
        "preparation": dict(corpus.preparation),
        "detectors": detectors,
        "conditions": {name: dict(facts) for name, facts in outcome.stage.conditions.items()},
        "stage_seconds": {"detection": outcome.detection_seconds, **outcome.stage.seconds},
    }


def write_run(outcome: RunOutcome, corpora: Sequence[Corpus], *, workers: int) -> None:
    """Write the run folder as far as the run has come; every file appears whole."""
    folder = outcome.folder
    folder.mkdir(parents=True, exist_ok=True)
    results = outcome.results
    tables = [leakage(results)]
    if (results["measurement"] == "front").any():
        tables.insert(0, operating_points(results))
    write_atomic(folder / "tables.tex", document(tables).encode())
    with replacing(folder / "results.parquet") as temporary:
        write_table(results, temporary)
    for one in outcome.corpora:
        if not one.stage.reused:
            save_stage(folder, one.corpus.name, one.key, one.stage)
    record = {
        "schema": SCHEMA_VERSION,
        "run": outcome.name,
        "key": run_key(outcome.settings, corpora),
        "complete": len(outcome.corpora) == len(corpora),
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "settings": outcome.settings.as_json(),
        "workers": workers,
        "versions": versions(),
        "hardware": hardware(),
        "failed_documents": outcome.failed,
        "corpora": {one.corpus.name: _corpus_record(one) for one in outcome.corpora},
    }
    write_atomic(folder / "run.json", json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False).encode())
