"""`demo-mail`: the mail of an invented energy company over a year and a half, with people who recur across messages.

What counts as gold, where the answer is not obvious:

- People have corpus-wide entity ids (``p00012``). Outsiders, who live in one thread only, are ``x<message>.<n>``; relatives are
  ``p00012/kin0``. Role mentions ("the guys in legal") are not gold.
- A person's e-mail address and telephone are entities of their own, ``p00012/email`` and ``p00012/phone`` (type CONTACT, however
  they are spelt), and so is the login in an ``X-From`` line, ``p00012/login`` (ID). A name inside an address is not marked twice.
- In ``Marion Hale/HOU/CALDERWEST`` three mentions stand: PERSON, LOCATION (the office), ORGANISATION.
- Project code names are OTHER, meeting rooms LOCATION, job titles PROFESSION, deal, ticket, case and booking numbers ID; dates,
  weekdays and times of day are DATE; sums, volumes and percentages QUANTITY.
- A quoted or forwarded message keeps the gold of the original.

The case is the thread. ``meta`` holds the sender's entity id and the topic with its category, for linkage and topic
classification: a person has two or three favourite topics, and a vocabulary that follows them into other people's messages.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from bench.core.model import Document, Json, Mention
from corpora.demo.builder import TextBuilder
from corpora.demo.mail_body import Body
from corpora.demo.mail_header import Header, Sent
from corpora.demo.mail_people import Cast, Person
from corpora.demo.mail_text import MailWriter, Thread
from corpora.demo.mail_topics import TOPICS
from corpora.demo.phrases import Piece, write
from corpora.demo.seeding import stream
from corpora.demo.source import DemoLoader, DemoSource

NAME: Final = "demo-mail"
DEFAULT_DOCUMENTS: Final = 400
_FIRST_DAY: Final = datetime(2000, 1, 3)
_DAYS: Final = 540
#: Messages in a thread, as cumulative shares of 1, 2, 3 ...
_LENGTHS: Final = (0.35, 0.6, 0.78, 0.88, 0.95, 1.0)


class MailSource(DemoSource):
    """The generated messages, thread by thread; memory grows with the square root of their number (the cast)."""

    name = NAME
    scope = "corpus"

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield the messages in the order of their threads; fewer documents are the first ones of more."""
        cast = Cast(self.seed, NAME)
        message, index = 0, 0
        while message < self.documents:
            for record in self._thread(cast, index, message):
                yield record
                message += 1
                if message == self.documents:
                    return
            index += 1

    def _thread(self, cast: Cast, index: int, message: int) -> Iterator[tuple[Document, list[Mention]]]:
        rng = stream(self.seed, NAME, "thread", index)
        owner = cast.draw(rng, index)
        roll = rng.random()
        topic = owner.topics[0 if roll < 0.5 else 1 if roll < 0.8 else -1] if rng.random() < 0.88 else rng.choice(tuple(TOPICS))
        # A golden-ratio sequence spreads any number of threads evenly over the months.
        start = _FIRST_DAY + timedelta(days=int(index * 0.6180339887498949 % 1.0 * _DAYS), minutes=420 + int(rng.random() * 660))
        if start.weekday() > 4 and rng.random() < 0.85:
            start += timedelta(days=2)
        about = [cast.draw_for(rng, index, topic, (owner,)) for _ in range(1 + int(rng.random() * 3))]
        thread = Thread(index, topic, owner, start, about, (rng.randrange(1000, 999_999), rng.randrange(1000, 999_999)))
        length = next(number for number, share in enumerate(_LENGTHS, 1) if rng.random() <= share)
        before: Sent | None = None
        for position in range(length):
            rng = stream(self.seed, NAME, "message", index, position)
            sent, builder = self._message(rng, cast, thread, before, message + position)
            builder.meta |= {"thread": index, "position": position}
            before = sent
            yield builder.build()

    def _message(
        self, rng: random.Random, cast: Cast, thread: Thread, before: Sent | None, message: int
    ) -> tuple[Sent, TextBuilder]:
        if before is None:
            kind, author, when = "new", thread.owner, thread.start
            to = _several(rng, cast, thread, (author,), 1)
        else:
            kind = "reply" if rng.random() < 0.68 else "forward"
            author = before.to[int(rng.random() * len(before.to))]
            when = before.when + timedelta(minutes=4 + int(rng.random() ** 3 * 4000))
            to = (before.author,) if kind == "reply" else _several(rng, cast, thread, (author, before.author), 1)
            if kind == "reply" and rng.random() < 0.3:
                to += tuple(who for who in before.to if who is not author)
        cc = _several(rng, cast, thread, (author, *to), 0) if rng.random() < 0.35 else ()
        writer = MailWriter(rng, cast, thread, author, to, when, message)
        subject = self._subject(writer, before, kind)
        writer.pieces = []
        own = Body(writer).compose(kind)
        header = Header(rng)
        style = "bare" if author.client == "internet" and rng.random() < 0.5 else author.client
        sent = Sent(author, to, cc, when, subject, own)
        header.own(sent, style, extended=rng.random() < 0.35)
        length = len(header.pieces)
        header.pieces += own
        if before is not None and kind == "forward":
            header.forward(author, when, before)
        elif before is not None and rng.random() < 0.7:
            header.reply(author, before)
        if not author.internal and rng.random() < 0.12:
            header.text("\n_____\nThis message may contain confidential information of ")
            header.mention(author.employer.names[0], "ORGANISATION", f"org/{author.employer.key}")
            header.text(" and is meant for the addressee alone.\n")
        # A quote of a quote is kept once; beyond that mail programs of the time cut, and texts would grow without end.
        nested = before is not None and len(before.body) < 60
        sent = Sent(author, to, cc, when, subject, header.pieces[length:] if nested else own)
        builder = TextBuilder(f"mail-{message:06d}", "en", case_id=f"thread-{thread.index:06d}")
        write(header.pieces, builder)
        meta: dict[str, Json] = {
            "category": TOPICS[thread.topic].category,
            "topic": thread.topic,
            "sender": author.key,
            "kind": kind,
        }
        builder.meta |= meta
        return sent, builder

    def _subject(self, writer: MailWriter, before: Sent | None, kind: str) -> tuple[Piece, ...]:
        if before is None:
            writer.sentence(writer.pick(TOPICS[writer.thread.topic].subjects))
            return tuple(writer.pieces)
        prefix = "RE: " if kind == "reply" else "FW: "
        bare = before.subject[1:] if before.subject[0].surface in {"RE: ", "FW: "} else before.subject
        return (Piece(prefix), *bare)


def _several(rng: random.Random, cast: Cast, thread: Thread, without: tuple[Person, ...], least: int) -> tuple[Person, ...]:
    """One person mostly, up to four; nobody twice."""
    chosen: list[Person] = []
    for _ in range(max(least, 1 + int(rng.random() ** 2.5 * 4))):
        chosen.append(cast.draw_for(rng, thread.index, thread.topic, (*without, *chosen)))
    return tuple(chosen)


class MailDemo(DemoLoader):
    """The embedded mail corpus."""

    name = NAME
    summary = "English e-mail of an invented company, generated: people recur with nicknames, initials, signatures, forwards"
    default_documents = DEFAULT_DOCUMENTS
    source_class = MailSource
