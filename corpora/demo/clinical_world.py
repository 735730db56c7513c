"""The people and hospitals of `demo-clinical`, each derived from the seed and its own number, so that none has to be remembered.

Every 300 letters have a region of their own: two hospitals with four departments each, twelve referring practices and five
specialists, who all recur in many letters. Patients come eleven to a block of twenty letters and have one to four letters each,
in mixed order.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from corpora.demo.article import Book, Role, read_book
from corpora.demo.names_de import GermanName, sample_person
from corpora.demo.seeding import stream
from corpora.demo.weighted import rows

NAME: Final = "demo-clinical"
#: Letters of each patient of a block.
LETTERS_PER_PATIENT: Final = (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4)
BLOCK: Final = sum(LETTERS_PER_PATIENT)
BLOCKS_PER_REGION: Final = 15
DEPARTMENTS: Final = {
    "kardiologie": (
        "Medizinische Klinik I – Kardiologie und Angiologie",
        "Klinik für Kardiologie",
        "Abteilung für Herz- und Kreislaufmedizin",
    ),
    "innere": ("Medizinische Klinik II", "Klinik für Innere Medizin und Pneumologie", "Abteilung für Allgemeine Innere Medizin"),
    "chirurgie": ("Chirurgische Klinik", "Klinik für Allgemein- und Unfallchirurgie", "Zentrum für Chirurgie"),
    "neurologie": ("Neurologische Klinik", "Klinik für Neurologie mit Stroke Unit", "Abteilung für Neurologie"),
}
_DEPARTMENT_WEIGHTS: Final = (9, 6, 3, 2)
_HOSPITALS: Final = (
    *(
        "St.-Vincentius-Klinikum",
        "Klinikum am Rosengarten",
        "Kreiskrankenhaus",
        "Evangelisches Diakoniekrankenhaus",
        "Klinik Königstuhl",
    ),
    *(
        "Marienhospital",
        "Klinikum Bergstraße",
        "St.-Josefs-Krankenhaus",
        "Städtisches Klinikum",
        "Theresienkrankenhaus",
        "Odenwaldklinik",
    ),
)
_STREETS: Final = (
    *(
        "Hauptstraße",
        "Bahnhofstraße",
        "Gartenweg",
        "Am Sonnenhang",
        "Lange Gasse",
        "Königsplatz",
        "Mühlweg",
        "Schillerstraße",
        "Weberstraße",
    ),
    *("Im Grund", "Kirchgasse", "Ringstraße", "Wolfsgasse", "Zum Winterberg", "Bergheimer Straße", "Alte Landstraße", "Rosenweg"),
    *("Schwarzwaldstraße", "Neckarstaden", "Kaiserallee", "Bachgasse", "Lindenstraße", "Beethovenstraße", "Kleine Mantelgasse"),
)
_ASCII: Final = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}
#: Cases that bring a patient back; an operation is not done twice while there is another case that fits.
_RECURRING: Final = frozenset({"hfref", "af", "pneumonia", "copd", "diabetes", "stroke"})
#: Cases whose letters speak of a widowed patient or of one who lives alone.
_ALONE: Final = frozenset({"tavi", "hipfracture", "diabetes"})
_RELATION: Final = {
    ("child", "F"): "Tochter",
    ("child", "M"): "Sohn",
    ("spouse", "F"): "Ehefrau",
    ("spouse", "M"): "Ehemann",
    ("sibling", "F"): "Schwester",
    ("sibling", "M"): "Bruder",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A street with its number, postcode, city and area code."""

    street: str
    postcode: str
    city: str
    dialling: str


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who appears in letters: name, entity id, place and telephone digits; `relation` only for relatives."""

    name: GermanName
    entity_id: str
    place: Place
    phone: str
    doctorate: bool = True
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Hospital:
    """A hospital: its number, name, place and the digits of its telephone system."""

    number: int
    name: str
    place: Place
    phone: str
    domain: str


@dataclass(frozen=True, slots=True)
class Patient:
    """A patient with the dates of all stays and the case (name of the skeleton) of each."""

    number: int
    person: Person
    born: date
    stays: tuple[tuple[date, date], ...]
    cases: tuple[str, ...]
    hospital: int
    region: int
    relatives: dict[str, Person]
    insurance: str
    patient_id: str
    practice: int
    specialist: int

    @property
    def key(self) -> str:
        """Entity id of the patient, and the case id of the letters."""
        return self.person.entity_id


@lru_cache(maxsize=1)
def _places() -> tuple[tuple[str, str, str], ...]:
    return tuple((row["postcode"], row["city"], row["dialling"]) for row in rows("de_places.csv"))


def draw_place(rng: random.Random) -> Place:
    """Draw an address of the region around the lower Neckar."""
    postcode, city, dialling = rng.choice(_places())
    number = f"{rng.randint(1, 148)}{rng.choice(('', '', '', '', 'a', 'b'))}"
    return Place(f"{rng.choice(_STREETS)} {number}", postcode, city, dialling)


def _digits(rng: random.Random, count: int) -> str:
    return "".join(str(rng.randint(1 if place == 0 else 0, 9)) for place in range(count))


def _person(rng: random.Random, entity_id: str, born: int, sex: str = "", last: str = "", relation: str = "") -> Person:
    name = sample_person(rng, born, sex, last)
    return Person(name, entity_id, draw_place(rng), _digits(rng, rng.randint(5, 7)), rng.random() < 0.85, relation)


@lru_cache(maxsize=64)
def hospital(seed: int, number: int) -> Hospital:
    """Hospital `number`; each region has the numbers ``2 * region`` and ``2 * region + 1``."""
    rng = stream(seed, NAME, "hospital", number)
    place = draw_place(rng)
    name = _HOSPITALS[(number + stream(seed, NAME, "hospitals").randrange(len(_HOSPITALS))) % len(_HOSPITALS)]
    full = f"{name} {place.city}" if rng.random() < 0.7 or not name.startswith("Kl") else name
    slug = place.city.lower().replace(" ", "-").translate(_ASCII)
    return Hospital(number, full, place, _digits(rng, 2), f"klinik-{slug}.example.org")


@lru_cache(maxsize=512)
def staff(seed: int, hospital_number: int, group: str, rank: str, number: int) -> Person:
    """One member of a hospital's staff; `group` is a department or ``haus`` for those who work for all."""
    rng = stream(seed, NAME, "staff", hospital_number, group, rank, number)
    born = {"chief": 1964, "senior": 1974, "ward": 1991}.get(rank, 1978) + rng.randint(-6, 5)
    sex = "F" if rank in ("social", "therapist", "nurse") else ""
    return _person(rng, f"staff:{hospital_number}:{group}:{rank}:{number}", born, sex)


