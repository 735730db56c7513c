"""`demo-news`: English, Chinese and Arabic news in turn, written for this project, with entity ids that are unique to a document.

Every document is one of twelve or thirteen skeletons a language (council budget, match, merger, crash, trial, interview,
obituary ...), each paragraph one of several alternatives, filled with a cast of census-weighted names. People appear with their
full name first and by surname, given name, initials or an honorific later; Arabic names carry attached particles outside the
gold span, which cuts the token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bench.core.model import Document, Mention
from corpora.demo import news_ar, news_en, news_zh
from corpora.demo.article import read_book, write_article
from corpora.demo.builder import TextBuilder
from corpora.demo.news_scene import NewsScene
from corpora.demo.seeding import stream
from corpora.demo.source import DemoLoader, DemoSource

NAME: Final = "demo-news"
DEFAULT_DOCUMENTS: Final = 90
#: Language, scene and text file, in the order in which the documents alternate.
_LANGUAGES: Final[tuple[tuple[str, type[NewsScene], str], ...]] = (
    ("en", news_en.EnglishScene, news_en.BOOK),
    ("zh", news_zh.ChineseScene, news_zh.BOOK),
    ("ar", news_ar.ArabicScene, news_ar.BOOK),
)


def write_document(seed: int, index: int) -> tuple[Document, list[Mention]]:
    """Write document number `index` (from 0) of the corpus of `seed`; it depends on nothing else."""
    language, scene_of, file = _LANGUAGES[index % len(_LANGUAGES)]
    book = read_book(file)
    turn, place = divmod(index // len(_LANGUAGES), len(book.articles))
    order = list(range(len(book.articles)))
    stream(seed, NAME, language, "order", turn).shuffle(order)
    article = book.articles[order[place]]
    rng = stream(seed, NAME, "document", index)
    doc_id = f"news-{index:06d}-{language}"
    builder = TextBuilder(doc_id, language)
    builder.meta["genre"] = article.name
    write_article(builder, article, scene_of(doc_id, rng, book, article), rng)
    return builder.build()


class NewsSource(DemoSource):
    """The generated documents of one seed."""

    name = NAME
    scope = "document"

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield the documents in order; memory does not grow with their number."""
        for index in range(self.documents):
            yield write_document(self.seed, index)


class NewsDemo(DemoLoader):
    """Loader of `demo-news`."""

    name = NAME
    summary = "English, Chinese and Arabic news, generated; entities within a document"
    default_documents = DEFAULT_DOCUMENTS
    source_class = NewsSource
