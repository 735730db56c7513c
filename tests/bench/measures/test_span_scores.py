from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nervaluate import Evaluator

from bench.core.errors import IntegrityError
from bench.core.tables import SegmentTable
from bench.core.taxonomy import TYPE_CODE, TYPES, Policy
from bench.measures.spanscores import SCHEMES, Counts, span_scores
from tests.reference.spanscores_naive import Triple, outcome

ALL = Policy.of(TYPES)
PER, LOC, DATE = TYPE_CODE["PERSON"], TYPE_CODE["LOCATION"], TYPE_CODE["DATE"]
NERVALUATE = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
Documents = Sequence[Sequence[Triple]]


def table(documents: Documents) -> SegmentTable:
    flat = np.array([row for document in documents for row in document], dtype=np.int64).reshape(-1, 3)
    indptr = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    return SegmentTable(indptr, flat[:, 0].astype(np.int32), flat[:, 1].astype(np.int32), flat[:, 2].astype(np.uint8))


def ours(gold: Documents, predicted: Documents, policy: Policy = ALL) -> dict[str, Counts]:
    scores = span_scores(table(gold), table(predicted), policy)
    return {scheme: scores.overall.counts(scheme) for scheme in SCHEMES}


def as_tuple(counts: Any) -> tuple[int, int, int, int, int]:
    return counts.correct, counts.incorrect, counts.partial, counts.missed, counts.spurious


def theirs(gold: Documents, predicted: Documents) -> dict[str, Any]:
    def load(documents: Documents) -> list[list[dict[str, Any]]]:
        # nervaluate's end is the last position inside the span.
        return [[{"label": TYPES[kind], "start": start, "end": end - 1} for start, end, kind in rows] for rows in documents]

    return Evaluator(load(gold), load(predicted), tags=list(TYPES), loader="dict").evaluate()


spans = st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from([PER, LOC])).map(lambda t: (t[0], t[0] + t[1], t[2]))
small = st.lists(st.tuples(st.lists(spans, max_size=5), st.lists(spans, max_size=5)), min_size=1, max_size=3)


@settings(max_examples=300, deadline=None)
@given(small)
def test_counts_equal_the_best_of_all_pairings(documents: list[tuple[list[Triple], list[Triple]]]) -> None:
    scores = span_scores(table([g for g, _ in documents]), table([p for _, p in documents]), ALL)
    for scheme in SCHEMES:
        assert as_tuple(scores.overall.counts(scheme)) == outcome(documents, scheme), scheme
        for name, code in (("PERSON", PER), ("LOCATION", LOC)):
            own = [([s for s in g if s[2] == code], [s for s in p if s[2] == code]) for g, p in documents]
            assert as_tuple(scores.by_type[name].counts(scheme)) == outcome(own, scheme), (scheme, name)


@st.composite
def unambiguous(draw: st.DrawFn) -> tuple[list[list[Triple]], list[list[Triple]]]:
    """Documents in slots of ten characters, each with at most one gold span and one prediction."""
    gold: list[list[Triple]] = []
    predicted: list[list[Triple]] = []
    for _ in range(draw(st.integers(1, 4))):
        for side in (gold, predicted):
            side.append([])
            for slot in range(draw(st.integers(0, 6))):
                start = draw(st.integers(0, 3))
                end = draw(st.integers(start + 1, 9))
                kind = draw(st.sampled_from([None, PER, LOC, DATE]))
                if kind is not None:
                    side[-1].append((10 * slot + start, 10 * slot + end, kind))
    return gold, predicted


@settings(max_examples=150, deadline=None)
@given(unambiguous())
def test_counts_equal_nervaluate_where_no_span_overlaps_two(documents: tuple[list[list[Triple]], list[list[Triple]]]) -> None:
    gold, predicted = documents
    scores = span_scores(table(gold), table(predicted), ALL)
    reference = theirs(gold, predicted)
    for scheme, name in NERVALUATE.items():
        assert as_tuple(scores.overall.counts(scheme)) == as_tuple(reference["overall"][name]), scheme
        for label, results in reference["entities"].items():
            assert as_tuple(scores.by_type[label].counts(scheme)) == as_tuple(results[name]), (scheme, label)
    if len(gold) == 1:  # its scores, too, are right for one document in every version
        for scheme, name in NERVALUATE.items():
            counts, expected = scores.overall.counts(scheme), reference["overall"][name]
            assert (counts.precision or 0, counts.recall or 0, counts.f1 or 0) == pytest.approx(
                (expected.precision, expected.recall, expected.f1), abs=1e-15
            )


