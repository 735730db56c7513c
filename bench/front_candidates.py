"""Candidate sets of a front: which subsets of the detectors, each under every rule, and what each costs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from bench.core.errors import UsageError
from bench.core.tables import F64, I64, U64
from bench.ensembles import MAX_MEMBERS
from bench.lattice import check_lattice_size

#: Largest number of (subset, k) candidates; every subset of 16 detectors gives 524,288.
MAX_CANDIDATES: Final[int] = 1_000_000
ACCEPTED: Final[str] = "singles, pairs, triples, uptoN (such as upto4), all"
_SIZES: Final[Mapping[str, int]] = {"singles": 1, "pairs": 2, "triples": 3}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate ensembles: every k of every chosen subset, sorted by (size, members, k).

    Parameters
    ----------
    subsets
        Chosen subsets as masks (bit i is detector i), shape (subsets,).
    members
        Names of each subset's members.
    row
        Index into `subsets` of each candidate, shape (candidates,).
    k
        Votes of each candidate; 1 is the union, `size` the intersection, and a single detector has one k only.
    """

    subsets: U64
    members: tuple[tuple[str, ...], ...]
    row: I64
    k: I64

    @property
    def subset(self) -> U64:
        """Mask of each candidate."""
        masks: U64 = self.subsets[self.row]
        return masks

    @property
    def size(self) -> I64:
        """Members of each candidate."""
        return np.bitwise_count(self.subset).astype(np.int64)

    @property
    def width(self) -> int:
        """Largest k."""
        return int(self.k.max())


def largest_size(spec: str, n_detectors: int) -> int:
    """Members of the largest subset that `spec` asks for, at most `n_detectors`."""
    if spec == "all":
        check_lattice_size(n_detectors)
        return n_detectors
    match = re.fullmatch(r"upto([1-9][0-9]?)", spec)
    if spec not in _SIZES and match is None:
        raise UsageError(f"candidate set {spec!r} is unknown; accepted: {ACCEPTED}")
    return min(n_detectors, _SIZES[spec] if match is None else int(match[1]))


def candidates_of(detectors: Sequence[str], spec: str) -> Candidates:
    """All subsets of the size that `spec` allows, each under every rule.

    Parameters
    ----------
    detectors
        Names, sorted; position i is bit i.
    spec
        ``singles``, ``pairs`` (singles and pairs), ``triples`` (and below), ``uptoN``, or ``all``.

    Raises
    ------
    UsageError
        An unknown set, no detectors, a name twice, more than 64 detectors, or more than `MAX_CANDIDATES` candidates.
    """
    n = len(detectors)
    if not 1 <= n <= MAX_MEMBERS:
        raise UsageError(f"a front over {n} detectors; accepted: 1 to {MAX_MEMBERS}")
    repeated = sorted({name for name in detectors if detectors.count(name) > 1})
    if repeated:
        raise UsageError(f"detector {repeated[0]!r} is given twice; each has one vote")
    largest = largest_size(spec, n)
    count = sum(size * math.comb(n, size) for size in range(1, largest + 1))
    if count > MAX_CANDIDATES:
        raise UsageError(
            f"candidate set {spec!r} over {n} detectors has {count:,} candidates; accepted: at most {MAX_CANDIDATES:,}, "
            "so give fewer detectors or smaller subsets"
        )
    chosen = [combination for size in range(1, largest + 1) for combination in combinations(range(n), size)]
    subsets = np.array([sum(1 << i for i in combination) for combination in chosen], dtype=np.uint64)
    sizes = np.array([len(combination) for combination in chosen], dtype=np.int64)
    row = np.repeat(np.arange(len(chosen)), sizes)
    k = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    return Candidates(subsets, tuple(tuple(detectors[i] for i in c) for c in chosen), row.astype(np.int64), k.astype(np.int64))


def member_costs(detectors: Sequence[str], costs: Mapping[str, float], found: Candidates) -> tuple[F64, F64, tuple[str, ...]]:
    """Cost of every candidate in seconds per document: slowest member, sum of members, and the detectors without a cost.

    A candidate with a member whose cost was not measured costs NaN, never the cost of the others.
    """
    prices = [costs.get(name, math.nan) for name in detectors]
    for name, price in zip(detectors, prices, strict=True):
        if price < 0 or math.isinf(price):
            raise UsageError(f"cost of detector {name!r} is {price!r}; accepted: seconds per document, 0 or more")
    by_name = dict(zip(detectors, prices, strict=True))
    # fsum rounds once, so equal sets of costs give equal sums whatever their order; max() would let a NaN pass unseen.
    serial = np.array([math.fsum(by_name[name] for name in members) for members in found.members])
    slowest = np.array([max(by_name[name] for name in members) for members in found.members])
    slowest[np.isnan(serial)] = math.nan
    unpriced = tuple(name for name in detectors if math.isnan(by_name[name]))
    return slowest[found.row], serial[found.row], unpriced
