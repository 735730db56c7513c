"""The figures of a letter: laboratory tables, medication lines, telephone numbers and identifiers in their many spellings."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Final

from corpora.demo.clinical_world import Place
from corpora.demo.grammar import Note, Value

#: Meta layer of medication annotations: ``[start, end, DRUG|STRENGTH|FORM|FREQUENCY]``.
MEDICATIONS: Final = "medications"
_SCHEDULE: Final = re.compile(r"[\d,]+(?:-[\d,]+)+")
#: Name, unit, reference range as printed, decimals, lowest and highest value that occurs (times ten to the decimals).
_LABORATORY: Final[tuple[tuple[str, str, str, int, int, int], ...]] = (
    ("Leukozyten", "/nl", "4,0–10,0", 1, 42, 189),
    ("Erythrozyten", "/pl", "4,1–5,4", 1, 29, 55),
    ("Hämoglobin", "g/dl", "12,0–16,0", 1, 78, 161),
    ("Hämatokrit", "%", "36–47", 0, 25, 48),
    ("MCV", "fl", "80–96", 0, 72, 101),
    ("Thrombozyten", "/nl", "150–400", 0, 96, 451),
    ("Quick", "%", "70–120", 0, 41, 112),
    ("INR", "", "0,9–1,2", 2, 92, 260),
    ("PTT", "s", "25–37", 0, 24, 48),
    ("Natrium", "mmol/l", "135–145", 0, 126, 147),
    ("Kalium", "mmol/l", "3,5–5,1", 1, 31, 57),
    ("Kreatinin", "mg/dl", "0,67–1,17", 2, 58, 298),
    ("eGFR (CKD-EPI)", "ml/min/1,73 m²", "> 60", 0, 19, 96),
    ("Harnstoff", "mg/dl", "17–49", 0, 18, 142),
    ("Glukose", "mg/dl", "74–106", 0, 71, 389),
    ("HbA1c", "%", "< 6,0", 1, 51, 129),
    ("CRP", "mg/l", "< 5,0", 1, 8, 2310),
    ("Procalcitonin", "ng/ml", "< 0,5", 2, 4, 940),
    ("GOT (AST)", "U/l", "< 35", 0, 14, 188),
    ("GPT (ALT)", "U/l", "< 45", 0, 11, 214),
    ("Gamma-GT", "U/l", "< 55", 0, 16, 402),
    ("Bilirubin gesamt", "mg/dl", "< 1,1", 1, 3, 68),
    ("Troponin T hs", "ng/l", "< 14", 0, 6, 1840),
    ("CK", "U/l", "< 190", 0, 44, 1210),
    ("NT-proBNP", "pg/ml", "< 450", 0, 88, 18900),
    ("LDL-Cholesterin", "mg/dl", "< 116", 0, 48, 214),
    ("TSH basal", "mU/l", "0,27–4,20", 2, 12, 780),
)


def laboratory(rng: random.Random, style: int) -> str:
    """A table of nine to fourteen values, one a line: numbers that look like identifiers and are none."""
    chosen = sorted(rng.sample(range(len(_LABORATORY)), rng.randint(9, 14)))
    lines = []
    for name, unit, reference, decimals, low, high in (_LABORATORY[place] for place in chosen):
        value = f"{rng.randint(low, high) / 10**decimals:.{decimals}f}".replace(".", ",")
        if style % 3 == 0:
            lines.append(f"{name}: {value} {unit} ({reference})".replace("  ", " "))
        elif style % 3 == 1:
            lines.append(f"{name}\t{value}\t{unit}\t{reference}")
        else:
            lines.append(f"{name} {value} {unit}".rstrip() + f" [{reference}]")
    return "\n".join(lines)


def medication(argument: str, style: int) -> Value:
    """One line of a medication list from ``drug;strength;form;frequency``, with a note on each part."""
    drug, strength, form, frequency = (part.strip() for part in argument.split(";"))
    if _SCHEDULE.fullmatch(frequency):
        parts = frequency.split("-")
        if style % 4 == 1:
            frequency = " - ".join(parts)
        elif style % 4 == 2 and len(parts) == 3:
            frequency = "-".join((*parts, "0"))
    notes = (
        Note(drug, MEDICATIONS, "DRUG"),
        Note(strength.replace(" ", "") if style % 5 == 3 else strength, MEDICATIONS, "STRENGTH"),
        Note(form, MEDICATIONS, "FORM"),
        Note(frequency, MEDICATIONS, "FREQUENCY"),
    )
    if style % 2:
        return ("- ", notes[0], " ", notes[2], " ", notes[1], ": ", notes[3])
    return (notes[0], " ", notes[1], " ", notes[2], " ", notes[3])


def _paired(digits: str) -> str:
    """Group in pairs from the right, as DIN 5008 once wanted: ``0 62 21``."""
    first = len(digits) % 2
    return " ".join(([digits[:1]] if first else []) + [digits[at : at + 2] for at in range(first, len(digits), 2)])


def telephone(place: Place, digits: str, style: int, rng: random.Random) -> str:
    """A telephone number; the spellings follow the letter's style (``0 62 21 / 56-86 11``, ``+49 6221 568611`` ...)."""
    area, pairs = place.dialling, _paired(digits)
    spellings = (
        *(f"{_paired(area)} / {pairs}", f"{area}/{digits}", f"{area} {digits}"),
        *(f"+49 {area[1:]} {digits}", f"({area}) {pairs}", f"{area}-{digits}"),
    )
    return spellings[(style + rng.randrange(2)) % len(spellings)]


