"""What the articles of `demo-news` speak about: a cast of people, picks from the name pools, dates, numbers, contacts and ids.

Calendar dates, months, weekdays and years are gold DATE, relative expressions ("yesterday") are not. Titles, offices and family
roles stay outside the spans; an occupation is gold PROFESSION only where it describes a private person.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final, Protocol

from bench.core.errors import DataError
from bench.core.taxonomy import TYPE_CODE
from corpora.demo.article import Article, Book
from corpora.demo.grammar import Gold, Value

#: First day and number of days of the time in which the articles appear.
_FIRST_DAY, _DAYS = date(2015, 1, 5), 3650
#: Slot to the range of days, counted from the day of publication, that it points to.
_DAY_OFFSETS: Final[Mapping[str, tuple[int, int]]] = {
    "date": (-6, -1),
    "weekday": (-6, -1),
    "nextday": (1, 6),
    "later": (9, 70),
    "past": (-900, -60),
    "month": (40, 330),
    "month_past": (-300, -40),
    "year": (-365 * 14, -365 * 3),
    "year2": (-365 * 34, -365 * 16),
}
_CONTACTS: Final = frozenset({"phone", "email", "site"})
_IDS: Final = frozenset({"ref", "plate", "account"})


class Name(Protocol):
    """What every language's names have in common."""

    @property
    def first(self) -> str: ...
    @property
    def last(self) -> str: ...
    @property
    def sex(self) -> str: ...
    @property
    def full(self) -> str: ...


