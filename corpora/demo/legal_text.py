"""Writes one judgment of `demo-legal`: its people, places and dates, and the slots of its templates.

Slots: ``app`` the applicant by role (no gold), ``appname`` with title and surname; ``w:key`` a person in the role `key`, in full at
the first mention and by title and surname after, ``ini:key`` by initials, ``j:key`` a judge by surname, ``kin:key`` a relative;
``{key?his:her}`` agrees with any of them; ``d`` the next date, ``d:back`` an earlier one, ``y`` the year (``y:back``, ``y:next``), ``t``
a time of day; ``city:key``, ``street``, ``foreign``; ``org:kind``, ``court:level``; ``q`` and ``qs`` large and small sums; ``n:3-9`` a
plain number; ``age``, ``prof``, ``group``, ``nat``, ``nationality``, ``no`` a domestic file number, ``other`` the opposing party by role,
``cite`` case-law.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Final

from corpora.demo.legal_people import GROUPS, PROFESSIONS, Country, Party, countries, sample_party
from corpora.demo.names_en import Sex
from corpora.demo.phrases import Writer, mistype

#: Not from the C library: the text must not depend on a locale.
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
#: Roles that act for the State; their names are NO_MASK.
OFFICIALS: Final = frozenset({"agent", "registrar", "prosecutor", "governor", "mayor", "politician"})
_TITLES: Final = {"doctor": "Dr", "doctor2": "Dr", "professor": "Professor", "priest": "Father"}
_KIN: Final[tuple[tuple[str, Sex], ...]] = (
    ("mother", "F"), ("father", "M"), ("brother", "M"), ("sister", "F"), ("aunt", "F"), ("son", "M"), ("daughter", "F"),
)  # fmt: skip
_COURTS: Final = {"district": "District Court", "regional": "Regional Court", "appeal": "Court of Appeal", "supreme": "Supreme Court"}
_COMPANIES: Final = (
    "Baltmar Shipping", "Northern Lights Trading Ltd", "Veltra S.A.", "Grand Hotel Aurora", "Stonebridge Estates", "Rapid Cargo GmbH",
    "Blue Mill Textiles", "Union Cement", "Halcyon Homes Ltd", "Delta Fish", "Good Day Bakeries", "West & Field Builders",
)  # fmt: skip
_PAPERS: Final = ("Morning Ledger", "Evening Courier", "New Day", "Free Word", "Page One", "Weekly Mirror", "Provincial Post")
_NGOS: Final = ("Open Door Association", "Committee for Prison Reform", "Hope and Law Foundation", "Legal Aid Forum", "Fair Hearing Trust")


class LegalWriter(Writer):
    """Writes one judgment.

    Parameters
    ----------
    rng
        Stream of the document.
    doc_id
        Prefix of every entity id, which thereby is unique to the document.
    country
        The respondent state.
    national
        Whether a court of that state gives the judgment.
    applicants
        How many there are.
    """

    def __init__(self, rng: random.Random, doc_id: str, country: Country, *, national: bool, applicants: int) -> None:
        super().__init__(rng)
        self.doc_id, self.country, self.national = doc_id, country, national
        self.clock = date(1986 + int(rng.random() * 17), 1 + int(rng.random() * 12), 1 + int(rng.random() * 28))
        self.foreign = self.pick([other for other in countries() if other is not country])
        self._parties: dict[str, Party] = {}
        self._named: set[str] = set()
        self._kin: dict[str, str] = {}
        self._dates: list[date] = [self.clock]
        self._places: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self.applicants = ["app", "app2", "app3"][:applicants]

    # Helpers ----------------------------------------------------------------------------------------------------------------

    def gold(self, surface: str, type_: str, entity: str, identifier: str = "QUASI") -> None:
        """Write a mention of an entity of this document."""
        self.mention(surface, type_, f"{self.doc_id}/{entity}", identifier)

    def fresh(self, kind: str) -> str:
        """A new entity name of a kind: ``age1``, ``age2``."""
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}{self._numbers[kind]}"

    def phrase(self, plain: str) -> None:
        """Write plain text, with a capital where a sentence starts."""
        before = self.pieces[-1].surface if self.pieces else ""
        starts = before.endswith("\n") or before.endswith("\t") or before.rstrip()[-1:] in {".", "?", "!"} and before[-1:] == " "
        self.text(plain[0].upper() + plain[1:] if starts and not self._after_title(before) else plain)

    @staticmethod
    def _after_title(before: str) -> bool:
        return before.endswith(("Dr. ", "no. "))

    def between(self, low: int, high: int) -> int:
        """Whole number from `low` to `high`."""
        return low + int(self.rng.random() * (high - low + 1))

    # People -----------------------------------------------------------------------------------------------------------------

    def party(self, key: str) -> Party:
        """The person in a role; drawn when first asked for."""
        if key not in self._parties:
            self._parties[key] = self._draw(key)
        return self._parties[key]

    def _draw(self, key: str) -> Party:
        applicant = self._parties.get("app")
        if key in {"app", "agent"}:
            return sample_party(self.rng, self.country)
        if applicant is not None and key in {"app2", "spouse", "partner", "grandmother"}:
            sex: Sex = "F" if key == "grandmother" or (applicant.sex == "M") else "M"
            shared = applicant.last if key in {"app2", "spouse"} and self.chance(0.6) else None
            return sample_party(self.rng, self.country, sex=sex, last=shared)
        if applicant is not None and (key in {"child", "app3"} or key.startswith("kin-")):
            sex = next((sex for relation, sex in _KIN if relation == self._kin.get(key)), "F" if self.chance(0.5) else "M")
            return sample_party(self.rng, self.country, sex=sex, last=applicant.last if self.chance(0.75) else None)
        if key == "priest":
            return sample_party(self.rng, self.country, sex="M")
        return sample_party(self.rng, self.country if self.chance(0.9) else self.pick(countries()))

    def is_female(self, role: str) -> bool:
        """Which branch of ``{role?he:she}`` applies."""
        return self.party(role).sex == "F"

    def identifier(self, key: str) -> str:
        """TAB's class of a person."""
        if key in self.applicants:
            return "DIRECT"
        return "NO_MASK" if key in OFFICIALS or key.startswith("judge") else "QUASI"

    def name(self, key: str, surface: str) -> None:
        """Write a person's name, now and then with a typo."""
        self.gold(mistype(surface, self.rng) if self.chance(0.01) else surface, "PERSON", key, self.identifier(key))
        self._named.add(key)

    def titled(self, key: str) -> None:
        """Title and surname; the title is not gold."""
        self.text(f"{_TITLES.get(key, self.party(key).title)} ")
        self.name(key, self.party(key).last)

    def formal(self, key: str) -> None:
        """Title and full name, or initial and surname as courts write lawyers and agents."""
        party = self.party(key)
        self.text(f"{_TITLES.get(key, party.title)} ")
        short = key in {"agent", "lawyer", "registrar"} and self.chance(0.6)
        self.name(key, f"{party.first[0]}. {party.last}" if short else party.full)

    def slot_w(self, key: str) -> None:
        """Person in a role."""
        if key in self._named:
            self.titled(key)
        else:
            self.formal(key)

    def slot_ini(self, key: str) -> None:
        """Person by initials."""
        initials = self.party(key).initials
        self.name(key, initials if self.chance(0.85) else initials.replace(".", ". ").strip())

    def slot_j(self, key: str) -> None:
        """Judge of a national court by surname."""
        self.name(f"judge-{key}", self.party(f"judge-{key}").last)

    def slot_kin(self, key: str) -> None:
        """Relative of the applicant: relation and full name, later the relation alone."""
        key = f"kin-{key}"
        if key not in self._kin:
            self._kin[key] = self.pick([relation for relation, _ in _KIN if relation not in self._kin.values()])
            self.text(f"{self._kin[key]} ")
            self.name(key, self.party(key).full)
        elif self.chance(0.3):
            self.text(f"{self._kin[key]} ")
            self.name(key, self.party(key).first)
        else:
            self.text(self._kin[key])

    def slot_app(self, _: str) -> None:
        """The first applicant by role."""
        role = "claimant" if self.national else "applicant"
        self.phrase(f"the first {role}" if len(self.applicants) > 1 else f"the {role}")

    def slot_appname(self, _: str) -> None:
        """The first applicant by title and surname."""
        self.titled("app")

    def slot_other(self, _: str) -> None:
        """The opposing party by role."""
        self.phrase("the defendant" if self.national else "the Government")

    # Time -------------------------------------------------------------------------------------------------------------------

    def on(self, day: date, identifier: str = "QUASI") -> None:
        """Write a date."""
        roll = self.rng.random()
        month = MONTHS[day.month - 1]
        if roll < 0.93:
            surface = f"{day.day} {month} {day.year}"
        elif roll < 0.97:
            surface = f"{day.day:02d}.{day.month:02d}.{day.year}"
        else:
            surface = f"{month} {day.day}, {day.year}"
        self.gold(surface, "DATE", f"date-{day}", identifier)

    def later(self, most: int = 150) -> date:
        """Move the clock on by a few days up to `most`."""
        self.clock += timedelta(days=3 + int(self.rng.random() * most))
        self._dates.append(self.clock)
        return self.clock

    def slot_d(self, which: str) -> None:
        """Next date in time, or an earlier one."""
        self.on(self.pick(self._dates) if which == "back" else self.later())

    def slot_y(self, which: str) -> None:
        """Year."""
        year = self.clock.year + (self.between(2, 5) if which == "next" else 0)
        if which == "back":
            year = self.pick(self._dates).year
        self.gold(str(year), "DATE", f"year-{year}")

    def slot_t(self, _: str) -> None:
        """Time of day."""
        hour, minute = self.between(1, 11), self.pick((0, 10, 15, 20, 30, 45))
        half = self.pick(("a.m.", "p.m."))
        surface = f"{hour} {half}" if not minute else f"{hour}.{minute:02d} {half}"
        self.gold(surface, "DATE", f"time-{hour}-{minute}-{half[0]}", "NO_MASK")

    # Places and bodies ------------------------------------------------------------------------------------------------------

    def place(self, key: str) -> str:
        """City in a role; the roles of one judgment have different cities."""
        if key not in self._places:
            self._places[key] = self.pick([city for city in self.country.cities if city not in self._places.values()])
        return self._places[key]

    def slot_city(self, key: str) -> None:
        """City."""
        self.gold(self.place(key), "LOCATION", f"city-{key}")

    def slot_street(self, _: str) -> None:
        """Street with a number: one in a judgment."""
        if "street" not in self._places:
            street, number = self.pick(self.country.streets), self.between(1, 190)
            self._places["street"] = f"{number} {street}" if not self.country.surnames else f"{street} {number}"
        self.gold(self._places["street"], "LOCATION", "street")

    def slot_foreign(self, _: str) -> None:
        """Another state."""
        self.gold(self.foreign.name.removeprefix("the "), "LOCATION", "foreign")

    def slot_court(self, level: str) -> None:
        """Court: with its city at first, without later."""
        name = _COURTS[level]
        self.phrase("the ")
        if level == "supreme":
            self.gold(name, "ORGANISATION", "court-supreme", "NO_MASK")
            return
        full = f"court-{level}" not in self._named or self.chance(0.2)
        self._named.add(f"court-{level}")
        self.gold(f"{self.place('event')} {name}" if full else name, "ORGANISATION", f"court-{level}")

    def slot_org(self, kind: str) -> None:
        """Organisation of a kind: one in a judgment."""
        key = f"org-{kind}"
        if key not in self._places:
            city = self.place("event")
            names = {
                "police": (f"{city} Police", f"{city} District Police Directorate"),
                "hospital": (f"{city} General Hospital", "St. Anne's Hospital", f"{city} University Clinic"),
                "prison": (f"{city} Prison", f"{city} Remand Centre"),
                "university": (f"University of {city}",),
                "company": _COMPANIES,
                "newspaper": _PAPERS,
                "ngo": _NGOS,
            }[kind]
            self._places[key] = self.pick(names)
        if kind in {"police", "newspaper", "ngo", "university"}:
            self.phrase("the ")
        self.gold(self._places[key], "ORGANISATION", key)

    # Everything else --------------------------------------------------------------------------------------------------------

    def sum(self, low: int, high: int, currency: str, identifier: str = "QUASI") -> None:
        """Write a sum of money."""
        amount = low * (high / low) ** self.rng.random()
        step = 10 ** max(len(str(int(amount))) - 2, 1)
        rounded = max(int(amount / step) * step, step)
        grouped = f"{rounded:,}" if self.chance(0.9) else f"{rounded:,}".replace(",", " ")
        self.gold(f"{currency} {grouped}", "QUANTITY", f"sum-{currency}-{rounded}", identifier)

    def slot_q(self, _: str) -> None:
        """Large sum."""
        self.sum(12_000, 900_000, self.country.currency)

    def slot_qs(self, _: str) -> None:
        """Small sum."""
        self.sum(150, 9_000, self.country.currency)

    def slot_n(self, bounds: str) -> None:
        """Plain number: no gold."""
        low, high = bounds.split("-")
        self.text(str(self.between(int(low), int(high))))

    def slot_age(self, whose: str) -> None:
        """Age."""
        age = self.between(3, 15) if whose == "child" else self.between(21, 88)
        self.gold(str(age), "AGE", self.fresh("age"))

    def slot_prof(self, which: str) -> None:
        """Occupation with its article."""
        job = self.pick(("reporter", "columnist", "photographer")) if which == "j" else self.pick(PROFESSIONS)
        self.text("an " if job[0] in "aeiou" else "a ")
        self.gold(job, "PROFESSION", self.fresh("profession"))

    def slot_group(self, _: str) -> None:
        """Ethnic or religious group."""
        self.gold(self._places.setdefault("group", self.pick(GROUPS)), "DEMOGRAPHIC", "group")

    def slot_nat(self, _: str) -> None:
        """Nationality: that of another state."""
        self.gold(self.foreign.adjective, "DEMOGRAPHIC", "nationality-foreign")

    def slot_nationality(self, _: str) -> None:
        """Nationality: that of the respondent state."""
        self.gold(self.country.adjective, "DEMOGRAPHIC", "nationality")

    def slot_no(self, _: str) -> None:
        """Domestic file number."""
        number, year = self.between(11, 4999), self.clock.year
        surface = self.pick(
            (f"{number}/{year % 100:02d}", f"II K {number}/{year % 100:02d}", f"{number} of {year}", f"C-{year}-{number:05d}", f"K {number} / {year}")
        )
        self.gold(surface, "ID", self.fresh("file"))

    def application(self, number: int, year: int) -> str:
        """Application number in one of its spellings: mostly ``36244/06``, sometimes ``36 244/06`` or ``36244 / 06``."""
        digits, roll = str(number), self.rng.random()
        if roll < 0.12 and len(digits) > 3:
            digits = f"{digits[:-3]} {digits[-3:]}"
        return f"{digits} / {year % 100:02d}" if roll > 0.95 else f"{digits}/{year % 100:02d}"

    def slot_cite(self, _: str) -> None:
        """Earlier judgment: the name, state and number in it are gold, as NO_MASK."""
        state = self.pick(countries())
        key = self.fresh("cited")
        self.gold(sample_party(self.rng, state).last, "PERSON", key, "NO_MASK")
        self.text(" v. ")
        self.gold(state.name, "LOCATION", f"{key}-state", "NO_MASK")
        year = self.between(1979, 2003)
        self.text(", no. ")
        self.gold(self.application(self.between(1100, 68_999), year), "ID", f"{key}-number", "NO_MASK")
        self.text(f", § {self.between(20, 120)}")
        if self.chance(0.5):
            self.text(", ")
            self.on(date(year + self.between(2, 5), self.between(1, 12), self.between(1, 28)), "NO_MASK")
