"""The vote lattice for units that need all their parts: a mention all its tokens, an entity all its mentions.

(docs/kernels.md.) A unit is protected by "at least k votes in S" if and only if the least popcount(m & S) over its tokens'
vote masks m is at least k. The popcount is monotone in m, so only the inclusion-minimal masks of a unit matter: each unit is
reduced to that antichain, and equal antichains are merged with a weight.

A mention that touches no token (white space only) can never be replaced. It enters as the empty mask, so that neither it nor
its entity ever counts as protected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit

from bench.core.tables import I64, U64, MentionTable, TokenTable, token_ranges
from bench.core.taxonomy import Policy
from bench.lattice import check_lattice_size, vote_dp

#: A unit of more parts than this is sorted before it is reduced.
_SHORT: Final[int] = 24


@dataclass(frozen=True, slots=True)
class Antichains:
    """Distinct families of inclusion-minimal masks: ``masks[indptr[f]:indptr[f + 1]]`` stands for ``weight[f]`` units.

    Within a family the masks are sorted by (popcount, value), so equal families are equal arrays.
    """

    indptr: I64
    masks: U64
    weight: I64

    @property
    def units(self) -> int:
        """Number of units behind all families."""
        return int(self.weight.sum())


@njit(cache=True)  # type: ignore[untyped-decorator]
def _popcount(x: Any) -> int:
    n = 0
    while x:
        x &= x - np.uint64(1)
        n += 1
    return n


@njit(cache=True)  # type: ignore[untyped-decorator]
def _reduce(indptr: Any, masks: Any, out_indptr: Any, out: Any) -> None:
    """Write the antichain of every unit to `out`, sorted by (popcount, value)."""
    filled = 0
    for unit in range(len(indptr) - 1):
        begin, end = indptr[unit], indptr[unit + 1]
        # Sorting brings the many repeats of a long unit together; what is left is short enough for insertion.
        part = np.sort(masks[begin:end]) if end - begin > _SHORT else masks[begin:end]
        first = filled
        for index in range(len(part)):
            mask = part[index]
            if index and mask == part[index - 1]:
                continue
            minimal = True
            kept = first
            for other in range(first, filled):
                if out[other] & mask == out[other]:
                    minimal = False
                    break
            if not minimal:
                continue
            # The new mask throws out its supersets.
            for other in range(first, filled):
                if out[other] & mask != mask:
                    out[kept] = out[other]
                    kept += 1
            filled = kept
            size = _popcount(mask)
            at = filled
            while at > first and (_popcount(out[at - 1]) > size or (_popcount(out[at - 1]) == size and out[at - 1] > mask)):
                out[at] = out[at - 1]
                at -= 1
            out[at] = mask
            filled += 1
        out_indptr[unit + 1] = filled


@njit(cache=True)  # type: ignore[untyped-decorator]
def _merge(indptr: Any, masks: Any, table: Any, first_unit: Any, weight: Any) -> int:
    """Group equal antichains exactly: open addressing, full comparison. Returns the number of families."""
    size = np.uint64(len(table) - 1)
    families = 0
    for unit in range(len(indptr) - 1):
        begin, end = indptr[unit], indptr[unit + 1]
        if begin == end:
            continue
        key = np.uint64(end - begin)
        for index in range(begin, end):
            key = (key ^ masks[index]) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        slot = key & size
        while True:
            family = table[slot]
            if family < 0:
                table[slot] = families
                first_unit[families] = unit
                weight[families] = 1
                families += 1
                break
            other = indptr[first_unit[family]]
            same = indptr[first_unit[family] + 1] - other == end - begin
            index = 0
            while same and index < end - begin:
                same = masks[other + index] == masks[begin + index]
                index += 1
            if same:
                weight[family] += 1
                break
            slot = (slot + np.uint64(1)) & size
    return families


@njit(cache=True)  # type: ignore[untyped-decorator]
def _exact_votes(indptr: Any, masks: Any, weight: Any, overlap: Any, low_bits: int, out: Any) -> None:
    """Add each family's weight to ``out[S, min popcount(m & S)]`` for every subset S, a block of low halves at a time.

    `overlap[a, b]` is popcount(a & b) of low halves: one row per mask makes the minimum a vector operation over all low halves.
    """
    n_low = 1 << low_bits
    least = np.empty(n_low, dtype=np.uint8)
    for high in range(out.shape[0] >> low_bits):
        block = out[high << low_bits : (high + 1) << low_bits]
        for family in range(len(weight)):
            begin, end = indptr[family], indptr[family + 1]
            mask = masks[begin]
            more = np.uint8(_popcount((mask >> np.uint64(low_bits)) & np.uint64(high)))
            row = overlap[mask & np.uint64(n_low - 1)]
            for low in range(n_low):
                least[low] = row[low] + more
            for index in range(begin + 1, end):
                mask = masks[index]
                more = np.uint8(_popcount((mask >> np.uint64(low_bits)) & np.uint64(high)))
                row = overlap[mask & np.uint64(n_low - 1)]
                for low in range(n_low):
                    least[low] = min(least[low], np.uint8(row[low] + more))
            w = weight[family]
            for low in range(n_low):
                block[low, least[low]] += w


@njit(cache=True)  # type: ignore[untyped-decorator]
def _votes_of_subsets(indptr: Any, masks: Any, weight: Any, subsets: Any, out: Any) -> None:
    """``out[subset, k]``: weight of the families whose least popcount(m & S) is at least k."""
    width = out.shape[1] - 1
    for s in range(len(subsets)):
        for family in range(len(weight)):
            least = width
            for index in range(indptr[family], indptr[family + 1]):
                least = min(least, _popcount(masks[index] & subsets[s]))
                if least == 0:
                    break
            out[s, least] += weight[family]
        for k in range(width - 1, -1, -1):
            out[s, k] += out[s, k + 1]


def antichains(unit: I64, masks: U64, n_units: int) -> Antichains:
    """Reduce units to antichains and merge equal ones.

    Parameters
    ----------
    unit
        Unit of each part, shape (parts,), values below `n_units`; units without a part are left out.
    masks
        Vote mask of each part.
    n_units
        Number of units.
    """
    if len(unit) and (np.diff(unit) < 0).any():
        order = np.argsort(unit, kind="stable")
        unit, masks = unit[order], masks[order]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=n_units))]).astype(np.int64)
    reduced_indptr, reduced = np.zeros(n_units + 1, dtype=np.int64), np.empty(len(masks) + 1, dtype=np.uint64)
    _reduce(indptr, np.ascontiguousarray(masks), reduced_indptr, reduced)
    table = np.full(1 << max(4, (2 * n_units).bit_length()), -1, dtype=np.int64)
    first, weight = np.empty(n_units, dtype=np.int64), np.empty(n_units, dtype=np.int64)
    n_families = _merge(reduced_indptr, reduced, table, first, weight)
    first = first[:n_families]
    flat, sizes = _ranges(reduced_indptr[first], reduced_indptr[first + 1])
    return Antichains(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), reduced[flat], weight[:n_families].copy())


def _ranges(first: I64, last: I64) -> tuple[I64, I64]:
    """All indices of the ranges ``[first, last)``, one after the other, and the length of each."""
    sizes = last - first
    shift = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(sizes) else np.empty(0, np.int64)
    return (np.arange(len(shift), dtype=np.int64) + shift).astype(np.int64), sizes


def unit_antichains(masks: U64, tokens: TokenTable, gold: MentionTable, policy: Policy) -> tuple[Antichains, Antichains]:
    """Antichains of the gold mentions of replaced types, and of the entities that have such mentions.

    Parameters
    ----------
    masks
        Vote masks of the tokens (`bench.votes.vote_masks`).
    tokens, gold, policy
        The corpus and which types count.
    """
    rows = np.flatnonzero(np.isin(gold.type, list(policy.codes)))
    first, last = token_ranges(tokens, gold.indptr, gold.start, gold.end)
    flat, sizes = _ranges(first[rows], last[rows])
    mention = np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
    bare = np.flatnonzero(sizes == 0)
    mention = np.concatenate([mention, bare])
    parts = np.concatenate([masks[flat], np.zeros(len(bare), dtype=np.uint64)])
    entity = np.asarray(gold.entity)[rows]
    return (
        antichains(mention, parts, len(rows)),
        antichains(entity[mention], parts, int(entity.max(initial=-1)) + 1),
    )


def unit_lattice(families: Antichains, n_detectors: int) -> I64:
    """Units protected by every (subset, k).

    Parameters
    ----------
    families
        From `unit_antichains` over `n_detectors` detectors.
    n_detectors
        At most `bench.lattice.MAX_LATTICE`.

    Returns
    -------
    Counts, shape (2 ** n_detectors, n_detectors + 1): ``result[S, k]`` units have at least k votes on every token;
    ``result[S, 0]`` is the number of units.
    """
    check_lattice_size(n_detectors)
    sizes = np.diff(families.indptr)
    # A family of one mask is a weighted token: the vote recurrence scores all of those at once.
    single = sizes == 1
    h = np.zeros((1, 1 << n_detectors), dtype=np.int64)
    np.add.at(h[0], families.masks[families.indptr[:-1][single]].astype(np.int64), families.weight[single])
    result: I64 = vote_dp(h)[0]
    flat, several = _ranges(families.indptr[:-1][~single], families.indptr[1:][~single])
    if not len(several):
        return result
    indptr = np.concatenate([[0], np.cumsum(several)]).astype(np.int64)
    low_bits = min(8, n_detectors)
    low = np.arange(1 << low_bits, dtype=np.uint16)
    overlap = np.bitwise_count(low[:, None] & low[None, :]).astype(np.uint8)
    exact = np.zeros_like(result)
    _exact_votes(indptr, families.masks[flat], families.weight[~single], overlap, low_bits, exact)
    result += np.cumsum(exact[:, ::-1], axis=1)[:, ::-1]
    return result


def unit_counts(families: Antichains, subsets: U64, width: int) -> I64:
    """Units protected by listed subsets, shape (subsets, width + 1): ``result[i, k]`` has at least k votes on every token."""
    out = np.zeros((len(subsets), width + 1), dtype=np.int64)
    _votes_of_subsets(families.indptr, families.masks, families.weight, subsets, out)
    return out
