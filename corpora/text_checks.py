"""What can be wrong with a text by itself: control characters, direction overrides, forms that look equal but differ."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: Check name to the pattern whose first match is the example. Tabs and line feeds are ordinary; carriage returns are apart.
PATTERNS: Final[dict[str, re.Pattern[str]]] = {
    "text_control_character": re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"),
    "text_carriage_return": re.compile("\r"),
    "text_direction_override": re.compile("[\u202a-\u202e\u2066-\u2069]"),
    "text_invisible_character": re.compile("[\u00ad\u200b\u2060\ufeff]"),
    "text_replacement_character": re.compile("\ufffd"),
}


def not_nfc_at(text: str) -> int | None:
    """Offset of the first character that Unicode normalisation form C would change, or None if the text is in that form."""
    if unicodedata.is_normalized("NFC", text):
        return None
    composed = unicodedata.normalize("NFC", text)
    for offset, (given, wanted) in enumerate(zip(text, composed, strict=False)):
        if given != wanted:
            return offset
    return min(len(text), len(composed))


def text_findings(text: str) -> list[tuple[str, int]]:
    """``(check, offset of the first case)`` for every check that this text does not pass."""
    found = [(name, match.start()) for name, pattern in PATTERNS.items() if (match := pattern.search(text))]
    offset = not_nfc_at(text)
    return found if offset is None else [*found, ("text_not_nfc", offset)]
