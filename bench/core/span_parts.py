"""Parts of the span cache: deterministic shards of a corpus, their columns, and their Parquet bytes.

A part's span file depends on the corpus, the detector and nothing else, so that any engine and any number of workers write
the same bytes. What varies between runs (measured seconds) lives in the part's document file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.core.model import STATUSES, Detection, Span
from bench.core.tables import F32, F64, I32, U8
from bench.core.taxonomy import TYPE_CODE, TYPES

#: Raised when a column, its meaning or the shard boundaries change; parts of another schema are never read.
SPAN_SCHEMA: Final[int] = 1
#: A shard ends before it would pass either bound; a longer single document is a shard of its own.
SHARD_CHARACTERS: Final[int] = 200_000
SHARD_DOCUMENTS: Final[int] = 256
#: docs/kernels.md, Storage.
_ROW_GROUP: Final[int] = 100_000

_SPANS: Final = pa.schema(
    [
        ("doc", pa.int32()),
        ("start", pa.int32()),
        ("length", pa.int32()),
        ("label", pa.string()),
        ("type", pa.string()),
        ("score", pa.float32()),
    ]
)
_DOCS: Final = pa.schema([("doc", pa.int32()), ("status", pa.string()), ("reason", pa.string()), ("seconds", pa.float64())])

STATUS_CODE: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}


def shards(lengths: Sequence[int] | I32) -> list[tuple[int, int]]:
    """Half-open document ranges of the shards of a corpus, from the documents' lengths in code points alone."""
    before = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    ranges: list[tuple[int, int]] = []
    first, n = 0, len(lengths)
    while first < n:
        # The last document that still ends within the bound; one that is longer than the bound stands alone.
        fitting = int(before.searchsorted(before[first] + SHARD_CHARACTERS, side="right")) - 1
        last = max(first + 1, min(fitting, first + SHARD_DOCUMENTS, n))
        ranges.append((first, last))
        first = last
    return ranges


