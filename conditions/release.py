"""Building releases: a stream of documents and a segment table in, released documents with their offset maps out.

    condition = Surrogates(key, mentions)
    for released in build_release(corpus.documents, segments, condition):
        ...

Everything streams in batches; only `Condition.prepare` may keep something of the corpus (docs/kernels.md, Release).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.model import Document
from bench.core.tables import I64, SegmentTable
from conditions.base import Condition, Edits
from conditions.offsets import OffsetMap
from conditions.placeholders import placeholders
from conditions.surfaces import BATCH_DOCUMENTS, Stream, batches, joined


@dataclass(frozen=True, slots=True)
class ReleasedDocument:
    """One document of a release, with the way back to the original."""

    doc_id: str
    text: str
    language: str
    offsets: OffsetMap


def build_release(
    documents: Stream, segments: SegmentTable, condition: Condition, batch_size: int = BATCH_DOCUMENTS
) -> Iterator[ReleasedDocument]:
    """Release a corpus under one condition; see `build_releases`."""
    for released in build_releases(documents, segments, [condition], batch_size):
        yield released[0]


def build_releases(
    documents: Stream, segments: SegmentTable, conditions: Sequence[Condition], batch_size: int = BATCH_DOCUMENTS
) -> Iterator[tuple[ReleasedDocument, ...]]:
    """Release a corpus under several conditions at once.

    Parameters
    ----------
    documents
        Gives the corpus in the order of `segments` each time it is called: once in the `Condition.prepare` of a condition that
        needs it, and once more here.
    segments
        What to replace: sorted and not overlapping within a document.
    conditions
        Conditions of one release. Where B and C are both among them, every document is checked: B rewritten into C must be C.
    batch_size
        Documents handled at once.

    Yields
    ------
    tuple of ReleasedDocument
        One per condition, in the order given, for each document.

    Raises
    ------
    bench.core.errors.IntegrityError
        A segment does not fit its text, the corpus changed between the passes, or B rewritten into C differs from C.
    """
    for condition in conditions:
        condition.prepare(documents, segments, batch_size)
    names = [condition.name for condition in conditions]
    check = (names.index("B"), names.index("C")) if {"B", "C"} <= set(names) else None
    for batch in batches(documents, segments, batch_size):
        released = []
        cut: _Cut | None = None
        for condition in conditions:
            edits = condition.render(batch)
            # B and C replace the same intervals: the texts are cut once for both.
            if cut is None or not cut.fits(edits):
                cut = _Cut(batch.documents, edits)
            released.append(cut.filled(edits))
        if check is not None:
            check_b_to_c(released[check[0]], released[check[1]])
        yield from zip(*released, strict=True)


def apply_edits(documents: Sequence[Document], edits: Edits) -> list[ReleasedDocument]:
    """Replace the intervals of `edits` and nothing else.

    Raises
    ------
    bench.core.errors.IntegrityError
        The intervals leave their text, are out of order or overlap; the message names the document.
    """
    return _Cut(documents, edits).filled(edits)


class _Cut:
    """Texts of a batch cut at the intervals of `edits`: what stays, ready to be joined with any replacements."""

    def __init__(self, documents: Sequence[Document], edits: Edits) -> None:
        _check_intervals(documents, edits)
        self._documents = documents
        self._indptr = edits.indptr
        self._old_start, self._old_end, self._type = edits.start.astype(np.int64), edits.end.astype(np.int64), edits.type
        # One string for the whole batch: two list comprehensions and a join do the work of a loop over documents.
        text, base = joined(documents)
        self._rows = np.diff(edits.indptr)
        self._start = self._old_start + np.repeat(base, self._rows)
        self._end = self._old_end + np.repeat(base, self._rows)
        self._base = np.append(base, len(text))
        kept_from, kept_to = [0, *self._end.tolist()], [*self._start.tolist(), len(text)]
        self._kept = [text[a:b] for a, b in zip(kept_from, kept_to, strict=True)]
        parts = [slice(a, b) for a, b in pairwise(edits.indptr.tolist())]
        self._old = [(part, self._old_start[part], self._old_end[part], self._type[part]) for part in parts]

    def fits(self, edits: Edits) -> bool:
        """Whether `edits` replaces the same intervals of the same types."""
        return (
            np.array_equal(self._indptr, edits.indptr)
            and np.array_equal(self._old_start, edits.start)
            and np.array_equal(self._old_end, edits.end)
            and np.array_equal(self._type, edits.type)
        )

    def filled(self, edits: Edits) -> list[ReleasedDocument]:
        """The documents with the replacements of `edits`, which fits."""
        if len(edits.text) != len(self._start):
            raise IntegrityError(f"{len(edits.text)} replacements for {len(self._start)} intervals")
        if not len(self._start):
            return [
                ReleasedDocument(d.doc_id, d.text, d.language, OffsetMap(start, end, start, end, types))
                for d, (_, start, end, types) in zip(self._documents, self._old, strict=True)
            ]
        pieces = [""] * (2 * len(self._start) + 1)
        pieces[0::2] = self._kept
        pieces[1::2] = edits.text
        released = "".join(pieces)
        new_length = np.fromiter(map(len, edits.text), np.int64, len(self._start))
        growth = np.concatenate([np.zeros(1, np.int64), np.cumsum(new_length - (self._end - self._start))])
        new_base = self._base + growth[self._indptr]
        new_start = self._start + growth[:-1] - np.repeat(new_base[:-1], self._rows)
        new_end = new_start + new_length
        texts = [released[a:b] for a, b in pairwise(new_base.tolist())]
        return [
            ReleasedDocument(d.doc_id, text, d.language, OffsetMap(start, end, new_start[part], new_end[part], types))
            for d, text, (part, start, end, types) in zip(self._documents, texts, self._old, strict=True)
        ]


def _check_intervals(documents: Sequence[Document], edits: Edits) -> None:
    if len(edits.indptr) != len(documents) + 1:
        raise IntegrityError(f"replacements for {len(edits.indptr) - 1} documents, but there are {len(documents)}")
    document = np.repeat(np.arange(len(documents)), np.diff(edits.indptr))
    lengths = np.fromiter((len(d.text) for d in documents), np.int64, len(documents))
    bad = (edits.start < 0) | (edits.end < edits.start) | (edits.end > lengths[document])
    bad[1:] |= (document[1:] == document[:-1]) & (edits.start[1:] < edits.end[:-1])
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise IntegrityError(
            f"replacement [{edits.start[i]}, {edits.end[i]}) of document {documents[int(document[i])].doc_id!r} "
            f"({lengths[document[i]]} characters) is out of the text, out of order or overlaps the one before"
        )


def rewrite_to_placeholders(released: Sequence[ReleasedDocument]) -> tuple[str, I64]:
    """B documents with every surrogate rewritten into its type's placeholder, found through the offset maps alone.

    Returns
    -------
    text, length
        The rewritten texts in one string, and the length of each, shape (documents,).
    """
    text, base = joined(released)
    maps = [document.offsets for document in released]
    document = np.repeat(np.arange(len(maps)), [len(m) for m in maps])
    start = np.concatenate([np.empty(0, np.int64), *(m.new_start for m in maps)]) + base[document]
    end = np.concatenate([np.empty(0, np.int64), *(m.new_end for m in maps)]) + base[document]
    new = placeholders(np.concatenate([np.empty(0, np.uint8), *(m.type for m in maps)]))
    pieces = [""] * (2 * len(start) + 1)
    pieces[0::2] = [text[a:b] for a, b in zip([0, *end.tolist()], [*start.tolist(), len(text)], strict=True)]
    pieces[1::2] = new
    length = np.fromiter((len(d.text) for d in released), np.int64, len(released))
    np.add.at(length, document, np.fromiter(map(len, new), np.int64, len(new)) - (end - start))
    return "".join(pieces), length


def check_b_to_c(b: Sequence[ReleasedDocument], c: Sequence[ReleasedDocument]) -> None:
    """Check that B and C replace identical spans, and that B rewritten into C is C character for character.

    Parameters
    ----------
    b, c
        The same documents in the same order under both conditions.

    Raises
    ------
    bench.core.errors.IntegrityError
        They differ; the message names the document and the first character that does.
    """
    if [document.doc_id for document in b] != [document.doc_id for document in c]:
        raise IntegrityError("conditions B and C do not hold the same documents in the same order")
    maps_b, maps_c = [d.offsets for d in b], [d.offsets for d in c]
    for column in ("old_start", "old_end", "type"):
        left, right = ([getattr(m, column) for m in maps] for maps in (maps_b, maps_c))
        # One comparison for the batch where the rows are as many; document by document only to name the one that differs.
        same_rows = [len(x) for x in left] == [len(y) for y in right]
        if not same_rows or (left and not np.array_equal(np.concatenate(left), np.concatenate(right))):
            name = next(d.doc_id for d, x, y in zip(b, left, right, strict=True) if not np.array_equal(x, y))
            raise IntegrityError(f"conditions B and C of document {name!r} do not replace identical spans")
    rewritten, length = rewrite_to_placeholders(b)
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)]).tolist()
    if rewritten == "".join([d.text for d in c]) and length.tolist() == [len(d.text) for d in c]:
        return
    for i, document in enumerate(c):
        text = rewritten[edges[i] : edges[i + 1]]
        if text != document.text:
            shorter = min(len(text), len(document.text))
            first = next((k for k in range(shorter) if text[k] != document.text[k]), shorter)
            raise IntegrityError(f"document {document.doc_id!r}: B rewritten into C differs from C at character {first}")
