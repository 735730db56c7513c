"""Checks of a corpus that is well-formed but may still be wrong: gold that overlaps, repeats or is missing, texts that repeat.

Counts and places only, never text: the report can be shown where the corpus cannot.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from bench.core.model import Document, IdentityScope, Mention
from bench.core.tokens import tokenise
from corpora.text_checks import text_findings

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: `meaning` says what is counted."""

    name: str
    severity: Severity
    meaning: str


#: An *error* makes figures wrong, a *warning* may, a *note* is a property worth knowing.
CHECKS: Final[tuple[Check, ...]] = (
    Check("mention_outside_text", "error", "mentions with an offset outside the text"),
    Check("mention_empty", "error", "mentions of no character or with reversed offsets"),
    Check("mention_white_space_only", "error", "mentions of white space alone: no token is gold"),
    Check("mention_white_space_edge", "warning", "mentions that begin or end with white space"),
    Check("mention_duplicate", "warning", "mentions that repeat an earlier one in offsets and type"),
    Check("mention_same_span", "note", "pairs of mentions with equal offsets and different types"),
    Check("mention_nested", "note", "pairs of mentions of which one lies inside the other"),
    Check("mention_overlapping", "warning", "pairs of mentions that overlap, neither inside the other"),
    Check("mention_cuts_token", "note", "mentions with an edge inside a token: the whole token counts as gold"),
    Check("mention_unmarked_repeat", "note", "places where a marked person, id or contact stands again unmarked in its document"),
    Check("entity_several_types", "warning", "entities whose mentions differ in type"),
    Check("entity_several_identifiers", "note", "entities whose mentions differ in identifier class"),
    Check("document_without_mentions", "note", "documents without any mention"),
    Check("text_duplicate", "warning", "documents whose text equals that of an earlier document"),
    Check("text_duplicate_across_splits", "warning", "documents whose text stands in another split before"),
    Check("text_control_character", "warning", "documents with control characters"),
    Check("text_carriage_return", "note", "documents with carriage returns"),
    Check("text_direction_override", "warning", "documents with direction overrides"),
    Check("text_invisible_character", "note", "documents with soft hyphens, zero-width spaces or byte order marks"),
    Check("text_replacement_character", "warning", "documents with U+FFFD: the text was damaged by decoding"),
    Check("text_not_nfc", "note", "documents that are not in Unicode normalisation form C"),
)

_SCHEMA: Final = {
    "check": pl.String(),
    "severity": pl.String(),
    "count": pl.Int64(),
    "doc_id": pl.String(),
    "offset": pl.Int64(),
    "meaning": pl.String(),
}
#: Types whose surfaces identify wherever they stand, and the shortest surface that is searched for, in UTF-8 bytes: five Latin
#: letters, three Arabic ones or two ideographs are rarely a word by chance.
_REPEATED: Final = frozenset({"PERSON", "ID", "CONTACT"})
_SHORTEST: Final[int] = 5


class _Findings:
    """Counts with the place of the first case."""

    def __init__(self) -> None:
        self.count = {check.name: 0 for check in CHECKS}
        self.first: dict[str, tuple[str, int]] = {}

    def add(self, name: str, doc_id: str, offset: int, times: int = 1) -> None:
        self.count[name] += times
        self.first.setdefault(name, (doc_id, offset))

    def frame(self) -> pl.DataFrame:
        rows = []
        for check in CHECKS:
            doc_id, offset = self.first.get(check.name, (None, None))
            rows.append((check.name, check.severity, self.count[check.name], doc_id, offset, check.meaning))
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


