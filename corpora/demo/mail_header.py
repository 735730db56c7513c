"""Header blocks of `demo-mail`: a message's own, and those of forwarded and quoted messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from corpora.demo.mail_people import HOME, Person
from corpora.demo.phrases import MONTHS, WEEKDAYS, Piece, Writer, quoted


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of the thread that a later one may quote."""

    author: Person
    to: tuple[Person, ...]
    cc: tuple[Person, ...]
    when: datetime
    subject: tuple[Piece, ...]
    body: list[Piece]


class Header(Writer):
    """Header blocks, the message's own and quoted ones."""

    def organisation_path(self, who: Person) -> None:
        """``Marion Hale/HOU/CALDERWEST``."""
        self.mention(who.name.full, "PERSON", who.key)
        self.text("/")
        self.mention(who.office.code, "LOCATION", f"city/{who.office.city.lower()}")
        self.text("/")
        self.mention(HOME.code, "ORGANISATION", f"org/{HOME.key}")

    def party(self, who: Person, style: str) -> None:
        """One name in a header line."""
        if style == "notes" and who.internal:
            self.organisation_path(who)
            self.text("@")
            self.mention(HOME.code, "ORGANISATION", f"org/{HOME.key}")
        elif style == "outlook":
            self.mention(who.name.inverted, "PERSON", who.key)
        elif style == "bare":
            self.mention(who.address, "CONTACT", f"{who.key}/email")
        else:
            self.mention(who.name.full, "PERSON", who.key)
            self.text(" <")
            self.mention(who.address, "CONTACT", f"{who.key}/email")
            self.text(">")

    def parties(self, label: str, people: Sequence[Person], style: str) -> None:
        """One header line of names."""
        self.text(label)
        for number, who in enumerate(people):
            if number:
                self.text("; " if style == "outlook" else ", ")
            self.party(who, style)
        self.text("\n")

    def date(self, surface: str, when: datetime) -> None:
        """Write a date."""
        self.mention(surface, "DATE", f"date/{when.date()}")

    def own(self, sent: Sent, style: str, extended: bool) -> None:
        """Write the message's own header."""
        self.parties("From: ", (sent.author,), style)
        self.parties("To: ", sent.to, style)
        if sent.cc:
            self.parties("Cc: ", sent.cc, style)
        self.text("Subject: ")
        self.pieces += sent.subject
        self.text("\nDate: ")
        when = sent.when
        self.date(
            f"{WEEKDAYS[when.weekday()][:3]}, {when.day} {MONTHS[when.month - 1][:3]} {when.year} {when:%H:%M}:00 -0600", when
        )
        self.text("\n")
        if extended:
            self.extended("X-From: ", (sent.author,))
            self.extended("X-To: ", sent.to)
        self.text("\n")

    def extended(self, label: str, people: Sequence[Person]) -> None:
        """``X-From: Hale, Marion P. </O=CALDERWEST/OU=HOU/CN=MHALE>``."""
        self.text(label)
        for number, who in enumerate(people):
            self.text(", " if number else "")
            self.mention(who.name.inverted, "PERSON", who.key)
            if who.internal:
                self.text(" </O=")
                self.mention(HOME.code, "ORGANISATION", f"org/{HOME.key}")
                self.text("/OU=NA/CN=RECIPIENTS/CN=")
                self.mention(who.login.upper(), "ID", f"{who.key}/login")
                self.text(">")
        self.text("\n")

    def forward(self, sender: Person, now: datetime, before: Sent) -> None:
        """Write the forwarded block of the sender's mail program."""
        if sender.client == "notes":
            dashes = "-" * self.pick((5, 22))
            self.text(f"\n{dashes} Forwarded by ")
            self.organisation_path(sender)
            self.text(" on ")
            self.date(_numeric(now), now)
            self.text(f" {dashes}\n\n")
            self.mention(before.author.name.full, "PERSON", before.author.key)
            self.text("\n")
            self.date(_numeric(before.when), before.when)
            self.text("\n")
            self._lines(before, "To:\t", "cc:\t", "Subject:\t", "notes")
        else:
            self._original(before)
        self.pieces += before.body

    def reply(self, sender: Person, before: Sent) -> None:
        """Quote the message that is answered."""
        if sender.client == "internet":
            self.text("\nOn ")
            self.date(_numeric(before.when), before.when)
            self.text(", ")
            self.party(before.author, self.pick(("internet", "bare", "internet")))
            self.text(" wrote:\n")
            self.pieces += quoted(before.body)
            self.text("\n")
        else:
            self._original(before)
            self.pieces += before.body

    def _original(self, before: Sent) -> None:
        when = before.when
        self.text("\n -----Original Message-----\nFrom: \t")
        self.mention(before.author.name.inverted, "PERSON", before.author.key)
        self.text("  \nSent:\t")
        self.date(f"{WEEKDAYS[when.weekday()]}, {MONTHS[when.month - 1]} {when.day:02d}, {when.year} {_clock(when)}", when)
        self.text("\n")
        self._lines(before, "To:\t", "Cc:\t", "Subject:\t", "outlook")

    def _lines(self, before: Sent, to: str, cc: str, subject: str, style: str) -> None:
        self.parties(to, before.to, style)
        if before.cc or style == "notes":
            self.parties(cc, before.cc, style)
        self.text(subject)
        self.pieces += before.subject
        self.text("\n\n")


def _clock(when: datetime, width: int = 1) -> str:
    return f"{(when.hour - 1) % 12 + 1:0{width}d}:{when.minute:02d} {'AM' if when.hour < 12 else 'PM'}"


def _numeric(when: datetime) -> str:
    return f"{when.month:02d}/{when.day:02d}/{when.year} {_clock(when, 2)}"