@dataclass(frozen=True, slots=True)
class SpanColumns:
    """Spans as columns, shape (spans,) each, sorted by ``(doc, start, end, type, label)`` without exact repetitions.

    ``labels[label[i]]`` is the raw label, `type` a code into `TYPES`, `doc` the document's index in the corpus.
    """

    doc: I32
    start: I32
    end: I32
    label: I32
    type: U8
    score: F32
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def of(
        cls,
        doc: Sequence[int] | np.ndarray[Any, Any],
        start: Sequence[int] | np.ndarray[Any, Any],
        end: Sequence[int] | np.ndarray[Any, Any],
        label: Sequence[int] | np.ndarray[Any, Any],
        type: Sequence[int] | np.ndarray[Any, Any],
        score: Sequence[float] | np.ndarray[Any, Any],
        labels: Sequence[str],
    ) -> SpanColumns:
        """Bring columns in any order into the canonical one; of exact repetitions the one with the highest score stays.

        An exact repetition has the same document, offsets, type and label: kept twice it would count as two predictions.
        """
        names = sorted(set(labels))
        rank = {name: code for code, name in enumerate(names)}
        recode = np.asarray([rank[name] for name in labels], dtype=np.int32)
        columns: list[np.ndarray[Any, Any]] = [
            np.asarray(doc, dtype=np.int32),
            np.asarray(start, dtype=np.int32),
            np.asarray(end, dtype=np.int32),
            np.asarray(type, dtype=np.uint8),
            recode[np.asarray(label, dtype=np.int64)] if len(recode) else np.empty(0, dtype=np.int32),
        ]
        scores = np.asarray(score, dtype=np.float32)
        order = np.lexsort((-scores, *reversed(columns)))
        columns = [column[order] for column in columns]
        fresh = np.ones(len(order), dtype=np.bool_)
        if len(order):
            fresh[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
        documents, starts, ends, types, codes = (column[fresh] for column in columns)
        return cls(documents, starts, ends, codes, types, scores[order][fresh], tuple(names))

    @classmethod
    def of_detections(cls, first: int, detections: Sequence[Detection]) -> SpanColumns:
        """Columns of consecutive documents, the first of which has the index `first`."""
        codes: dict[str, int] = {}
        rows = [
            (first + offset, span.start, span.end, codes.setdefault(span.label, len(codes)), TYPE_CODE[span.type], span.score)
            for offset, detection in enumerate(detections)
            for span in detection.spans
        ]
        doc, start, end, label, type_, score = zip(*rows, strict=True) if rows else ((),) * 6
        return cls.of(doc, start, end, label, type_, score, list(codes))

    def between(self, first: int, last: int) -> SpanColumns:
        """Spans of the documents ``range(first, last)``."""
        low, high = (int(np.searchsorted(self.doc, bound, side="left")) for bound in (first, last))
        cut = slice(low, high)
        return SpanColumns(
            self.doc[cut], self.start[cut], self.end[cut], self.label[cut], self.type[cut], self.score[cut], self.labels
        )

    def spans(self) -> list[Span]:
        """The rows as objects, in order."""
        rows = zip(
            self.start.tolist(), self.end.tolist(), self.label.tolist(), self.type.tolist(), self.score.tolist(), strict=True
        )
        return [Span(start, end, self.labels[label], TYPES[type_], score) for start, end, label, type_, score in rows]


@dataclass(frozen=True, slots=True)
class PartData:
    """What one part holds: spans, and per document a status code (into `STATUSES`), a reason and seconds (NaN: unknown)."""

    first: int
    last: int
    spans: SpanColumns
    status: U8
    reasons: tuple[str, ...]
    seconds: F64

    @classmethod
    def of_detections(cls, first: int, detections: Sequence[Detection]) -> PartData:
        """A part from the detections of consecutive documents."""
        return cls(
            first,
            first + len(detections),
            SpanColumns.of_detections(first, detections),
            np.asarray([STATUS_CODE[d.status] for d in detections], dtype=np.uint8),
            tuple(d.reason for d in detections),
            np.asarray([d.seconds for d in detections], dtype=np.float64),
        )

    def detections(self) -> list[Detection]:
        """One `Detection` per document: the inverse of `of_detections` for canonical spans."""
        result = []
        for offset, (status, reason, seconds) in enumerate(
            zip(self.status.tolist(), self.reasons, self.seconds.tolist(), strict=True)
        ):
            spans = self.spans.between(self.first + offset, self.first + offset + 1).spans()
            result.append(Detection(spans, STATUSES[status], reason, seconds))
        return result


def _parquet(table: pa.Table, **options: Any) -> bytes:
    # In memory first: the digest of the commit record is of these bytes, and a full disk meets one plain write. Statistics
    # and the Arrow schema would add more than a small part's data.
    sink = pa.BufferOutputStream()
    pq.write_table(
        table, sink, compression="zstd", row_group_size=_ROW_GROUP, write_statistics=False, store_schema=False, **options
    )
    return bytes(sink.getvalue())


def spans_parquet(spans: SpanColumns) -> bytes:
    """Parquet bytes of spans (docs/kernels.md, Storage): a function of the rows alone."""
    names = np.asarray(spans.labels, dtype=object)
    columns = [
        pa.array(spans.doc),
        pa.array(spans.start),
        pa.array(spans.end - spans.start),
        pa.array(names[spans.label].tolist() if len(spans) else [], pa.string()),
        pa.array(np.asarray(TYPES, dtype=object)[spans.type].tolist(), pa.string()),
        pa.array(spans.score),
    ]
    return _parquet(
        pa.Table.from_arrays(columns, schema=_SPANS),
        use_dictionary=["length", "label", "type"],
        use_byte_stream_split=["score"],
        column_encoding={"doc": "DELTA_BINARY_PACKED", "start": "DELTA_BINARY_PACKED"},
    )


def docs_parquet(part: PartData) -> bytes:
    """Parquet bytes of a part's documents."""
    columns = [
        pa.array(np.arange(part.first, part.last, dtype=np.int32)),
        pa.array([STATUSES[code] for code in part.status.tolist()], pa.string()),
        pa.array(part.reasons, pa.string()),
        pa.array(part.seconds),
    ]
    return _parquet(
        pa.Table.from_arrays(columns, schema=_DOCS),
        use_dictionary=["status", "reason"],
        use_byte_stream_split=["seconds"],
        column_encoding={"doc": "DELTA_BINARY_PACKED"},
    )


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray[Any, Any], list[str]]:
    encoded = column.combine_chunks()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def read_part(first: int, last: int, spans: bytes, docs: bytes) -> PartData:
    """Decode a part whose bytes have been checked against its commit record."""
    # Not `pq.read_table`: it imports pyarrow.dataset and through it pandas, which takes longer than reading a corpus's parts.
    # In this thread alone: one of Arrow's that still holds the bytes when the interpreter ends aborts the whole process.
    table = pq.ParquetFile(pa.BufferReader(spans), read_dictionary=["label", "type"]).read(use_threads=False)
    label, labels = _codes(table.column("label"))
    type_, types = _codes(table.column("type"))
    start = table.column("start").to_numpy()
    rank = np.argsort(np.asarray(labels, dtype=object)).argsort() if labels else np.empty(0, dtype=np.int64)
    columns = SpanColumns(
        table.column("doc").to_numpy(),
        start,
        (start + table.column("length").to_numpy()).astype(np.int32),
        rank.astype(np.int32)[label] if labels else np.empty(0, dtype=np.int32),
        np.asarray([TYPE_CODE[name] for name in types], dtype=np.uint8)[type_],
        table.column("score").to_numpy(),
        tuple(sorted(labels)),
    )
    rows = pq.ParquetFile(pa.BufferReader(docs)).read(use_threads=False)
    return PartData(
        first,
        last,
        columns,
        np.asarray([STATUS_CODE[status] for status in rows.column("status").to_pylist()], dtype=np.uint8),
        tuple(rows.column("reason").to_pylist()),
        rows.column("seconds").to_numpy(),
    )
