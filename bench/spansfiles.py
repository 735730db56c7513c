"""Spans made elsewhere: imported as a detector of their own, so that any system is scored without its code; and exported.

An imported file becomes parts of the span cache like those of any detector, under a fingerprint of its content. The workspace
keeps ``spans/imported/<name>.json`` so that ensembles can name it for the corpora that it covers.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.core.atomic import FileLock, write_atomic
from bench.core.corpus import Corpus
from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import DataError, DetectorError, LabelError, StoreError, UsageError
from bench.core.jsonio import read_json
from bench.core.model import STATUSES, Detection, Document, Json
from bench.core.span_parts import STATUS_CODE, PartData, SpanColumns
from bench.core.spancache import SpanCache
from bench.core.taxonomy import IGNORED, TYPE_CODE, TYPES, LabelMap
from bench.core.workspace import check_name
from bench.spans_layouts import UNLABELLED, Layout, RawDocument, RawSpan, Third, read_layout

ADAPTER: Final[str] = "spans-file"
_SCHEMA: Final[int] = 1
_FOLDER: Final[str] = "imported"


class SpansFile(Adapter):
    """The adapter of imported spans: it only gives the fingerprint; its answers are in the cache, and nothing can be run."""

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        """The digest of the imported content."""
        return spec.revision

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        """Imported spans cover only the corpus that they were imported for."""
        return f"the spans of {spec.name!r} were made elsewhere; import them for this corpus with `bench detectors spans import`"

    def detect(self, documents: Sequence[Document]) -> Iterator[Detection]:
        """Refuse: there is no system behind a spans file."""
        raise DetectorError(f"detector {self.spec.name!r} is an imported spans file and cannot be run")


@dataclass(frozen=True, slots=True)
class Imported:
    """A spans file that is registered for one corpus.

    Parameters
    ----------
    spec, fingerprint
        The detector that it became, and its key in the span cache.
    corpus
        Name of the corpus at the time of the import.
    counts
        ``documents`` (of the corpus), ``spans`` stored, ``duplicates`` (exact repetitions stored once), ``ignored`` (labels
        mapped to ``-``), ``missing`` (documents of the corpus not in the file), ``skipped`` (documents not in the corpus).
    """

    spec: DetectorSpec
    fingerprint: str
    corpus: str
    counts: Mapping[str, int]


def fingerprint_of(spec: DetectorSpec) -> str:
    """Key in the span cache of an imported detector."""
    return spec.fingerprint(SpansFile.version, spec.revision)


# -- reading into columns ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Columns:
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


class _Reader:
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
        self.columns = _Columns(len(corpus))

    @property
    def known(self) -> Collection[str]:
        """Labels that have an entry before the file is read."""
        return self._given if self._given is not None else self._default

    def read(self, documents: Iterator[RawDocument], *, skip_unknown: bool) -> None:
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
        for index, spans in sorted(self.columns.texts.items()):
            text = next(iter(self._corpus.documents(index, index + 1))).text
            for span, where in spans:
                if text[span.start : span.end] != span.text:
                    raise DataError(
                        f"{where}: text {span.text!r:.80} differs from the corpus's {text[span.start : span.end]!r:.80}; "
                        "offsets are code points into the text as stored"
                    )

    def label_entries(self) -> dict[str, str]:
        """The label map of the detector: the one given, else the labels that the file uses."""
        return dict(self._given) if self._given is not None else dict(self.columns.types)


def _canonical(columns: _Columns) -> tuple[SpanColumns, int, int]:
    """Canonical spans, with the numbers of ignored and of repeated ones."""
    names = list(columns.labels)
    ignored = np.asarray([columns.types[name] == IGNORED for name in names], dtype=np.bool_)
    label = np.asarray(columns.label, dtype=np.int64)
    kept = ~ignored[label] if len(names) else np.ones(0, dtype=np.bool_)
    codes = np.asarray([TYPE_CODE.get(columns.types[name], 0) for name in names], dtype=np.uint8)
    flat = [np.asarray(column)[kept] for column in (columns.doc, columns.start, columns.end)]
    types = codes[label[kept]] if len(names) else np.empty(0, dtype=np.uint8)
    spans = SpanColumns.of(*flat, label[kept], types, np.asarray(columns.score)[kept], names)
    return spans, int((~kept).sum()), int(kept.sum()) - len(spans)


def _content(spans: SpanColumns, columns: _Columns) -> str:
    total = hashlib.sha256(json.dumps([list(spans.labels), sorted(columns.reasons.items())]).encode())
    for values in (spans.doc, spans.start, spans.end, spans.label, spans.type, spans.score, columns.status, columns.seconds):
        total.update(len(values).to_bytes(8, "little") + np.ascontiguousarray(values).tobytes())
    return total.hexdigest()[:32]


def import_spans(
    corpus: Corpus,
    path: Path,
    name: str,
    *,
    spans_root: Path,
    layout: Layout = "auto",
    labels: Mapping[str, str] | None = None,
    third: Third = "auto",
    seconds: float | None = None,
    skip_unknown: bool = False,
    reserved: Collection[str] = (),
) -> Imported:
    """Import a spans file as a detector over one corpus and register it under `name`.

    Parameters
    ----------
    corpus
        The corpus whose documents the file speaks of; documents of the corpus that the file lacks get the status ``missing``.
    path
        JSONL or TAB's layout (see `bench.spans_layouts`), plain or ``.gz``.
    name
        Name of the detector; an import of other content under the same name replaces the earlier one for this corpus.
    spans_root
        The workspace's ``spans`` folder.
    layout, third
        How the file is read.
    labels
        Raw label to type, or to ``-`` for labels that are no identifiers. Default: what the file's ``type`` keys say; a label
        that is the name of a type stands for it; spans without labels get the label ``SPAN`` and the type OTHER.
    seconds
        Measured seconds per document, where known, for documents that bring none of their own.
    skip_unknown
        Leave out documents that the corpus does not have, counted, instead of refusing the file.
    reserved
        Names that are taken.

    Raises
    ------
    DataError
        Malformed file, unknown or repeated documents, offsets that are no integers or lie outside the text.
    LabelError
        A label without an entry.
    UsageError
        An unusable name or cost.
    StoreError
        The cache cannot be written.
    """
    check_name("detector", name)
    if name in reserved:
        raise UsageError(f"detector name {name!r} is taken by a detector of this package; give another one")
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0.0):
        raise UsageError(f"seconds per document {seconds!r} is not a finite number from 0 on")
    owner = LabelMap(labels or {}, f"detector {name}")  # checks that every entry is a type
    reader = _Reader(corpus, path, name, labels if labels is None else owner.entries, seconds)
    reader.read(read_layout(path, layout, third, reader.known), skip_unknown=skip_unknown)
    columns = reader.columns
    spans, ignored, duplicates = _canonical(columns)
    spec = DetectorSpec(
        name=name, adapter=ADAPTER, revision=_content(spans, columns), labels=reader.label_entries(), source=path.name
    )
    cache = SpanCache.of(spans_root, corpus, fingerprint_of(spec))
    for index in cache.todo():
        first, last = cache.parts[index]
        reasons = tuple(columns.reasons.get(doc, "") for doc in range(first, last))
        part = PartData(first, last, spans.between(first, last), columns.status[first:last], reasons, columns.seconds[first:last])
        cache.write_part(index, part, {})
    cache.describe(spec, SpansFile.version)
    counts = {
        "documents": len(corpus),
        "spans": len(spans),
        "duplicates": duplicates,
        "ignored": ignored,
        "missing": int((columns.status == STATUS_CODE["missing"]).sum()),
        "skipped": columns.skipped,
    }
    imported = Imported(spec, fingerprint_of(spec), corpus.name, counts)
    _register(spans_root, corpus.fingerprint, imported)
    return imported


# -- the workspace's record --------------------------------------------------------------------------------------------------


def _record_path(spans_root: Path, name: str) -> Path:
    return spans_root / _FOLDER / f"{name}.json"


def _read_record(path: Path) -> dict[str, Any]:
    record = read_json(path)
    if not isinstance(record, dict) or record.get("schema") != _SCHEMA:
        found = record.get("schema") if isinstance(record, dict) else None
        raise StoreError(f"{str(path)!r} has schema {found!r}, this version reads {_SCHEMA}; import the spans again")
    return record


def _register(spans_root: Path, corpus_fingerprint: str, imported: Imported) -> None:
    path = _record_path(spans_root, imported.spec.name)
    with FileLock(path.with_suffix(".lock")):
        record = _read_record(path) if path.exists() else {"schema": _SCHEMA, "name": imported.spec.name, "corpora": {}}
        record["corpora"][corpus_fingerprint] = {
            "corpus": imported.corpus,
            "fingerprint": imported.fingerprint,
            "counts": dict(imported.counts),
            "spec": imported.spec.model_dump(mode="json"),
        }
        write_atomic(path, json.dumps(record, indent=2, ensure_ascii=False, sort_keys=True).encode())


def imported_detectors(spans_root: Path, corpus_fingerprint: str | None = None) -> dict[str, list[Imported]]:
    """Imported detectors by name, each with its imports: those for one corpus (one entry each), or all of them."""
    found: dict[str, list[Imported]] = {}
    for path in sorted((spans_root / _FOLDER).glob("*.json")):
        record = _read_record(path)
        entries = [
            Imported(DetectorSpec.model_validate(entry["spec"]), entry["fingerprint"], entry["corpus"], entry["counts"])
            for key, entry in sorted(record["corpora"].items())
            if corpus_fingerprint in (None, key)
        ]
        if entries:
            found[record["name"]] = entries
    return found


def find_imported(spans_root: Path, name: str, corpus_fingerprint: str) -> Imported | None:
    """The import of this name for this corpus, or None."""
    path = _record_path(spans_root, check_name("detector", name))
    if not path.exists():
        return None
    return imported_detectors(spans_root, corpus_fingerprint).get(name, [None])[0]


# -- export ------------------------------------------------------------------------------------------------------------------


def _lines(corpus: Corpus, cache: SpanCache) -> Iterator[str]:
    reasons = cache.reasons()
    seconds = cache.seconds()
    for index, (doc_id, code) in enumerate(zip(corpus.doc_ids, cache.statuses().tolist(), strict=True)):
        if STATUSES[code] == "missing":
            continue
        record: dict[str, Json] = {
            "doc_id": doc_id,
            # The shortest decimal that gives the same float32 back.
            "spans": [
                {"start": s.start, "end": s.end, "label": s.label, "type": s.type, "score": float(str(np.float32(s.score)))}
                for s in cache.spans(index)
            ],
            "status": STATUSES[code],
        }
        if index in reasons:
            record["reason"] = reasons[index]
        if not math.isnan(seconds[index]):
            record["seconds"] = float(seconds[index])
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def export_spans(corpus: Corpus, cache: SpanCache, path: Path) -> int:
    """Write what the cache holds as JSONL (gzipped where the name ends in ``.gz``), which `import_spans` reads back as it was.

    Returns
    -------
    int
        Documents written; those without an answer are left out, so that they come back as ``missing``.
    """
    count = 0
    body = io.BytesIO()
    stream = gzip.GzipFile(fileobj=body, mode="wb", mtime=0, filename="") if path.suffix == ".gz" else body
    for count, line in enumerate(_lines(corpus, cache), start=1):
        stream.write(line.encode() + b"\n")
    if stream is not body:
        stream.close()
    write_atomic(path, body.getvalue())
    return count
