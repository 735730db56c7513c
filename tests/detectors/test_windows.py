"""Windows cover everything, never exceed the limit, and a value comes back exactly once wherever a cut falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.core.errors import ConfigError
from detectors.windows import Raw, Window, check_window, merge, plan

sizes = st.tuples(st.integers(0, 300), st.integers(1, 40), st.integers(0, 39)).map(lambda t: (t[0], t[1], min(t[2], t[1] - 1)))


@given(sizes, st.sets(st.integers(0, 300)))
def test_windows_cover_within_the_limit_and_share_the_overlap(shape: tuple[int, int, int], breaks: set[int]) -> None:
    n, size, overlap = shape
    windows = plan(n, size, overlap, breaks.__contains__)
    assert {i for start, end in windows for i in range(start, end)} == set(range(n))
    assert all(0 < end - start <= size for start, end in windows)
    for (first, last), (start, end) in pairwise(windows):
        assert first < start and last < end
        assert last - start >= overlap


def test_cuts_fall_at_breaks_where_there_is_one_near() -> None:
    text = "aaaa " * 60
    for start, end in plan(len(text), 40, 10, lambda i: text[i] == " " or text[i - 1] == " "):
        assert start == 0 or " " in text[start - 1 : start + 1]
        assert end == len(text) or " " in text[end - 1 : end + 1]


def test_a_window_of_zero_is_the_whole_text_and_an_overlap_must_be_smaller() -> None:
    assert plan(10_000, 0, 0) == [(0, 10_000)]
    assert plan(0, 5, 1) == []
    with pytest.raises(ConfigError, match="overlap 5 must be smaller than window 5"):
        check_window(5, 5, "detector 'x'")


def _see(values: Sequence[Raw], window: Window, fragments: bool) -> list[Raw]:
    """A model that finds every value it sees whole and, if `fragments`, marks the visible part of the others too."""
    start, end = window
    seen = []
    for value in values:
        if start <= value.start and value.end <= end:
            seen.append(value)
        elif fragments and value.start < end and value.end > start:
            # A higher score than the whole value: a score must not decide which of the two is true.
            seen.append(Raw(max(value.start, start), min(value.end, end), value.label, 1.0))
    return seen


@st.composite
def _values(draw: st.DrawFn, longest: int) -> list[Raw]:
    values, position = [], 0
    for _ in range(draw(st.integers(0, 12))):
        position += draw(st.integers(1, 25))
        length = draw(st.integers(1, longest))
        values.append(Raw(position, position + length, draw(st.sampled_from(["PERSON", "CITY"])), 0.9))
        position += length
    return values


@given(st.data(), st.integers(5, 40), st.booleans(), st.sets(st.integers(0, 500)))
def test_a_value_shorter_than_the_overlap_comes_back_exactly_once(
    data: st.DataObject, size: int, fragments: bool, breaks: set[int]
) -> None:
    overlap = data.draw(st.integers(2, size - 1))
    values = data.draw(_values(overlap - 1))
    n = (values[-1].end if values else 0) + data.draw(st.integers(0, 60))
    windows = plan(n, size, overlap, breaks.__contains__)
    found = [_see(values, window, fragments) for window in windows]
    assert [(s.start, s.end, s.label) for s in merge(found, windows)] == [(v.start, v.end, v.label) for v in values]


@given(st.integers(3, 30), st.data())
@example(10, None)
def test_a_value_longer_than_the_window_is_joined_from_its_pieces(size: int, data: st.DataObject | None) -> None:
    overlap = data.draw(st.integers(0, size - 1)) if data else 0
    value = Raw(3, 3 + 4 * size, "ADDRESS", 0.7)
    n = value.end + 5
    windows = plan(n, size, overlap)
    merged = merge([_see([value], window, True) for window in windows], windows)
    assert [(s.start, s.end) for s in merged] == [(value.start, value.end)]


def test_a_fragment_does_not_swallow_or_relabel_the_longer_value() -> None:
    windows = [(0, 20), (10, 30)]
    cut = Raw(15, 20, "CITY", 0.99)
    whole = Raw(15, 27, "PERSON", 0.6)
    assert merge([[cut], [whole]], windows) == [whole]


def test_a_fragment_is_left_to_the_neighbour_that_sees_it_with_context_even_if_that_finds_nothing() -> None:
    assert merge([[Raw(15, 20, "ID", 0.9)], []], [(0, 20), (10, 30)]) == []


def test_both_windows_count_inside_the_overlap() -> None:
    windows = [(0, 20), (10, 30)]
    inner, wider, other = Raw(12, 15, "PERSON", 0.9), Raw(12, 18, "PERSON", 0.5), Raw(13, 15, "CITY", 0.8)
    assert merge([[inner, other], [wider]], windows) == [Raw(12, 18, "PERSON", 0.9), other]


def test_neighbours_in_one_window_stay_apart() -> None:
    spans = [Raw(0, 4, "PERSON"), Raw(2, 6, "PERSON"), Raw(6, 9, "PERSON")]
    assert merge([spans, []], [(0, 20), (10, 30)]) == spans
