"""States of `demo-legal` with their own short name lists, places and money; English names come from census counts.

A surname written ``Zieliński/Zielińska`` has a form for men and one for women.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final

from corpora.demo.names_en import Sex, sample_person
from corpora.demo.weighted import DATA


@dataclass(frozen=True, slots=True)
class Country:
    """A respondent state.

    Parameters
    ----------
    name, adjective
        ``Poland``, ``Polish``; `adjective` also names its nationals.
    women, men, surnames
        Empty for English-speaking states, whose names are drawn from the census.
    cities, streets
        Places; streets without a number.
    currency
        Code of the money at the time.
    """

    name: str
    adjective: str
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    cities: tuple[str, ...]
    streets: tuple[str, ...]
    currency: str


@cache
def countries() -> tuple[Country, ...]:
    """The respondent states, read from ``data/legal_states.toml``."""
    with (DATA / "legal_states.toml").open("rb") as handle:
        states = tomllib.load(handle)["state"]
    return tuple(
        Country(
            name=state["name"],
            adjective=state["adjective"],
            women=tuple(state["women"]),
            men=tuple(state["men"]),
            surnames=tuple(state["surnames"]),
            cities=tuple(state["cities"]),
            streets=tuple(state["streets"]),
            currency=state["currency"],
        )
        for state in states
    )


#: Ethnic and religious groups that texts speak of.
GROUPS: Final = ("Roma", "Kurdish", "Jewish", "Catholic", "Muslim", "Armenian", "Chechen", "Tamil", "Sami", "Orthodox", "Pomak")
PROFESSIONS: Final = (
    "schoolteacher", "lorry driver", "nurse", "carpenter", "civil servant", "retired miner", "accountant", "farmer",
    "journalist", "baker", "police sergeant", "student", "dentist", "street trader", "housewife", "welder", "violinist",
)  # fmt: skip


KIN: Final[tuple[tuple[str, Sex], ...]] = (
    ("mother", "F"), ("father", "M"), ("brother", "M"), ("sister", "F"), ("aunt", "F"), ("son", "M"), ("daughter", "F"),
)  # fmt: skip
#: By how many years a relative is older than the applicant, at least, and the spread.
OLDER: Final[dict[str, tuple[int, int]]] = {
    "mother": (20, 12), "father": (22, 14), "aunt": (12, 16), "brother": (-7, 14), "sister": (-7, 14), "son": (-27, 6),
    "daughter": (-27, 6), "app3": (-27, 6),
}  # fmt: skip
COURTS: Final = {
    "district": "District Court",
    "regional": "Regional Court",
    "appeal": "Court of Appeal",
    "supreme": "Supreme Court",
}
COMPANIES: Final = (
    "Baltmar Shipping", "Northern Lights Trading Ltd", "Veltra S.A.", "Grand Hotel Aurora", "Stonebridge Estates",
    "Rapid Cargo GmbH", "Blue Mill Textiles", "Union Cement", "Halcyon Homes Ltd", "Delta Fish", "Good Day Bakeries",
    "West & Field Builders",
)  # fmt: skip
PAPERS: Final = ("Morning Ledger", "Evening Courier", "New Day", "Free Word", "Page One", "Weekly Mirror", "Provincial Post")
NGOS: Final = (
    "Open Door Association",
    "Committee for Prison Reform",
    "Hope and Law Foundation",
    "Legal Aid Forum",
    "Fair Hearing Trust",
)


@dataclass(frozen=True, slots=True)
class Party:
    """A person in a judgment."""

    first: str
    last: str
    sex: Sex

    @property
    def full(self) -> str:
        """``Marion Hale``."""
        return f"{self.first} {self.last}"

    @property
    def title(self) -> str:
        """``Mr`` or ``Ms``."""
        return "Mr" if self.sex == "M" else "Ms"

    @property
    def initials(self) -> str:
        """``M.H.``."""
        return f"{self.first[0]}.{self.last[0].upper()}."


def sample_party(rng: random.Random, country: Country, *, sex: Sex | None = None, last: str | None = None) -> Party:
    """Draw a person of a country; the earlier names of its lists are more frequent.

    Parameters
    ----------
    rng
        The stream of the document.
    country
        Where the names come from.
    sex
        Even odds where None.
    last
        A surname to share (in its masculine form with a slash form), for relatives.
    """
    drawn: Sex = sex or ("F" if rng.random() < 0.5 else "M")
    if not country.surnames:
        name = sample_person(rng, drawn)
        return Party(name.first, last or name.last, drawn)
    firsts = country.women if drawn == "F" else country.men
    surname = last or country.surnames[int(rng.random() ** 1.5 * len(country.surnames))]
    for entry in country.surnames:
        if "/" in entry and surname in {entry, *entry.split("/")}:
            surname = entry.split("/")[0 if drawn == "M" else 1]
            break
    return Party(firsts[int(rng.random() ** 1.5 * len(firsts))], surname, drawn)
