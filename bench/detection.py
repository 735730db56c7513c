"""Fill the span cache: run a detector over a corpus, in one process or several, resuming wherever an earlier run stopped."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.core.corpus import Corpus
from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import NotAvailableError, StoreError, UsageError
from bench.core.model import STATUSES, Json
from bench.core.spancache import SpanCache
from bench.detect_part import load_adapter, run_part
from bench.detect_pool import Pool, Task
from bench.provenance import hardware as this_machine
from bench.spansfiles import ADAPTER, SpansFile, fingerprint_of
from detectors import loading


@dataclass(frozen=True, slots=True)
class DetectionSummary:
    """What a detection run came to.

    Parameters
    ----------
    corpus, detector, fingerprint
        Corpus name, detector name, and the key in the cache.
    documents, spans
        Documents in the corpus, spans found in them.
    by_status
        Documents by status, every status named.
    computed, cached
        Documents answered by this run, and those that the cache answered.
    seconds
        Sum of the measured seconds of all documents, cached ones included; NaN where none is known.
    wall_seconds
        Seconds this call took.
    damaged
        One line for every damaged file of the cache that was set aside and done again.
    failures
        Document id to reason for every failed document.
    """

    corpus: str
    detector: str
    fingerprint: str
    documents: int
    spans: int
    by_status: Mapping[str, int]
    computed: int
    cached: int
    seconds: float
    wall_seconds: float
    damaged: tuple[str, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Json]:
        """The summary as one JSON object; unknown seconds are null."""
        return {
            "corpus": self.corpus,
            "detector": self.detector,
            "fingerprint": self.fingerprint,
            "documents": self.documents,
            "spans": self.spans,
            "status": dict(self.by_status),
            "computed": self.computed,
            "cached": self.cached,
            "seconds": None if math.isnan(self.seconds) else self.seconds,
            "wall_seconds": self.wall_seconds,
            "damaged": list(self.damaged),
            "failures": dict(self.failures),
        }


class _Ledger:
    """Counts what this run computes and reports progress as documents done."""

    def __init__(self, cache: SpanCache, progress: Callable[[int], None] | None) -> None:
        self._cache = cache
        self._progress = progress
        self._open = dict.fromkeys(cache.todo(), 0)
        self._done = cache.n_docs - sum(self._size(index) for index in self._open)
        self._first = [first for first, _ in cache.parts]
        self._seen = bytearray(cache.n_docs)
        self.computed = 0
        self.damaged = list(cache.damaged)
        self.report()

    def _size(self, index: int) -> int:
        first, last = self._cache.parts[index]
        return last - first

    def report(self) -> None:
        if self._progress is not None:
            self._progress(self._done)

    def document(self, doc: int) -> None:
        if self._seen[doc]:
            return
        self._seen[doc] = 1
        self.computed += 1
        index = int(np.searchsorted(self._first, doc, side="right")) - 1
        if index in self._open:
            self._open[index] += 1
            self._done += 1
        self.report()

    def problem(self, line: str) -> None:
        if line not in self.damaged:
            self.damaged.append(line)

    def part(self, index: int) -> None:
        # The rest of the part was answered by a journal or by another process.
        self._done += self._size(index) - self._open.pop(index)
        self.report()


def detect(
    corpus: Corpus,
    spec: DetectorSpec,
    spans_root: Path,
    *,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    load: Callable[[DetectorSpec], Adapter] = loading.load,
    fingerprint: str | None = None,
) -> DetectionSummary:
    """Run a detector over a corpus, unless the cache answers already.

    Every finished document is kept at once: after Ctrl-C, ``kill -9`` or a full disk the same call goes on with the first
    missing one. Two runs at once share the work. Answers do not depend on `workers`: the parts are equal byte for byte.

    Parameters
    ----------
    corpus
        A prepared corpus.
    spec
        The frozen detector.
    spans_root
        The workspace's ``spans`` folder.
    workers
        Processes; 1 runs in this process.
    progress
        Called with the number of documents answered so far.
    fresh
        Discard what the cache holds of this detector and corpus and compute it again.
    retry_failed
        Compute the documents again whose status is ``failed``.
    load
        Factory of the adapter, importable by name (worker processes call it); default: the detector registry's.
    fingerprint
        Key in the cache; default: the registry's fingerprint of `spec`.

    Raises
    ------
    DetectorError
        The detector cannot be loaded, or failed as a whole.
    NotAvailableError
        Something that the detector needs is not installed, or it is an imported spans file without answers for this corpus.
    StoreError
        The cache cannot be read or written.
    UsageError
        `workers` is not positive.
    """
    if workers < 1:
        raise UsageError(f"workers is {workers!r}; give a number from 1 on")
    began = time.perf_counter()
    if fingerprint is None:
        fingerprint = fingerprint_of(spec) if spec.adapter == ADAPTER else loading.fingerprint(spec)
    cache = SpanCache.of(spans_root, corpus, fingerprint)
    if spec.adapter == ADAPTER and not cache.complete:
        raise NotAvailableError(SpansFile.missing(spec))
    if (fresh or retry_failed) and spec.adapter != ADAPTER:
        cache.forget(only_failed=not fresh)
    ledger = _Ledger(cache, progress)
    parts = cache.todo()
    if parts:
        size = min(workers, len(parts))
        machine = {**this_machine(), "workers": size}
        if workers == 1:
            adapter = load_adapter(load, spec)
            cache.describe(spec, adapter.version)
            _alone(corpus, cache, parts, adapter, machine, ledger)
        else:
            task = Task(corpus.directory, spans_root, fingerprint, spec, load, machine)
            Pool(task, cache, size, ledger.document, ledger.problem).run(parts, ledger.part)
        cache.refresh()
    return _summary(corpus, spec, fingerprint, cache, ledger, time.perf_counter() - began)


def _alone(
    corpus: Corpus,
    cache: SpanCache,
    parts: list[int],
    adapter: Adapter,
    machine: Mapping[str, Json],
    ledger: _Ledger,
) -> None:
    """All parts in this process; one that another process has in hand comes last, when its lock is waited for."""
    queue = deque((index, False) for index in parts)
    while queue:
        index, patient = queue.popleft()
        part = cache.open_part(index, wait=patient)
        if part is None:
            queue.append((index, True))
            continue
        with part:
            for problem in part.problems:
                ledger.problem(problem)
            if not part.committed:
                run_part(adapter, corpus, part, machine, ledger.document)
        ledger.part(index)


def _summary(
    corpus: Corpus, spec: DetectorSpec, fingerprint: str, cache: SpanCache, ledger: _Ledger, wall: float
) -> DetectionSummary:
    if not cache.complete:
        raise StoreError(f"{str(cache.directory)!r} lost parts while it was written: {'; '.join(cache.damaged) or 'removed'}")
    failed_code = STATUSES.index("failed")
    reasons = cache.reasons() if np.any(cache.statuses() == failed_code) else {}
    seconds = cache.seconds()
    known = seconds[~np.isnan(seconds)]
    return DetectionSummary(
        corpus=corpus.name,
        detector=spec.name,
        fingerprint=fingerprint,
        documents=len(corpus),
        spans=len(cache.table()),
        by_status=cache.status_counts(),
        computed=ledger.computed,
        cached=len(corpus) - ledger.computed,
        seconds=float(known.sum()) if len(known) else math.nan,
        wall_seconds=wall,
        damaged=tuple(ledger.damaged),
        failures={corpus.doc_ids[doc]: reasons[doc] for doc in np.flatnonzero(cache.statuses() == failed_code).tolist()},
    )
