"""Weighted draws from the name lists under ``data/``."""

from __future__ import annotations

import csv
import random
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Generic, TypeVar

DATA = Path(__file__).parent / "data"
T = TypeVar("T")


class Weighted(Generic[T]):
    """Items with integer weights; a draw is one bisection of the running sum.

    Parameters
    ----------
    rows
        Pairs of item and weight, weights at least 1.
    """

    def __init__(self, rows: Iterable[tuple[T, int]]) -> None:
        pairs = tuple(rows)
        self.items: tuple[T, ...] = tuple(item for item, _ in pairs)
        self.weights: tuple[int, ...] = tuple(weight for _, weight in pairs)
        self._cumulative = tuple(accumulate(self.weights))

    def draw(self, rng: random.Random) -> T:
        """Draw one item in proportion to its weight."""
        return self.items[bisect_right(self._cumulative, rng.randrange(self._cumulative[-1]))]


def rows(file: str) -> list[Mapping[str, str]]:
    """Read one CSV of ``data/`` (UTF-8, with a header) into one mapping a row."""
    with (DATA / file).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))