class _Corpus:
    """What must be remembered across documents: hashes of texts and, for corpus-wide entities, their types and classes."""

    def __init__(self, identity_scope: IdentityScope) -> None:
        self.scope = identity_scope
        self.findings = _Findings()
        self._texts: dict[bytes, set[str]] = {}
        self._entities: dict[str, tuple[set[str], set[str]]] = {}

    def add(self, document: Document, mentions: Sequence[Mention]) -> None:
        self._text(document)
        if not mentions:
            self.findings.add("document_without_mentions", document.doc_id, 0)
            return
        sound = [m for m in mentions if self._is_sound(m, document)]
        _pairs(sound, self.findings)
        tokens = _Tokens(document)
        for m in sound:
            if tokens.cut_by(m.start, m.end):
                self.findings.add("mention_cuts_token", m.doc_id, m.start)
        _unmarked(document, sound, tokens, self.findings)
        self._entity_kinds(sound)

    def _text(self, document: Document) -> None:
        for name, offset in text_findings(document.text):
            self.findings.add(name, document.doc_id, offset)
        # "surrogatepass": a text with a lone surrogate is the loaders' business, here it must only not stop the check.
        key = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).digest()
        splits = self._texts.setdefault(key, set())
        if splits:
            self.findings.add("text_duplicate", document.doc_id, 0)
            if splits != {document.split}:
                self.findings.add("text_duplicate_across_splits", document.doc_id, 0)
        splits.add(document.split)

    def _is_sound(self, m: Mention, document: Document) -> bool:
        if m.start < 0 or max(m.start, m.end) > len(document.text):
            self.findings.add("mention_outside_text", m.doc_id, m.start)
            return False
        if m.start >= m.end:
            self.findings.add("mention_empty", m.doc_id, m.start)
            return False
        surface = document.text[m.start : m.end]
        if surface.isspace():
            self.findings.add("mention_white_space_only", m.doc_id, m.start)
        elif surface[0].isspace() or surface[-1].isspace():
            self.findings.add("mention_white_space_edge", m.doc_id, m.start)
        return True

    def _entity_kinds(self, mentions: Iterable[Mention]) -> None:
        if self.scope == "document":
            self._entities = {}
        for m in mentions:
            types, classes = self._entities.setdefault(m.entity_id, (set(), set()))
            for values, value, name in (
                (types, m.type, "entity_several_types"),
                (classes, m.identifier, "entity_several_identifiers"),
            ):
                # An entity counts once, when its second value turns up.
                if len(values) == 1 and value not in values:
                    self.findings.add(name, m.doc_id, m.start)
                values.add(value)


def _pairs(mentions: Sequence[Mention], findings: _Findings) -> None:
    """Relations between mentions of one document, by a sweep over starts: longest first where starts are equal."""
    open_: list[Mention] = []
    for m in sorted(mentions, key=lambda m: (m.start, -m.end)):
        open_ = [other for other in open_ if other.end > m.start]
        repeats = False
        for other in open_:
            if (other.start, other.end) == (m.start, m.end):
                if other.type == m.type:
                    repeats = True
                else:
                    findings.add("mention_same_span", m.doc_id, m.start)
            elif m.end <= other.end:
                findings.add("mention_nested", m.doc_id, m.start)
            else:
                findings.add("mention_overlapping", m.doc_id, m.start)
        if repeats:
            findings.add("mention_duplicate", m.doc_id, m.start)
        open_.append(m)


class _Tokens:
    """Tokens of one document, asked whether an offset lies inside one."""

    def __init__(self, document: Document) -> None:
        self._tokens = document.tokens if document.tokens is not None else tokenise(document.text)
        self._starts = [start for start, _ in self._tokens]

    def cut_by(self, *offsets: int) -> bool:
        """Whether one of `offsets` lies strictly inside a token."""
        for offset in offsets:
            index = bisect_right(self._starts, offset) - 1
            if index >= 0 and self._tokens[index][0] < offset < self._tokens[index][1]:
                return True
        return False


def _unmarked(document: Document, mentions: Sequence[Mention], tokens: _Tokens, findings: _Findings) -> None:
    """Count where marked surfaces stand elsewhere in the same text, from token edge to token edge, under no mention."""
    text = document.text
    covered = bytearray(len(text))
    for m in mentions:
        covered[m.start : m.end] = b"\x01" * (m.end - m.start)
    for surface in sorted({text[m.start : m.end].strip() for m in mentions if m.type in _REPEATED}):
        if len(surface.encode("utf-8", "surrogatepass")) < _SHORTEST:
            continue
        start = text.find(surface)
        while start >= 0:
            end = start + len(surface)
            if not any(covered[start:end]) and not tokens.cut_by(start, end):
                findings.add("mention_unmarked_repeat", document.doc_id, start)
            start = text.find(surface, end)


def check_corpus(
    records: Iterable[tuple[Document, Sequence[Mention]]], identity_scope: IdentityScope = "document"
) -> pl.DataFrame:
    """Run every check over the records of a corpus, in one streaming pass.

    Parameters
    ----------
    records
        Documents with their mentions, such as `corpora.stored.stored_records` gives.
    identity_scope
        How far an entity id reaches.

    Returns
    -------
    polars.DataFrame
        One row for each of `CHECKS`, in that order: check, severity (``error``, ``warning``, ``note``), count, of the first case
        doc_id and offset (code points; null where there is none), and the meaning of the count.
    """
    corpus = _Corpus(identity_scope)
    for document, mentions in records:
        corpus.add(document, mentions)
    return corpus.findings.frame()
