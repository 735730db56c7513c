"""From spans to rows: votes, merged spans, detection, exposure, cost, span scores and the front of one ensemble on one corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.core.corpus import Corpus
from bench.core.results import Measure, subset_key
from bench.core.tables import Bool, SegmentTable
from bench.core.taxonomy import Policy
from bench.ensembles import Ensemble
from bench.fronts import Front, compute_front
from bench.measures.cost import cost_measures, status_measures
from bench.measures.detection import detection_measures
from bench.measures.exposure import exposure_measures
from bench.measures.gold import GoldIndex
from bench.measures.spanscores import span_scores
from bench.pipeline.member_spans import MemberSpans
from bench.votes import flagged, members_mask, segments, vote_masks


@dataclass(frozen=True, slots=True)
class Scores:
    """Everything measured of an ensemble on a corpus before any release is made of it."""

    flagged: Bool
    segments: SegmentTable
    gold: GoldIndex
    measures: list[Measure]
    front: Front | None


def front_measures(front: Front) -> list[tuple[str, Measure]]:
    """Rows of the operating points, each with the candidate it belongs to (empty where no candidate qualifies)."""
    found: list[tuple[str, Measure]] = []
    for point in front.points:
        subset = subset_key(point=point.name.replace(".", "").replace(" ", "_"))
        row = point.candidate
        if row is None:
            missing = f"not measurable: {point.reason}"
            found += [
                ("", Measure("front", metric, None, subset, method=missing))
                for metric in ("sensitivity", "specificity", "seconds_per_document")
            ]
            continue
        ensemble = str(row["ensemble"])
        cost = row[f"cost_{front.cost}"]
        found += [
            (
                ensemble,
                Measure("front", "sensitivity", row["sensitivity"], subset, row["tp"], row["gold_tokens"], method="exact"),
            ),
            (
                ensemble,
                Measure("front", "specificity", row["specificity"], subset, row["tn"], row["non_gold_tokens"], method="exact"),
            ),
            (
                ensemble,
                Measure(
                    "front",
                    "seconds_per_document",
                    cost,
                    subset,
                    method=f"measured: {front.cost}" if cost is not None else "not measured",
                ),
            ),
        ]
    return found


def score(
    corpus: Corpus,
    ensemble: Ensemble,
    members: Sequence[MemberSpans],
    policy: Policy,
    *,
    seed: int,
    resamples: int,
    candidates: str,
) -> Scores:
    """Score an ensemble on a corpus.

    Parameters
    ----------
    corpus
        Prepared corpus.
    ensemble
        The voting rule; `members` are its detectors, in its order.
    members
        Spans of each.
    policy
        Replaced types.
    seed, resamples
        Of the document bootstrap.
    candidates
        Candidate set of the front: ``singles``, ``pairs``, ``triples``, ``uptoN`` or ``all``.
    """
    tokens, mentions = corpus.tokens(), corpus.mentions()
    tables = [member.table for member in members]
    masks = vote_masks(tokens, tables, policy)
    hit = flagged(masks, members_mask(range(len(members))), ensemble.k)
    merged = segments(tokens, tables, policy, ensemble.k)
    gold = GoldIndex.build(tokens, mentions, policy, corpus.languages)
    measures = detection_measures(gold, hit, tokens=tokens, segments=merged, seed=seed, resamples=resamples)
    measures += span_scores(mentions, merged, policy).measures(corpus.languages, seed=seed, resamples=resamples)
    measures += status_measures({member.name: member.status for member in members})
    measures += exposure_measures(gold, hit, case_codes=corpus.case_codes)
    ran = [member for member in members if member.ran]
    # A detector whose languages do not occur has no cost and no say; it must not make every cost "not measured".
    measures += cost_measures({m.name: m.seconds for m in ran}, {m.name: m.status for m in ran})
    front = None
    if ran:
        front = compute_front(
            tokens,
            mentions,
            [member.table for member in ran],
            [member.name for member in ran],
            policy,
            {member.name: member.cost for member in ran},
            candidates=candidates,
        )
    return Scores(hit, merged, gold, measures, front)
