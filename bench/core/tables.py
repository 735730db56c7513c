"""Columnar views that every kernel works on: tokens, gold mentions and spans of a whole corpus as numpy arrays.

All three share the compressed-sparse-row layout: rows of document ``d`` are ``indptr[d]:indptr[d + 1]``, sorted by
``(start, end)`` within a document. Offsets are code points into the document (int32), types are codes into
`bench.core.taxonomy.TYPES` (uint8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

I64: TypeAlias = npt.NDArray[np.int64]
I32: TypeAlias = npt.NDArray[np.int32]
U8: TypeAlias = npt.NDArray[np.uint8]
U64: TypeAlias = npt.NDArray[np.uint64]
F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Bool: TypeAlias = npt.NDArray[np.bool_]


def doc_of_row(indptr: I64) -> I32:
    """Document index of every row, shape ``(indptr[-1],)``."""
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Tokens of a corpus: `indptr` shape (documents + 1,), `start` and `end` shape (tokens,)."""

    indptr: I64
    start: I32
    end: I32
    tokeniser: str

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.indptr) - 1

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class MentionTable:
    """Gold mentions of a corpus, shape (mentions,) each.

    `entity` is a dense code; ``entity_ids[entity[i]]`` is the entity id, unique over the corpus (document-scoped ids carry
    their document). `identifier` indexes `IDENTIFIER_CLASSES`.
    """

    indptr: I64
    start: I32
    end: I32
    type: U8
    entity: I64
    identifier: U8
    entity_ids: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class SpanTable:
    """Spans of one detector over a corpus, shape (spans,) each; ``labels[label[i]]`` is the raw label."""

    indptr: I64
    start: I32
    end: I32
    type: U8
    label: I32
    score: F32
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)


def token_ranges(tokens: TokenTable, indptr: I64, start: I32, end: I32) -> tuple[I64, I64]:
    """Global token range ``[first, last)`` that each interval touches: every token that shares a character with it.

    Parameters
    ----------
    tokens
        Token table of the same corpus.
    indptr, start, end
        Intervals in CSR layout over the same documents.

    Returns
    -------
    first, last
        Indices into the token table, shape (intervals,); equal where an interval touches no token (white space only).
    """
    # One global coordinate for all documents makes a single searchsorted do the work of one per document. The stride leaves
    # room past the longest offset, so that an interval can never reach a neighbour document's tokens.
    longest = max(int(tokens.end.max(initial=0)), int(end.max(initial=0))) + 1
    token_base = doc_of_row(tokens.indptr).astype(np.int64) * longest
    base = doc_of_row(indptr).astype(np.int64) * longest
    first = np.searchsorted(tokens.end + token_base, start + base, side="right")
    last = np.searchsorted(tokens.start + token_base, end + base, side="left")
    return first.astype(np.int64), np.maximum(first, last).astype(np.int64)


def covered(n: int, first: I64, last: I64) -> Bool:
    """Which of `n` tokens lie in at least one range ``[first, last)``, shape (n,)."""
    edges = np.zeros(n + 1, dtype=np.int32)
    np.add.at(edges, first, 1)
    np.add.at(edges, last, -1)
    return np.cumsum(edges[:-1]) > 0


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """Merged spans of an ensemble over a corpus: what a release replaces.

    Within a document the segments are sorted and never overlap (they may touch); both edges lie on token edges, so that a
    detector's span that cuts a token is widened, never dropped.
    """

    indptr: I64
    start: I32
    end: I32
    type: U8

    def __len__(self) -> int:
        return len(self.start)
