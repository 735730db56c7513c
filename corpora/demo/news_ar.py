"""Arabic news: how names, dates, contacts and ids are written, with the particles that attach to a name outside its span."""

from __future__ import annotations

import random
from datetime import date
from typing import Final

from corpora.demo.article import Article, Book
from corpora.demo.grammar import Gold, Value
from corpora.demo.names_ar import ArabicName, sample_person
from corpora.demo.news_scene import Name, NewsScene

BOOK: Final = "news_ar.txt"
WEEKDAYS: Final = ("الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت", "الأحد")
#: Month names as in Egypt and the Gulf, and as in the Levant and Iraq.
MONTHS: Final = (
    ("يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"),
    (
        *("كانون الثاني", "شباط", "آذار", "نيسان", "أيار", "حزيران"),
        *("تموز", "آب", "أيلول", "تشرين الأول", "تشرين الثاني", "كانون الأول"),
    ),
)
_INDIC: Final = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_PLATE_LETTERS: Final = "أبحدرسصطعقكلمنهو"


class ArabicScene(NewsScene):
    """The scene of an Arabic article: one document in three writes Arabic-Indic digits, one in six vocalises names."""

    decimal_mark = "،"

    def __init__(self, doc_id: str, rng: random.Random, book: Book, article: Article) -> None:
        super().__init__(doc_id, rng, book, article)
        self._indic, self._vocalised = self.style % 3 == 1, self.style in (0, 7)

    def digits(self, text: str) -> str:
        """Western or Arabic-Indic digits, one kind a document."""
        return text.translate(_INDIC) if self._indic else text

    def draw_person(self, sex: str, last: str) -> Name:
        """Draw from the Arabic lists."""
        return sample_person(self.rng, sex, last)

    def person(self, role: str, name: Name, form: str) -> Value:
        """Own, father's and family name first (the father's left out at times), then the family name."""
        if not isinstance(name, ArabicName):
            raise TypeError(f"role {role!r} of {self.doc_id!r} holds {name!r}, which is no Arabic name")
        if form == "new":
            first = name.vocalised if self._vocalised else name.first
            return self.gold_person(
                role, f"{first} {name.family}" if self.rng.random() < 0.4 else f"{first} {name.father} {name.family}"
            )
        surface = {"full": name.short, "again": name.family, "last": name.family, "first": name.first}[form]
        return self.gold_person(role, surface)

    def age(self, years: int, form: str) -> str:
        """``43 عاماً``: the counted noun is singular accusative from 11 to 99."""
        return f"{self.digits(str(years))} عاماً"

    def day(self, key: str, day: date, form: str) -> str:
        """``12 مارس 2019`` or ``12 آذار 2019``, ``الثلاثاء``, ``مايو 2020``, ``2011``."""
        month = MONTHS[self.style % 2][day.month - 1]
        if key in ("weekday", "nextday"):
            return WEEKDAYS[day.weekday()]
        if key in ("year", "year2"):
            return self.digits(str(day.year))
        if key in ("month", "month_past"):
            return self.digits(f"{month} {day.year}")
        return self.digits(f"{day.day} {month}" if self.style % 4 == 0 else f"{day.day} {month} {day.year}")

    def special(self, key: str, argument: str) -> Value | None:
        """``{streetno}``, and ``{to:role}``: the particle li-, which swallows the alif of the article (``للحداد``)."""
        if key == "streetno":
            number = self.digits(str(self.rng.randint(2, 190)))
            return Gold(f"{number} {self.entry('street3')[0]}", "LOCATION", f"{self.doc_id}:address")
        if key != "to":
            return None
        value = self.value(argument, "")
        if not isinstance(value, Gold):
            raise TypeError(f"role {argument!r} of {self.doc_id!r} is no single name")
        rest = value.surface[1:] if value.surface.startswith("ال") else value.surface
        return ("ل", Gold(rest, value.type, value.entity_id))

    def make(self, kind: str) -> str:
        """Numbers with and without a country code, addresses at reserved domains, plates, file and account numbers."""
        rng = self.rng
        end, middle = f"{rng.randint(0, 9999):04d}", f"{rng.randint(100, 999)}"
        phones = (
            f"05{rng.randint(0, 9)}{middle}{end}",
            f"+9665{rng.randint(0, 9)} {middle} {end}",
            f"0{rng.randint(1, 9)}-{middle}{end}",
        )
        made = {
            "phone": self.digits(rng.choice(phones)),
            "email": rng.choice(
                (
                    f"info{end}@example.org",
                    f"tahrir@{rng.choice(('ufuq', 'mizan', 'wafa'))}.example.net",
                    f"akhbar.{middle}(at)example.com",
                )
            ),
            "site": f"www.ufuq{middle}.example.org",
            "ref": self.digits(
                rng.choice(
                    (
                        f"{rng.randint(100, 9999)}/{rng.randint(2015, 2025)}",
                        f"م-{rng.randint(10000, 99999)}",
                        f"{middle} {end} {rng.randint(10, 99)}",
                    )
                )
            ),
            "plate": " ".join(rng.choice(_PLATE_LETTERS) for _ in range(3)) + f" {self.digits(end)}",
            "account": self.digits(rng.choice((f"{rng.randint(10**11, 10**12 - 1)}", f"{middle}-{end}-{rng.randint(100, 999)}"))),
        }
        return made[kind]

    def make_email(self, name: Name) -> str:
        """An address in Latin letters that does not repeat the name."""
        local = f"{self.rng.choice(('maktab', 'mail', 'abu', 'bareed'))}{self.rng.randint(10, 9999)}"
        return f"{local}@{self.rng.choice(('example.com', 'example.org'))}"
