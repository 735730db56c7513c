"""What an author of `demo-mail` types: greeting, sentences, closing, signature."""

from __future__ import annotations

from typing import Final

from corpora.demo.mail_people import Person
from corpora.demo.mail_text import MailWriter
from corpora.demo.mail_topics import TOPICS
from corpora.demo.phrases import Piece, lowered, with_typo, wrapped

_OPENERS: Final = (
    "Sounds good.", "I will check with {p}.", "Not yet, but {p} may know.", "Thanks, {r}.", "Yes, {wd} will work.", "No problem.",
    "Please see below.", "Will do, thanks.", "{p} is out until {d}.", "I'd rather wait for {p}.", "FYI", "{r}, fine with me.",
    "Let's ask {pf} first.", "I don't think that's right.", "May I call you at {t}?", "Mark that one as done.", "Good catch!",
)  # fmt: skip
_FORWARDS: Final = (
    "FYI", "See below.", "{r}, can you handle this? {p} is out.", "Please look at {p}'s question below.", "For your files.",
    "This is the {n} I told you about.", "Any thoughts?", "{r} - what do you make of this?", "Please print for {p}.",
)  # fmt: skip
_GENERAL: Final = (
    "Let me know if you have any questions.", "Call me at {telme} if anything is unclear.", "I will be at my desk until {t}.",
    "Please copy {p} on your answer.", "I should have more by {wd}.", "In the long run it will pay off.", "Hope all is well.",
    "Price is not the issue here.", "May I have your comments by {d}?", "Please bill my cost center, {id}.", "Have a good day.",
    "I owe you one, {r}.", "The rest can wait until {d}.", "{p} will fill in while I am away.",
    "Just want to make sure we're on the same page.",
)  # fmt: skip


class Body:
    """Composes what the author types: greeting, sentences, closing, signature."""

    def __init__(self, writer: MailWriter) -> None:
        self.writer = writer

    def compose(self, kind: str) -> list[Piece]:
        """Write the body; `kind` is ``new``, ``reply`` or ``forward``."""
        writer, author = self.writer, self.writer.author
        if kind == "forward" and writer.chance(0.2):
            writer.sentence("FYI\n")
            return self._finished()
        self._greeting(kind)
        chosen = writer.rng.sample(TOPICS[writer.thread.topic].sentences, 8)[: 3 + int(writer.rng.random() * 6)]
        if kind == "new":
            first = 2 + int(writer.rng.random() * 4)
            self._paragraph("", chosen[:first])
            if len(chosen) > first:
                self._paragraph("", chosen[first:])
        else:
            more = int(writer.rng.random() * (3 if kind == "reply" else 2))
            self._paragraph(writer.pick(_OPENERS if kind == "reply" else _FORWARDS), chosen[:more])
        if writer.chance(0.55):
            self._paragraph("", [writer.pick(_GENERAL) if writer.chance(0.65) else author.habit])
        if writer.thread.topic == "personnel" and writer.thread.outsiders and writer.chance(0.25):
            candidate = writer.pick(writer.thread.outsiders)
            writer.text(" << File: ")
            writer.mention(candidate.name.last, "PERSON", candidate.key)
            writer.text("_resume.doc >>\n\n")
        self._closing(author)
        return self._finished()

    def _finished(self) -> list[Piece]:
        author, pieces = self.writer.author, self.writer.pieces
        if self.writer.chance(0.1):
            pieces = with_typo(pieces, self.writer.rng)
        if author.lower:
            pieces = lowered(pieces)
        return wrapped(pieces, 72) if author.wraps else pieces

    def _greeting(self, kind: str) -> None:
        writer, first = self.writer, self.writer.to[0]
        roll = writer.rng.random()
        if len(writer.to) > 2 and roll < 0.6:
            writer.text(writer.pick(("All,\n\n", "Team,\n\n", "Folks:\n\n", "Everybody -\n\n")))
        elif len(writer.to) == 2 and roll < 0.5:
            writer.person(first, first.call)
            writer.text(writer.pick(("/", " and ", ", ")))
            writer.person(writer.to[1], writer.to[1].call)
            writer.text(",\n\n")
        elif roll < (0.35 if kind == "new" else 0.2):
            writer.text(writer.pick(("Hi ", "Hello ", "Dear ", "Hey ")))
            writer.person(first, first.call)
            writer.text(writer.pick((",\n\n", ",\n", "!\n\n", " -\n\n")))
        elif roll < (0.7 if kind == "new" else 0.45):
            writer.person(first, first.call if writer.chance(0.8) else first.name.first)
            writer.text(writer.pick((",\n\n", ":\n\n", " -\n", ",\n", "--")))
        elif roll < 0.75 and not first.internal:
            writer.text("Mr. " if first.name.sex == "M" else "Ms. ")
            writer.person(first, first.name.last)
            writer.text(":\n\n")

    def _paragraph(self, opener: str, templates: list[str]) -> None:
        writer = self.writer
        for number, template in enumerate([opener, *templates] if opener else templates):
            if number:
                writer.text(" " if writer.chance(0.9) else "  ")
            writer.sentence(template)
        writer.text("\n\n")

    def _closing(self, author: Person) -> None:
        writer, name = self.writer, author.name
        if author.closing and writer.chance(0.7):
            writer.text(f"{author.closing}\n")
        roll = writer.rng.random()
        if author.signs and roll < 0.6:
            self._signature(author)
        elif roll < 0.75:
            writer.person(author, author.call)
            writer.text("\n")
        elif roll < 0.88:
            writer.text(writer.pick(("", "", "-", "thx, ")))
            writer.mention(name.initials if writer.chance(0.6) else name.initials.lower(), "PERSON", author.key)
            writer.text("\n")
        elif roll < 0.91:
            writer.text("- ")
            writer.mention(name.first[0], "PERSON", author.key)
            writer.text("\n")
        elif roll < 0.97:
            writer.person(author, name.full)
            writer.text("\n")

    def _signature(self, author: Person) -> None:
        writer = self.writer
        writer.text("\n")
        writer.person(author, author.name.formal if writer.chance(0.5) else f"{author.call} {author.name.last}")
        writer.text("\n")
        writer.mention(author.title, "PROFESSION", f"job/{author.title.lower()}")
        writer.text("\n")
        writer.mention(author.employer.names[0], "ORGANISATION", f"org/{author.employer.key}")
        writer.text("\n")
        if writer.chance(0.5):
            writer.mention(author.office.address, "LOCATION", f"office/{author.office.code.lower()}")
            writer.text("\n")
        writer.text(writer.pick(("", "Phone: ", "Tel. ", "(o) ", "office ")))
        writer.phone(author)
        writer.text("\n")
        if writer.chance(0.6):
            writer.mention(author.address, "CONTACT", f"{author.key}/email")
            writer.text("\n")