def test_partial_credit_survives_the_second_document() -> None:
    # Per document 4 of 10 exact and 6 one character short: (4 + 6 / 2) / 10 = 0.70 however many documents there are.
    gold = [[(10 * i, 10 * i + 5, PER) for i in range(10)]] * 2
    predicted = [[(10 * i, 10 * i + (5 if i < 4 else 4), PER) for i in range(10)]] * 2
    counts = ours(gold, predicted)["partial"]
    assert as_tuple(counts) == as_tuple(theirs(gold, predicted)["overall"]["partial"]) == (8, 0, 12, 0, 0)
    assert (counts.precision, counts.recall, counts.f1) == (0.7, 0.7, 0.7)
    # What nervaluate up to 1.2.0 prints: the same counts without the credit.
    assert counts.correct / counts.predicted == 0.4
    rows = {m.metric: m for m in span_scores(table(gold), table(predicted), ALL).measures(["en", "en"]) if not m.subset}
    assert (rows["f1_partial"].value, rows["f1_partial"].numerator, rows["f1_partial"].denominator) == (0.7, 28.0, 40.0)
    assert (rows["f1_strict"].value, rows["f1_type"].value) == (0.4, 1.0)


def test_one_prediction_over_two_gold_spans_counts_once() -> None:
    counts = ours([[(0, 4, PER), (5, 9, PER)]], [[(0, 9, PER)]])
    assert as_tuple(counts["partial"]) == (0, 0, 1, 1, 0)
    assert as_tuple(counts["type"]) == (1, 0, 0, 1, 0)
    assert as_tuple(counts["strict"]) == (0, 1, 0, 1, 0)


def test_duplicated_predictions_change_nothing() -> None:
    gold, once = [[(0, 4, PER), (8, 9, LOC)]], [(0, 4, PER), (7, 9, PER)]
    twice = [[*once, *once]]
    assert ours(gold, [once]) == ours(gold, twice)
    assert ours(gold, [once])["strict"].precision == 0.5
    # nervaluate counts each copy as spurious.
    assert theirs(gold, twice)["overall"]["strict"].precision == 0.25


@settings(max_examples=100, deadline=None)
@given(small, st.randoms(use_true_random=False))
def test_the_order_of_spans_changes_nothing(documents: list[tuple[list[Triple], list[Triple]]], source: random.Random) -> None:
    gold, predicted = [g for g, _ in documents], [p for _, p in documents]
    shuffled_gold, shuffled = [source.sample(g, len(g)) for g in gold], [source.sample(p, len(p)) for p in predicted]
    assert ours(gold, predicted) == ours(shuffled_gold, shuffled)


def test_an_exact_match_is_never_lost_to_a_neighbour_that_comes_first() -> None:
    # The first prediction overlaps both gold spans, the second is exactly the first gold span.
    gold, predicted = [[(0, 4, PER), (5, 9, PER)]], [[(2, 9, PER), (0, 4, PER)]]
    for order in (predicted, [predicted[0][::-1]]):
        assert as_tuple(ours(gold, order)["partial"]) == (1, 0, 1, 0, 0)
    # nervaluate gives the first gold span to whichever comes first.
    assert as_tuple(theirs(gold, predicted)["overall"]["partial"]) == (0, 0, 1, 1, 1)
    assert as_tuple(theirs(gold, [predicted[0][::-1]])["overall"]["partial"]) == (1, 0, 1, 0, 0)


def test_a_correct_pair_is_not_traded_for_two_wrong_ones() -> None:
    # Type scheme: pairing the middle gold span correctly leaves the outer two spans alone.
    gold, predicted = [[(0, 4, LOC), (4, 8, PER)]], [[(3, 6, PER), (7, 9, LOC)]]
    assert as_tuple(ours(gold, predicted)["type"]) == (1, 0, 0, 1, 1)
    assert as_tuple(ours(gold, predicted)["strict"]) == (0, 2, 0, 0, 0)


def test_a_missing_document_lowers_recall() -> None:
    gold = [[(0, 4, PER)], [(0, 4, PER)]]
    counts = ours(gold, [[(0, 4, PER)], []])["strict"]
    assert (counts.recall, counts.precision) == (0.5, 1.0)
    with pytest.raises(IntegrityError, match="gold of 2 documents, predictions of 1"):
        span_scores(table(gold), table(gold[:1]), ALL)


