"""Documents with segments and gold for release tests, and hypothesis strategies for them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from bench.core.model import Document
from bench.core.tables import MentionTable, SegmentTable, TokenTable
from bench.core.taxonomy import TYPE_CODE, TYPES

#: One document's (start, end, type code).
Rows = Sequence[tuple[int, int, int]]

#: What breaks offsets: emoji with joiners and variation selectors, combining marks, CRLF, astral letters, right-to-left text.
ATOMS = st.one_of(
    st.sampled_from(
        [
            "\r\n",
            "👩‍⚕️",
            "🇩🇪",
            "e\u0301",
            "\u200d",
            "\ufeff",
            "𝔸",
            "محمد",
            "王伟",
            "ß",
            "\t",
            " ",
            "Dr. Weber",
            "[PERSON]",
            "0",
            "x@y.de",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
TEXTS = st.lists(ATOMS, max_size=25).map("".join)


def segment_table(rows: Sequence[Rows]) -> SegmentTable:
    """A table of the rows of each document."""
    flat = [row for document in rows for row in document]
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    start, end, code = (np.array([row[i] for row in flat], np.int64) for i in range(3))
    return SegmentTable(indptr, start.astype(np.int32), end.astype(np.int32), code.astype(np.uint8))


def mention_table(rows: Sequence[Rows], entities: Sequence[Sequence[str]]) -> MentionTable:
    """Gold of each document with its entity ids."""
    table = segment_table(rows)
    names = [name for document in entities for name in document]
    ids = sorted(set(names))
    number = {name: i for i, name in enumerate(ids)}
    codes = np.array([number[name] for name in names], np.int64)
    return MentionTable(table.indptr, table.start, table.end, table.type, codes, np.zeros(len(names), np.uint8), tuple(ids))


def word_tokens(texts: Sequence[str]) -> TokenTable:
    """Words between spaces."""
    indptr, start, end = [0], [], []
    for text in texts:
        position = 0
        for word in text.split(" "):
            if word:
                start.append(position)
                end.append(position + len(word))
            position += len(word) + 1
        indptr.append(len(start))
    return TokenTable(np.array(indptr, np.int64), np.array(start, np.int32), np.array(end, np.int32), "words")


def rows_by_surface(text: str, names: dict[str, str]) -> list[tuple[int, int, int]]:
    """Every occurrence of each surface, with the type it is given."""
    rows = []
    for surface, type_name in names.items():
        position = text.find(surface)
        while position >= 0:
            rows.append((position, position + len(surface), TYPE_CODE[type_name]))
            position = text.find(surface, position + len(surface))
    return sorted(rows)


@st.composite
def segmented(draw: st.DrawFn, text: str) -> list[tuple[int, int, int]]:
    """Random sorted, non-overlapping, non-empty segments of a text; some touch."""
    cuts = sorted(set(draw(st.lists(st.integers(0, len(text)), max_size=12))))
    pairs = itertools.pairwise(cuts)
    return [(a, b, draw(st.integers(0, len(TYPES) - 1))) for a, b in pairs if draw(st.booleans())]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[Document], list[list[tuple[int, int, int]]]]:
    """A few documents in several languages with random segments."""
    texts = draw(st.lists(TEXTS, max_size=5))
    languages = [draw(st.sampled_from(["en", "de", "zh", "ar"])) for _ in texts]
    documents = [Document(f"d{i}", text, language) for i, (text, language) in enumerate(zip(texts, languages, strict=True))]
    return documents, [draw(segmented(text)) for text in texts]
