"""Building releases: a stream of documents and a segment table in, released documents with their offset maps out.

    condition = Surrogates(key, mentions)
    for released in build_release(corpus.documents, segments, condition):
        ...

Everything streams in batches; only `Condition.prepare` may keep something of the corpus (KERNELS.md section 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.model import Document
from bench.core.tables import SegmentTable
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
        released = [apply_edits(batch.documents, condition.render(batch)) for condition in conditions]
        if check is not None:
            for with_surrogates, with_placeholders in zip(released[check[0]], released[check[1]], strict=True):
                check_b_to_c(with_surrogates, with_placeholders)
        yield from zip(*released, strict=True)


def apply_edits(documents: Sequence[Document], edits: Edits) -> list[ReleasedDocument]:
    """Replace the intervals of `edits` and nothing else.

    Raises
    ------
    bench.core.errors.IntegrityError
        The intervals leave their text, are out of order or overlap; the message names the document.
    """
    _check_edits(documents, edits)
    if not len(edits.start):
        nothing = OffsetMap.of(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), edits.type)
        return [ReleasedDocument(d.doc_id, d.text, d.language, nothing) for d in documents]
    # One string for the whole batch: two list comprehensions and a join do the work of a loop over documents.
    text, base = joined(documents)
    rows = np.diff(edits.indptr)
    start = edits.start + np.repeat(base, rows)
    end = edits.end + np.repeat(base, rows)
    kept_from, kept_to = [0, *end.tolist()], [*start.tolist(), len(text)]
    pieces = [""] * (2 * len(start) + 1)
    pieces[0::2] = [text[a:b] for a, b in zip(kept_from, kept_to, strict=True)]
    pieces[1::2] = edits.text
    released = "".join(pieces)

    new_length = np.fromiter(map(len, edits.text), np.int64, len(start))
    growth = np.concatenate([np.zeros(1, np.int64), np.cumsum(new_length - (end - start))])
    old_base = np.append(base, len(text))
    new_base = old_base + growth[edits.indptr]
    new_start = start + growth[:-1] - np.repeat(new_base[:-1], rows)
    new_end = new_start + new_length
    old_start, old_end = edits.start.astype(np.int64), edits.end.astype(np.int64)
    bounds, edges = edits.indptr.tolist(), new_base.tolist()
    result = []
    for i, document in enumerate(documents):
        part = slice(bounds[i], bounds[i + 1])
        offsets = OffsetMap(old_start[part], old_end[part], new_start[part], new_end[part], edits.type[part])
        result.append(ReleasedDocument(document.doc_id, released[edges[i] : edges[i + 1]], document.language, offsets))
    return result


def _check_edits(documents: Sequence[Document], edits: Edits) -> None:
    if len(edits.indptr) != len(documents) + 1 or len(edits.text) != len(edits.start):
        raise IntegrityError(
            f"{len(edits.text)} replacements for {len(edits.start)} intervals of {len(documents)} documents do not fit together"
        )
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


def rewrite_to_placeholders(released: ReleasedDocument) -> str:
    """Text of a B document with every surrogate rewritten into its type's placeholder, found through the offset map alone."""
    offsets = released.offsets
    kept_from, kept_to = [0, *offsets.new_end.tolist()], [*offsets.new_start.tolist(), len(released.text)]
    pieces = [""] * (2 * len(offsets) + 1)
    pieces[0::2] = [released.text[a:b] for a, b in zip(kept_from, kept_to, strict=True)]
    pieces[1::2] = placeholders(offsets.type)
    return "".join(pieces)


def check_b_to_c(b: ReleasedDocument, c: ReleasedDocument) -> None:
    """Check that B and C replace identical spans, and that B rewritten into C is C character for character.

    Raises
    ------
    bench.core.errors.IntegrityError
        They differ; the message names the document and the first character that does.
    """
    same = (
        b.doc_id == c.doc_id
        and np.array_equal(b.offsets.old_start, c.offsets.old_start)
        and np.array_equal(b.offsets.old_end, c.offsets.old_end)
        and np.array_equal(b.offsets.type, c.offsets.type)
    )
    if not same:
        raise IntegrityError(f"conditions B and C of document {b.doc_id!r} do not replace identical spans")
    rewritten = rewrite_to_placeholders(b)
    if rewritten != c.text:
        shorter = min(len(rewritten), len(c.text))
        first = next((i for i in range(shorter) if rewritten[i] != c.text[i]), shorter)
        raise IntegrityError(f"document {b.doc_id!r}: condition B rewritten into C differs from C at character {first}")
