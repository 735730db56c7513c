from __future__ import annotations

import unicodedata

import regex
from hypothesis import given
from hypothesis import strategies as st

from bench.core.tokens import tokenise


def surfaces(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenise(text)]


def test_hand_cases() -> None:
    assert surfaces("Dr. Weber's card 4151-3217") == ["Dr", ".", "Weber", "'", "s", "card", "4151", "-", "3217"]
    assert surfaces("张伟在北京 A4纸") == ["张", "伟", "在", "北", "京", "A4", "纸"]
    assert surfaces("ولمحمدٍ، ٣٤") == ["ولمحمدٍ", "،", "٣٤"]
    assert surfaces("a\u200db 👩‍⚕️") == ["a", "\u200d", "b", "👩", "\u200d", "⚕", "\ufe0f"]
    assert surfaces("cafe\u0301\r\n Zoë") == ["cafe\u0301", "Zoë"]
    assert surfaces("x_1 a\u00a0b") == ["x", "_", "1", "a", "b"]
    assert surfaces(" \t\n") == []


@given(st.text())
def test_tokens_partition_all_that_is_not_space(text: str) -> None:
    spans = tokenise(text)
    covered = set()
    last = 0
    for start, end in spans:
        assert last <= start < end
        last = end
        covered.update(range(start, end))
        surface = text[start:end]
        if end - start > 1:
            # Independent reading of the definition through unicodedata's general categories.
            assert all(unicodedata.category(ch)[0] in "LM" or unicodedata.category(ch) == "Nd" for ch in surface) or any(
                unicodedata.category(ch) == "Cn" for ch in surface
            )
    outside = [ch for index, ch in enumerate(text) if index not in covered]
    assert all(regex.match(r"\s", ch) for ch in outside)