class NewsScene(ABC):
    """The scene of one article; subclasses write names, dates, contacts and ids in their language.

    Parameters
    ----------
    doc_id
        Prefix of every entity id: ids are unique to the document.
    rng
        The only source of chance.
    book, article
        Pools and skeleton.
    """

    def __init__(self, doc_id: str, rng: random.Random, book: Book, article: Article) -> None:
        self.doc_id, self.rng, self.book = doc_id, rng, book
        self.today = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))
        self.event = self.today + timedelta(days=rng.randint(*_DAY_OFFSETS["date"]))
        self.style = rng.randrange(12)
        self.names: dict[str, Name] = {}
        self.ages: dict[str, int] = {}
        self._seen: set[str] = set()
        self._picks: dict[str, tuple[str, ...]] = {}
        self._made: dict[str, str] = {}
        self._days: dict[str, date] = {"date": self.event, "weekday": self.event}
        for role, wish in article.cast.items():
            if wish.kin and wish.kin not in self.names:
                raise DataError(
                    f"article {article.name!r}: role {role!r} is kin to {wish.kin!r}, which stands after it or nowhere"
                )
            last = self.names[wish.kin].last if wish.kin else ""
            self.names[role] = self._distinct_person(wish.sex, last)
            self.ages[role] = rng.randint(wish.low, wish.high)

    def _distinct_person(self, sex: str, last: str) -> Name:
        """Draw a person whose own and family name nobody else of the cast has; a relative shares the family name."""
        taken = {part for name in self.names.values() for part in (name.first, name.last)}
        person = self.draw_person(sex, last)
        while person.first in taken or (not last and person.last in taken):
            person = self.draw_person(sex, last)
        return person

    def is_female(self, role: str) -> bool:
        """Tell the sex of a role."""
        return self.names[role].sex == "F"

    def value(self, key: str, argument: str) -> Value:
        """Fill one slot."""
        if key in TYPE_CODE and argument:
            return Gold(argument, key, f"{self.doc_id}:{key.lower()}:{argument}")
        if key in ("num", "dec"):
            return self.number(key, argument)
        special = self.special(key, argument)
        if special is not None:
            return special
        base, _, form = key.partition(".")
        if base in self.names:
            return self._person(base, form)
        if base in _DAY_OFFSETS:
            return self._day(base, form)
        kind = base.rstrip("2")
        if kind in _CONTACTS or kind in _IDS:
            return Gold(self._once(base), "CONTACT" if kind in _CONTACTS else "ID", f"{self.doc_id}:{base}")
        return self._pick(base, form)

    def number(self, key: str, argument: str) -> str:
        """A number of the range ``low-high`` that is no identifier, the same for the same range; ``dec`` has one decimal."""
        name = f"{key}:{argument}"
        if name not in self._made:
            low, high = (int(part) for part in argument.split("-"))
            number = self.rng.randint(low, high)
            self._made[name] = self.digits(
                f"{number}{self.decimal_mark}{self.rng.randint(1, 9)}" if key == "dec" else str(number)
            )
        return self._made[name]

    def _person(self, role: str, form: str) -> Value:
        if form == "email":
            return Gold(self._once(f"{role}.email"), "CONTACT", f"{self.doc_id}:{role}:email")
        if form in ("age", "yo"):
            return Gold(self.age(self.ages[role], form), "AGE", f"{self.doc_id}:{role}:age")
        if not form:
            form = "again" if role in self._seen else "new"
        if form == "new":
            self._seen.add(role)
        return self.person(role, self.names[role], form)

    def gold_person(self, role: str, surface: str) -> Gold:
        """A mention of the person in `role`."""
        return Gold(surface, "PERSON", f"{self.doc_id}:{role}")

    def _day(self, key: str, form: str) -> Gold:
        if key not in self._days:
            self._days[key] = self.today + timedelta(days=self.rng.randint(*_DAY_OFFSETS[key]))
        day = self._days[key]
        return Gold(self.day(key, day, form), "DATE", f"{self.doc_id}:{key.rstrip('2')}:{day.isoformat()}")

    def _once(self, key: str) -> str:
        if key not in self._made:
            base, _, form = key.partition(".")
            self._made[key] = self.make_email(self.names[base]) if form == "email" else self.make(base.rstrip("2"))
        return self._made[key]

    def entry(self, key: str) -> tuple[str, ...]:
        """The name picked for a pool slot such as ``city2``: fixed within the article, distinct from its siblings."""
        if key not in self._picks:
            pool = key.rstrip("0123456789")
            if pool not in self.book.pools:
                raise DataError(
                    f"slot {key!r} of {self.doc_id!r} is no role, no pool and no known kind; pools: {', '.join(self.book.pools)}"
                )
            used = {pick for other, pick in self._picks.items() if other.rstrip("0123456789") == pool}
            self._picks[key] = self.rng.choice([name for name in self.book.pools[pool].names if name not in used])
        return self._picks[key]

    def _pick(self, key: str, form: str) -> Gold:
        lower = key.lower()
        entry = self.entry(lower)
        surface = entry[-1] if form == "short" else entry[0]
        type_ = self.book.pools[lower.rstrip("0123456789")].type
        return Gold(surface.upper() if key.isupper() else surface, type_, f"{self.doc_id}:{lower}")

    #: Decimal separator in running text.
    decimal_mark = "."

    def digits(self, text: str) -> str:
        """The text with the document's kind of digits."""
        return text

    def special(self, key: str, argument: str) -> Value | None:
        """A slot that only this language has, or None."""
        return None

    @abstractmethod
    def draw_person(self, sex: str, last: str) -> Name:
        """Draw a person; both arguments may be empty."""

    @abstractmethod
    def person(self, role: str, name: Name, form: str) -> Value:
        """Write a person; `form` is ``new`` at the first mention, ``again`` later, or a shape asked for by name."""

    @abstractmethod
    def age(self, years: int, form: str) -> str:
        """Write an age."""

    @abstractmethod
    def day(self, key: str, day: date, form: str) -> str:
        """Write a date as the slot `key` wants it."""

    @abstractmethod
    def make(self, kind: str) -> str:
        """Make a contact (``phone``, ``email``, ``site``) or an id (``ref``, ``plate``, ``account``)."""

    @abstractmethod
    def make_email(self, name: Name) -> str:
        """Make the address of one person."""
