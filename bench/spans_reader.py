"""Every document of a spans file checked against the corpus and collected into flat columns."""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.core.corpus import Corpus
from bench.core.errors import DataError, LabelError
from bench.core.span_parts import STATUS_CODE, SpanColumns
from bench.core.taxonomy import IGNORED, TYPE_CODE, TYPES
from bench.spans_layouts import UNLABELLED, RawDocument, RawSpan


@dataclass(slots=True)
class Columns:
    """Everything that a file says, as flat columns: a few bytes a span, whatever the order of its documents."""

    n_docs: int
    doc: array[int] = field(default_factory=lambda: array("i"))
    start: array[int] = field(default_factory=lambda: array("i"))
    end: array[int] = field(default_factory=lambda: array("i"))
    label: array[int] = field(default_factory=lambda: array("i"))
    score: array[float] = field(default_factory=lambda: array("d"))
    labels: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    texts: dict[int, list[tuple[RawSpan, str]]] = field(default_factory=dict)
    skipped: int = 0
    status: np.ndarray[Any, np.dtype[np.uint8]] = field(init=False)
    seconds: np.ndarray[Any, np.dtype[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.status = np.full(self.n_docs, STATUS_CODE["missing"], dtype=np.uint8)
        self.seconds = np.full(self.n_docs, np.nan)


class Reader:
    """Checks every document of a file against the corpus and collects it."""

    def __init__(self, corpus: Corpus, path: Path, owner: str, labels: Mapping[str, str] | None, seconds: float | None) -> None:
        self._path = path
        self._owner = owner
        self._given = None if labels is None else {UNLABELLED: "OTHER", **labels}
        self._default = {UNLABELLED: "OTHER", **{name: name for name in TYPES}}
        self._seconds = math.nan if seconds is None else seconds
        self._lengths: Sequence[int] = corpus.lengths.tolist()
        self._index = corpus.index_of
        self._corpus = corpus
        self._seen: set[str] = set()
        self.columns = Columns(len(corpus))

    @property
    def known(self) -> Collection[str]:
        """Labels that have an entry before the file is read."""
        return self._given if self._given is not None else self._default

    def read(self, documents: Iterator[RawDocument], *, skip_unknown: bool) -> None:
        """Collect all documents; whatever is wrong is an error that names file, document and value."""
        for document in documents:
            if document.doc_id in self._seen:
                raise DataError(f"{document.where}: the document stands in the file twice")
            self._seen.add(document.doc_id)
            index = self._index.get(document.doc_id)
            if index is not None:
                self._add(index, document)
            elif skip_unknown:
                self.columns.skipped += 1
            else:
                raise DataError(
                    f"{document.where}: corpus {self._corpus.name!r} has no such document; "
                    "leave such documents out with `--skip-unknown`"
                )
        if not self._seen:
            raise DataError(f"{str(self._path)!r} has no documents")
        if len(self._seen) == self.columns.skipped:
            raise DataError(
                f"{str(self._path)!r}: none of its {len(self._seen)} documents is in corpus {self._corpus.name!r}, "
                f"whose first document is {self._corpus.doc_ids[0]!r}"
            )
        self._compare_texts()

    def _add(self, index: int, document: RawDocument) -> None:
        columns, length = self.columns, self._lengths[index]
        for position, span in enumerate(document.spans):
            if not 0 <= span.start < span.end <= length:
                raise DataError(
                    f"{document.where}, span {position}: [{span.start}, {span.end}) is empty, reversed or outside the text "
                    f"of {length} characters"
                )
            columns.doc.append(index)
            columns.start.append(span.start)
            columns.end.append(span.end)
            columns.label.append(self._label(span, document.where, position))
            columns.score.append(span.score)
            if span.text is not None:
                columns.texts.setdefault(index, []).append((span, f"{document.where}, span {position}"))
        columns.status[index] = STATUS_CODE[document.status]
        columns.seconds[index] = self._seconds if document.seconds is None else document.seconds
        if document.reason:
            columns.reasons[index] = document.reason

    def _label(self, span: RawSpan, where: str, position: int) -> int:
        """Code of a label; a new one must have an entry: in the map given, else in the file, else as a type's own name."""
        columns, label = self.columns, span.label
        code = columns.labels.get(label)
        if code is not None and (span.type is None or self._given is not None or columns.types[label] == span.type):
            return code
        place = f"{where}, span {position}"
        if self._given is not None:
            type_: str | None = self._given.get(label)
        elif span.type is not None:
            if span.type not in TYPE_CODE:
                raise LabelError(f"{place}: {span.type!r} is not a type; accepted: {', '.join(TYPES)}")
            type_ = span.type
        else:
            type_ = self._default.get(label)
        if type_ is None:
            raise LabelError(
                f"{place}: label {label!r} has no entry in the label map of detector {self._owner!r}; give one with "
                f"`--label {label}=TYPE`, where TYPE is one of {', '.join(TYPES)} or {IGNORED!r}"
            )
        if code is not None and columns.types[label] != type_:
            raise LabelError(f"{place}: label {label!r} has type {type_!r} here and {columns.types[label]!r} before")
        columns.types[label] = type_
        return columns.labels.setdefault(label, len(columns.labels))

    def _compare_texts(self) -> None:
        """A file that quotes its surfaces shows here if its offsets are bytes or UTF-16 units."""
        quoted = self.columns.texts
        if not quoted:
            return
        for index, document in enumerate(self._corpus.documents(min(quoted), max(quoted) + 1), start=min(quoted)):
            for span, where in quoted.get(index, ()):
                if document.text[span.start : span.end] != span.text:
                    raise DataError(
                        f"{where}: text {span.text!r:.80} differs from the corpus's "
                        f"{document.text[span.start : span.end]!r:.80}; offsets are code points into the text as stored"
                    )

    def label_entries(self) -> dict[str, str]:
        """The label map of the detector: the one given, else the labels that the file uses."""
        return dict(self._given) if self._given is not None else dict(self.columns.types)


def canonical_spans(columns: Columns) -> tuple[SpanColumns, int, int]:
    """Canonical spans, with the numbers of ignored and of repeated ones."""
    names = list(columns.labels)
    ignored = np.asarray([columns.types[name] == IGNORED for name in names], dtype=np.bool_)
    label = np.asarray(columns.label, dtype=np.int64)
    kept = ~ignored[label] if len(names) else np.ones(0, dtype=np.bool_)
    codes = np.asarray([TYPE_CODE.get(columns.types[name], 0) for name in names], dtype=np.uint8)
    doc, start, end = (np.asarray(column)[kept] for column in (columns.doc, columns.start, columns.end))
    types = codes[label[kept]] if len(names) else np.empty(0, dtype=np.uint8)
    spans = SpanColumns.of(doc, start, end, label[kept], types, np.asarray(columns.score)[kept], names)
    return spans, int((~kept).sum()), int(kept.sum()) - len(spans)


def content_digest(spans: SpanColumns, columns: Columns) -> str:
    """32 hex digits over spans, statuses, reasons and seconds: an import of anything else is another detector."""
    total = hashlib.sha256(json.dumps([list(spans.labels), sorted(columns.reasons.items())]).encode())
    for values in (spans.doc, spans.start, spans.end, spans.label, spans.type, spans.score, columns.status, columns.seconds):
        total.update(len(values).to_bytes(8, "little") + np.ascontiguousarray(values).tobytes())
    return total.hexdigest()[:32]
