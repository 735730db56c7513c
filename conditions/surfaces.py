"""First pass of a release: the distinct surfaces of the replaced segments and of the gold mentions, each once.

Everything that costs per name (normalising, HMAC, the choice from a pool) is then done once per distinct surface, and the
second pass only looks up. Memory grows with the vocabulary of names and four bytes a segment, not with the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Protocol, TypeAlias

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.model import Document
from bench.core.tables import I32, I64, U8, MentionTable, SegmentTable
from bench.core.taxonomy import PERSON, TYPES
from conditions.normalise import normalise

#: A corpus that can be streamed more than once: `bench.core.corpus.Corpus.documents`, or ``lambda: documents`` for a list.
Stream: TypeAlias = Callable[[], Iterable[Document]]
#: Documents that are handled at once: enough to hide the cost of a numpy call, few enough to stay small.
BATCH_DOCUMENTS = 512


def key_of(type_code: int, surface: str) -> str:
    """Normalised key of a surface of a type: titles are removed from names of persons only."""
    return normalise(surface, titles=type_code == PERSON)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive documents with their rows of a segment table.

    Parameters
    ----------
    first
        Index of the first document in the corpus.
    documents
        The documents.
    segments
        Segments of the whole corpus.
    """

    first: int
    documents: Sequence[Document]
    segments: SegmentTable

    @property
    def rows(self) -> slice:
        """Rows of the segment table that belong to this batch."""
        indptr = self.segments.indptr
        return slice(int(indptr[self.first]), int(indptr[self.first + len(self.documents)]))

    @property
    def indptr(self) -> I64:
        """Row pointers of the batch's documents, counted from its first row; shape (documents + 1,)."""
        part = self.segments.indptr[self.first : self.first + len(self.documents) + 1]
        pointers: I64 = (part - part[0]).astype(np.int64)
        return pointers


def batches(documents: Stream, segments: SegmentTable, size: int = BATCH_DOCUMENTS) -> Iterator[Batch]:
    """Cut a stream of documents into batches and check the segments against the texts.

    Raises
    ------
    bench.core.errors.IntegrityError
        The stream and the table differ in their number of documents, or a segment is empty, leaves its text, is out of order
        or overlaps the one before; the message names the document.
    """
    n_docs = len(segments.indptr) - 1
    first = 0
    stream = iter(documents())
    while chunk := list(islice(stream, size)):
        if first + len(chunk) > n_docs:
            raise IntegrityError(f"document {chunk[n_docs - first].doc_id!r} has no row in a table of {n_docs} documents")
        batch = Batch(first, chunk, segments)
        _check(batch)
        yield batch
        first += len(chunk)
    if first != n_docs:
        raise IntegrityError(f"the segment table covers {n_docs} documents, but the corpus gave {first}")


