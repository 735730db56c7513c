"""Where every character of a text went: the offset map of a released document.

File format (``offsets`` in a release's JSONL): a list of ``[old_start, old_end, new_start, new_end, type]``, one entry per
replacement in order; half-open code-point intervals of the original and of the released text. All characters outside the
intervals are equal in both texts, and in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.core.errors import DataError
from bench.core.tables import I64, U8
from bench.core.taxonomy import TYPE_CODE, TYPES


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Replacements of one document, sorted, not overlapping (they may touch); shape (replacements,) each."""

    old_start: I64
    old_end: I64
    new_start: I64
    new_end: I64
    type: U8

    @classmethod
    def of(cls, old_start: I64, old_end: I64, new_length: I64, types: U8) -> OffsetMap:
        """Build from the replaced intervals and the length of each replacement."""
        old_start, old_end = old_start.astype(np.int64), old_end.astype(np.int64)
        growth = np.cumsum(new_length - (old_end - old_start))
        new_end = old_end + growth
        return cls(old_start, old_end, new_end - new_length, new_end, types)

    def __len__(self) -> int:
        return len(self.old_start)

    def to_new(self, positions: npt.ArrayLike) -> I64:
        """Released offsets of original offsets; one inside a replaced interval goes to the replacement's start."""
        return _starts(np.asarray(positions, np.int64), self.old_start, self.old_end, self.new_start, self.new_end)

    def to_old(self, positions: npt.ArrayLike) -> I64:
        """Original offsets of released offsets; one inside a replacement goes to the replaced interval's start."""
        return _starts(np.asarray(positions, np.int64), self.new_start, self.new_end, self.old_start, self.old_end)

    def spans_to_new(self, start: npt.ArrayLike, end: npt.ArrayLike) -> tuple[I64, I64]:
        """Released spans of original ones; a span that cuts a replaced interval is widened to the whole replacement."""
        return self.to_new(start), _ends(np.asarray(end, np.int64), self.old_start, self.old_end, self.new_start, self.new_end)

    def spans_to_old(self, start: npt.ArrayLike, end: npt.ArrayLike) -> tuple[I64, I64]:
        """Original spans of released ones; a span that cuts a replacement is widened to the whole replaced interval."""
        return self.to_old(start), _ends(np.asarray(end, np.int64), self.new_start, self.new_end, self.old_start, self.old_end)

    def to_json(self) -> list[list[int | str]]:
        """The documented file format."""
        names = [TYPES[code] for code in self.type.tolist()]
        columns = (self.old_start.tolist(), self.old_end.tolist(), self.new_start.tolist(), self.new_end.tolist(), names)
        return [list(row) for row in zip(*columns, strict=True)]

    @classmethod
    def from_json(cls, rows: Iterable[Sequence[int | str]], where: str = "offsets") -> OffsetMap:
        """Read the documented file format.

        Raises
        ------
        bench.core.errors.DataError
            An entry is not of the format, or the intervals are out of order, overlap or do not fit each other.
        """
        entries = list(rows)
        for entry in entries:
            if len(entry) != 5 or any(type(value) is not int for value in entry[:4]) or entry[4] not in TYPE_CODE:
                raise DataError(f"{where}: {entry!r} is not [old_start, old_end, new_start, new_end, type]")
        numbers = np.array([entry[:4] for entry in entries], np.int64).reshape(-1, 4)
        types = np.array([TYPE_CODE[str(entry[4])] for entry in entries], np.uint8)
        result = cls.of(numbers[:, 0], numbers[:, 1], numbers[:, 3] - numbers[:, 2], types)
        ordered = (result.old_end >= result.old_start).all() and (result.old_start[1:] >= result.old_end[:-1]).all()
        if not ordered or (result.old_start < 0).any() or not np.array_equal(result.new_start, numbers[:, 2]):
            raise DataError(f"{where}: the intervals are out of order, overlap, or the new ones do not follow from the old ones")
        return result


def _starts(positions: I64, start: I64, end: I64, other_start: I64, other_end: I64) -> I64:
    if not len(start):
        return positions.copy()
    # Intervals that end at or before the position lie behind it; their total growth is the last one's.
    behind = np.searchsorted(end, positions, side="right")
    moved = positions + np.where(behind > 0, (other_end - end)[behind - 1], 0)
    current = np.minimum(behind, len(start) - 1)
    inside = (behind < len(start)) & (positions >= start[current])
    return np.where(inside, other_start[current], moved)


def _ends(positions: I64, start: I64, end: I64, other_start: I64, other_end: I64) -> I64:
    if not len(start):
        return positions.copy()
    # The last interval that begins before this (exclusive) end either covers it, or lies behind it.
    last = np.searchsorted(start, positions, side="left") - 1
    current = np.maximum(last, 0)
    moved = positions + np.where(last >= 0, (other_end - end)[current], 0)
    return np.where((last >= 0) & (positions <= end[current]), other_end[current], moved)
