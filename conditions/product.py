"""Pools as products of lists: index arithmetic instead of materialised lists, so that a pool of 10**10 costs nothing."""

from __future__ import annotations

import bisect
import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import overload

#: HMAC-SHA256 gives 256 bits; a remainder modulo anything up to this size is uniform to within 2**-64.
_DIRECT_BITS = 192


class Pool(ABC):
    """A finite, ordered set of strings addressed by index."""

    __slots__ = ("size",)
    #: Number of indices. Distinct indices give distinct strings but for rare coincidences of concatenated parts.
    size: int

    @abstractmethod
    def at(self, index: int) -> str:
        """String number `index`, ``0 <= index < size``."""

    def pick(self, number: int) -> str:
        """String for a uniformly drawn 256-bit number: ``pool[number mod size]`` (docs/measures.md, Release conditions).

        For pools that 256 bits cannot fill evenly (a 64-digit identifier) the number is first stretched with SHAKE-256.
        """
        if self.size.bit_length() > _DIRECT_BITS:
            length = self.size.bit_length() // 8 + 9
            number = int.from_bytes(hashlib.shake_256(number.to_bytes(32, "big")).digest(length), "big")
        return self.at(number % self.size)


class Numbers(Sequence[str]):
    """Consecutive numbers as strings, zero-padded to `width`."""

    __slots__ = ("_first", "_last", "_width")

    def __init__(self, first: int, last: int, width: int = 0) -> None:
        self._first, self._last, self._width = first, last, width

    def __len__(self) -> int:
        return self._last - self._first + 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return f"{self._first + index % len(self):0{self._width}d}"


class Product(Pool):
    """Every combination of one string from each part, concatenated.

    Parameters
    ----------
    parts
        Non-empty sequences of strings; a literal is a sequence of one. The last part turns fastest (mixed radix).
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[Sequence[str]]) -> None:
        self._parts = tuple((part, len(part)) for part in parts)
        if any(n == 0 for _, n in self._parts):
            raise ValueError("an empty list cannot be part of a pool")
        self.size = math.prod(n for _, n in self._parts)

    def at(self, index: int) -> str:
        """Digits of `index` in the mixed radix of the parts, each as its part's string."""
        chosen = []
        for part, n in reversed(self._parts):
            if n == 1:
                chosen.append(part[0])
            else:
                index, digit = divmod(index, n)
                chosen.append(part[digit])
        chosen.reverse()
        return "".join(chosen)


class Union(Pool):
    """Pools one after the other."""

    __slots__ = ("_ends", "_pools")

    def __init__(self, pools: Sequence[Pool]) -> None:
        self._pools = tuple(pools)
        self._ends = list(accumulate(pool.size for pool in pools))
        self.size = self._ends[-1]

    def at(self, index: int) -> str:
        """String `index` of the concatenation."""
        which = bisect.bisect_right(self._ends, index)
        return self._pools[which].at(index - (self._ends[which - 1] if which else 0))


def expected_collisions(keys: int, size: int) -> float:
    """Expected number of pairs among `keys` distinct keys that share one of `size` surrogates: n (n - 1) / (2 m)."""
    return keys * (keys - 1) / (2 * size)
