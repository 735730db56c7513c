"""Writes one body of `demo-mail`: the slots of its sentences, and how people are spoken of."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from corpora.demo.mail_people import HOME, OFFICES, PARTNERS, WORK_NOUNS, Cast, Organisation, Person
from corpora.demo.mail_topics import LEXICON, TOPICS
from corpora.demo.names_en import Sex, sample_first
from corpora.demo.phrases import MONTHS, WEEKDAYS, Writer, mistype
from corpora.demo.seeding import stream

#: People without a name: never gold.
ROLES: Final = (
    "the guys in legal", "the people in credit", "our friends in HR", "the traders", "your assistants", "their lawyers",
    "the back office people", "the folks upstairs", "the board members", "the new analysts", "our auditors", "both schedulers",
)  # fmt: skip
_KIN: Final[tuple[tuple[str, Sex], ...]] = (
    ("wife", "F"),
    ("husband", "M"),
    ("son", "M"),
    ("daughter", "F"),
    ("sister", "F"),
    ("dad", "M"),
)
_CITIES: Final = (
    "Houston", "Portland", "Calgary", "Omaha", "New York", "London", "Denver", "St. Louis", "Chicago", "Sacramento", "San Diego",
    "Waha", "Topock", "Mobile", "Reading", "Phoenix", "Tulsa", "Boise", "Katy", "Sugar Land", "Corpus Christi", "Price",
)  # fmt: skip
_STREETS: Final = (
    "Bissonnet",
    "Rice Blvd",
    "Long Point Rd",
    "Westheimer",
    "King St.",
    "Oak Hill Drive",
    "Rose Lane",
    "Park Ave",
    "Mill Creek Ct",
)
_JOBS: Final = (
    "senior analyst",
    "gas scheduler",
    "staff attorney",
    "tax accountant",
    "meteorologist",
    "project engineer",
    "trader",
)


@dataclass(slots=True)
class Thread:
    """What the messages of one thread share."""

    index: int
    topic: str
    owner: Person
    start: datetime
    about: list[Person]
    deals: tuple[int, ...]
    outsiders: list[Person] = field(default_factory=list)


class MailWriter(Writer):
    """Writes for one author to one list of recipients at one time.

    Parameters
    ----------
    rng
        Stream of the message.
    cast, thread
        The people, and what the thread is about.
    author, to, when
        Who writes to whom, when.
    message
        Index of the message, which names its outsiders.
    """

    def __init__(
        self, rng: random.Random, cast: Cast, thread: Thread, author: Person, to: tuple[Person, ...], when: datetime, message: int
    ) -> None:
        super().__init__(rng)
        self.cast, self.thread, self.author, self.to, self.when, self.message = cast, thread, author, to, when, message
        self.last: Person = author
        self._sentence = 0
        self._named: set[str] = set()

    def sentence(self, source: str) -> None:
        """Write one sentence."""
        self._sentence = len(self.pieces)
        self.say(source)

    def _capital(self, phrase: str) -> str:
        starts = self._sentence == len(self.pieces) or self.pieces[-1].surface.rstrip()[-1:] in {".", "?", "!"}
        return phrase[0].upper() + phrase[1:] if starts else phrase

    # People -----------------------------------------------------------------------------------------------------------------

    def person(self, who: Person, surface: str) -> None:
        """Write a person's name, now and then with a typo."""
        self.mention(mistype(surface, self.rng) if self.chance(0.015) else surface, "PERSON", who.key)

    def _third(self) -> Person:
        for _ in range(4):
            who = self.pick(self.thread.about)
            if self.chance(0.25):
                who = self.cast.draw_for(self.rng, self.thread.index, self.thread.topic, (self.author,))
            if who is not self.last and who is not self.author and who not in self.to:
                return who
        return self.cast.draw_for(self.rng, self.thread.index, self.thread.topic, (self.author, self.last, *self.to))

    def slot_p(self, _: str) -> None:
        """Third person as people are spoken of: mostly by first name, in full more often when new."""
        who = self._third()
        name, roll = who.name, self.rng.random()
        if who.key not in self._named and roll < 0.4:
            surface = self.pick((name.full, f"{who.call} {name.last}", name.formal if name.middle_initial else name.full))
        elif roll < 0.72:
            surface = who.call
        elif roll < 0.79:
            surface = name.first
        elif roll < 0.86:
            self.text("Mr. " if name.sex == "M" else "Ms. ")
            surface = name.last
        elif roll < 0.91:
            surface = name.last
        elif roll < 0.95:
            surface = f"{who.call} {name.last[0]}."
        elif roll < 0.98 and name.middle_initial:
            surface = name.initials
        else:
            surface = name.inverted
        self._named.add(who.key)
        self.last = who
        self.person(who, surface)

    def slot_pf(self, _: str) -> None:
        """Third person in full."""
        who = self._third()
        self._named.add(who.key)
        self.last = who
        self.person(who, who.name.full if self.chance(0.7) else f"{who.call} {who.name.last}")

    def outsider(self) -> Person:
        """Somebody from outside: one of the thread's, else new."""
        known = [who for who in self.thread.outsiders if who is not self.last]
        if known and self.chance(0.6):
            return self.pick(known)
        who = self.cast.outsider(self.rng, f"x{self.message:06d}.{len(self.thread.outsiders)}")
        self.thread.outsiders.append(who)
        return who

    def slot_x(self, _: str) -> None:
        """Outsider in full."""
        self.last = self.outsider()
        self.person(self.last, self.last.name.formal if self.chance(0.25) else self.last.name.full)

    def slot_pl(self, _: str) -> None:
        """Outsider by title and surname."""
        self.last = self.outsider()
        self.text("Mr. " if self.last.name.sex == "M" else "Ms. ")
        self.person(self.last, self.last.name.last)

    def slot_r(self, _: str) -> None:
        """First recipient, by the name they go by."""
        self.person(self.to[0], self.to[0].call)

    def slot_kin(self, _: str) -> None:
        """Relative of the author: the same few people in all of the author's messages."""
        number = int(self.rng.random() * 3)
        rng = stream(self.cast.seed, self.cast.corpus, "kin", self.author.key, number)
        relation, sex = _KIN[int(rng.random() * len(_KIN))]
        if self.chance(0.5):
            self.text(self._capital(f"my {relation} "))
        self.mention(sample_first(rng, sex), "PERSON", f"{self.author.key}/kin{number}")

    def slot_role(self, _: str) -> None:
        """Role mention: no gold."""
        self.text(self._capital(self.pick(ROLES)))

    # Words ------------------------------------------------------------------------------------------------------------------

    def _noun(self) -> str:
        own = [noun for noun in self.author.nouns if noun in LEXICON[self.thread.topic]]
        return self.pick(own) if own and self.chance(0.7) else self.pick(LEXICON[self.thread.topic])

    def slot_n(self, _: str) -> None:
        """Noun of the author's own, or one of the topic."""
        self.text(self._noun())

    def slot_an(self, _: str) -> None:
        """The same with its indefinite article."""
        noun = self._noun()
        self.text(f"{'an' if noun[0] in 'aeio' else 'a'} {noun}")

    def slot_pn(self, _: str) -> None:
        """Noun of the person last named: what they are busy with, at work or after it as the thread goes."""
        nouns = self.last.nouns
        private = TOPICS[self.thread.topic].category == "personal" and len(nouns) > WORK_NOUNS
        self.text(self.pick(nouns[WORK_NOUNS:] if private else nouns[:WORK_NOUNS]))

    # Everything else --------------------------------------------------------------------------------------------------------

    def organisation(self, which: Organisation) -> None:
        """Write a company by one of its names."""
        roll = self.rng.random()
        surface = which.names[0 if roll < 0.25 else 1 if roll < 0.85 else 2]
        if surface.startswith("the "):
            self.text(self._capital("the "))
            surface = surface[4:]
        self.mention(surface, "ORGANISATION", f"org/{which.key}")

    def slot_o(self, _: str) -> None:
        """Partner company: the author's most often."""
        self.organisation(self.author.partner if self.chance(0.5) else self.pick(PARTNERS))

    def slot_po(self, _: str) -> None:
        """Company of the person last named: the employer, or for colleagues the partner."""
        self.organisation(self.last.partner if self.last.employer is HOME else self.last.employer)

    def slot_us(self, _: str) -> None:
        """The company itself."""
        self.mention(HOME.names[0 if self.chance(0.2) else 1], "ORGANISATION", f"org/{HOME.key}")

    def slot_pj(self, _: str) -> None:
        """Project code name."""
        self.mention(self.author.project, "OTHER", f"project/{self.author.project.lower()}")

    def slot_city(self, _: str) -> None:
        """City."""
        city = self.author.office.city if self.chance(0.3) else self.pick(_CITIES)
        self.mention(city, "LOCATION", f"city/{city.lower()}")

    def slot_room(self, _: str) -> None:
        """Meeting room."""
        code = f"{20 + int(self.rng.random() * 19)}{self.pick('CM')}{1 + int(self.rng.random() * 4)}"
        self.mention(self.pick((f"EB{code}", f"EB {code}", f"Room {code}")), "LOCATION", f"room/{code.lower()}")

    def slot_addr(self, _: str) -> None:
        """Street address, of an office or a house."""
        if self.chance(0.3):
            office = self.pick(OFFICES)
            self.mention(office.address, "LOCATION", f"office/{office.code.lower()}")
        else:
            place = f"{100 + int(self.rng.random() * 9000)} {self.pick(_STREETS)}"
            self.mention(place, "LOCATION", f"address/{place.lower()}")

    def slot_d(self, _: str) -> None:
        """Date within about three weeks."""
        day = self.when + timedelta(days=int(self.rng.random() * 40) - 12)
        month, short = MONTHS[day.month - 1], MONTHS[day.month - 1][:3]
        surface = self.pick(
            (
                f"{month} {day.day}",
                f"{month} {day.day}th" if 3 < day.day < 21 else f"{short} {day.day}",
                f"{day.month}/{day.day}",
                f"{day.month}/{day.day}/{day.year % 100:02d}",
                f"{month} {day.day}, {day.year}",
                f"{day.day}-{short}-{day.year % 100:02d}",
            )
        )
        self.mention(surface, "DATE", f"date/{day.date()}")

    def slot_wd(self, _: str) -> None:
        """Weekday: the next such day."""
        day = self.when + timedelta(days=1 + int(self.rng.random() * 6))
        weekday = WEEKDAYS[day.weekday()]
        self.mention(weekday if self.chance(0.8) else weekday[:3], "DATE", f"date/{day.date()}")

    def slot_t(self, _: str) -> None:
        """Time of day."""
        hour, minute = 7 + int(self.rng.random() * 11), self.pick((0, 0, 15, 30, 45))
        twelve, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
        surface = self.pick((f"{twelve}:{minute:02d} {half}", f"{twelve}:{minute:02d}{half}", f"{hour}:{minute:02d}"))
        self.mention(surface, "DATE", f"time/{hour:02d}{minute:02d}")

    def slot_q(self, _: str) -> None:
        """Sum of money."""
        dollars = int(10 ** (2 + self.rng.random() * 5))
        forms = [f"${dollars:,}", f"${dollars:,}", f"${dollars:,}.00", f"USD {dollars:,}"]
        if dollars >= 1_000_000:
            forms = [f"${dollars / 1e6:.1f} million", f"${dollars / 1e6:.2f}MM", f"${dollars:,}"]
        elif dollars >= 2000:
            forms.append(f"{dollars // 1000}k")
        surface = self.pick(forms)
        self.mention(surface, "QUANTITY", f"quantity/{surface.lower()}")

    def slot_rate(self, _: str) -> None:
        """Price of one unit."""
        surface = f"${int(self.rng.random() * 400)}.{int(self.rng.random() * 100):02d}"
        self.mention(surface, "QUANTITY", f"quantity/{surface}")

    def slot_vol(self, _: str) -> None:
        """Volume of gas or power."""
        surface = f"{1 + int(self.rng.random() * 60)},000 {self.pick(('MMBtu/d', 'a day', 'MMBtu', 'MWh'))}"
        self.mention(surface, "QUANTITY", f"quantity/{surface.lower()}")

    def slot_pct(self, _: str) -> None:
        """Percentage."""
        surface = f"{1 + int(self.rng.random() * 38)}{self.pick(('%', ' percent', '.5%'))}"
        self.mention(surface, "QUANTITY", f"quantity/{surface.lower()}")

    def slot_id(self, _: str) -> None:
        """Deal, ticket or account number of the thread, in one of its spellings."""
        number = self.pick(self.thread.deals)
        digits = f"{number:06d}"
        if self.chance(0.3):
            self.text("#")
        surface = self.pick((digits, digits, f"{digits[:3]} {digits[3:]}", f"{digits[:3]}-{digits[3:]}", f"N{digits}.1"))
        self.mention(surface, "ID", f"deal/{digits}")

    def slot_conf(self, _: str) -> None:
        """Booking code."""
        code = "".join(self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(6))
        self.mention(code, "ID", f"booking/{code}")

    def slot_login(self, _: str) -> None:
        """Login name of the person last named."""
        self.mention(self.last.login, "ID", f"{self.last.key}/login")

    def phone(self, who: Person) -> None:
        """Write a telephone number in one of many spellings: in full, or as an extension among colleagues."""
        area, exchange, line = who.office.area, who.phone[:3], who.phone[3:]
        full = (
            f"({area}) {exchange} {line}", f"({area}) {exchange}-{line}", f"{area}.{exchange}.{line}",
            f"{area}-{exchange}-{line}", f"{area}/{exchange}-{line}", f"{area} {exchange} {line}",
        )  # fmt: skip
        short = (f"x{exchange[-1]}-{line}", f"ext. {exchange[-1]}{line}", f"{exchange[-1]}-{line}", f"{exchange}-{line}")
        inside = who.internal and self.author.internal and self.chance(0.5)
        self.mention(self.pick(short if inside else full), "CONTACT", f"{who.key}/phone")

    def slot_tel(self, _: str) -> None:
        """Telephone number of the person last named."""
        self.phone(self.last)

    def slot_telme(self, _: str) -> None:
        """Telephone number of the author."""
        self.phone(self.author)

    def slot_mail(self, _: str) -> None:
        """E-mail address of the person last named."""
        self.mention(self.last.address, "CONTACT", f"{self.last.key}/email")

    def slot_age(self, _: str) -> None:
        """Age."""
        age = 1 + int(self.rng.random() * 17) if self.thread.topic == "family" else 23 + int(self.rng.random() * 45)
        self.mention(str(age), "AGE", f"age/{self.message}/{age}")

    def slot_job(self, _: str) -> None:
        """Occupation."""
        job = self.pick(_JOBS)
        self.text("a ")
        self.mention(job, "PROFESSION", f"job/{job}")
