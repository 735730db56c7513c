"""German personal names with a realistic tail, and the shapes in which a letter writes them.

The surnames stand in ``data/de_surnames.csv`` roughly in their order of frequency, some surnames of Turkish, Polish, Italian,
Greek, South Slavic and Vietnamese origin among them; their weights follow a Zipf-Mandelbrot law, ``1e5 / (rank + 0.5) **
0.65``, which puts the most frequent name about fifteen times above the hundredth, as in German telephone books. Given names
have an era each (born before 1950, until 1975, later) with weights ``1e4 / (rank + 2) ** 0.7``: a patient of 80 is called
Helga, a junior doctor Julia. The tail beyond the list comes from compounds of the Upper German kind (Niedermaier, Eichhofer),
from double names and from names with ``von``. Both lists were written for this project from general knowledge; none is shared
with the surrogate pools.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from corpora.demo.weighted import Weighted, rows

#: Surnames and given names of the lists that are also everyday words: what a detector must tell apart by context.
WORD_SURNAMES: Final = (
    *(
        "Lang",
        "Lange",
        "Klein",
        "Groß",
        "Kurz",
        "Jung",
        "Weiß",
        "Schwarz",
        "Braun",
        "Roth",
        "Koch",
        "Richter",
        "Schneider",
        "Fischer",
    ),
    *(
        "Bauer",
        "Jäger",
        "Schäfer",
        "König",
        "Kaiser",
        "Sommer",
        "Winter",
        "Herzog",
        "Fuchs",
        "Wolf",
        "Vogel",
        "Hahn",
        "Berg",
        "Stein",
    ),
    *("Sturm", "Frost", "Mai", "Freitag", "Sonntag", "Engel", "Stark", "Reich", "Ernst", "Beck", "Rose", "Kraft", "Held", "Gut"),
)
_PREFIXES: Final = (
    *("Ober", "Unter", "Nieder", "Hinter", "Stroh", "Brand", "Wald", "Linden", "Buchen", "Eich", "Stein", "Sand", "Moos", "Hoch"),
    *("Neu", "Wies", "Tannen", "Kirch", "Mühl", "Rosen"),
)
_SUFFIXES: Final = ("maier", "mayer", "meier", "bauer", "hofer", "huber", "müller", "mann", "berger", "bacher", "ecker", "egger")
_COMPOUND_SHARE, _DOUBLE_SHARE, _VON_SHARE, _WORD_SHARE = 0.08, 0.04, 0.01, 0.12


@dataclass(frozen=True, slots=True)
class GermanName:
    """One person's name; `sex` is ``F`` or ``M``, `maiden` is empty where none is told."""

    first: str
    last: str
    sex: str
    maiden: str = ""

    @property
    def full(self) -> str:
        """Given name and surname."""
        return f"{self.first} {self.last}"

    @property
    def inverted(self) -> str:
        """Surname first, as in letterheads."""
        return f"{self.last}, {self.first}"

    @property
    def initials(self) -> str:
        """``K. W.``."""
        return f"{self.first[0]}. {self.last.rsplit(' ', 1)[-1][0]}."


@lru_cache(maxsize=1)
def surnames() -> Weighted[str]:
    """The list of surnames with their weights."""
    return Weighted((row["name"], int(row["weight"])) for row in rows("de_surnames.csv"))


@lru_cache(maxsize=6)
def first_names(sex: str, era: str) -> Weighted[str]:
    """Given names of one sex (``F`` or ``M``) and era (``old``, ``mid``, ``young``)."""
    file = "de_first_female.csv" if sex == "F" else "de_first_male.csv"
    return Weighted((row["name"], int(row["weight"])) for row in rows(file) if row["era"] == era)


def sample_surname(rng: random.Random) -> str:
    """Draw a surname: from the list, or from the tail of compounds, double names and names with ``von``."""
    dice = rng.random()
    if dice < _WORD_SHARE:
        return rng.choice(WORD_SURNAMES)
    if dice < _WORD_SHARE + _COMPOUND_SHARE:
        return rng.choice(_PREFIXES) + rng.choice(_SUFFIXES)
    name = surnames().draw(rng)
    if dice < _WORD_SHARE + _COMPOUND_SHARE + _DOUBLE_SHARE:
        other = surnames().draw(rng)
        return name if other == name else f"{name}-{other}"
    if dice < _WORD_SHARE + _COMPOUND_SHARE + _DOUBLE_SHARE + _VON_SHARE:
        return f"von {rng.choice(_PREFIXES)}{rng.choice(('berg', 'stein', 'feld', 'hausen', 'burg'))}"
    return name


def sample_person(rng: random.Random, born: int, sex: str = "", last: str = "") -> GermanName:
    """Draw a person.

    Parameters
    ----------
    rng
        The only source of chance.
    born
        Year of birth: decides which given names are likely.
    sex
        ``F``, ``M``, or empty for even odds.
    last
        A surname to keep (a relative's), or empty to draw one.
    """
    sex = sex or rng.choice("FM")
    era = "old" if born < 1950 else "mid" if born < 1975 else "young"
    first = first_names(sex, era).draw(rng)
    last = last or sample_surname(rng)
    maiden = sample_surname(rng) if sex == "F" and born < 1980 and rng.random() < 0.25 else ""
    return GermanName(first, last, sex, "" if maiden == last or " " in maiden else maiden)


def genitive(last: str) -> str:
    """``Weber`` to ``Webers``, ``Fuchs`` to ``Fuchs'`` (names that end in a sibilant take the apostrophe)."""
    return f"{last}'" if last[-1] in "sßzx" else f"{last}s"


def misspell(name: str, rng: random.Random) -> str:
    """One typing or recognition error: a letter lost, doubled or swapped, an umlaut spelt out, ``m`` read as ``rn``."""
    inner = range(1, len(name) - 1)
    kinds = ["lose", "swap", "double"] if len(name) > 3 else ["double"]
    if "m" in name[1:]:
        kinds.append("rn")
    if any(char in "äöü" for char in name):
        kinds.append("umlaut")
    kind = rng.choice(kinds)
    if kind == "rn":
        return name[0] + name[1:].replace("m", "rn", 1)
    if kind == "umlaut":
        return name.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    letters = [i for i in inner if name[i].isalpha() and name[i + 1].isalpha()] or [0]
    at = rng.choice(letters)
    if kind == "lose":
        return name[:at] + name[at + 1 :]
    if kind == "swap" and name[at] != name[at + 1]:
        return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[: at + 1] + name[at:]
