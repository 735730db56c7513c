"""Fronts and operating points: against comparison of all pairs, a recount of every candidate, and cases worked by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import UsageError
from bench.core.taxonomy import TYPE_CODE, Policy
from bench.ensembles import parse
from bench.front_candidates import Candidates, candidates_of, member_costs
from bench.fronts import POINTS, CostKind, Front, Level, compute_front, operating_points, pareto
from tests.reference import lattice_naive
from tests.reference.lattice_naive import Gold, mention_table
from tests.reference.votes_naive import Spans, Tokens, span_table, token_table

POLICY = Policy.default()
PERSON, LOCATION, DATE = (TYPE_CODE[n] for n in ("PERSON", "LOCATION", "DATE"))

# Ten tokens t0..t9 of two characters. Gold: t0-t1 PERSON of entity 0, t4 PERSON of entity 0, t6 LOCATION of entity 1.
TOKENS: Tokens = [[(3 * i, 3 * i + 2) for i in range(10)]]
GOLD: Gold = [[(0, 5, PERSON, 0), (12, 14, PERSON, 0), (18, 20, LOCATION, 1)]]
DETECTORS: dict[str, Spans] = {
    "a": [[(0, 5, PERSON), (9, 11, PERSON)]],  # t0 t1 | t3
    "b": [[(3, 5, PERSON), (12, 14, LOCATION), (21, 23, PERSON)]],  # t1 t4 | t7
    "c": [[(0, 20, PERSON)]],  # t0..t6
}
COSTS = {"a": 1.0, "b": 2.0, "c": 4.0}


def hand_front(level: Level = "token", cost: CostKind = "parallel") -> Front:
    """The front of the three detectors above, given out of order."""
    names = ["c", "a", "b"]
    spans = [span_table(DETECTORS[n]) for n in names]
    return compute_front(token_table(TOKENS), mention_table(GOLD), spans, names, POLICY, COSTS, level=level, cost=cost)


def test_hand_counted_candidates() -> None:
    rows = {row["ensemble"]: row for row in hand_front().candidates.iter_rows(named=True)}
    assert list(rows) == [
        *("a", "b", "c", "union(a,b)", "intersection(a,b)", "union(a,c)", "intersection(a,c)", "union(b,c)", "intersection(b,c)"),
        *("union(a,b,c)", "atleast2(a,b,c)", "intersection(a,b,c)"),
    ]
    both = rows["union(a,b)"]
    assert (both["tp"], both["gold_tokens"], both["tn"], both["non_gold_tokens"]) == (3, 4, 4, 6)
    assert (both["sensitivity"], both["specificity"], both["person_sensitivity"]) == (0.75, 4 / 6, 1.0)
    assert (both["mentions_replaced"], both["mentions"], both["entities_protected"], both["entities"]) == (2, 3, 1, 2)
    assert (both["cost_parallel"], both["cost_serial"], both["symbol"], both["members"]) == (2.0, 3.0, "∪", ["a", "b"])
    two = rows["atleast2(a,b,c)"]  # t0 t1 t3 t4
    assert (two["tp"], two["tn"], two["k"], two["size"], two["symbol"], two["cost_parallel"]) == (3, 5, 2, 3, "v", 4.0)
    assert (rows["intersection(a,b,c)"]["tp"], rows["intersection(a,b,c)"]["tn"]) == (1, 6)
    assert rows["a"]["symbol"] == "s"


def test_hand_worked_points_and_front() -> None:
    result = hand_front()
    # Sensitivity: only c (3 non-gold tokens hit) and unions with it reach 4/4. 90 % of 4 is 3.6: the same ones.
    # Specificity with sensitivity >= 1/2: a 2/4 5/6, b 2/4 5/6, i(a,c) 2/4 5/6, i(b,c) 2/4 6/6.
    assert [(p.name, p.candidate and p.candidate["ensemble"]) for p in result.points] == [
        ("max. sensitivity", "c"),
        ("fast sensitivity", "c"),
        ("max. specificity", "intersection(b,c)"),
        ("fast specificity", "intersection(b,c)"),
    ]
    # a (1 s, 2/4, 5/6) ties b but costs less; union(a,b) 2 s, 3/4, 4/6; atleast2 beats nothing cheaper but 3/4, 5/6 at 4 s.
    assert result.front["ensemble"].to_list() == [
        "a",
        "intersection(a,b)",
        "union(a,b)",
        "intersection(b,c)",
        "atleast2(a,b,c)",
        "c",
    ]


def test_fast_points_take_the_cheapest_within_ten_per_cent_inclusive() -> None:
    found = candidates_of(["a", "b", "c"], "singles")
    cost = np.array([1.0, 2.0, 3.0])

    def rows(tp: list[int], tn: list[int], gold: int = 100) -> list[int | None]:
        points = operating_points(cost, np.array(tp), np.array(tn), gold, 100, found, "")
        return [row for row, _ in points]

    assert rows([89, 90, 100], [50, 50, 50]) == [2, 1, 2, 0]
    assert rows([49, 50, 100], [100, 90, 40]) == [2, 2, 1, 1]  # the floor of a half takes 50 of 100 and leaves 49
    assert rows([60, 60, 60], [81, 90, 89]) == [1, 0, 1, 0]


def test_equal_costs_are_decided_by_quality_then_size() -> None:
    found = candidates_of(["a", "b"], "pairs")  # a, b, union, intersection
    points = operating_points(np.ones(4), np.array([9, 9, 9, 9]), np.array([4, 7, 7, 7]), 10, 10, found, "")
    assert [row for row, _ in points] == [1, 1, 1, 1]


def test_points_that_cannot_be_given_say_why() -> None:
    found = candidates_of(["a"], "singles")
    one = np.array([3]), np.array([5])
    points = operating_points(np.ones(1), *one, 10, 5, found, "")
    assert [row for row, _ in points] == [0, 0, None, None]
    assert points[2][1] == "no candidate has a sensitivity of 0.5 or more; the best has 3 of 10"
    assert all("no gold" in why for _, why in operating_points(np.ones(1), *one, 0, 5, found, ""))
    assert "no non-gold tokens" in operating_points(np.ones(1), *one, 4, 0, found, "")[2][1]


def test_a_cost_that_was_not_measured_leaves_a_front_without_cost() -> None:
    names = ["a", "b"]
    spans = [span_table(DETECTORS[n]) for n in names]
    result = compute_front(token_table(TOKENS), mention_table(GOLD), spans, names, POLICY, {"a": 1.0, "b": math.nan})
    assert result.unpriced == ("b",)
    rows = {row["ensemble"]: row for row in result.candidates.iter_rows(named=True)}
    assert (rows["a"]["cost_parallel"], rows["b"]["cost_serial"], rows["union(a,b)"]["cost_parallel"]) == (1.0, None, None)
    # a and b have 2/4 and 5/6 each; the intersection 1/4 and 6/6; the union 3/4 and 4/6.
    assert result.front["ensemble"].to_list() == ["intersection(a,b)", "a", "union(a,b)"]
    assert [p.candidate is None for p in result.points] == [False, True, False, True]
    assert result.points[1].reason == "no cost was measured for b"


def test_level_decides_what_sensitivity_is() -> None:
    by_entity = hand_front(level="entity")
    best = by_entity.points[0].candidate
    assert best is not None and (best["ensemble"], best["entities_protected"]) == ("c", 2)
    # Entity 0 needs t0, t1 and t4: only then does an ensemble count more than a cheap one that spares more text.
    assert by_entity.front["ensemble"].to_list() == ["a", "intersection(a,b)", "union(a,b)", "atleast2(a,b,c)", "c"]
    assert by_entity.front["entities_protected"].to_list() == [0, 0, 1, 1, 2]
    assert hand_front(level="mention").points[0].candidate["mentions_replaced"] == 3  # type: ignore[index]


candidate_rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 5), st.integers(1, 3), st.integers(1, 7), st.integers(1, 3)),
    min_size=1, max_size=25, unique_by=lambda r: r[3:],
)  # fmt: skip


@given(candidate_rows, st.booleans())
@settings(max_examples=400, deadline=None)
def test_front_equals_comparison_of_all_pairs(rows: list[tuple[int, int, int, int, int, int]], priced: bool) -> None:
    if not priced:
        rows = [(0, *row[1:]) for row in rows]
    cost, tp, tn, size, subset, k = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    front = pareto(cost.astype(np.float64) if priced else None, tp, tn, size, subset.astype(np.uint64), k)
    assert set(np.flatnonzero(front).tolist()) == lattice_naive.front([(float(r[0]), *r[1:]) for r in rows])


@pytest.mark.parametrize(("spec", "n"), [("all", 5), ("triples", 5), ("triples", 18)])
def test_every_candidate_equals_a_recount(spec: str, n: int) -> None:
    rng = np.random.default_rng(3)
    docs = [[(3 * i, 3 * i + 2) for i in range(8)] for _ in range(2)]
    gold = [
        [
            (int(s), int(s) + 4, int(t), int(e))
            for s, t, e in zip(rng.integers(0, 20, 4), rng.choice([0, 1, 3], 4), rng.integers(0, 3, 4), strict=True)
        ]
        for _ in docs
    ]
    names = [f"d{i:02}" for i in range(n)]
    spans = {
        name: [
            [(int(s), int(s) + 5, int(t)) for s, t in zip(rng.integers(0, 20, 3), rng.choice([0, 3, 6], 3), strict=True)]
            for _ in docs
        ]
        for name in names
    }
    costs = dict(zip(names, rng.integers(1, 9, n).astype(float).tolist(), strict=True))
    result = compute_front(
        token_table(docs), mention_table(gold), [span_table(spans[x]) for x in names], names, POLICY, costs, candidates=spec
    )
    largest = n if spec == "all" else 3
    assert len(result.candidates) == sum(size * math.comb(n, size) for size in range(1, largest + 1))
    rows = list(result.candidates.iter_rows(named=True))
    for row in rows if n < 10 else rows[:: len(rows) // 150]:
        ensemble = parse(row["ensemble"], names)
        assert (ensemble.members, ensemble.k, ensemble.rule) == (tuple(row["members"]), row["k"], row["rule"])
        members = {names.index(m) for m in ensemble.members}
        c = lattice_naive.score(docs, gold, list(spans.values()), POLICY.codes, members, ensemble.k)
        assert (row["tp"], row["gold_tokens"], row["tn"], row["non_gold_tokens"]) == (c.tp, c.gold, c.tn, c.non_gold)
        assert (row["person_tp"], row["person_gold"]) == (c.person_tp, c.person_gold)
        assert (row["mentions_replaced"], row["mentions"]) == (c.mentions_replaced, c.mentions)
        assert (row["entities_protected"], row["entities"]) == (c.entities_protected, c.entities)
        assert row["cost_parallel"] == max(costs[m] for m in ensemble.members)
        assert row["cost_serial"] == sum(costs[m] for m in ensemble.members)
    keys = [
        (r["cost_parallel"], r["tp"], r["tn"], r["size"], sum(1 << names.index(m) for m in r["members"]), r["k"]) for r in rows
    ]
    if len(keys) < 1000:
        assert {i for i, r in enumerate(rows) if r["on_front"]} == lattice_naive.front(keys)


def test_triples_of_fifteen_are_the_papers_search() -> None:
    # 15 singles, 105 pairs under two rules, 455 triples under three.
    found = candidates_of([f"d{i:02}" for i in range(15)], "triples")
    assert len(found.k) == 15 + 2 * 105 + 3 * 455
    assert len(found.subsets) == 575


def test_candidates_are_every_subset_under_every_rule_once() -> None:
    found = candidates_of(["a", "b", "c", "d"], "upto2")
    assert found.members == (*((x,) for x in "abcd"), *combinations("abcd", 2))
    assert [(int(r), int(k)) for r, k in zip(found.row, found.k, strict=True)][:6] == [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
        (4, 2),
    ]
    assert found.subset[-2:].tolist() == [0b1100, 0b1100]


def test_order_of_detectors_changes_nothing() -> None:
    forward = ["a", "b", "c"]
    spans = [span_table(DETECTORS[n]) for n in forward]
    other = compute_front(token_table(TOKENS), mention_table(GOLD), spans, forward, POLICY, COSTS)
    assert other.candidates.equals(hand_front().candidates)
    assert other.points == hand_front().points
    assert tuple(p.name for p in other.points) == POINTS


@pytest.mark.parametrize(
    ("names", "spec", "message"),
    [
        (["a", "b"], "quads", "candidate set 'quads' is unknown; accepted: singles"),
        (["a", "a"], "singles", "'a' is given twice"),
        ([], "singles", "0 detectors"),
        ([f"d{i:02}" for i in range(17)], "all", "17 detectors is too many"),
        ([f"d{i:02}" for i in range(40)], "upto9", "accepted: at most 1,000,000"),
        (["a"], "upto0", "unknown"),
    ],
)
def test_impossible_candidate_sets_are_refused(names: list[str], spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        candidates_of(names, spec)


def test_serial_cost_does_not_depend_on_the_order_of_adding() -> None:
    found: Candidates = candidates_of(["a", "b", "c"], "triples")
    _, serial, _ = member_costs(["a", "b", "c"], {"a": 0.1, "b": 0.2, "c": 0.3}, found)
    assert serial[-1] == 0.6  # 0.1 + 0.2 + 0.3 added one by one is 0.6000000000000001
    with pytest.raises(UsageError, match="cost of detector 'a' is -1"):
        member_costs(["a"], {"a": -1.0}, candidates_of(["a"], "singles"))


def test_unknown_options_are_refused() -> None:
    with pytest.raises(UsageError, match="level 'word' is unknown; accepted: token, mention, entity"):
        hand_front(level="word")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cost 'cheap' is unknown; accepted: parallel, serial"):
        hand_front(cost="cheap")  # type: ignore[arg-type]


def test_serial_cost_moves_the_front() -> None:
    # union(b,c) and c detect the same; in parallel both cost 4 s, one after the other 6 s and 4 s.
    front = hand_front(cost="serial").front
    assert front["ensemble"].to_list() == ["a", "intersection(a,b)", "union(a,b)", "c", "intersection(b,c)", "atleast2(a,b,c)"]
    assert front["cost_serial"].to_list() == [1.0, 3.0, 3.0, 4.0, 6.0, 7.0]


def test_corpus_without_gold_has_no_rates_and_no_points() -> None:
    result = compute_front(token_table(TOKENS), mention_table([[]]), [span_table(DETECTORS["a"])], ["a"], POLICY, COSTS)
    row = result.candidates.row(0, named=True)
    assert (row["sensitivity"], row["person_sensitivity"], row["entity_protected"], row["specificity"]) == (None, None, None, 0.7)
    assert all(p.candidate is None and p.reason for p in result.points)


def test_dates_are_neither_gold_nor_flags() -> None:
    gold: Gold = [[(0, 2, DATE, 0), (3, 5, PERSON, 1)]]
    spans = span_table([[(0, 2, DATE), (3, 5, PERSON)]])
    row = compute_front(token_table(TOKENS), mention_table(gold), [spans], ["a"], POLICY, {}).candidates.row(0, named=True)
    assert (row["tp"], row["gold_tokens"], row["tn"], row["non_gold_tokens"], row["entities"]) == (1, 1, 9, 9, 1)
