"""The span cache: what a detector found in a corpus, kept under both fingerprints so that nothing stale is ever served.

Layout of ``spans/<corpus fingerprint>/<detector fingerprint>/`` (docs/design.md):

``detector.json``
    The specification and the adapter's version, for people; the fingerprint in the folder's name is what counts.
``part-00000.spans.parquet``
    ``doc, start, length, label, type, score``, sorted by (doc, start, end); ``doc`` is the document's index in the corpus.
``part-00000.docs.parquet``
    ``doc, status, reason, seconds``.
``part-00000.json``
    The commit record, written last: schema, document range, fingerprints, hardware, size, rows and SHA-256 of both files.
``part-00000.journal``, ``part-00000.lock``
    Only while a part is in progress: finished documents one by one, and the lock of the process at work on it.
``csr-<digest>/``
    Flat arrays for lookups, built on first use from the committed parts.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.core.atomic import FileLock, write_atomic
from bench.core.errors import StoreError
from bench.core.model import STATUSES, Detection, Json, Span
from bench.core.span_csr import Arrays, arrays
from bench.core.span_parts import SPAN_SCHEMA, PartData
from bench.core.span_store import Damage, OpenPart, PartRecord, PartStore
from bench.core.tables import F64, I32, U8, SpanTable
from bench.core.taxonomy import TYPES

if TYPE_CHECKING:
    from bench.core.corpus import Corpus
    from bench.core.detector import DetectorSpec

_LOG: Final = logging.getLogger("deidbench.spans")
_SPEC: Final = "detector.json"


class SpanCache:
    """Spans of one detector over one corpus.

    A part that is altered, cut off or of another schema is named in `damaged` and in a warning; it is never served and counts
    as not done, so that the next detection does it again. What is read is fixed at first use until `refresh`.

    Parameters
    ----------
    root
        The workspace's ``spans`` folder.
    corpus_fingerprint, detector_fingerprint
        The two keys.
    lengths
        Length of every document in code points, in corpus order.
    """

    def __init__(self, root: Path, corpus_fingerprint: str, detector_fingerprint: str, lengths: Sequence[int] | I32) -> None:
        self.directory = root / corpus_fingerprint / detector_fingerprint
        self.n_docs = len(lengths)
        self._store = PartStore(self.directory, corpus_fingerprint, detector_fingerprint, lengths)

    @classmethod
    def of(cls, root: Path, corpus: Corpus, detector_fingerprint: str) -> SpanCache:
        """Cache of a detector over a prepared corpus."""
        return cls(root, corpus.fingerprint, detector_fingerprint, corpus.lengths)

    # -- state ---------------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """Half-open document range of every part: a function of the corpus alone."""
        return self._store.shards

    @cached_property
    def _scan(self) -> tuple[list[PartRecord], list[str]]:
        done: list[PartRecord] = []
        damaged: list[str] = []
        for index in range(len(self.parts)):
            try:
                record = self._store.record(index)
            except Damage as damage:
                damaged.append(self._store.report(damage))
                _LOG.warning("span cache part set aside, it will be detected again: %s", damaged[-1])
            else:
                if record is not None:
                    done.append(record)
        return done, damaged

    def refresh(self) -> None:
        """Forget what was read, so that the next look sees what other processes have committed since."""
        for name in ("_scan", "_arrays"):
            self.__dict__.pop(name, None)

    @property
    def damaged(self) -> Sequence[str]:
        """One line for every part that was set aside."""
        return self._scan[1]

    def todo(self) -> list[int]:
        """Indices of the parts that are not committed whole."""
        done = {record.index for record in self._scan[0]}
        return [index for index in range(len(self.parts)) if index not in done]

    @property
    def complete(self) -> bool:
        """Whether every document has an answer."""
        return len(self._scan[0]) == len(self.parts)

    def hardware(self) -> list[Mapping[str, Json]]:
        """The distinct machines that the seconds were measured on."""
        distinct = {json.dumps(record.hardware, sort_keys=True): record.hardware for record in self._scan[0]}
        return [distinct[key] for key in sorted(distinct)]

    # -- reading -------------------------------------------------------------------------------------------------------

    @cached_property
    def _arrays(self) -> Arrays:
        return arrays(self.directory, self._scan[0], self.n_docs, self._part)

    def _part(self, index: int) -> PartData:
        try:
            part = self._store.read(index)
        except Damage as damage:
            raise StoreError(f"the span cache changed while it was read: {self._store.report(damage)}") from None
        if part is None:
            raise StoreError(f"{str(self.directory)!r} changed while it was read: part {index} is gone")
        return part

    def table(self) -> SpanTable:
        """Spans of the whole corpus, memory-mapped; documents without an answer have none."""
        return self._arrays.table

    def statuses(self) -> U8:
        """Status of every document as a code into `STATUSES`, shape (documents,); ``missing`` where there is no answer."""
        return self._arrays.status

    def seconds(self) -> F64:
        """Seconds of every document, shape (documents,); NaN where unknown or without an answer."""
        return self._arrays.seconds

    def status_counts(self) -> dict[str, int]:
        """Number of documents by status, every status named."""
        counts = np.bincount(self.statuses(), minlength=len(STATUSES)).tolist()
        return dict(zip(STATUSES, counts, strict=True))

    def spans(self, doc: int) -> list[Span]:
        """Spans of the document with this index, sorted by (start, end)."""
        table = self.table()
        low, high = int(table.indptr[doc]), int(table.indptr[doc + 1])
        rows = zip(
            table.start[low:high].tolist(),
            table.end[low:high].tolist(),
            table.label[low:high].tolist(),
            table.type[low:high].tolist(),
            table.score[low:high].tolist(),
            strict=True,
        )
        return [Span(start, end, table.labels[label], TYPES[type_], score) for start, end, label, type_, score in rows]

    def reasons(self) -> dict[int, str]:
        """Reason by document index, for every document that has one."""
        found: dict[int, str] = {}
        for record in self._scan[0]:
            part = self._part(record.index)
            found.update((part.first + offset, reason) for offset, reason in enumerate(part.reasons) if reason)
        return found

    # -- writing -------------------------------------------------------------------------------------------------------

    def describe(self, spec: DetectorSpec, adapter_version: str) -> None:
        """Write ``detector.json``: the specification as data, so that a folder tells what it holds."""
        data = {
            "schema": SPAN_SCHEMA,
            "fingerprint": self.directory.name,
            "adapter_version": adapter_version,
            "spec": spec.model_dump(mode="json"),
        }
        body = json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True).encode()
        path = self.directory / _SPEC
        if not path.is_file() or path.read_bytes() != body:
            write_atomic(path, body)

    def open_part(self, index: int, *, wait: bool = False) -> OpenPart | None:
        """Take a part in hand; None if another process has it and `wait` is False. Close it by leaving its ``with`` block."""
        lock = FileLock(self._store.path(index, "lock"))
        if not lock.acquire(wait=wait):
            return None
        part = OpenPart(self._store, index, lock)
        try:
            part.begin()
        except BaseException:
            lock.release()
            raise
        return part

    def write_part(self, index: int, part: PartData, hardware: Mapping[str, Json]) -> None:
        """Commit a whole part at once, replacing what is there (imported spans)."""
        with FileLock(self._store.path(index, "lock")):
            self._store.write(index, part, hardware)
            self._store.journal(index).remove()

    def forget(self, *, only_failed: bool) -> int:
        """Take answers back so that they are computed again: all of them, or those of failed documents.

        Returns
        -------
        int
            Number of documents forgotten.
        """
        forgotten = 0
        for index in range(len(self.parts)):
            if not self._store.path(index, "json").exists() and not self._store.path(index, "journal").exists():
                continue
            opened = self.open_part(index, wait=True)
            if opened is None:
                raise StoreError(f"the lock of part {index} in {str(self.directory)!r} cannot be taken")
            with opened:
                answers = self._answers(opened)
                kept = [doc for doc, detection in answers.items() if only_failed and detection.status != "failed"]
                if len(kept) < len(answers):
                    forgotten += len(answers) - len(kept)
                    opened.keep(kept)
        self.refresh()
        return forgotten

    def _answers(self, opened: OpenPart) -> dict[int, Detection]:
        if not opened.committed:
            return opened.done
        return dict(enumerate(self._part(opened.index).detections(), start=opened.first))
