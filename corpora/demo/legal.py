"""`demo-legal`: judgments of an invented European court of human rights and of national courts, in the manner of TAB.

What counts as gold, and as which class, where the answer is not obvious:

- Entity ids are unique to the document; the case is the judgment.
- DIRECT: the applicants' names and the application or appeal numbers. NO_MASK: judges, registrars, prosecutors, agents,
  prison governors and elected officials by name, the respondent state, its Government, the supreme court, the court itself,
  times of day, and everything in a citation of case-law. QUASI: the rest.
- Roles ("the applicant", "the second applicant", "the Government", "his mother") are not gold; titles stand outside the mention.
- A citation of an earlier judgment holds a name, a state, a number and sometimes a date, each a mention of its own.
- Durations, article numbers and votes are not gold. Sums are QUANTITY, nationality and origin DEMOGRAPHIC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bench.core.model import Document, Mention
from corpora.demo.builder import TextBuilder
from corpora.demo.legal_cases import Theme, themes
from corpora.demo.legal_judgment import Judgment
from corpora.demo.legal_people import countries
from corpora.demo.legal_text import LegalWriter
from corpora.demo.phrases import with_typo, write
from corpora.demo.seeding import stream
from corpora.demo.source import DemoLoader, DemoSource

NAME: Final = "demo-legal"
DEFAULT_DOCUMENTS: Final = 60
#: Share of judgments by national courts among the themes that have both.
_NATIONAL_SHARE: Final = 0.55


class LegalSource(DemoSource):
    """The generated judgments; each depends on the seed and its index alone."""

    name = NAME
    scope = "document"

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield the judgments; fewer documents are the first ones of more."""
        for index in range(self.documents):
            yield self._judgment(index)

    def _judgment(self, index: int) -> tuple[Document, list[Mention]]:
        rng = stream(self.seed, NAME, index)
        # Taken in turn, so that a small corpus has every theme; the step is coprime to their number.
        theme: Theme = themes()[index * 3 % len(themes())]
        national = bool(theme.act) and rng.random() < _NATIONAL_SHARE
        roll = rng.random()
        doc_id = f"legal-{index:06d}"
        alien = theme.name == "expulsion"
        applicants = 1 if alien or roll < 0.65 else 2 if roll < 0.92 else 3
        writer = LegalWriter(rng, doc_id, rng.choice(countries()), national=national, applicants=applicants, alien=alien)
        judgment = Judgment(writer, theme)
        judgment.compose()
        builder = TextBuilder(doc_id, "en", case_id=doc_id)
        builder.meta |= {"theme": theme.name, "state": writer.country.name, "court": "national" if national else "international"}
        write(with_typo(writer.pieces, rng) if rng.random() < 0.3 else writer.pieces, builder)
        return builder.build()


class LegalDemo(DemoLoader):
    """The embedded corpus of judgments."""

    name = NAME
    summary = (
        "English judgments of an invented court, generated: parties, witnesses, file numbers, case-law, TAB's identifier classes"
    )
    default_documents = DEFAULT_DOCUMENTS
    source_class = LegalSource
