"""`demo-clinical`: German discharge letters written for this project, with patients and doctors who recur across letters.

A letter follows the sections of CARDIO:DE (Richter-Pechanski et al., Scientific Data 10:207, 2023). ``meta`` carries
``sections`` as ``[start, end, name]``, which cover the letter from the first to the last character but for empty lines, and
``medications`` as ``[start, end, DRUG|STRENGTH|FORM|FREQUENCY]``: every named drug with what belongs to it, in lists and in
running text; classes of drugs ("Antibiose") are none. Titles, Herr and Frau stay outside the PERSON spans, a genitive
("Webers") is inside; "die Tochter" is not gold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from bench.core.model import Document, Mention
from corpora.demo.article import Article, read_book
from corpora.demo.builder import TextBuilder
from corpora.demo.clinical_scene import ClinicalScene
from corpora.demo.clinical_values import MEDICATIONS, laboratory
from corpora.demo.clinical_world import NAME, locate, patient
from corpora.demo.grammar import Template, write, write_value
from corpora.demo.seeding import stream
from corpora.demo.source import DemoLoader, DemoSource

BOOK: Final = "clinical_de.txt"
DEFAULT_DOCUMENTS: Final = 60
SECTIONS: Final = "sections"
#: Sections in the order of a letter, each with its possible headings; an empty heading is none.
HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "Anrede": ("",),
    "AktuellDiagnosen": ("Aktuelle Diagnosen:", "Hauptdiagnose:", "AKTUELL"),
    "Diagnosen": ("Weitere Diagnosen:", "Vorbekannte Diagnosen", "Nebendiagnosen:"),
    "RisikofaktorenAllergien": (
        "Kardiovaskuläre Risikofaktoren und Allergien:",
        "Risikofaktoren / Allergien",
        "Allergien, Unverträglichkeiten, Risiken:",
    ),
    "Anamnese": ("Anamnese:", "Anamnese und Aufnahmegrund", "Zur Vorgeschichte:"),
    "AufnahmeMedikation": ("Medikation bei Aufnahme:", "Aufnahmemedikation", "Vormedikation:"),
    "KuBefunde": ("Körperliche Untersuchung:", "Klinischer Befund", "Körperlicher Aufnahmebefund:"),
    "Befunde": ("Befunde:", "Technische Untersuchungen", "Apparative Diagnostik:"),
    "EchoBefunde": ("Echokardiographie:", "Transthorakales Echo", "TTE:"),
    "Labor": ("Labor:", "Laborwerte (Auszug)", "Laborchemie:"),
    "Zusammenfassung": ("Zusammenfassung:", "Beurteilung und Verlauf", "Epikrise:"),
    "EntlassMedikation": ("Medikation bei Entlassung:", "Entlassmedikation", "Empfohlene Medikation:"),
    "Andere": ("Procedere:", "Weiteres Vorgehen", "Hinweise:"),
    "Abschluss": ("",),
}
_RISKS_SHARE, _VARIANTS = 0.75, 2


@lru_cache(maxsize=1)
def _paragraphs() -> dict[str, Article]:
    return {article.name: article for article in read_book(BOOK).articles}


def _write_section(
    builder: TextBuilder, name: str, options: Sequence[Template], scene: ClinicalScene, rng: random.Random
) -> None:
    """Append one section with its heading (the laboratory table where there is no text) and note its extent in the meta data."""
    if builder.position:
        builder.text("\n\n")
    start = builder.position
    headings = HEADINGS[name]
    heading = headings[scene.style % len(headings)]
    if name == "Labor" and scene.style % 2:
        builder.text(f"{heading.rstrip(':')} vom ")
        write_value(builder, scene.value("adm", ""))
        builder.text(":\n")
    elif heading:
        builder.text(f"{heading}\n")
    if options:
        write(builder, rng.choice(options), scene, rng)
    else:
        builder.text(laboratory(rng, scene.style))
    sections = builder.meta[SECTIONS]
    if isinstance(sections, list):
        sections.append([start, builder.position, name])


def write_document(seed: int, index: int) -> tuple[Document, list[Mention]]:
    """Write letter number `index` (from 0) of the corpus of `seed`; it depends on nothing else."""
    number, letter = locate(seed, index)
    who = patient(seed, number, BOOK)
    rng = stream(seed, NAME, "document", index)
    scene = ClinicalScene(seed, who, letter, rng, read_book(BOOK))
    articles = _paragraphs()
    case = articles[who.cases[letter]]
    # One variant for all sections of a case: its diagnoses, findings, course and medication belong together.
    variant = rng.randrange(_VARIANTS)
    own = {paragraph.section: paragraph.options[variant % len(paragraph.options)] for paragraph in case.paragraphs}
    builder = TextBuilder(f"clinical-{index:06d}", "de", case_id=who.key)
    builder.meta.update({"genre": case.name.split("/")[1], SECTIONS: [], MEDICATIONS: []})
    for name in HEADINGS:
        if name in own:
            _write_section(builder, name, (own[name],), scene, rng)
        elif name == "Labor":
            _write_section(builder, name, (), scene, rng)
        elif f"part-{name}" in articles and (name != "RisikofaktorenAllergien" or rng.random() < _RISKS_SHARE):
            _write_section(builder, name, articles[f"part-{name}"].paragraphs[0].options, scene, rng)
    return builder.build()


class ClinicalSource(DemoSource):
    """The generated letters of one seed."""

    name = NAME
    scope = "corpus"

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield the letters in order; memory does not grow with their number."""
        for index in range(self.documents):
            yield write_document(self.seed, index)


class ClinicalDemo(DemoLoader):
    """Loader of `demo-clinical`."""

    name = NAME
    summary = "German discharge letters, generated; patients and doctors recur across letters"
    default_documents = DEFAULT_DOCUMENTS
    source_class = ClinicalSource
