"""Span-level scores for comparison with other tools: strict, exact, partial and type (SemEval-2013 task 9).

A prediction overlaps a gold span if they share a character and at least 1 % of the gold span (the default of `nervaluate`,
which matters only for gold longer than 100 characters). Within a document every gold span is paired with at most one
prediction that overlaps it and every prediction with at most one gold span. A pair is

==========  =============================================  ===================
scheme      *correct* if                                   otherwise
==========  =============================================  ===================
``strict``  start, end and type are equal                  *incorrect*
``exact``   start and end are equal                        *incorrect*
``partial`` start and end are equal                        *partial*
``type``    the types are equal                            *incorrect*
==========  =============================================  ===================

A gold span without a partner is *missed*, a prediction without one *spurious*. Of all such pairings the one counted has the
most correct pairs and, among those, the most pairs; its counts are unique, so neither the order of predictions nor ties can
change a score. Precision is credit / predictions, recall credit / gold, F1 = 2 credit / (gold + predictions), with credit =
correct + partial / 2. Scores of one type compare only the gold and predictions of that type.

Spans are sets: a span given twice with the same type counts once on either side, while two spans that touch stay two. Nested
spans are separate spans. A document without predictions misses all its gold. Gold of retained types and predictions of
retained types are left out. Segments of an ensemble lie on token edges; gold that cuts a token can then not be met exactly.

Compared with ``nervaluate`` (half-open offsets; it wants the last character instead of the end), counts are equal where every
span overlaps at most one of the other side. Elsewhere that tool pairs first come, first served: a prediction that overlaps
two gold spans takes the first although a later prediction fits only that one, a duplicated prediction is spurious, and the
score depends on the order. Versions up to 1.2.0 also drop the partial credit when a second document is added
(``Evaluator._merge_results`` calls ``compute_metrics()`` without ``partial_or_type=True``), so that 8 correct and 12 partial
of 20 print as 0.40 instead of 0.70; their counts are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from bench.core.errors import IntegrityError
from bench.core.results import Measure, subset_key
from bench.core.tables import I32, I64, U8, Bool, doc_of_row
from bench.core.taxonomy import TYPE_CODE, TYPES, Policy
from bench.measures.intervals import RESAMPLES, Ratios
from bench.measures.pairing import assign, overlaps

SCHEMES: Final[tuple[str, ...]] = ("strict", "exact", "partial", "type")
_PARTIAL: Final[int] = SCHEMES.index("partial")


class Spans(Protocol):
    """What is compared: a `MentionTable`, a `SpanTable` or a `SegmentTable`."""

    @property
    def indptr(self) -> I64:
        """Document boundaries, shape (documents + 1,)."""

    @property
    def start(self) -> I32:
        """Shape (spans,)."""

    @property
    def end(self) -> I32:
        """Shape (spans,)."""

    @property
    def type(self) -> U8:
        """Shape (spans,)."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Spans of one scheme by outcome, with the scores that follow; a score without a denominator is None."""

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int

    @property
    def gold(self) -> int:
        """Gold spans (``possible`` in SemEval's words)."""
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def predicted(self) -> int:
        """Predicted spans (``actual``)."""
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def precision(self) -> float | None:
        """Credit per prediction."""
        return (self.correct + self.partial / 2) / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Credit per gold span."""
        return (self.correct + self.partial / 2) / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both, which is (2 correct + partial) / (gold + predicted); 0 if either is undefined or 0."""
        both = self.gold + self.predicted
        return (2 * self.correct + self.partial) / both if both else None


