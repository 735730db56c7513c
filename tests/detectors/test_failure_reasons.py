"""A stored reason is one short line and never quotes the document."""

from __future__ import annotations

import pytest

from detectors.failures import LIMIT, reason


@pytest.mark.parametrize(
    ("error", "text", "expected"),
    [
        (
            ValueError("Did not find word 'Kowalski' in the list of tokens"),
            "Jan Kowalski",
            "ValueError: Did not find word … in the list of tokens",
        ),
        (KeyError("Kowalski"), "Jan Kowalski", "KeyError: …"),
        (ValueError("bad token Kowalski at 3"), "Jan Kowalski", "ValueError: bad token … at 3"),
        (ValueError("bad token Kowal at 3"), "Jan Kowalski", "ValueError: bad token … at 3"),
        (ValueError("bad token 张三"), "张三在北京", "ValueError: bad token …"),
        (IndexError("index out of range"), "the index is out of range", "IndexError: index out of range"),
        (MemoryError(), "x", "MemoryError"),
        (RuntimeError("first\nKowalski"), "Jan Kowalski", "RuntimeError: first"),
    ],
)
def test_reason(error: Exception, text: str, expected: str) -> None:
    assert reason(error, text) == expected


def test_reason_is_short_and_can_be_stored() -> None:
    line = reason(ValueError("x \ud800 " + "long " * 200), "")
    assert len(line) == LIMIT and line.endswith("…")
    line.encode("utf-8")
