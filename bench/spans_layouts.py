"""The two layouts of spans files, read into one shape: JSONL with one document a line, and the mapping that TAB tools write.

JSONL
    ``{"doc_id": "d1", "spans": [{"start": 0, "end": 4, "label": "PERSON", "score": 0.9}], "status": "ok", "seconds": 0.02}``;
    optional: ``label`` (then ``SPAN``), ``score``, ``type``, ``text`` of a span (compared with the corpus), and ``status``,
    ``reason``, ``seconds`` of a document.
TAB
    One JSON object ``{"d1": [[0, 4], [10, 12, "ORG"]]}``; the third element is a label or a free replacement text.

Offsets are code points, ends exclusive. Either may be gzipped (``.gz``).
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

from bench.core.errors import DataError, LabelError
from bench.core.jsonio import loads
from bench.core.model import STATUSES

Layout: TypeAlias = Literal["auto", "jsonl", "tab"]
#: What the third element of a TAB span is; ``auto``: a label if every one is in the label map, else ignored.
Third: TypeAlias = Literal["auto", "label", "ignore"]
#: Label of a span that has none.
UNLABELLED: Final[str] = "SPAN"

#: Scores are stored as float32.
_LARGEST: Final[float] = 3.4028234e38
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DOCUMENT_KEYS: Final = ("doc_id", "spans", "status", "reason", "seconds")
_SPAN_KEYS: Final = ("start", "end", "label", "score", "type", "text")


@dataclass(frozen=True, slots=True)
class RawSpan:
    """One span as the file has it, offsets known to be integers; `type` and `text` only where the file gives them."""

    start: int
    end: int
    label: str = UNLABELLED
    score: float = 1.0
    type: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document of a spans file; `where` names file, line and document for error messages."""

    doc_id: str
    where: str
    spans: list[RawSpan]
    status: str = "ok"
    reason: str = ""
    seconds: float | None = None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    try:
        with path.open("rb") as raw:
            if path.suffix != ".gz":
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked
    except (OSError, EOFError, zlib.error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error) or "unreadable"
        raise DataError(f"cannot read {str(path)!r}: {reason}") from None


def detect_layout(path: Path) -> Literal["jsonl", "tab"]:
    """Layout of a file: by its name, else by whether its first line is a document object."""
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return "jsonl"
    with _opened(path) as stream:
        first = next((line for line in stream if line.strip()), b"")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return "tab"
    return "jsonl" if isinstance(value, dict) and isinstance(value.get("doc_id"), str) else "tab"


def read_layout(path: Path, layout: Layout, third: Third, known: Collection[str]) -> Iterator[RawDocument]:
    """Stream the documents of a spans file.

    Parameters
    ----------
    path
        The file.
    layout
        ``auto`` looks at name and first line.
    third
        Reading of the third element in TAB's layout.
    known
        Labels of the label map, which ``auto`` compares third elements with.

    Raises
    ------
    DataError
        Unreadable or malformed; names file, document and value.
    LabelError
        `third` is ``label`` and a span has none.
    """
    chosen = detect_layout(path) if layout == "auto" else layout
    return _jsonl(path) if chosen == "jsonl" else _tab(path, third, known)