@lru_cache(maxsize=512)
def practice(seed: int, region: int, kind: str, number: int) -> Person:
    """A referring doctor (`kind` ``gp``) or specialist (``spec``) of a region."""
    rng = stream(seed, NAME, "practice", region, kind, number)
    return _person(rng, f"practice:{region}:{kind}:{number}", 1966 + rng.randint(-10, 14))


def locate(seed: int, index: int) -> tuple[int, int]:
    """Patient number and letter number (from 0) of document `index`."""
    block, place = divmod(index, BLOCK)
    order = [patient for patient, letters in enumerate(LETTERS_PER_PATIENT) for _ in range(letters)]
    stream(seed, NAME, "order", block).shuffle(order)
    return block * len(LETTERS_PER_PATIENT) + order[place], order[:place].count(order[place])


def _relatives(rng: random.Random, key: str, name: GermanName, born: int, alone: bool) -> dict[str, Person]:
    kind = rng.choice(("child", "child", "sibling") if alone else ("child", "child", "spouse", "sibling"))
    other = "F" if name.sex == "M" else "M"
    sex = other if kind == "spouse" else rng.choice("FM")
    years = {"child": rng.randint(22, 34), "spouse": rng.randint(-4, 6), "sibling": rng.randint(-8, 8)}[kind]
    last = name.last if rng.random() < 0.7 else ""
    return {
        "rel": _person(rng, f"{key}:rel", born + years, sex, last, _RELATION[kind, sex]),
        "rel2": _person(rng, f"{key}:rel2", born + rng.randint(-6, 6), "F"),
        "bro": _person(rng, f"{key}:bro", born + rng.randint(-9, 9), "M", name.last if name.sex == "M" else ""),
        "grandchild": _person(rng, f"{key}:grandchild", 2004, "", name.last),
        "late": _person(rng, f"{key}:late", born - 2, other, name.last),
        "neighbour": _person(rng, f"{key}:neighbour", born + rng.randint(-20, 20), "F"),
    }


def _cases(rng: random.Random, book: Book, letters: int) -> tuple[list[str], Role]:
    """Skeletons of a patient's letters: one department, ages that fit the first one."""
    department = rng.choices(tuple(DEPARTMENTS), _DEPARTMENT_WEIGHTS)[0]
    fitting = [article for article in book.articles if article.name.startswith(f"{department}/")]
    first = rng.choice(fitting)
    role = first.cast["pat"]
    related = [a.name for a in fitting if a.cast["pat"].low <= role.high and role.low <= a.cast["pat"].high]
    cases = [first.name]
    for _ in range(letters - 1):
        open_cases = [name for name in related if name not in cases or name.split("/")[1] in _RECURRING]
        cases.append(rng.choice(open_cases or [first.name]))
    return cases, role


@lru_cache(maxsize=64)
def patient(seed: int, number: int, book_file: str) -> Patient:
    """Patient `number`; `book_file` names the skeletons that the cases are drawn from."""
    rng = stream(seed, NAME, "patient", number)
    letters = LETTERS_PER_PATIENT[number % len(LETTERS_PER_PATIENT)]
    cases, role = _cases(rng, read_book(book_file), letters)
    admitted = date(2014, 1, 7) + timedelta(days=rng.randrange(3300))
    age = rng.randint(role.low, role.high)
    born = date(admitted.year - age, 1, 1) + timedelta(days=rng.randrange(0, max(1, admitted.timetuple().tm_yday - 1)))
    stays = []
    for _ in range(letters):
        left = admitted + timedelta(days=rng.randint(5, 14))
        stays.append((admitted, left))
        admitted = left + timedelta(days=rng.randint(20, 400))
    key = f"patient:{number:06d}"
    person = _person(rng, key, born.year)
    alone = any(case.split("/")[1] in _ALONE for case in cases)
    region = number // (len(LETTERS_PER_PATIENT) * BLOCKS_PER_REGION)
    return Patient(
        number=number,
        person=person,
        born=born,
        stays=tuple(stays),
        cases=tuple(cases),
        hospital=2 * region + rng.randrange(2),
        region=region,
        relatives=_relatives(rng, key, person.name, born.year, alone),
        insurance=rng.choice("ABCDEFGHKLMNPRSTXZ") + _digits(rng, 9),
        patient_id=_digits(rng, 7),
        practice=rng.randrange(12),
        specialist=rng.randrange(5),
    )
