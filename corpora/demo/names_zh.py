"""Chinese personal names: surnames by frequency and given names of one or two characters.

``data/zh_surnames.csv`` holds 213 surnames, compound ones among them. The weights of the first 30 are the well-known
approximate shares of the population in hundredths of a per cent (Wang 7.1 %, Li 7.0 %, Zhang 6.7 %, ...), those of the others
``4200 / (rank + 70)``. The characters of ``data/zh_given.csv`` are tagged male, female or neutral with weights ``1000 / (rank +
4) ** 0.6`` within their group; one given name in eight has a single character. Written for this project from general knowledge;
not shared with the surrogate pools.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from corpora.demo.weighted import Weighted, rows

#: Surnames that are also everyday characters (white, tall, horse, often, gold, stone, forest, ten thousand ...).
WORD_SURNAMES: Final = (*"白高马常金石林万江方安文时向温钱夏雷黄", "司马", "上官")
_WORD_SHARE, _SINGLE_SHARE = 0.15, 0.125


@dataclass(frozen=True, slots=True)
class ChineseName:
    """One person's name, written without a space: `last` then `first`; `sex` is ``F`` or ``M``."""

    first: str
    last: str
    sex: str

    @property
    def full(self) -> str:
        """Surname and given name."""
        return self.last + self.first


@lru_cache(maxsize=1)
def surnames() -> Weighted[str]:
    """The list of surnames with their weights."""
    return Weighted((row["name"], int(row["weight"])) for row in rows("zh_surnames.csv"))


@lru_cache(maxsize=2)
def given_characters(sex: str) -> Weighted[str]:
    """Characters of given names of one sex (``F`` or ``M``), the neutral ones at half their weight."""
    own = "f" if sex == "F" else "m"
    return Weighted(
        (row["character"], int(row["weight"]) // (2 if row["sex"] == "n" else 1))
        for row in rows("zh_given.csv")
        if row["sex"] in (own, "n")
    )


def sample_person(rng: random.Random, sex: str = "", last: str = "") -> ChineseName:
    """Draw a person; `sex` and `last` are drawn where they are empty."""
    sex = sex or rng.choice("FM")
    last = last or (rng.choice(WORD_SURNAMES) if rng.random() < _WORD_SHARE else surnames().draw(rng))
    characters = given_characters(sex)
    first = characters.draw(rng)
    if rng.random() >= _SINGLE_SHARE:
        second = characters.draw(rng)
        first = first if second == first else first + second
    return ChineseName(first, last, sex)
