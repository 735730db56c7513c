"""Windows over long texts, and one list of spans out of many windows.

Positions are *units* of the model's own tokenizer (word pieces, characters); nothing here looks at text. A window never
exceeds the model's limit, neighbours share at least `overlap` units, and every unit lies in a window. `merge` keeps the
union over windows with two rules that prevent the faults of chunked detectors: a span that ends at a cut is left to the
neighbour that sees it whole (so a fragment never duplicates or swallows the value), and pieces of a value that no window
sees whole are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bench.core.errors import ConfigError

#: Half-open interval of units.
Window: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Raw:
    """A span as the model gives it: half-open interval, raw label, score in [0, 1]."""

    start: int
    end: int
    label: str
    score: float = 1.0


def check_window(size: int, overlap: int, owner: str) -> None:
    """Raise `ConfigError` unless ``0 <= overlap < size`` (a window of 0 units means the whole text)."""
    if size and overlap >= size:
        raise ConfigError(f"{owner}: overlap {overlap} must be smaller than window {size}")


def plan(n: int, size: int, overlap: int, can_break: Callable[[int], bool] | None = None) -> list[Window]:
    """Cover ``range(n)`` with windows.

    Parameters
    ----------
    n
        Number of units.
    size
        Most units in a window; 0 for no limit.
    overlap
        Fewest units that neighbours share, smaller than `size`.
    can_break
        Whether a window may begin or end before unit ``i`` (at white space, at the start of a word). Cuts move back to
        such a place where there is one within a quarter of the step, otherwise they fall where the limit puts them.

    Returns
    -------
    list of (start, end)
        In order, starts and ends strictly increasing; empty if there are no units.
    """
    if n <= 0:
        return []
    if size <= 0 or n <= size:
        return [(0, n)]
    check_window(size, overlap, "windows")
    slack = (size - overlap) // 4
    windows: list[Window] = []
    start = 0
    while True:
        end = min(start + size, n)
        if end == n:
            windows.append((start, n))
            return windows
        end = _back(end, slack, can_break)
        windows.append((start, end))
        # A step of at least half of (size - overlap) is left after both cuts moved back, so this always advances.
        start = _back(end - overlap, slack, can_break)


def _back(cut: int, slack: int, can_break: Callable[[int], bool] | None) -> int:
    if can_break is not None:
        for position in range(cut, cut - slack - 1, -1):
            if can_break(position):
                return position
    return cut


def merge(found: Sequence[Sequence[Raw]], windows: Sequence[Window]) -> list[Raw]:
    """Union of the spans of all windows, in units of the whole text.

    Parameters
    ----------
    found
        Spans of each window, positions counted from the start of the text (not of the window).
    windows
        The windows, as `plan` gave them.

    Returns
    -------
    list of Raw
        Sorted by (start, end, label). A span shorter than the overlap that the model finds whenever it sees it whole comes
        back exactly once.
    """
    if len(windows) == 1:
        return sorted(set(found[0]), key=_order)
    kept: list[tuple[Raw, int]] = []
    for index, spans in enumerate(found):
        kept.extend((span, index) for span in spans if not _left_to_neighbour(span, index, windows))
    return _united(kept, windows)


def _left_to_neighbour(span: Raw, index: int, windows: Sequence[Window]) -> bool:
    """Whether `span` touches an inner edge of its window while another window sees it with context on both sides."""
    if not (_cut_left(span, index, windows) or _cut_right(span, index, windows)):
        return False
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(windows) and windows[other][0] < span.end and windows[other][1] > span.start:
            start, end = windows[other]
            if (
                start <= span.start
                and span.end <= end
                and not (_cut_left(span, other, windows) or _cut_right(span, other, windows))
            ):
                return True
            other += step
    return False


def _cut_left(span: Raw, index: int, windows: Sequence[Window]) -> bool:
    return index > 0 and span.start <= windows[index][0]


def _cut_right(span: Raw, index: int, windows: Sequence[Window]) -> bool:
    return index < len(windows) - 1 and span.end >= windows[index][1]


def _order(span: Raw) -> tuple[int, int, str, float]:
    return span.start, span.end, span.label, span.score


def _united(kept: Sequence[tuple[Raw, int]], windows: Sequence[Window]) -> list[Raw]:
    """Join spans of one label that overlap and come from different windows, and pieces that meet at a cut."""
    done: list[Raw] = []
    open_spans: dict[str, list[tuple[Raw, set[int], bool]]] = {}
    for span, index in sorted(kept, key=lambda pair: (*_order(pair[0]), pair[1])):
        active = open_spans.setdefault(span.label, [])
        waiting = [entry for entry in active if entry[0].end >= span.start]
        done.extend(entry[0] for entry in active if entry[0].end < span.start)
        cut_left, cut_right = _cut_left(span, index, windows), _cut_right(span, index, windows)
        for position, (other, origins, other_cut) in enumerate(waiting):
            meets = other.end > span.start or (other_cut and cut_left)
            if index not in origins and meets:
                end = max(other.end, span.end)
                joined = replace(other, end=end, score=max(other.score, span.score))
                cut = (other_cut and other.end == end) or (cut_right and span.end == end)
                waiting[position] = (joined, origins | {index}, cut)
                break
        else:
            waiting.append((span, {index}, cut_right))
        open_spans[span.label] = waiting
    done.extend(entry[0] for active in open_spans.values() for entry in active)
    return sorted(set(done), key=_order)
