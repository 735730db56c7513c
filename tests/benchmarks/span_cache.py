"""Span cache against the spans file that people keep otherwise: size on disk, and time to get all spans as arrays.

About a million spans at the density of real judgments. Naive is one JSON object a document, read with `json` into flat arrays.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.core.span_parts import PartData, SpanColumns
from bench.core.spancache import SpanCache
from bench.core.tables import SpanTable
from bench.core.taxonomy import TYPE_CODE, TYPES
from tests.benchmarks.ratio import Ratio, best_of

_DOCUMENTS = 16_000
_SPANS_PER_DOCUMENT = 64
_LENGTH = 6_700
#: docs/kernels.md, Storage.
_SMALLER, _FASTER = 10.0, 20.0


def _columns() -> SpanColumns:
    """Spans of a token classifier: softmax scores near one, a dozen labels, lengths of names and dates."""
    rng = np.random.default_rng(0)
    rows = _DOCUMENTS * _SPANS_PER_DOCUMENT
    doc = np.repeat(np.arange(_DOCUMENTS, dtype=np.int32), _SPANS_PER_DOCUMENT)
    start = rng.integers(0, _LENGTH - 60, rows, dtype=np.int32)
    length = np.clip(rng.geometric(0.09, rows), 1, 60).astype(np.int32)
    kind = rng.choice(len(TYPES), rows, p=rng.dirichlet(np.ones(len(TYPES))))
    score = 1.0 - rng.beta(0.6, 6.0, rows)
    return SpanColumns.of(doc, start, start + length, kind, kind, score, list(TYPES))


def _write_jsonl(columns: SpanColumns, path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for doc in range(_DOCUMENTS):
            spans = [
                {"start": s.start, "end": s.end, "label": s.label, "type": s.type, "score": float(str(np.float32(s.score)))}
                for s in columns.between(doc, doc + 1).spans()
            ]
            stream.write(json.dumps({"doc_id": f"001-{doc:05d}", "spans": spans}, separators=(",", ":")) + "\n")


def _lines(path: Path) -> Iterator[dict[str, list[dict[str, float | str]]]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _read_jsonl(path: Path) -> SpanTable:
    indptr, start, end, kind, label, score = [0], [], [], [], [], []
    labels: dict[str, int] = {}
    for record in _lines(path):
        for span in record["spans"]:
            start.append(span["start"])
            end.append(span["end"])
            kind.append(TYPE_CODE[str(span["type"])])
            label.append(labels.setdefault(str(span["label"]), len(labels)))
            score.append(span["score"])
        indptr.append(len(start))
    return SpanTable(
        np.asarray(indptr, dtype=np.int64),
        np.asarray(start, dtype=np.int32),
        np.asarray(end, dtype=np.int32),
        np.asarray(kind, dtype=np.uint8),
        np.asarray(label, dtype=np.int32),
        np.asarray(score, dtype=np.float32),
        tuple(labels),
    )


def _equal(one: SpanTable, two: SpanTable) -> bool:
    names = ("indptr", "start", "end", "type", "score")
    same = all(np.array_equal(getattr(one, name), getattr(two, name)) for name in names)
    return same and [one.labels[code] for code in one.label[:10_000]] == [two.labels[code] for code in two.label[:10_000]]


def run() -> list[Ratio]:
    """Size and reading time; a read opens the cache anew, checks every checksum and touches every array."""
    columns = _columns()
    with tempfile.TemporaryDirectory() as folder:
        jsonl = Path(folder) / "spans.jsonl"
        _write_jsonl(columns, jsonl)
        lengths = [_LENGTH] * _DOCUMENTS
        cache = SpanCache(Path(folder) / "spans", "c" * 32, "d" * 32, lengths)
        for index, (first, last) in enumerate(cache.parts):
            n = last - first
            part = PartData(first, last, columns.between(first, last), np.zeros(n, np.uint8), ("",) * n, np.full(n, 0.01))
            cache.write_part(index, part, {})
        stored = sum(path.stat().st_size for path in cache.directory.iterdir())
        naive_time, naive = best_of(lambda: _read_jsonl(jsonl), 2)
        build_time, table = best_of(lambda: SpanCache(Path(folder) / "spans", "c" * 32, "d" * 32, lengths).table(), 1)
        if not _equal(naive, table):
            raise AssertionError("the cache and the JSONL file differ")

        def read() -> float:
            again = SpanCache(Path(folder) / "spans", "c" * 32, "d" * 32, lengths).table()
            return float(sum(np.sum(column, dtype=np.float64) for column in (again.start, again.end, again.type, again.score)))

        fast_time, total = best_of(read, 5)
        if total != float(sum(np.sum(column, dtype=np.float64) for column in (naive.start, naive.end, naive.type, naive.score))):
            raise AssertionError("the cache and the JSONL file differ")
        opened = SpanCache(Path(folder) / "spans", "c" * 32, "d" * 32, lengths)
        opened.spans(0)
        lookup, _ = best_of(lambda: [opened.spans(doc) for doc in range(1000)])
        size = jsonl.stat().st_size
        return [
            Ratio("span-cache-size", size / stored, _SMALLER, f"{len(columns):,} spans: {size:,} and {stored:,} bytes"),
            Ratio(
                "span-cache-read",
                naive_time / fast_time,
                _FASTER,
                f"{naive_time:.2f} s and {fast_time:.3f} s; first use {build_time:.2f} s; one document {lookup * 1000:.0f} us",
            ),
        ]
