"""Spans made elsewhere: imported as a detector of their own, so that any system is scored without its code; and exported.

An imported file becomes parts of the span cache like those of any detector, under a fingerprint of its content. The workspace
keeps ``spans/imported/<name>.json`` so that ensembles can name it for the corpora that it covers.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.core.atomic import FileLock, replacing, write_atomic
from bench.core.corpus import Corpus
from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import DataError, DetectorError, StoreError, UsageError
from bench.core.jsonio import read_json, seal_of
from bench.core.model import STATUSES, Detection, Document, Json
from bench.core.span_parts import STATUS_CODE, PartData
from bench.core.spancache import SpanCache
from bench.core.taxonomy import LabelMap
from bench.core.workspace import check_name
from bench.ensembles import is_rule
from bench.spans_layouts import Layout, Third, read_layout
from bench.spans_reader import Reader, canonical_spans, content_digest

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
    def missing(cls, spec: DetectorSpec) -> str:
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
    if name in reserved or is_rule(name):
        raise UsageError(f"detector name {name!r} is taken by a detector, a named set or a rule; give another one")
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0.0):
        raise UsageError(f"seconds per document {seconds!r} is not a finite number from 0 on")
    owner = LabelMap(labels or {}, f"detector {name}")  # checks that every entry is a type
    reader = Reader(corpus, path, name, labels if labels is None else owner.entries, seconds)
    reader.read(read_layout(path, layout, third, reader.known), skip_unknown=skip_unknown)
    columns = reader.columns
    spans, ignored, duplicates = canonical_spans(columns)
    spec = DetectorSpec(
        name=name, adapter=ADAPTER, revision=content_digest(spans, columns), labels=reader.label_entries(), source=path.name
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
    remedy = "remove it and import the spans of this detector again"
    try:
        record = read_json(path)
    except DataError as error:
        raise StoreError(f"{error}; {remedy}") from None
    if not isinstance(record, dict) or record.get("schema") != _SCHEMA:
        found = record.get("schema") if isinstance(record, dict) else None
        raise StoreError(f"{str(path)!r} has schema {found!r}, this version reads {_SCHEMA}; {remedy}")
    if record.get("seal") != seal_of(record):
        raise StoreError(f"{str(path)!r} differs from its checksum; {remedy}")
    return record


def _register(spans_root: Path, corpus_fingerprint: str, imported: Imported) -> None:
    path = _record_path(spans_root, imported.spec.name)
    with FileLock(path.with_suffix(".lock")):
        record: dict[str, Any] = (
            _read_record(path) if path.exists() else {"schema": _SCHEMA, "name": imported.spec.name, "corpora": {}}
        )
        record["corpora"][corpus_fingerprint] = {
            "corpus": imported.corpus,
            "fingerprint": imported.fingerprint,
            "counts": dict(imported.counts),
            "spec": imported.spec.model_dump(mode="json"),
        }
        record["seal"] = seal_of(record)
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
    with replacing(path) as temporary, temporary.open("wb") as raw:
        # No file name and no time in the gzip header: equal spans give equal bytes.
        packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if path.suffix == ".gz" else None
        with packed or nullcontext(raw) as stream:
            for line in _lines(corpus, cache):
                stream.write(line.encode() + b"\n")
                count += 1
    return count
