"""Memory-mapped lookups over committed parts: flat arrays, built once from the parts and checked against them ever after."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.core.atomic import FileLock, storing, sync_directory, write_array
from bench.core.errors import DataError
from bench.core.jsonio import digest, file_sha256, read_json
from bench.core.span_parts import STATUS_CODE, PartData
from bench.core.span_store import PartRecord
from bench.core.tables import F64, U8, SpanTable

#: Raised when an array is added, dropped or changes its meaning.
CSR_SCHEMA: Final[int] = 2
_SPAN_ARRAYS: Final = {"start": np.int32, "end": np.int32, "type": np.uint8, "label": np.int32, "score": np.float32}
_LABELS: Final = "labels.json"
_FILES: Final = (*(f"{name}.npy" for name in (*_SPAN_ARRAYS, "indptr", "status", "seconds")), _LABELS)
_RECORD: Final = "arrays.json"


@dataclass(frozen=True, slots=True)
class Arrays:
    """Spans, status codes (into `STATUSES`) and seconds (NaN: unknown or absent) of all documents."""

    table: SpanTable
    status: U8
    seconds: F64


def empty(n_docs: int) -> Arrays:
    """What an empty cache answers: no spans, every document missing."""
    columns = {name: np.empty(0, dtype=kind) for name, kind in _SPAN_ARRAYS.items()}
    table = SpanTable(np.zeros(n_docs + 1, dtype=np.int64), labels=(), **columns)
    return Arrays(table, np.full(n_docs, STATUS_CODE["missing"], dtype=np.uint8), np.full(n_docs, np.nan))


def arrays(directory: Path, records: Sequence[PartRecord], n_docs: int, read: Callable[[int], PartData]) -> Arrays:
    """Arrays of the given parts, from ``csr-<digest>`` or built there now.

    Parameters
    ----------
    directory
        Folder of the parts.
    records
        Checked commit records, in order; their digest names the arrays, so that arrays of other parts are never served.
    n_docs
        Documents in the corpus.
    read
        Contents of a part by index.
    """
    if not records:
        return empty(n_docs)
    key = digest([CSR_SCHEMA, n_docs, [[r.index, {name: f["sha256"] for name, f in r.files.items()}] for r in records]], 16)
    place = directory / f"csr-{key}"
    # One builder at a time, and nobody removes arrays of an older state while another process is opening them.
    with FileLock(directory / "csr.lock"):
        if not _whole(place):
            _build(place, records, n_docs, read)
            for other in directory.glob("csr-*"):
                if other != place:
                    shutil.rmtree(other, ignore_errors=True)
        return _open(place)


def _whole(place: Path) -> bool:
    try:
        files = read_json(place / _RECORD)["files"]
        return all(file_sha256(place / name) == files[name] for name in _FILES)
    except (DataError, OSError, KeyError, TypeError, AttributeError):
        # Derived data: whatever is wrong with it, it is built again from parts that were checked.
        return False


def _open(place: Path) -> Arrays:
    def load(name: str) -> Any:
        return np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False)

    labels = tuple(read_json(place / _LABELS))
    table = SpanTable(load("indptr"), labels=labels, **{name: load(name) for name in _SPAN_ARRAYS})
    return Arrays(table, load("status"), load("seconds"))


def _build(place: Path, records: Sequence[PartRecord], n_docs: int, read: Callable[[int], PartData]) -> None:
    building = place.with_name(f"{place.name}.building-{os.getpid()}")
    with storing(place):
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        try:
            labels = _fill(building, records, n_docs, read)
            (building / _LABELS).write_text(json.dumps(labels), encoding="utf-8")
            record = {"schema": CSR_SCHEMA, "files": {name: file_sha256(building / name) for name in _FILES}}
            (building / _RECORD).write_text(json.dumps(record), encoding="utf-8")
            for name in (*_FILES, _RECORD):
                with (building / name).open("rb") as stream:
                    os.fsync(stream.fileno())
            shutil.rmtree(place, ignore_errors=True)
            building.rename(place)
            sync_directory(place.parent)
        finally:
            shutil.rmtree(building, ignore_errors=True)


def _fill(building: Path, records: Sequence[PartRecord], n_docs: int, read: Callable[[int], PartData]) -> list[str]:
    total = sum(record.spans for record in records)
    codes: dict[str, int] = {}
    counts = np.zeros(n_docs, dtype=np.int64)
    status = np.full(n_docs, STATUS_CODE["missing"], dtype=np.uint8)
    seconds = np.full(n_docs, np.nan)
    # Files take the columns part by part with plain sequential writes: memory stays that of one part, and a full disk is an
    # error of `write` instead of a bus error in a memory map.
    streams = {}
    try:
        for name, kind in _SPAN_ARRAYS.items():
            streams[name] = (building / f"{name}.npy").open("wb")
            header = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (total,)}
            np.lib.format.write_array_header_1_0(streams[name], header)
        for record in records:
            part = read(record.index)
            spans = part.spans
            recode = np.asarray([codes.setdefault(label, len(codes)) for label in spans.labels], dtype=np.int32)
            columns = {
                "start": spans.start,
                "end": spans.end,
                "type": spans.type,
                "label": recode[spans.label] if len(recode) else spans.label,
                "score": spans.score,
            }
            for name, column in columns.items():
                streams[name].write(np.ascontiguousarray(column, dtype=_SPAN_ARRAYS[name]).tobytes())
            counts[part.first : part.last] = np.bincount(spans.doc - part.first, minlength=part.last - part.first)
            status[part.first : part.last] = part.status
            seconds[part.first : part.last] = part.seconds
    finally:
        for stream in streams.values():
            stream.close()
    write_array(building / "indptr.npy", np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
    write_array(building / "status.npy", status)
    write_array(building / "seconds.npy", seconds)
    return list(codes)
