"""Prepared corpora of a few texts, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.core.corpus import Corpus
from bench.core.corpus_writer import write_corpus
from bench.core.model import Document, Mention
from bench.core.source import CorpusInfo, CorpusSource


class TextSource(CorpusSource):
    """Texts without mentions, named ``d0``, ``d1`` ..."""

    def __init__(self, texts: Sequence[str], languages: Sequence[str] | None = None, name: str = "small") -> None:
        self.info = CorpusInfo(name, "1", "document", {}, "tests", "none")
        self._texts = texts
        self._languages = languages or ["en"] * len(texts)

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        for index, (text, language) in enumerate(zip(self._texts, self._languages, strict=True)):
            yield Document(f"d{index}", text, language), ()


def small_corpus(directory: Path, texts: Sequence[str], languages: Sequence[str] | None = None) -> Corpus:
    """Prepare a corpus of `texts` in `directory`."""
    return write_corpus(TextSource(texts, languages), directory)