def _offset(value: Any, name: str, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise DataError(f"{where}: {name} {value!r} is not an integer; offsets are code points into the text")
    return value


def _number(value: Any, name: str, where: str, *, minimum: float = -_LARGEST) -> float:
    # Compared before any conversion: JSON allows integers that no float holds.
    if isinstance(value, bool) or not isinstance(value, int | float) or not minimum <= value <= _LARGEST:
        bound = "" if minimum == -_LARGEST else f" from {minimum:g} on"
        raise DataError(f"{where}: {name} {value!r:.80} is not a finite number{bound}")
    return float(value)


def _string(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{where}: {name} {value!r:.80} is not a string")
    if _SURROGATE.search(value):
        raise DataError(f"{where}: {name} {value!r:.80} holds half of a surrogate pair, which is no character")
    return value


def _object(value: Any, keys: tuple[str, ...], required: tuple[str, ...], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: {value!r:.80} is not an object")
    for key in value:
        if key not in keys:
            raise DataError(f"{where}: unknown key {key!r}; accepted: {', '.join(keys)}")
    for key in required:
        if key not in value:
            raise DataError(f"{where}: key {key!r} is missing")
    return value


def _jsonl(path: Path) -> Iterator[RawDocument]:
    with _opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield _jsonl_document(loads(line, f"{str(path)!r} line {number}"), f"{str(path)!r} line {number}")


def _jsonl_document(value: Any, where: str) -> RawDocument:
    record = _object(value, _DOCUMENT_KEYS, ("doc_id", "spans"), where)
    doc_id = _string(record["doc_id"], "doc_id", where)
    where = f"{where}, document {doc_id!r}"
    if not isinstance(record["spans"], list):
        raise DataError(f"{where}: spans {record['spans']!r:.80} is not a list")
    spans = [_jsonl_span(span, f"{where}, span {index}") for index, span in enumerate(record["spans"])]
    status = _string(record.get("status", "ok"), "status", where)
    if status not in STATUSES:
        raise DataError(f"{where}: unknown status {status!r}; accepted: {', '.join(STATUSES)}")
    if spans and status not in ("ok", "truncated"):
        raise DataError(f"{where}: a document with status {status!r} cannot have spans, this one has {len(spans)}")
    seconds = record.get("seconds")
    return RawDocument(
        doc_id,
        where,
        spans,
        status,
        _string(record.get("reason", ""), "reason", where),
        None if seconds is None else _number(seconds, "seconds", where, minimum=0.0),
    )


def _jsonl_span(value: Any, where: str) -> RawSpan:
    span = _object(value, _SPAN_KEYS, ("start", "end"), where)

    def optional(key: str) -> str | None:
        return _string(span[key], key, where) if key in span else None

    label = optional("label")
    return RawSpan(
        _offset(span["start"], "start", where),
        _offset(span["end"], "end", where),
        UNLABELLED if label is None else label,
        _number(span.get("score", 1.0), "score", where),
        optional("type"),
        optional("text"),
    )


def _tab(path: Path, third: Third, known: Collection[str]) -> Iterator[RawDocument]:
    with _opened(path) as stream:
        raw = stream.read()
    value = loads(raw, str(path))
    if not isinstance(value, dict):
        raise DataError(f"{str(path)!r}: {value!r:.80} is not an object of document ids to lists of spans")
    for doc_id, spans in value.items():
        if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) in (2, 3) for span in spans):
            odd = (
                spans
                if not isinstance(spans, list)
                else next(s for s in spans if not isinstance(s, list) or len(s) not in (2, 3))
            )
            raise DataError(
                f"{str(path)!r}, document {doc_id!r}: {odd!r:.80} is not a list of [start, end] or [start, end, label]; "
                'the other layout is one {"doc_id": ..., "spans": [...]} a line'
            )
    label_of = _third_reader(value, third, known)
    for doc_id, spans in value.items():
        where = f"{str(path)!r}, document {doc_id!r}"
        found = []
        for index, span in enumerate(spans):
            place = f"{where}, span {index}"
            found.append(RawSpan(_offset(span[0], "start", place), _offset(span[1], "end", place), label_of(span, place)))
        yield RawDocument(doc_id, where, found)


def _third_reader(value: dict[str, Any], third: Third, known: Collection[str]) -> Callable[[list[Any], str], str]:
    if third == "auto":
        spans = [span for spans in value.values() for span in spans]
        labelled = bool(spans) and all(len(span) == 3 and isinstance(span[2], str) and span[2] in known for span in spans)
        third = "label" if labelled else "ignore"
    if third == "ignore":
        return lambda span, where: UNLABELLED

    def label(span: list[Any], where: str) -> str:
        if len(span) < 3 or not isinstance(span[2], str):
            raise LabelError(f"{where}: {span!r:.80} has no label as its third element; read them with `--third ignore`")
        return _string(span[2], "label", where)

    return label
