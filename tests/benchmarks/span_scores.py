"""Kernel ``span-scores``: all four schemes, overall and per type, against nervaluate at 2,000 spans a document."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from nervaluate import Evaluator

from bench.core.tables import SegmentTable
from bench.core.taxonomy import TYPE_CODE, TYPES, Policy
from bench.measures.spanscores import SCHEMES, SpanScores, span_scores
from tests.benchmarks.ratio import Ratio, best_of

SPANS = 2000
KINDS = ("PERSON", "LOCATION", "ORGANISATION", "ID")
NERVALUATE = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
POLICY = Policy.of(TYPES)


def _sample(documents: int, spans: int, seed: int) -> tuple[SegmentTable, SegmentTable]:
    """Gold in slots of twelve characters; of the predictions 70 % are exact, the rest shifted, of another type or missing."""
    rng = np.random.default_rng(seed)
    slot = np.tile(np.arange(spans), documents) * 12
    kind = rng.choice([TYPE_CODE[name] for name in KINDS], size=documents * spans)
    start, end = slot + 2, slot + rng.integers(5, 10, size=documents * spans)
    exact = rng.random(documents * spans) < 0.7
    near_start = np.where(exact, start, slot + rng.integers(0, 4, size=documents * spans))
    near_end = np.where(exact, end, slot + rng.integers(5, 12, size=documents * spans))
    near_kind = np.where(rng.random(documents * spans) < 0.9, kind, rng.choice(kind, size=documents * spans))
    kept = rng.random(documents * spans) < 0.95

    def table(keep: Any, start: Any, end: Any, kind: Any) -> SegmentTable:
        indptr = np.concatenate([[0], np.cumsum(keep.reshape(documents, spans).sum(axis=1))]).astype(np.int64)
        return SegmentTable(indptr, start[keep].astype(np.int32), end[keep].astype(np.int32), kind[keep].astype(np.uint8))

    return table(np.ones_like(kept), start, end, kind), table(kept, near_start, near_end, near_kind)


def _dicts(spans: SegmentTable) -> list[list[dict[str, Any]]]:
    rows = [
        {"label": TYPES[kind], "start": start, "end": end - 1}  # its end is the last position inside the span
        for start, end, kind in zip(spans.start.tolist(), spans.end.tolist(), spans.type.tolist(), strict=True)
    ]
    return [rows[a:b] for a, b in zip(spans.indptr[:-1].tolist(), spans.indptr[1:].tolist(), strict=True)]


def _check(scores: SpanScores, reference: dict[str, Any]) -> None:
    parts = [(scores.overall, reference["overall"])]
    parts += [(scores.by_type[name], reference["entities"][name]) for name in KINDS]
    for tally, results in parts:
        for scheme in SCHEMES:
            mine, theirs = tally.counts(scheme), results[NERVALUATE[scheme]]
            for name in ("correct", "incorrect", "partial", "missed", "spurious"):
                if getattr(mine, name) != getattr(theirs, name):
                    raise ValueError(f"{scheme} {name}: {getattr(mine, name)} here, {getattr(theirs, name)} in nervaluate")


def run() -> list[Ratio]:
    """Counts are equal on every document; then the ratio of wall times on one document of 2,000 spans."""
    gold, predicted = _sample(3, 200, seed=1)
    began = time.perf_counter()
    small = span_scores(gold, predicted, POLICY)
    warm = time.perf_counter() - began
    _check(small, Evaluator(_dicts(gold), _dicts(predicted), tags=list(KINDS), loader="dict").evaluate())

    gold, predicted = _sample(1, SPANS, seed=2)
    gold_rows, predicted_rows = _dicts(gold), _dicts(predicted)
    evaluator = Evaluator(gold_rows, predicted_rows, tags=list(KINDS), loader="dict")
    slow, reference = best_of(evaluator.evaluate, repeat=2)
    fast, scores = best_of(lambda: span_scores(gold, predicted, POLICY), repeat=10)
    _check(scores, reference)
    detail = f"nervaluate {slow:.2f} s, here {1000 * fast:.2f} ms per document of {SPANS} spans; first call {warm:.1f} s"
    return [Ratio("span-scores", slow / fast, 50, detail)]
