"""The vocabulary: Document, Mention, Span and the detector's answer. Offsets are code points (docs/measures.md, Units)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
IdentityScope: TypeAlias = Literal["document", "corpus"]

#: Status of one document at one detector. ``missing``: the detector never answered (an imported file without it).
STATUSES: Final[tuple[str, ...]] = ("ok", "truncated", "failed", "missing", "unsupported")
Status: TypeAlias = Literal["ok", "truncated", "failed", "missing", "unsupported"]


@dataclass(frozen=True, slots=True)
class Document:
    """One text as stored; nothing downstream may change a character of it.

    Parameters
    ----------
    doc_id
        Unique in the corpus.
    text
        Stored text; ``text[start:end]`` is the only way to a surface.
    language
        ISO 639-1 code (``en``, ``de``, ``zh``, ``ar``).
    split
        ``train``, ``dev``, ``test`` or empty.
    case_id
        What is released as one unit (a patient, a judgment, a message thread); empty means the document itself.
    tokens
        The corpus's own tokens as half-open code-point offsets, or None for the default tokeniser.
    meta
        JSON-serialisable extras of the source format.
    """

    doc_id: str
    text: str
    language: str
    split: str = ""
    case_id: str = ""
    tokens: Sequence[tuple[int, int]] | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mention:
    """One gold span.

    Parameters
    ----------
    doc_id, start, end
        Half-open code-point interval in that document.
    type
        Taxonomy type.
    entity_id
        Equal for all mentions of one entity within the corpus's identity scope.
    identifier
        ``DIRECT``, ``QUASI``, ``NO_MASK`` (TAB), or empty where the corpus does not tell.
    label
        The raw label of the source format.
    """

    doc_id: str
    start: int
    end: int
    type: str
    entity_id: str
    identifier: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """One span that a detector found: the raw label is kept beside the mapped type."""

    start: int
    end: int
    label: str
    type: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Detection:
    """A detector's answer for one document; a failure is a status with a reason, never "no identifiers".

    `seconds` is the wall time this document took (its share, by characters, of the batch it was in).
    """

    spans: Sequence[Span]
    status: Status = "ok"
    reason: str = ""
    seconds: float = 0.0