def extension(main: str, rng: random.Random) -> str:
    """Digits of a hospital line: the main number, an extension behind it."""
    return f"{main}{rng.randint(1000, 9999)}"


def identifier(kind: str, fixed: Mapping[str, str], rng: random.Random, year: int) -> str:
    """An identifier of one kind in one of its spellings.

    Parameters
    ----------
    kind
        ``case``, ``pid``, ``ins``, ``ref``, ``implant``, ``implant2``, ``pass`` or ``iban``.
    fixed
        The patient's own numbers: ``ins`` and ``pid``, whose spelling varies and whose digits do not.
    rng
        Chooses the spelling, and the digits of all other kinds.
    year
        Year of the stay.
    """
    if kind == "ins":
        letter, digits = fixed["ins"][0], fixed["ins"][1:]
        triples = " ".join(digits[at : at + 3] for at in (0, 3, 6))
        return rng.choice(
            (f"{letter} {triples}", f"{letter}{digits}", f"{letter}{triples}", f"{letter}-{triples.replace(' ', '-')}")
        )
    if kind == "pid":
        return rng.choice((fixed["pid"], f"{fixed['pid'][:3]} {fixed['pid'][3:]}", f"00{fixed['pid']}"))
    six = f"{rng.randint(0, 999999):06d}"
    if kind == "case":
        short = f"{year % 100:02d}"
        return rng.choice((f"{short}-{six[:3]} {six[3:]}", f"{short}/{six}", f"{year}{six}", f"{short}{six[:3]}.{six[3:]}"))
    if kind in ("implant", "implant2"):
        letters = "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(3))
        return rng.choice((f"{letters}{six}", f"{letters} {six[:3]} {six[3:]}", f"{six}{letters[0]}", f"{letters[:2]}-{six}"))
    if kind == "iban":
        groups = " ".join(f"{rng.randint(0, 9999):04d}" for _ in range(4))
        iban = f"DE{rng.randint(10, 98)} {groups} {rng.randint(0, 99):02d}"
        return iban if rng.random() < 0.7 else iban.replace(" ", "")
    if kind == "pass":
        return rng.choice((six, f"{six[:2]}.{six[2:4]}.{six[4:]}", f"P{six}"))
    return rng.choice(
        (f"{six[:4]}/{year % 100:02d}", f"{six[:3]}-{six[3:]}", f"{rng.choice('BHLMU')} {six[:2]} {six[2:]}", f"{year}-{six[:5]}")
    )
