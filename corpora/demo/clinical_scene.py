"""What a letter of `demo-clinical` speaks about: people in all their spellings, dates, places, organisations and identifiers."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from bench.core.errors import DataError
from bench.core.taxonomy import TYPE_CODE
from corpora.demo.article import Book
from corpora.demo.clinical_values import MEDICATIONS, extension, identifier, medication, telephone
from corpora.demo.clinical_world import DEPARTMENTS, Patient, Person, Place, hospital, practice, staff
from corpora.demo.grammar import Gold, Note, Value
from corpora.demo.names_de import GermanName, genitive, misspell
from corpora.demo.seeding import stream

MONTHS: Final = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
)
_IDS: Final = frozenset({"case", "pid", "ins", "ref", "implant", "implant2", "pass", "iban"})
#: Pools whose entry belongs to the patient and stays the same in every letter.
_LASTING: Final = frozenset({"insurer", "nursing", "employer"})
_ARTICLES: Final = {"nom": ("der", "die"), "dat": ("dem", "der"), "acc": ("den", "die"), "gen": ("des", "der")}
_GENITIVES: Final = {"Sohn": "Sohnes", "Ehemann": "Ehemannes", "Bruder": "Bruders"}
_RETIRED = 66
_TYPO_SHARE = 0.06


class ClinicalScene:
    """The scene of one letter.

    Parameters
    ----------
    seed
        Seed of the corpus: hospitals and staff derive from it.
    who, letter
        The patient, and which of the patient's letters this is, from 0.
    rng
        The only other source of chance.
    book
        Pools of organisations and occupations.
    """

    def __init__(self, seed: int, who: Patient, letter: int, rng: random.Random, book: Book) -> None:
        self.who, self.rng, self.book, self.style = who, rng, book, rng.randrange(60)
        admitted, discharged = who.stays[letter]
        self.department = who.cases[letter].split("/")[0]
        house = who.hospital
        self.house, self.other = hospital(seed, house), hospital(seed, house ^ 1)
        self._seed = seed
        self.people: dict[str, Person] = {
            "pat": who.person,
            **who.relatives,
            "chief": staff(seed, house, self.department, "chief", 0),
            "senior": staff(seed, house, self.department, "senior", rng.randrange(2)),
            "ward_doc": staff(seed, house, self.department, "ward", rng.randrange(3)),
            "gp": practice(seed, who.region, "gp", who.practice),
            "spec": practice(seed, who.region, "spec", who.specialist),
            "consult": staff(seed, house, "haus", "consult", rng.randrange(2)),
            "anaesthetist": staff(seed, house, "haus", "anaesthetist", rng.randrange(2)),
            "social": staff(seed, house, "haus", "social", 0),
            "therapist": staff(seed, house, "haus", "therapist", rng.randrange(2)),
            "nurse": staff(seed, house, "haus", "nurse", rng.randrange(3)),
        }
        operated = admitted + timedelta(days=rng.randint(1, 2))
        self.days: dict[str, date] = {
            "adm": admitted,
            "dis": discharged,
            "dob": who.born,
            "last": who.stays[letter - 1][1] if letter else admitted - timedelta(days=rng.randint(40, 700)),
            "proc": operated,
            "proc2": operated + timedelta(days=rng.randint(1, 2)),
            "fup": discharged + timedelta(days=rng.randint(10, 90)),
            "letter": discharged + timedelta(days=rng.randint(0, 6)),
        }
        self.age = admitted.year - who.born.year - ((admitted.month, admitted.day) < (who.born.month, who.born.day))
        self._picks: dict[str, Gold] = {}
        self._numbers: dict[str, str] = {}

    def is_female(self, role: str) -> bool:
        """Tell the sex of a role."""
        return self.people[role].name.sex == "F"

    def value(self, key: str, argument: str) -> Value:
        """Fill one slot."""
        if argument:
            return self._literal(key, argument)
        base, _, form = key.partition(".")
        if base in self.people:
            return self._person(base, form)
        if base in self.days:
            return self._date(self._day(self.days[base], base), self.days[base].isoformat())
        if base in ("past", "pastday", "pastyear"):
            return self._past(base)
        if base in _IDS:
            return self._identifier(base)
        if base == "hosp":
            return self._hospital(form)
        if base == "hosp2":
            return Gold(self.other.name, "ORGANISATION", f"hospital:{self.other.number}")
        if base == "clinic":
            name = DEPARTMENTS[self.department][self.house.number % 3]
            return Gold(name, "ORGANISATION", f"hospital:{self.house.number}:{self.department}")
        if base == "ward":
            return self._ward()
        if base == "maiden":
            maiden = self.who.person.name.maiden
            return (", geb. ", Gold(maiden, "PERSON", self.who.key)) if maiden else ""
        return self._pick(base, form)

    def _literal(self, key: str, argument: str) -> Value:
        if key == "med":
            return medication(argument, self.style)
        if key in ("DRUG", "STRENGTH"):
            return Note(argument, MEDICATIONS, key)
        if key in TYPE_CODE:
            return Gold(argument, key, f"{self.who.key}:{key.lower()}:{argument}")
        name = f"{key}:{argument}"
        if name not in self._numbers:
            low, high = (int(part) for part in argument.split("-"))
            number = str(self.rng.randint(low, high))
            self._numbers[name] = f"{number},{self.rng.randint(1, 9)}" if key == "dec" else number
        return self._numbers[name]

    def _person(self, role: str, form: str) -> Value:
        person = self.people[role]
        if form in ("street", "plz", "city"):
            return self._address(person.place, form)
        if form == "phone":
            number = telephone(person.place, person.phone, self.style, self.rng)
            return Gold(number, "CONTACT", f"phone:{person.place.dialling}{person.phone}")
        if person.relation and form.lower() in _ARTICLES:
            return self._relation(person, form)
        if role == "pat" and form in ("age", "yo", "yor", "job", "Job", "jobword"):
            return self._trait(form)
        if form in ("title", "head", "dr"):
            return self._title(role, person, form)
        return Gold(self._spelling(role, person.name, form), "PERSON", person.entity_id)

    def _spelling(self, role: str, name: GermanName, form: str) -> str:
        if not form and role == "pat" and self.rng.random() < _TYPO_SHARE:
            return misspell(name.last, self.rng)
        initials = name.initials.replace(". ", "").rstrip(".")
        return {
            "": name.last,
            "last": name.last,
            "first": name.first,
            "full": name.full,
            "inv": name.inverted,
            "upper": name.inverted.replace("ß", "SS").upper(),
            "gen": genitive(name.last),
            "inits": name.initials,
            "short": f"{name.first[0]}. {name.last}",
            "sign": initials if role == "chief" else initials.lower(),
        }[form]

    def _relation(self, person: Person, form: str) -> str:
        article = _ARTICLES[form.lower()][person.name.sex == "F"]
        noun = _GENITIVES.get(person.relation, person.relation) if form == "gen" else person.relation
        return f"{article.capitalize() if form[0].isupper() else article} {noun}"

    def _title(self, role: str, person: Person, form: str) -> str:
        female = person.name.sex == "F"
        if form == "dr":
            return "Dr. " if person.doctorate else ""
        if form == "head":
            return f"{'Frau' if female else 'Herrn'} Dr. med." if person.doctorate else "Frau" if female else "Herrn"
        if role == "chief":
            return "Prof. Dr." if person.doctorate else "PD Dr."
        if role == "senior":
            return "Dr. med." if person.doctorate else "OÄ" if female else "OA"
        return "Dr." if person.doctorate else "Frau" if female else "Herrn"

    def _trait(self, form: str) -> Gold:
        female = self.who.person.name.sex == "F"
        if form in ("age", "yo", "yor"):
            surface = {
                "age": f"{self.age} Jahre",
                "yo": f"{self.age}-jährige",
                "yor": f"{self.age}-jährige{'' if female else 'r'}",
            }[form]
            return Gold(surface, "AGE", f"{self.who.key}:age:{self.age}")
        pool = "job_f" if female else "job_m"
        if form != "jobword" and self.age >= _RETIRED:
            pool += "_old"
        names = self.book.pools[pool].names
        job = names[self.who.number % len(names)][0]
        return Gold(job[0].upper() + job[1:] if form == "Job" else job, "PROFESSION", f"{self.who.key}:job:{job}")

    def _address(self, place: Place, form: str) -> Gold:
        if form == "street":
            return Gold(place.street, "LOCATION", f"street:{place.city}:{place.street}")
        return (
            Gold(place.postcode, "LOCATION", f"postcode:{place.postcode}")
            if form == "plz"
            else Gold(place.city, "LOCATION", f"city:{place.city}")
        )

    def _hospital(self, form: str) -> Value:
        house = self.house
        if form in ("street", "plz", "city"):
            return self._address(house.place, form)
        if form in ("phone", "fax"):
            digits = self._once(f"hosp.{form}", lambda: extension(house.phone, self.rng))
            number = telephone(house.place, digits, self.style, self.rng)
            return Gold(number, "CONTACT", f"phone:{house.place.dialling}{digits}")
        if form == "email":
            mail = self._once(
                "hosp.email", lambda: self.rng.choice(("info@", "sekretariat(at)", f"{self.department}@")) + house.domain
            )
            return Gold(mail, "CONTACT", f"email:{house.domain}:{mail}")
        name = house.name.replace("ß", "SS").upper() if form == "upper" else house.name
        return Gold(name, "ORGANISATION", f"hospital:{house.number}")

    def _ward(self) -> Gold:
        draw = self.rng
        shapes = (
            f"{draw.randint(1, 6)}{draw.choice('AB')}",
            f"{draw.choice('BCD')} {draw.randint(1, 4)}.{draw.randint(1, 3)}",
            "Koch",
            "Virchow",
            "Sommer",
        )
        ward = self._once("ward", lambda: draw.choice(shapes))
        return Gold(ward, "LOCATION", f"hospital:{self.house.number}:ward:{ward}")

    def _identifier(self, kind: str) -> Gold:
        fixed = {"ins": self.who.insurance, "pid": self.who.patient_id}
        if kind in fixed:
            return Gold(identifier(kind, fixed, self.rng, self.days["adm"].year), "ID", f"{self.who.key}:{kind}")
        number = self._once(kind, lambda: identifier(kind, fixed, self.rng, self.days["adm"].year))
        return Gold(number, "ID", f"{self.who.key}:{self.days['adm'].isoformat()}:{kind}")

    def _once(self, key: str, make: Callable[[], str]) -> str:
        if key not in self._numbers:
            self._numbers[key] = make()
        return self._numbers[key]

    def _pick(self, key: str, form: str) -> Gold:
        if key not in self.book.pools:
            raise DataError(
                f"slot {key!r} of a letter is no role, no pool and no known kind; pools: {', '.join(self.book.pools)}"
            )
        pool = self.book.pools[key]
        if form == "city":
            return self._address(self.other.place, "city")
        if key not in self._picks:
            chance = stream(self._seed, self.who.key, key) if key in _LASTING else self.rng
            name = chance.choice(pool.names)
            self._picks[key] = Gold(name[0], pool.type, f"{key}:{name[0]}")
        return self._picks[key]

    def _date(self, surface: str, canonical: str) -> Gold:
        return Gold(surface, "DATE", f"date:{canonical}")

    def _day(self, day: date, key: str) -> str:
        if key in ("dob", "letter") or self.style % 4 == 0:
            return f"{day.day:02d}.{day.month:02d}.{day.year}"
        if self.style % 4 == 1:
            return f"{day.day}.{day.month}.{day.year % 100:02d}"
        return (
            f"{day.day:02d}.{day.month:02d}.{day.year % 100:02d}"
            if self.style % 4 == 2
            else f"{day.day}. {MONTHS[day.month - 1]} {day.year}"
        )

    def _past(self, key: str) -> Gold:
        days = self.rng.randint(20, 300) if key == "pastday" else self.rng.randint(400, 4700)
        day = self.days["adm"] - timedelta(days=days)
        if key == "pastday":
            return self._date(self._day(day, key), day.isoformat())
        if key == "pastyear":
            return self._date(str(day.year), str(day.year))
        canonical = f"{day.year}-{day.month:02d}"
        return self._date(f"{day.month:02d}/{day.year}" if self.style % 3 else f"{MONTHS[day.month - 1]} {day.year}", canonical)
