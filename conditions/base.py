"""What a release condition is: it proposes replacements for a batch of documents; everything else is common to all.

A condition need not replace the ensemble's segments: one that rewrites a text (LLM anonymisation, phrase rewriting) returns
whatever intervals it changed, and the offset map follows from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bench.core.model import Json
from bench.core.tables import I32, I64, U8, MentionTable, SegmentTable
from conditions.keys import SecretKey
from conditions.surfaces import Batch, Stream


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """What conditions are made from.

    Parameters
    ----------
    key
        The secret key; None where no condition of the release needs one.
    mentions
        Gold mentions of the corpus: no surrogate may equal one of them.
    forbidden
        Further surfaces that no surrogate may equal.
    options
        Options of conditions from outside, by ``condition.option``.
    """

    key: SecretKey | None = None
    mentions: MentionTable | None = None
    forbidden: frozenset[str] = frozenset()
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edits:
    """Replacements in a batch: rows ``indptr[d]:indptr[d + 1]`` are document d's, sorted, not overlapping.

    Parameters
    ----------
    indptr
        Shape (documents + 1,).
    start, end, type
        Replaced intervals in code points of the original and their types, shape (replacements,).
    text
        Replacement of each, shape (replacements,).
    """

    indptr: I64
    start: I32
    end: I32
    type: U8
    text: Sequence[str]

    @classmethod
    def none(cls, documents: int) -> Edits:
        """No replacement in any of the documents."""
        empty = np.empty(0, np.int32)
        return cls(np.zeros(documents + 1, np.int64), empty, empty, np.empty(0, np.uint8), ())

    @classmethod
    def of_segments(cls, batch: Batch, text: Sequence[str]) -> Edits:
        """Replace exactly the segments of a batch."""
        rows, segments = batch.rows, batch.segments
        return cls(batch.indptr, segments.start[rows], segments.end[rows], segments.type[rows], text)


class Condition(ABC):
    """One release condition; the registry holds its subclasses."""

    #: Name in results and file names.
    name: ClassVar[str]
    #: One line for listings.
    summary: ClassVar[str]
    #: Whether `create` needs `ReleaseSettings.key`.
    needs_key: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def create(cls, settings: ReleaseSettings) -> Condition:
        """Make the condition for one release."""

    def prepare(self, documents: Stream, segments: SegmentTable, batch_size: int) -> None:
        """Read the corpus once before anything is rendered; does nothing where a condition needs no such pass."""
        del documents, segments, batch_size

    @abstractmethod
    def render(self, batch: Batch) -> Edits:
        """Replacements for a batch of documents. Must not depend on which documents share a batch."""

    def describe(self) -> dict[str, Json]:
        """What a release's manifest says of this condition beside its name: fingerprints and digests, never a secret."""
        return {}
