"""The files of one detector over one corpus: parts with their commit records, and parts in progress behind a lock."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from bench.core.atomic import FileLock, remove_stale, write_atomic
from bench.core.errors import StoreError
from bench.core.jsonio import canonical
from bench.core.model import Detection, Json
from bench.core.span_journal import Journal
from bench.core.span_parts import SPAN_SCHEMA, PartData, docs_parquet, read_part, shards, spans_parquet
from bench.core.tables import I32

_SEAL: Final = b',"digest":"'
_FILES: Final = ("spans.parquet", "docs.parquet")


@dataclass(frozen=True, slots=True)
class PartRecord:
    """A commit record whose files have been found whole."""

    index: int
    first: int
    last: int
    spans: int
    files: Mapping[str, Mapping[str, Any]]
    hardware: Mapping[str, Json]


class Damage(Exception):  # noqa: N818 - not an error of the caller: caught here and reported as one line
    """A committed part that cannot be trusted; the text says what is wrong."""


def _name(index: int, suffix: str) -> str:
    return f"part-{index:05d}.{suffix}"


def _sealed(value: Mapping[str, Any]) -> bytes:
    """Canonical JSON of a commit record with the digest of these very bytes as its last entry."""
    body = canonical(value)
    return body[:-1] + _SEAL + sha256(body).hexdigest().encode() + b'"}'


def _unsealed(raw: bytes, name: str) -> dict[str, Any]:
    """Inverse of `_sealed`; raises `Damage`."""
    try:
        value = json.loads(raw)
    except ValueError:
        raise Damage(f"{name!r} is not valid JSON") from None
    if not isinstance(value, dict):
        raise Damage(f"{name!r} is not a commit record")
    if value.get("schema") != SPAN_SCHEMA:
        raise Damage(f"{name!r} has span schema {value.get('schema')!r}, this version reads {SPAN_SCHEMA}")
    body, seal, rest = raw.rpartition(_SEAL)
    if not seal or rest[:-2].decode("ascii", "replace") != sha256(body + b"}").hexdigest() or rest[-2:] != b'"}':
        raise Damage(f"{name!r} differs from its checksum")
    return value


class PartStore:
    """Reads, checks and writes the parts in ``spans/<corpus fingerprint>/<detector fingerprint>/``.

    Parameters
    ----------
    directory
        That folder; created when something is written.
    corpus, detector
        The two fingerprints; every record carries them, so that a part copied elsewhere is not served.
    lengths
        Length of every document in code points: what the shard boundaries are computed from.
    """

    def __init__(self, directory: Path, corpus: str, detector: str, lengths: Sequence[int] | I32) -> None:
        self.directory = directory
        self._folder = str(directory)
        self.corpus = corpus
        self.detector = detector
        self.shards: Sequence[tuple[int, int]] = shards(lengths)

    def path(self, index: int, suffix: str) -> Path:
        """``part-00000.<suffix>``."""
        return self.directory / _name(index, suffix)

    def report(self, damage: Damage) -> str:
        """One line about damage that names the folder too."""
        return f"{str(self.directory)!r}: {damage}"

    def _read(self, name: str) -> bytes | None:
        # Plain strings and unbuffered reads: a large corpus has thousands of small files, and a look at the cache reads them all.
        path = f"{self._folder}/{name}"
        try:
            with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
                return stream.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"cannot read {path!r}: {error.strerror or error}") from error

    def record(self, index: int) -> PartRecord | None:
        """Commit record of a part, all of it checked against the files; None where the part is not committed.

        Raises
        ------
        Damage
            The record or a file is altered, cut off, missing, of another schema, or belongs elsewhere.
        """
        return self._checked(index)[0]

    def read(self, index: int) -> PartData | None:
        """Contents of a part from bytes that match its record; None where it is not committed; raises `Damage`."""
        record, contents = self._checked(index)
        if record is None:
            return None
        return read_part(record.first, record.last, *contents)

    def _checked(self, index: int) -> tuple[PartRecord | None, list[bytes]]:
        name = _name(index, "json")
        raw = self._read(name)
        if raw is None:
            return None, []
        value = _unsealed(raw, name)
        first, last = self.shards[index]
        expected = {"part": index, "first": first, "last": last, "corpus": self.corpus, "detector": self.detector}
        for key, wanted in expected.items():
            if value[key] != wanted:
                raise Damage(f"{name!r} belongs elsewhere: its {key} is {value[key]!r}, not {wanted!r}")
        contents = []
        for suffix in _FILES:
            file = _name(index, suffix)
            data = self._read(file)
            if data is None:
                raise Damage(f"{file!r} is missing")
            entry = value["files"][file]
            if len(data) != entry["bytes"] or sha256(data).hexdigest() != entry["sha256"]:
                raise Damage(f"{file!r} differs from its checksum")
            contents.append(data)
        rows = value["files"][_name(index, "spans.parquet")]["rows"]
        return PartRecord(index, first, last, rows, value["files"], value["hardware"]), contents

    def write(self, index: int, part: PartData, hardware: Mapping[str, Json]) -> None:
        """Write a part and, last of all, its commit record; the caller holds the part's lock."""
        if (part.first, part.last) != self.shards[index]:
            raise ValueError(f"part {index} covers {self.shards[index]}, not {(part.first, part.last)}")
        remove_stale(self.directory, f"part-{index:05d}.")
        files = {}
        bodies = (spans_parquet(part.spans), docs_parquet(part))
        for suffix, body, rows in zip(_FILES, bodies, (len(part.spans), part.last - part.first), strict=True):
            path = self.path(index, suffix)
            write_atomic(path, body)
            files[path.name] = {"bytes": len(body), "rows": rows, "sha256": sha256(body).hexdigest()}
        value = {
            "schema": SPAN_SCHEMA,
            "part": index,
            "first": part.first,
            "last": part.last,
            "corpus": self.corpus,
            "detector": self.detector,
            "hardware": dict(hardware),
            "files": files,
        }
        write_atomic(self.path(index, "json"), _sealed(value))

    def withdraw(self, index: int) -> None:
        """Take a part back, the commit record first; the caller holds the part's lock."""
        for suffix in ("json", *_FILES):
            self.path(index, suffix).unlink(missing_ok=True)

    def journal(self, index: int) -> Journal:
        """Journal of a part in progress."""
        first, last = self.shards[index]
        header = {"schema": SPAN_SCHEMA, "part": index, "first": first, "last": last}
        return Journal(self.path(index, "journal"), {**header, "corpus": self.corpus, "detector": self.detector})


