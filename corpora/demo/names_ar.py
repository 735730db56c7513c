"""Arabic personal names: own name, father's name and family name, with the vocalised spelling of some.

``data/ar_first_*.csv`` (120 a sex) have weights ``1e4 / (rank + 2) ** 0.7``, ``data/ar_family.csv`` (about 200 names of the
Gulf, Iraq, the Levant, Egypt, the Sudan and the Maghreb) ``1e4 / (rank + 20) ** 0.6``: family names spread wider than given
names. Written for this project from general knowledge; not shared with the surrogate pools.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from corpora.demo.weighted import Weighted, rows

#: Given names that are also everyday words (generous, happy, beautiful, hope, light, guidance, just, peace-making ...).
WORD_FIRST_MALE: Final = ("كريم", "سعيد", "جميل", "صالح", "عادل", "شريف", "أمين", "كمال", "نادر", "مبارك", "جمال", "ناصر")
WORD_FIRST_FEMALE: Final = ("أمل", "نور", "هدى", "منى", "حياة", "رحمة", "فرح", "سرور", "ندى", "فجر", "جميلة", "كريمة")
_WORD_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class ArabicName:
    """One person's name; `vocalised` is the own name with diacritics, equal to `first` where the list has none."""

    first: str
    father: str
    family: str
    sex: str
    vocalised: str

    @property
    def last(self) -> str:
        """The family name: what a text uses after the first mention."""
        return self.family

    @property
    def full(self) -> str:
        """Own name, father's name, family name."""
        return f"{self.first} {self.father} {self.family}"

    @property
    def short(self) -> str:
        """Own name and family name."""
        return f"{self.first} {self.family}"


@lru_cache(maxsize=2)
def first_names(sex: str) -> Weighted[str]:
    """Given names of one sex (``F`` or ``M``)."""
    file = "ar_first_female.csv" if sex == "F" else "ar_first_male.csv"
    return Weighted((row["name"], int(row["weight"])) for row in rows(file))


@lru_cache(maxsize=1)
def family_names() -> Weighted[str]:
    """Family names with their weights."""
    return Weighted((row["name"], int(row["weight"])) for row in rows("ar_family.csv"))


@lru_cache(maxsize=1)
def vocalised_forms() -> dict[str, str]:
    """Plain spelling to spelling with diacritics, for the names where the list gives one."""
    found = {}
    for file in ("ar_first_male.csv", "ar_first_female.csv"):
        found.update({row["name"]: row["vocalised"] for row in rows(file) if row["vocalised"]})
    return found


def sample_person(rng: random.Random, sex: str = "", family: str = "") -> ArabicName:
    """Draw a person whose three names differ; `sex` and `family` are drawn where they are empty."""
    sex = sex or rng.choice("FM")
    if rng.random() < _WORD_SHARE:
        first = rng.choice(WORD_FIRST_FEMALE if sex == "F" else WORD_FIRST_MALE)
    else:
        first = first_names(sex).draw(rng)
    father = first_names("M").draw(rng)
    while father == first:
        father = first_names("M").draw(rng)
    wanted = family
    family = family or family_names().draw(rng)
    while not wanted and family in (first, father):
        family = family_names().draw(rng)
    return ArabicName(first, father, family, sex, vocalised_forms().get(first, first))