def test_touching_spans_stay_two() -> None:
    whole, halves = [[(0, 8, PER)]], [[(0, 4, PER), (4, 8, PER)]]
    assert as_tuple(ours(halves, whole)["strict"]) == (0, 1, 0, 1, 0)
    assert as_tuple(ours(whole, halves)["strict"]) == (0, 1, 0, 0, 1)
    assert as_tuple(ours(halves, halves)["strict"]) == (2, 0, 0, 0, 0)


def test_nested_gold_is_matched_span_by_span() -> None:
    gold = [[(0, 20, LOC), (0, 6, PER), (10, 14, PER)]]
    assert as_tuple(ours(gold, gold)["strict"]) == (3, 0, 0, 0, 0)
    assert as_tuple(ours(gold, [[(0, 6, PER), (0, 20, LOC)]])["strict"]) == (2, 0, 0, 1, 0)


def test_equal_boundaries_prefer_the_equal_type() -> None:
    counts = ours([[(0, 5, PER), (0, 5, LOC)]], [[(0, 5, LOC)]])
    assert as_tuple(counts["strict"]) == as_tuple(counts["type"]) == as_tuple(counts["exact"]) == (1, 0, 0, 1, 0)


def test_retained_types_are_outside_on_both_sides() -> None:
    counts = ours([[(0, 4, DATE), (5, 9, PER)]], [[(0, 4, PER), (5, 9, DATE)]], Policy.default())
    assert as_tuple(counts["strict"]) == (0, 0, 0, 1, 1)


@pytest.mark.parametrize("characters", [2, 3])
def test_an_overlap_below_one_percent_of_the_gold_is_none(characters: int) -> None:
    gold, predicted = [[(0, 300, PER)]], [[(300 - characters, 310, PER)]]
    counts = ours(gold, predicted)["type"]
    assert as_tuple(counts) == ((1, 0, 0, 0, 0) if characters == 3 else (0, 0, 0, 1, 1))
    assert as_tuple(counts) == as_tuple(theirs(gold, predicted)["overall"]["ent_type"])


def test_rows_by_type_and_language() -> None:
    gold = [[(0, 4, PER)], [(0, 4, LOC), (8, 12, PER)], []]
    predicted = [[(0, 4, PER)], [(0, 4, LOC), (9, 12, PER)], [(0, 2, PER)]]
    rows = {(m.metric, m.subset): m for m in span_scores(table(gold), table(predicted), ALL).measures(["en", "de", "de"], seed=4)}
    row = rows["f1_strict", ""]
    assert (row.value, row.numerator, row.denominator, row.seed) == (pytest.approx(4 / 7), 4.0, 7.0, 4)
    assert row.sd == pytest.approx(np.std([1.0, 0.5, 0.0], ddof=1))
    assert rows["f1_strict", "type=LOCATION"].value == 1.0
    assert rows["f1_partial", "type=PERSON"].value == pytest.approx((2 + 1) / 5)
    assert rows["f1_strict", "language=de"].value == pytest.approx(2 / 5)
    assert rows["f1_strict", "language=en"].method.startswith("exact (fewer than two")
    assert rows["f1_exact", "type=AGE"].value is None
    assert rows["f1_exact", "type=AGE"].method == "not measurable: no AGE gold and no prediction"


def test_counts_without_spans_have_no_scores() -> None:
    counts = ours([[]], [[]])["strict"]
    assert (counts.precision, counts.recall, counts.f1) == (None, None, None)
    empty = ours([], [])["strict"]
    assert as_tuple(empty) == (0, 0, 0, 0, 0)


def test_dense_overlaps_are_paired_to_the_last_span() -> None:
    # 200 spans on either side that all overlap: whatever is paired first, none may be left over.
    gold, predicted = [[(i, 400 + i, PER) for i in range(200)]], [[(i, 401 + i, LOC) for i in range(200)]]
    assert as_tuple(ours(gold, predicted)["strict"]) == (0, 200, 0, 0, 0)
    # A span over everything costs nothing extra and takes at most one partner.
    tiles = [[(4 * i, 4 * i + 3, PER) for i in range(3000)]]
    counts = ours(tiles, [[(0, 12000, PER), *tiles[0][::2]]])["type"]
    assert as_tuple(counts) == (1501, 0, 0, 1499, 0)
