"""Typed placeholders of condition C (docs/measures.md, Release conditions, [T] section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from bench.core.tables import U8
from bench.core.taxonomy import TYPES

#: Placeholder of each type code: ``[PERSON]`` and so on; unindexed, so that all mentions of a type look the same.
PLACEHOLDERS: Final[tuple[str, ...]] = tuple(f"[{name}]" for name in TYPES)
#: The same as an array of objects: one indexing instead of a loop.
_BY_CODE: Final = np.array(PLACEHOLDERS, dtype=object)


def placeholders(types: U8) -> Sequence[str]:
    """Placeholder of every segment, shape (segments,)."""
    chosen: list[str] = _BY_CODE[types].tolist()
    return chosen
