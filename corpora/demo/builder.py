"""Builds a text piece by piece and keeps the gold: every mention's offsets are right because they are never searched for."""

from __future__ import annotations

from bench.core.model import Document, Json, Mention


class TextBuilder:
    """Appends plain text and mentions; `build` gives the document and its gold."""

    def __init__(self, doc_id: str, language: str, *, case_id: str = "", split: str = "") -> None:
        self.doc_id, self.language, self.case_id, self.split = doc_id, language, case_id, split
        self._parts: list[str] = []
        self._length = 0
        self._mentions: list[Mention] = []
        self.meta: dict[str, Json] = {}

    @property
    def position(self) -> int:
        """Code points written so far."""
        return self._length

    def text(self, piece: str) -> TextBuilder:
        """Append text that is no identifier."""
        self._parts.append(piece)
        self._length += len(piece)
        return self

    def mention(self, surface: str, type_: str, entity_id: str, *, label: str = "", identifier: str = "") -> TextBuilder:
        """Append `surface` as a gold mention."""
        start = self._length
        self.text(surface)
        self._mentions.append(Mention(self.doc_id, start, self._length, type_, entity_id, identifier, label or type_))
        return self

    def build(self) -> tuple[Document, list[Mention]]:
        """Return the document and its mentions, sorted by offset."""
        document = Document(
            self.doc_id, "".join(self._parts), self.language, split=self.split, case_id=self.case_id, meta=self.meta
        )
        return document, sorted(self._mentions, key=lambda m: (m.start, m.end))