def _check(batch: Batch) -> None:
    rows = batch.rows
    start, end = batch.segments.start[rows], batch.segments.end[rows]
    document = np.repeat(np.arange(len(batch.documents)), np.diff(batch.indptr))
    lengths = np.fromiter((len(d.text) for d in batch.documents), np.int64, len(batch.documents))
    bad = (start < 0) | (end <= start) | (end > lengths[document])
    bad[1:] |= (document[1:] == document[:-1]) & (start[1:] < end[:-1])
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        name = batch.documents[int(document[i])].doc_id
        raise IntegrityError(
            f"segment [{start[i]}, {end[i]}) of document {name!r} ({lengths[document[i]]} characters) is empty, out of the text, "
            "out of order or overlaps the one before"
        )


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Distinct (type, surface) pairs of the replaced segments, numbered batch by batch.

    Parameters
    ----------
    text, type, key
        Surface, type code and normalised key of each, shape (surfaces,).
    languages
        Languages of the documents that hold each (type, key).
    of_segment
        Number of the surface of every segment, shape (segments,).
    lengths
        Characters of every document, shape (documents,): how the second pass knows it reads the same texts.
    forbidden
        Normalised keys of all replaced segments and all gold mentions, of any type.
    """

    text: Sequence[str]
    type: U8
    key: Sequence[str]
    languages: dict[tuple[int, str], frozenset[str]]
    of_segment: I32
    lengths: I64
    forbidden: frozenset[str]

    def __len__(self) -> int:
        return len(self.text)


def collect_surfaces(
    documents: Stream,
    segments: SegmentTable,
    mentions: MentionTable | None = None,
    forbidden: Iterable[str] = (),
    batch_size: int = BATCH_DOCUMENTS,
) -> Surfaces:
    """Read the corpus once and number what will be replaced.

    Parameters
    ----------
    documents, segments
        The corpus, in the order of the table.
    mentions
        Gold mentions; their surfaces too may be no surrogate.
    forbidden
        Further surfaces that may be no surrogate (those of another part of the corpus).
    batch_size
        Documents handled at once.
    """
    counter = count()
    # The default factory numbers a surface when it is first looked up: one C-level pass per batch.
    numbers: list[defaultdict[str, int]] = [defaultdict(counter.__next__) for _ in TYPES]
    gold: list[set[str]] = [set() for _ in TYPES]
    of_segment = np.empty(len(segments), np.int32)
    lengths: list[int] = []
    language_codes: defaultdict[str, int] = defaultdict(count().__next__)
    seen_in: list[I64] = []
    for batch in batches(documents, segments, batch_size):
        text, base = joined(batch.documents)
        lengths += [len(d.text) for d in batch.documents]
        rows = batch.rows
        offset = np.repeat(base, np.diff(batch.indptr))
        start, end, types = segments.start[rows] + offset, segments.end[rows] + offset, segments.type[rows]
        for code in np.flatnonzero(np.bincount(types, minlength=len(TYPES))).tolist():
            chosen = np.flatnonzero(types == code)
            surfaces = [text[s:e] for s, e in zip(start[chosen].tolist(), end[chosen].tolist(), strict=True)]
            numbered = np.fromiter(map(numbers[code].__getitem__, surfaces), np.int32, len(surfaces))
            of_segment[rows.start + chosen] = numbered
        language = np.array([language_codes[d.language] for d in batch.documents], np.int64)
        pairs = of_segment[rows].astype(np.int64) << 16 | np.repeat(language, np.diff(batch.indptr))
        seen_in.append(np.unique(pairs))
        if mentions is not None:
            for code, found in _mention_surfaces(batch, mentions, text, base):
                gold[code] |= found
    names = [""] * sum(map(len, numbers))
    types_of = np.zeros(len(names), np.uint8)
    for code, numbering in enumerate(numbers):
        for surface, number in numbering.items():
            names[number] = surface
            types_of[number] = code
    keys = [key_of(code, surface) for code, surface in zip(types_of.tolist(), names, strict=True)]
    taken = set(keys)
    for code, found in enumerate(gold):
        # Most gold surfaces were also replaced: their keys are there already.
        taken.update(key_of(code, surface) for surface in found - numbers[code].keys() if surface)
    taken.update(key_of(PERSON, surface) for surface in forbidden)
    labels = list(language_codes)
    spoken: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for pair in np.unique(np.concatenate([np.empty(0, np.int64), *seen_in])).tolist():
        number = pair >> 16
        spoken[int(types_of[number]), keys[number]].add(labels[pair & 0xFFFF])
    return Surfaces(
        names,
        types_of,
        keys,
        {pair: frozenset(languages) for pair, languages in spoken.items()},
        of_segment,
        np.array(lengths, np.int64),
        frozenset(taken),
    )


class HasText(Protocol):
    """Anything with a text."""

    @property
    def text(self) -> str:
        """The text."""


def joined(documents: Sequence[HasText]) -> tuple[str, I64]:
    """Texts of a batch in one string, and where each begins; shape (documents,)."""
    lengths = np.fromiter((len(d.text) for d in documents), np.int64, len(documents))
    return "".join([d.text for d in documents]), np.cumsum(lengths) - lengths


def _mention_surfaces(batch: Batch, mentions: MentionTable, text: str, base: I64) -> Iterator[tuple[int, set[str]]]:
    part = mentions.indptr[batch.first : batch.first + len(batch.documents) + 1]
    rows = slice(int(part[0]), int(part[-1]))
    offset = np.repeat(base, np.diff(part))
    start, end, types = mentions.start[rows] + offset, mentions.end[rows] + offset, mentions.type[rows]
    for code in np.flatnonzero(np.bincount(types, minlength=len(TYPES))).tolist():
        chosen = np.flatnonzero(types == code)
        yield code, {text[s:e] for s, e in zip(start[chosen].tolist(), end[chosen].tolist(), strict=True)}
