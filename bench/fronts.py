"""Cost-sensitivity fronts and operating points: which ensemble to run, out of every ensemble a set of detectors allows.

docs/measures.md, Detection; [T] sections 2.3 and 3.1, Table 2. Every candidate is scored exactly by the vote lattice, and all
comparisons are between integer counts, never rates. Detectors are ordered by name first, so no figure and no tie depends on
the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numba import njit

from bench.core.errors import UsageError
from bench.core.tables import F64, I64, U64, Bool, MentionTable, SpanTable, TokenTable
from bench.core.taxonomy import Policy
from bench.ensembles import SYMBOLS, expression_of, rule_of
from bench.front_candidates import Candidates, candidates_of, member_costs
from bench.lattice import MAX_LATTICE, TokenLattice, distinct_masks, subset_counts, token_classes
from bench.unit_lattice import Antichains, unit_antichains, unit_counts, unit_lattice
from bench.votes import vote_masks

Level: TypeAlias = Literal["token", "mention", "entity"]
CostKind: TypeAlias = Literal["parallel", "serial"]

#: Operating points in the order of Table 2 of [T].
POINTS: Final[tuple[str, ...]] = ("max. sensitivity", "fast sensitivity", "max. specificity", "fast specificity")
#: What a point on the specificity side must at least detect, and how far below the best a fast one may lie. *Our reading* of
#: [T] section 3.1 (docs/measures.md, Detection): a half, and ten per cent relative; as integer ratios, so that edges are exact.
FLOOR: Final[tuple[int, int]] = (1, 2)
BAND: Final[tuple[int, int]] = (9, 10)

_CLASSES: Final = ("gold", "non_gold", "PERSON")
#: Level to the columns that hold its numerator and denominator.
_SENSITIVITY: Final[Mapping[str, tuple[str, str]]] = {
    "token": ("tp", "gold_tokens"),
    "mention": ("mentions_replaced", "mentions"),
    "entity": ("entities_protected", "entities"),
}


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """One row of Table 2: a candidate (a row of the candidate frame), or None with the reason."""

    name: str
    candidate: Mapping[str, Any] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Front:
    """Everything known of a candidate set.

    Parameters
    ----------
    candidates
        One row per candidate, sorted by (size, members, k): ``ensemble, members, k, size, rule, symbol``; counts ``tp,
        gold_tokens, tn, non_gold_tokens, person_tp, person_gold, mentions_replaced, mentions, entities_protected, entities``;
        rates ``sensitivity, specificity, person_sensitivity, mention_replaced, entity_protected`` (null where the denominator is
        zero); ``cost_parallel, cost_serial`` in seconds per document (null where a member's was not measured); ``on_front``.
    points
        The four operating points, in the order of `POINTS`.
    level, cost
        What counted as sensitivity and as cost.
    detectors
        The detectors, sorted by name.
    unpriced
        Those without a measured cost. If there is one, the front is over sensitivity and specificity alone.
    """

    candidates: pl.DataFrame
    points: tuple[OperatingPoint, ...]
    level: Level
    cost: CostKind
    detectors: tuple[str, ...]
    unpriced: tuple[str, ...]

    @property
    def front(self) -> pl.DataFrame:
        """The candidates on the front: cheapest first where every cost is known, then by rising sensitivity."""
        keys = [] if self.unpriced else [f"cost_{self.cost}"]
        return self.candidates.filter("on_front").sort(*keys, _SENSITIVITY[self.level][0], "tn", maintain_order=True)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _sweep(rank: Any, tn: Any, n_ranks: int, keep: Any) -> None:
    """Rows come sorted best first; a row stays if no earlier one with its TP or more has its TN or more.

    A Fenwick tree over ranks of TP, highest first, holds the prefix maximum of TN.
    """
    tree = np.full(n_ranks + 1, -1, dtype=np.int64)
    for row in range(len(rank)):
        best = -1
        node = rank[row] + 1
        while node > 0:
            best = max(best, tree[node])
            node -= node & -node
        if best >= tn[row]:
            continue
        keep[row] = True
        node = rank[row] + 1
        while node <= n_ranks:
            tree[node] = max(tree[node], tn[row])
            node += node & -node


def pareto(cost: F64 | None, tp: I64, tn: I64, size: I64, subset: U64, k: I64) -> Bool:
    """Which candidates no other one beats: cost down, TP and TN up; O(n log n).

    Of exact ties the smallest subset stays, then the lowest mask, then the lowest k (docs/kernels.md, All ensembles).

    Parameters
    ----------
    cost
        Finite costs, shape (n,), or None to compare TP and TN alone.
    tp, tn, size, subset, k
        Counts, members, mask and votes of each candidate, shape (n,).

    Returns
    -------
    Shape (n,): True on the front.
    """
    # lexsort: the last key counts first. Everything that can beat a row stands before it.
    keys = (k, subset, size, -tn, -tp)
    order = np.lexsort(keys if cost is None else (*keys, cost))
    values, rank = np.unique(-tp, return_inverse=True)
    keep = np.zeros(len(tp), dtype=np.bool_)
    _sweep(rank[order].astype(np.int64), tn[order].astype(np.int64), len(values), keep)
    front = np.zeros(len(tp), dtype=np.bool_)
    front[order] = keep
    return front


def _first(rows: I64, *keys: Any) -> int:
    """The row of `rows` that is least by `keys`, the first key counting first."""
    return int(rows[np.lexsort(tuple(np.asarray(key)[rows] for key in reversed(keys)))[0]])


def operating_points(
    cost: F64 | None, tp: I64, tn: I64, gold: int, non_gold: int, candidates: Candidates, no_cost: str
) -> tuple[tuple[int | None, str], ...]:
    """Row of each operating point in the order of `POINTS`, or None and the reason.

    Ties: a maximum takes the better other rate, then the lower cost; a cheapest takes the better rate it was chosen by, then the
    other rate (costs tie often, because the slowest member decides). Then the smallest subset, the lowest mask, the lowest k.
    """
    last = (candidates.size, candidates.subset, candidates.k)
    price = np.zeros(len(tp)) if cost is None else cost
    points: list[tuple[int | None, str]] = []

    def add(rows: I64, main: I64, other: I64, empty: str) -> None:
        if empty or not len(rows):
            points.extend([(None, empty)] * 2)
            return
        points.append((_first(rows, -main, -other, price, *last), ""))
        band = rows[main[rows] * BAND[1] >= int(main[rows].max()) * BAND[0]]
        points.append((None, no_cost) if cost is None else (_first(band, price, -main, -other, *last), ""))

    add(np.arange(len(tp)), tp, tn, "" if gold else "the corpus has no gold of a replaced type, so sensitivity is not defined")
    able = np.flatnonzero(tp * FLOOR[1] >= gold * FLOOR[0])
    reason = ""
    if not gold or not non_gold:
        reason = f"the corpus has no {'non-gold tokens' if gold else 'gold of a replaced type'}, so the point is not defined"
    elif not len(able):
        best = int(tp.max())
        reason = f"no candidate has a sensitivity of {FLOOR[0] / FLOOR[1]:g} or more; the best has {best} of {gold}"
    add(able, tn, tp, reason)
    return tuple(points)


def _token_counts(masks: U64, words: Any, found: Candidates, n: int) -> dict[str, tuple[I64, int]]:
    """Per class: tokens that each candidate flags, and all tokens of the class."""
    if n <= MAX_LATTICE:
        lattice = TokenLattice.of(masks, words, n, _CLASSES)
        index = found.subset.astype(np.int64)
        return {name: (lattice.at_least[c, index, found.k], lattice.total(name)) for c, name in enumerate(_CLASSES)}
    distinct, weights = distinct_masks(masks, words, _CLASSES)
    counts = subset_counts(distinct, weights, found.subsets, found.width)
    return {name: (counts[c, found.row, found.k], int(weights[c].sum())) for c, name in enumerate(_CLASSES)}


def _unit_counts(families: Antichains, found: Candidates, n: int) -> I64:
    # The full lattice pays once most subsets are wanted; a few subsets are cheaper one by one.
    if n <= MAX_LATTICE and 4 * len(found.subsets) >= 1 << n:
        lattice: I64 = unit_lattice(families, n)[found.subset.astype(np.int64), found.k]
        return lattice
    counts: I64 = unit_counts(families, found.subsets, found.width)[found.row, found.k]
    return counts


def _rate(count: str, total: str, name: str) -> pl.Expr:
    return pl.when(pl.col(total) > 0).then(pl.col(count) / pl.col(total)).alias(name)


def compute_front(
    tokens: TokenTable,
    gold: MentionTable,
    spans: Sequence[SpanTable],
    names: Sequence[str],
    policy: Policy,
    costs: Mapping[str, float],
    *,
    candidates: str = "triples",
    level: Level = "token",
    cost: CostKind = "parallel",
) -> Front:
    """Score every candidate ensemble of a set of detectors; find the front and the operating points.

    Parameters
    ----------
    tokens, gold, spans
        The corpus, and one span table per detector over the same documents.
    names
        Detector names, in the order of `spans`.
    policy
        Which types are replaced.
    costs
        Detector name to seconds per document; a missing name or NaN is a cost that was not measured.
    candidates
        ``singles``, ``pairs``, ``triples`` (up to three members: [T] section 2.3), ``uptoN``, or ``all``.
    level
        Whether sensitivity counts gold tokens, mentions replaced whole, or entities protected whole.
    cost
        ``parallel``: the slowest member; ``serial``: the sum of all.

    Raises
    ------
    UsageError
        An unknown option, a repeated name, a negative cost, or more candidates than can be scored.
    """
    if len(names) != len(spans):
        raise UsageError(f"{len(names)} detector names for {len(spans)} span tables")
    if level not in _SENSITIVITY:
        raise UsageError(f"level {level!r} is unknown; accepted: {', '.join(_SENSITIVITY)}")
    if cost not in ("parallel", "serial"):
        raise UsageError(f"cost {cost!r} is unknown; accepted: parallel, serial")
    order = sorted(range(len(names)), key=lambda i: names[i])
    detectors = tuple(names[i] for i in order)
    found = candidates_of(detectors, candidates)
    masks = vote_masks(tokens, [spans[i] for i in order], policy)
    words = token_classes(tokens, gold, policy)
    counts = _token_counts(masks, words, found, len(detectors))
    mentions, entities = unit_antichains(masks, tokens, gold, policy)
    (tp, n_gold), (fp, n_non_gold), (person, n_person) = (counts[name] for name in _CLASSES)
    parallel, serial, unpriced = member_costs(detectors, costs, found)
    tn = n_non_gold - fp
    replaced, protected = _unit_counts(mentions, found, len(detectors)), _unit_counts(entities, found, len(detectors))
    hits, total = {"token": (tp, n_gold), "mention": (replaced, mentions.units), "entity": (protected, entities.units)}[level]
    price = None if unpriced else {"parallel": parallel, "serial": serial}[cost]
    no_cost = f"no cost was measured for {', '.join(unpriced)}"
    rules = [rule_of(size, k) for size, k in zip(found.size.tolist(), found.k.tolist(), strict=True)]
    members = [found.members[row] for row in found.row.tolist()]
    frame = pl.DataFrame(
        {
            "ensemble": [expression_of(m, k) for m, k in zip(members, found.k.tolist(), strict=True)],
            "members": pl.Series([list(m) for m in found.members], dtype=pl.List(pl.String)).gather(found.row),
            "k": found.k,
            "size": found.size,
            "rule": rules,
            "symbol": [SYMBOLS[rule] for rule in rules],
            "tp": tp,
            "gold_tokens": np.full(len(tp), n_gold),
            "tn": tn,
            "non_gold_tokens": np.full(len(tp), n_non_gold),
            "person_tp": person,
            "person_gold": np.full(len(tp), n_person),
            "mentions_replaced": replaced,
            "mentions": np.full(len(tp), mentions.units),
            "entities_protected": protected,
            "entities": np.full(len(tp), entities.units),
            "cost_parallel": parallel,
            "cost_serial": serial,
            "on_front": pareto(price, hits, tn, found.size, found.subset, found.k),
        }
    ).with_columns(
        _rate("tp", "gold_tokens", "sensitivity"),
        _rate("tn", "non_gold_tokens", "specificity"),
        _rate("person_tp", "person_gold", "person_sensitivity"),
        _rate("mentions_replaced", "mentions", "mention_replaced"),
        _rate("entities_protected", "entities", "entity_protected"),
        pl.col("cost_parallel", "cost_serial").fill_nan(None),
    )
    rows = operating_points(price, hits, tn, total, n_non_gold, found, no_cost)
    points = tuple(
        OperatingPoint(name, None if row is None else frame.row(row, named=True), reason)
        for name, (row, reason) in zip(POINTS, rows, strict=True)
    )
    return Front(frame, points, level, cost, detectors, unpriced)
