"""English news: how names, dates, contacts and ids are written."""

from __future__ import annotations

import random
import re
import unicodedata
from datetime import date
from typing import Final

from corpora.demo.article import Article, Book
from corpora.demo.grammar import Gold, Value
from corpora.demo.names_en import EnglishName, sample_person
from corpora.demo.news_scene import Name, NewsScene

BOOK: Final = "news_en.txt"
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Census surnames and given names that are also everyday words, mixed in so that every small corpus has some.
WORD_SURNAMES: Final = (
    *("Page", "Rose", "May", "Church", "Marsh", "Young", "Long", "Day", "Price", "Banks", "Fields", "Winter", "Hall", "Bridges"),
    *("Rivers", "Fair", "Hope", "Little", "Baker", "Snow"),
)
WORD_FIRST: Final = {
    "F": ("May", "Rose", "Hope", "Grace", "April", "Joy", "Dawn", "Faith"),
    "M": ("Mark", "Bill", "Rich", "Guy", "Frank"),
}
_WORD_SHARE = 0.15


class EnglishScene(NewsScene):
    """The scene of an English article."""

    def __init__(self, doc_id: str, rng: random.Random, book: Book, article: Article) -> None:
        super().__init__(doc_id, rng, book, article)
        self._area = rng.randint(201, 989)

    def draw_person(self, sex: str, last: str) -> Name:
        """Draw from the census lists, at times a name that is also a word."""
        name = sample_person(self.rng, "F" if sex == "F" else "M" if sex == "M" else None)
        first = self.rng.choice(WORD_FIRST[name.sex]) if self.rng.random() < _WORD_SHARE / 2 else name.first
        if not last:
            last = self.rng.choice(WORD_SURNAMES) if self.rng.random() < _WORD_SHARE else name.last
        return EnglishName(first, name.middle_initial, last, name.sex)

    def person(self, role: str, name: Name, form: str) -> Value:
        """Full name first (with a middle initial at times), then the surname; ``first``, ``last``, ``inits`` on request."""
        if form == "new" and isinstance(name, EnglishName) and name.middle_initial and self.rng.random() < 0.2:
            return self.gold_person(role, f"{name.first} {name.middle_initial}. {name.last}")
        surface = {
            "new": f"{name.first} {name.last}",
            "full": f"{name.first} {name.last}",
            "again": name.last,
            "last": name.last,
            "first": name.first,
            "inits": f"{name.first[0]}.{name.last[0]}.",
        }[form]
        return self.gold_person(role, surface)

    def age(self, years: int, form: str) -> str:
        """``43``, or ``43-year-old`` for the form ``yo``."""
        return f"{years}-year-old" if form == "yo" else str(years)

    def day(self, key: str, day: date, form: str) -> str:
        """``March 12``, ``March 12, 2019``, ``12 March 2019``, ``Tuesday``, ``May 2020`` or ``2011``."""
        month = MONTHS[day.month - 1]
        if key in ("weekday", "nextday"):
            return WEEKDAYS[day.weekday()]
        if key in ("year", "year2"):
            return str(day.year)
        if key in ("month", "month_past"):
            return month if self.style % 2 or form == "bare" else f"{month} {day.year}"
        if self.style % 3 == 0:
            return f"{month} {day.day}"
        return f"{day.day} {month} {day.year}" if self.style % 3 == 1 else f"{month} {day.day}, {day.year}"

    def special(self, key: str, argument: str) -> Value | None:
        """``{streetno}`` and ``{a_trade}``."""
        if key == "streetno":
            number = self.rng.choice((self.rng.randint(2, 98), self.rng.randint(100, 4800)))
            return Gold(f"{number} {self.entry('street3')[0]}", "LOCATION", f"{self.doc_id}:address")
        if key == "a_trade":
            trade = self.entry("trade")[0]
            return ("an " if trade[0] in "aeiou" else "a ", Gold(trade, "PROFESSION", f"{self.doc_id}:trade"))
        return None

    def make(self, kind: str) -> str:
        """Numbers from the range kept for fiction, addresses at reserved domains, ids in several spellings."""
        rng = self.rng
        line = f"01{rng.randint(0, 99):02d}"
        town = re.sub(r"[^a-z]", "", self.entry("town")[0].lower())
        made = {
            "phone": rng.choice(
                (f"({self._area}) 555-{line}", f"{self._area}-555-{line}", f"{self._area}.555.{line}", f"555-{line}")
            ),
            "email": rng.choice((f"info@{town}.example.org", f"{town}.desk@example.com", f"news[at]{town}.example.net")),
            "site": f"www.{town}.example.org",
            "ref": rng.choice(
                (
                    f"{rng.randint(15, 26)}-CV-{rng.randint(120, 9899)}",
                    f"No. {rng.randint(101, 9899)}/{rng.randint(15, 26)}",
                    f"{rng.choice('ABHKM')}{rng.choice('BCRT')} {rng.randint(1000, 9999)} {rng.randint(10, 99)}",
                )
            ),
            "plate": f"{''.join(rng.choice('BCDFGHJKLMNPRSTVWXZ') for _ in range(3))} {rng.randint(1000, 9999)}",
            "account": rng.choice(
                (f"{rng.randint(10**9, 10**10 - 1)}", f"00{rng.randint(10, 99)} {rng.randint(1000, 9999)} {rng.randint(10, 99)}")
            ),
        }
        return made[kind]

    def make_email(self, name: Name) -> str:
        """``rose.page@riverton.example.net`` and the like."""
        plain = [re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", part.lower())) for part in (name.first, name.last)]
        local = self.rng.choice((f"{plain[0]}.{plain[1]}", f"{plain[0][0]}{plain[1]}", f"{plain[1]}{self.rng.randint(1, 99)}"))
        return f"{local}@{self.rng.choice(('example.com', 'example.net', 'mail.example.org'))}"
