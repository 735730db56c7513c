"""The default tokeniser of docs/measures.md, Units; its name and version are stored with every result.

A token is a run of letters, marks and digits, or one single other non-space character; a CJK ideograph is one token.
Punctuation counts. Nothing is normalised, so offsets are code points of the text as stored.
"""

from __future__ import annotations

from typing import Final

import regex

#: Stored with every corpus and result; raised whenever a boundary could move.
TOKENISER: Final[str] = "unicode-words/1"

# `\p{Han}` first and alone: ideographs are single tokens even inside a run of letters and digits. Combining marks stay with
# their letters; a zero-width joiner is neither letter nor mark nor space, hence "one other character".
_TOKEN: Final = regex.compile(r"\p{Han}|(?:(?!\p{Han})[\p{L}\p{M}\p{Nd}])++|\S")


def tokenise(text: str) -> list[tuple[int, int]]:
    """Half-open code-point offsets of the tokens of `text`, in order."""
    return [match.span() for match in _TOKEN.finditer(text)]
