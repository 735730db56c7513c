"""Writes one judgment of `demo-legal`: its people, places and dates, and the slots of its templates.

Slots: ``app`` the applicant by role (no gold), ``appname`` with title and surname; ``w:key`` a person in the role `key`, in full
at the first mention and by title and surname after, ``ini:key`` by initials, ``j:key`` a judge by surname, ``kin:key`` a
relative; ``{key?his:her}`` agrees with any of them; ``d`` the next date, ``d:long`` one a year or two on, ``d:back`` an earlier
one, ``d:first`` the first; ``y`` the year (``back``, ``next``, ``arrival``, ``wedding``), ``years`` how long it took, ``t`` a
time of day; ``city:key``, ``street``, ``foreign``; ``org:kind``, ``court:level``; ``q`` and ``qs`` large and small sums,
``q:less`` less than the last; ``n:3-9`` a plain number; ``age:whose``, ``prof``, ``group``, ``nat``, ``nationality``, ``no`` a
domestic file number, ``other`` the opposing party by role, ``cite`` case-law.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from math import exp, log
from typing import Final

from corpora.demo.legal_people import (
    COMPANIES,
    COURTS,
    GROUPS,
    KIN,
    NGOS,
    OLDER,
    PAPERS,
    PROFESSIONS,
    Country,
    Party,
    countries,
    sample_party,
)
from corpora.demo.names_en import Sex
from corpora.demo.phrases import MONTHS, Writer, mistype

#: Roles that act for the State; their names are NO_MASK.
OFFICIALS: Final = frozenset({"agent", "registrar", "prosecutor", "governor", "mayor", "politician"})
_TITLES: Final = {"doctor": "Dr", "doctor2": "Dr", "professor": "Professor", "priest": "Father"}
#: What one unit of account is in money of little worth.
_SCALE: Final = {"ITL": 1000, "TRL": 100_000, "ROL": 10_000, "HUF": 100, "GRD": 100}


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
    alien
        Whether the applicants come from another state.
    """

    def __init__(
        self, rng: random.Random, doc_id: str, country: Country, *, national: bool, applicants: int, alien: bool = False
    ) -> None:
        super().__init__(rng)
        self.doc_id, self.country, self.national = doc_id, country, national
        self.clock = date(1986 + int(rng.random() * 17), 1 + int(rng.random() * 12), 1 + int(rng.random() * 28))
        self.born = self.clock.year - self.between(29, 58)
        self.last_sum = 12_000
        self.facts_end = self.clock
        self.scale = _SCALE.get(country.currency, 1)
        self.foreign = self.pick([other for other in countries() if other is not country])
        self.origin = self.foreign if alien else country
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
        starts = before.endswith("\n") or (before.endswith(" ") and before.rstrip().endswith((".", "?", "!")))
        self.text(plain[0].upper() + plain[1:] if starts else plain)

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
        if applicant is None or key == "agent":
            return self._stranger(self.country if applicant else self.origin, None)
        relation = self._kin.get(key)
        if relation or key in {"app2", "app3", "child", "spouse", "partner", "grandmother"}:
            sex: Sex | None = next((sex for name, sex in KIN if name == relation), None)
            if key in {"app2", "spouse", "partner"}:
                sex = "F" if applicant.sex == "M" else "M"
            elif key == "grandmother":
                sex = "F"
            shares = self.chance(0.0 if key in {"partner", "grandmother"} else 0.7)
            return (
                sample_party(self.rng, self.country, sex=sex, last=applicant.last)
                if shares
                else self._stranger(self.country, sex)
            )
        abroad = key == "registrar" or key.startswith("judge-bench")
        home = self.chance(0.9) if self.national or not abroad else False
        return self._stranger(self.country if home else self.pick(countries()), "M" if key == "priest" else None)

    def _stranger(self, country: Country, sex: Sex | None) -> Party:
        """Somebody whose surname nobody else in the judgment has, unless the list of the country is used up."""
        taken = {party.last for party in self._parties.values()}
        party = sample_party(self.rng, country, sex=sex)
        for _ in range(20):
            if party.last not in taken:
                break
            party = sample_party(self.rng, country, sex=sex)
        return party

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
        short = key in {"agent", "lawyer", "counsel"} and self.chance(0.6)
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
            self._kin[key] = self.pick([relation for relation, _ in KIN if relation not in self._kin.values()])
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

    def later(self, most: int = 150, least: int = 3) -> date:
        """Move the clock on by `least` days and up to `most` more."""
        self.clock += timedelta(days=least + int(self.rng.random() * most))
        self._dates.append(self.clock)
        return self.clock

    def slot_d(self, which: str) -> None:
        """Next date in time, or an earlier one."""
        if which == "first":
            self.on(self._dates[1])
        elif which == "back":
            self.on(self.pick(self._dates))
        else:
            self.on(self.later(least=330, most=700) if which == "long" else self.later())

    def slot_y(self, which: str) -> None:
        """Year: now, or one that the argument tells."""
        year = self.clock.year
        if which == "back":
            year = self.pick(self._dates).year
        elif which == "next":
            year += self.between(2, 5)
        elif which:
            year = self.born + (self.between(2, 11) if which == "arrival" else 19)
        self.gold(str(year), "DATE", f"year-{year}")

    def slot_years(self, _: str) -> None:
        """Whole years from the first fact to the last: a duration, no gold."""
        self.text(str(max((self.facts_end - self._dates[0]).days // 365, 2)))

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

    def state(self, which: Country, entity: str, identifier: str, *, capitals: bool = False) -> None:
        """Write the name of a state; the article of "the United Kingdom" stands outside the mention."""
        name = which.name.upper() if capitals else which.name
        if name[:4].lower() == "the ":
            self.text(name[:4])
            name = name[4:]
        self.gold(name, "LOCATION", entity, identifier)

    def slot_foreign(self, _: str) -> None:
        """Another state."""
        self.state(self.foreign, "foreign", "QUASI")

    def slot_court(self, level: str) -> None:
        """Court: with its city at first, without later."""
        name = COURTS[level]
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
                "company": COMPANIES,
                "newspaper": PAPERS,
                "ngo": NGOS,
            }[kind]
            self._places[key] = self.pick(names)
        if kind in {"police", "newspaper", "ngo", "university"}:
            self.phrase("the ")
        self.gold(self._places[key], "ORGANISATION", key)

    # Everything else --------------------------------------------------------------------------------------------------------

    def amount(self, low: int, high: int) -> int:
        """A round sum between two bounds, small ones more often."""
        drawn: int = int(low * exp(log(high / low) * self.rng.random()))
        step: int = 10 ** max(len(str(drawn)) - 2, 1)
        return max(drawn // step * step, step)

    def money(self, rounded: int, currency: str) -> None:
        """Write a sum of money."""
        grouped = f"{rounded:,}" if self.chance(0.9) else f"{rounded:,}".replace(",", " ")
        self.gold(f"{currency} {grouped}", "QUANTITY", f"sum-{currency}-{rounded}")

    def slot_q(self, which: str) -> None:
        """Large sum, or one that is less than the last."""
        self.last_sum = (
            self.amount(self.last_sum // 6, self.last_sum * 3 // 4) if which == "less" else self.amount(12_000, 900_000)
        )
        self.money(self.last_sum * self.scale, self.country.currency)

    def slot_qs(self, _: str) -> None:
        """Small sum."""
        self.money(self.amount(150, 9_000) * self.scale, self.country.currency)

    def slot_n(self, bounds: str) -> None:
        """Plain number: no gold."""
        low, high = bounds.split("-")
        self.text(str(self.between(int(low), int(high))))

    def slot_age(self, whose: str) -> None:
        """Age of the applicant, of a relative (as the relation allows), or of a child."""
        own = self.clock.year - self.born
        older, spread = OLDER.get(self._kin.get(f"kin-{whose}", whose), (0, 1))
        age = self.between(3, 9) if whose == "child" else max(own + older + int(self.rng.random() * spread), 1)
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

    def origin_adjective(self) -> None:
        """Nationality of the applicants."""
        (self.slot_nat if self.origin is self.foreign else self.slot_nationality)("")

    def slot_nationality(self, _: str) -> None:
        """Nationality: that of the respondent state."""
        self.gold(self.country.adjective, "DEMOGRAPHIC", "nationality")

    def slot_no(self, _: str) -> None:
        """Domestic file number."""
        number, year = self.between(11, 4999), self.clock.year
        short = f"{number}/{year % 100:02d}"
        surface = self.pick((short, f"II K {short}", f"{number} of {year}", f"C-{year}-{number:05d}", f"K {number} / {year}"))
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
        self.state(state, f"{key}-state", "NO_MASK")
        year = self.between(1975, self.clock.year - 4)
        self.text(", no. ")
        self.gold(self.application(self.between(1100, 68_999), year), "ID", f"{key}-number", "NO_MASK")
        self.text(f", § {self.between(20, 120)}")
        if self.chance(0.5):
            self.text(", ")
            self.on(date(year + self.between(2, 4), self.between(1, 12), self.between(1, 28)), "NO_MASK")