class OpenPart:
    """A part in progress: its lock is held, what its journal holds is in `done`, each `add` is kept at once.

    Use as a context manager; leaving it without `commit` keeps the journal for the next attempt.
    """

    def __init__(self, store: PartStore, index: int, lock: FileLock) -> None:
        self._store = store
        self._lock = lock
        self._journal = store.journal(index)
        self.index = index
        self.first, self.last = store.shards[index]
        #: Whether the part turned out to be committed: by another process while this one waited.
        self.committed = False
        self.done: dict[int, Detection] = {}
        self.problems: list[str] = []

    def begin(self) -> None:
        """Look at what is there now that the lock is held."""
        try:
            self.committed = self._store.record(self.index) is not None
        except Damage as damage:
            self.problems.append(self._store.report(damage))
            self._store.withdraw(self.index)
        if self.committed:
            self._journal.remove()
            return
        self.done = self._journal.open()
        self.problems.extend(self._journal.problems)

    @property
    def missing(self) -> list[int]:
        """Indices of the documents that are not finished, in order."""
        return [doc for doc in range(self.first, self.last) if doc not in self.done]

    def add(self, doc: int, detection: Detection) -> None:
        """Record one finished document; a second record of a document replaces the first."""
        if not self.first <= doc < self.last:
            raise ValueError(f"document {doc} is not in part {self.index} ({self.first} to {self.last})")
        self._journal.append(doc, detection)
        self.done[doc] = detection

    def keep(self, docs: Iterable[int]) -> None:
        """Forget every document but `docs`: they are detected again. A committed part is reopened.

        The journal is complete before the commit record goes, so that a kill in between loses nothing.
        """
        wanted = set(docs)
        if self.committed:
            part = self._store.read(self.index)
            if part is None:
                raise StoreError(f"part {self.index} in {str(self._store.directory)!r} vanished while its lock was held")
            self.done = dict(enumerate(part.detections(), start=self.first))
        self.done = {doc: detection for doc, detection in self.done.items() if doc in wanted}
        self._journal.close()
        self._journal.rewrite(self.done)
        self._store.withdraw(self.index)
        self.committed = False
        self._journal.open()

    def commit(self, hardware: Mapping[str, Json]) -> None:
        """Write the finished part; the journal goes once the commit record stands."""
        if self.missing:
            raise ValueError(f"part {self.index} lacks {len(self.missing)} documents")
        ordered = [self.done[doc] for doc in range(self.first, self.last)]
        self._store.write(self.index, PartData.of_detections(self.first, ordered), hardware)
        self._journal.remove()
        self.committed = True

    def __enter__(self) -> OpenPart:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._journal.close()
        self._lock.release()
