"""Offset maps against a walk over the text, character by character."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.errors import DataError
from conditions.offsets import OffsetMap
from tests.reference.release_naive import new_positions


def _map(rows: list[tuple[int, int, int]]) -> OffsetMap:
    start, end, length = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    return OffsetMap.of(start, end, length, np.zeros(len(rows), np.uint8))


#: "Dr. Weber met Kay." with "Weber" -> 9 characters and "Kay" -> 1.
HAND = _map([(4, 9, 9), (14, 17, 1)])


def test_by_hand() -> None:
    assert HAND.to_json() == [[4, 9, 4, 13, "PERSON"], [14, 17, 18, 19, "PERSON"]]
    assert HAND.to_new([0, 3, 4, 6, 9, 13, 14, 16, 17, 18]).tolist() == [0, 3, 4, 4, 13, 17, 18, 18, 19, 20]
    assert HAND.to_old([0, 4, 12, 13, 18, 19, 20]).tolist() == [0, 4, 4, 9, 14, 17, 18]


def test_spans_are_widened_to_whole_replacements() -> None:
    start, end = HAND.spans_to_new([0, 4, 5, 0, 10, 9, 15], [4, 9, 6, 6, 13, 14, 18])
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [
        (0, 4),
        (4, 13),
        (4, 13),
        (0, 13),
        (14, 17),
        (13, 18),
        (18, 20),
    ]
    start, end = HAND.spans_to_old([5, 14], [6, 20])
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [(4, 9), (10, 18)]


def test_touching_replacements_stay_apart() -> None:
    touching = _map([(0, 2, 5), (2, 4, 1)])
    assert touching.to_new([0, 1, 2, 3, 4]).tolist() == [0, 0, 5, 5, 6]
    start, end = touching.spans_to_new([0, 2], [2, 4])
    assert (start.tolist(), end.tolist()) == ([0, 5], [5, 6])


def test_no_replacement_moves_nothing() -> None:
    nothing = _map([])
    assert nothing.to_new([0, 7]).tolist() == nothing.to_old([0, 7]).tolist() == [0, 7]
    assert [a.tolist() for a in nothing.spans_to_new([1], [3])] == [[1], [3]]
    assert nothing.to_json() == []


@st.composite
def _maps(draw: st.DrawFn) -> tuple[int, OffsetMap]:
    length = draw(st.integers(0, 30))
    cuts = sorted(set(draw(st.lists(st.integers(0, length), max_size=12))))
    rows = [(a, b, draw(st.integers(0, 6))) for a, b in itertools.pairwise(cuts) if draw(st.booleans())]
    return length, _map(rows)


@given(_maps())
def test_equal_to_the_walk(case: tuple[int, OffsetMap]) -> None:
    length, offsets = case
    expected = new_positions(length, offsets.to_json())
    assert offsets.to_new(np.arange(length + 1)).tolist() == expected
    assert [int(offsets.to_new(i)) for i in range(length + 1)] == expected


@given(_maps())
def test_there_and_back(case: tuple[int, OffsetMap]) -> None:
    length, offsets = case
    inside = {p for a, b in zip(offsets.old_start.tolist(), offsets.old_end.tolist(), strict=True) for p in range(a, b)}
    deleted = {
        end
        for end, a, b in zip(offsets.old_end.tolist(), offsets.new_start.tolist(), offsets.new_end.tolist(), strict=True)
        if a == b
    }
    for position in range(length + 1):
        if position not in inside and position not in deleted:
            assert int(offsets.to_old(offsets.to_new(position))) == position


@given(_maps())
def test_replaced_spans_map_onto_their_replacements(case: tuple[int, OffsetMap]) -> None:
    _, offsets = case
    start, end = offsets.spans_to_new(offsets.old_start, offsets.old_end)
    assert start.tolist() == offsets.new_start.tolist()
    assert end.tolist() == offsets.new_end.tolist()


@given(_maps())
def test_the_file_format_is_read_back(case: tuple[int, OffsetMap]) -> None:
    _, offsets = case
    again = OffsetMap.from_json(offsets.to_json())
    assert again.to_json() == offsets.to_json()


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 2, 0, 3]],
        [[0, 2, 0, 3, "NAME"]],
        [[0, 2, 0, "3", "PERSON"]],
        [[0, 2, 1, 3, "PERSON"]],
        [[2, 4, 2, 4, "PERSON"], [0, 1, 0, 1, "PERSON"]],
        [[0, 4, 0, 4, "PERSON"], [3, 5, 3, 5, "PERSON"]],
        [[3, 2, 3, 4, "PERSON"]],
        [[-1, 2, -1, 3, "PERSON"]],
    ],
)
def test_a_malformed_entry_is_refused(rows: list[list[int | str]]) -> None:
    with pytest.raises(DataError, match="line 3"):
        OffsetMap.from_json(rows, "release, line 3")