@dataclass(frozen=True, slots=True)
class Tally:
    """Outcomes per document.

    Parameters
    ----------
    gold, predicted
        Spans, shape (documents,).
    correct, other
        Correct pairs, and pairs that are partial or incorrect, shape (schemes, documents) in the order of `SCHEMES`.
    """

    gold: I64
    predicted: I64
    correct: I64
    other: I64

    def counts(self, scheme: str, documents: Bool | None = None) -> Counts:
        """Counts of a scheme over all documents, or over those selected."""
        row, where = SCHEMES.index(scheme), slice(None) if documents is None else documents
        correct, other = int(self.correct[row, where].sum()), int(self.other[row, where].sum())
        gold, predicted = int(self.gold[where].sum()), int(self.predicted[where].sum())
        partial = other if row == _PARTIAL else 0
        return Counts(correct, other - partial, partial, gold - correct - other, predicted - correct - other)


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Outcomes over all types, and per replaced type."""

    overall: Tally
    by_type: Mapping[str, Tally]

    def measures(self, languages: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES) -> list[Measure]:
        """Rows ``f1_strict``, ``f1_exact``, ``f1_partial`` and ``f1_type`` over all, per type and per language.

        `value` is F1 as a ratio of sums: numerator 2 correct + partial, denominator gold + predictions; interval by document
        bootstrap, sd over documents with a span on either side.
        """
        n_docs = len(self.overall.gold)
        if len(languages) != n_docs:
            raise IntegrityError(f"{len(languages)} languages for {n_docs} documents")
        ratios = Ratios("detection", n_docs)
        everywhere = np.ones(n_docs, dtype=np.bool_)
        names = np.asarray(languages, dtype=object)
        parts = [("", "", self.overall, everywhere)]
        parts += [(subset_key(type=name), f" {name}", tally, everywhere) for name, tally in self.by_type.items()]
        parts += [
            (subset_key(language=name), f" {name}", self.overall, np.asarray(names == name)) for name in sorted(set(languages))
        ]
        for key, noun, tally, documents in parts:
            for row, scheme in enumerate(SCHEMES):
                credit = 2 * tally.correct[row] + (tally.other[row] if row == _PARTIAL else 0)
                both = (tally.gold + tally.predicted) * documents
                ratios.add(f"f1_{scheme}", key, credit * documents, both, empty=f"{noun.strip()} gold and no prediction".strip())
        return ratios.measures(seed=seed, resamples=resamples)


@dataclass(frozen=True, slots=True)
class _Side:
    indptr: I64
    doc: I32
    start: I32
    end: I32
    type: U8


def _side(spans: Spans, policy: Policy) -> _Side:
    """Spans of replaced types as a set, sorted by (document, start, end, type)."""
    keep = np.isin(spans.type, np.asarray(sorted(policy.codes), dtype=np.uint8))
    doc = doc_of_row(spans.indptr)[keep]
    start, end, kind = np.asarray(spans.start)[keep], np.asarray(spans.end)[keep], np.asarray(spans.type)[keep]
    order = np.lexsort((kind, end, start, doc))
    doc, start, end, kind = doc[order], start[order], end[order], kind[order]
    new = np.ones(len(doc), dtype=np.bool_)
    new[1:] = (doc[1:] != doc[:-1]) | (start[1:] != start[:-1]) | (end[1:] != end[:-1]) | (kind[1:] != kind[:-1])
    doc = doc[new]
    indptr = np.searchsorted(doc, np.arange(len(spans.indptr))).astype(np.int64)
    return _Side(indptr, doc, start[new], end[new], kind[new])


def _pairing(gold: I64, predicted: I64, correct: Bool, n_gold: int, n_predicted: int) -> tuple[I64, I64]:
    """Gold spans in a correct pair, and in any other, from edges sorted by gold span."""
    indptr = np.searchsorted(gold, np.arange(n_gold + 1)).astype(np.int64)
    edge = assign(indptr, predicted, correct, n_predicted)
    paired = np.flatnonzero(edge >= 0)
    right: npt.NDArray[np.bool_] = correct[edge[paired]]
    return paired[right], paired[~right]


def span_scores(gold: Spans, predicted: Spans, policy: Policy) -> SpanScores:
    """Compare predictions with gold over the same documents.

    Parameters
    ----------
    gold, predicted
        Spans in CSR layout over the same documents, in any order within a document.
    policy
        Spans of other types are left out on both sides.

    Raises
    ------
    IntegrityError
        The two do not have the same number of documents: a missing document must be an empty one.
    """
    n_docs = len(gold.indptr) - 1
    if len(predicted.indptr) - 1 != n_docs:
        raise IntegrityError(
            f"gold of {n_docs} documents, predictions of {len(predicted.indptr) - 1}; a missing document is empty"
        )
    g, p = _side(gold, policy), _side(predicted, policy)
    none = np.empty(0, dtype=np.int64)
    size = overlaps(g.indptr, g.start, g.end, p.indptr, p.start, p.end, none, none, False)
    left, right = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    overlaps(g.indptr, g.start, g.end, p.indptr, p.start, p.end, left, right, True)
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    bounds = (g.start[left] == p.start[right]) & (g.end[left] == p.end[right])
    types = g.type[left] == p.type[right]

    def by_doc(doc: I32) -> I64:
        return np.bincount(doc, minlength=n_docs).astype(np.int64)

    def pair(correct: Bool, among: Bool | slice) -> tuple[I64, I64]:
        return _pairing(left[among], right[among], correct[among], len(g.doc), len(p.doc))

    # Exact and partial pair alike; within a type, strict does too.
    pairs = [pair(bounds & types, slice(None)), pair(bounds, slice(None)), pair(types, slice(None))]
    within, typed = pair(bounds, types), pair(types, types)

    def tally(four: Sequence[tuple[I64, I64]], code: int | None) -> Tally:
        correct, other = (
            np.stack([by_doc(g.doc[rows[side] if code is None else rows[side][g.type[rows[side]] == code]]) for rows in four])
            for side in (0, 1)
        )
        g_doc, p_doc = (s.doc if code is None else s.doc[s.type == code] for s in (g, p))
        return Tally(by_doc(g_doc), by_doc(p_doc), correct, other)

    return SpanScores(
        tally([pairs[0], pairs[1], pairs[1], pairs[2]], None),
        {name: tally([within, within, within, typed], TYPE_CODE[name]) for name in TYPES if name in policy.replaced},
    )
