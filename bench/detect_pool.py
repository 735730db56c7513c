"""Detection in several processes: each loads the detector once and is handed one part at a time; a killed one is replaced."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

from bench.core import errors
from bench.core.corpus import Corpus
from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import DeidbenchError, DetectorError, StoreError
from bench.core.model import Json
from bench.core.spancache import SpanCache
from bench.detect_part import failed, load_adapter, one_line, run_part

#: One thread per worker: workers are the parallelism, and a cost measured in one must not depend on idle neighbours.
_ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
#: After this many deaths over one part its documents go one by one, so that the one that kills is known.
_DEATHS_BEFORE_SINGLE: Final[int] = 2
#: After this many deaths over one part all of its unfinished documents are given up.
_DEATHS_BEFORE_GIVING_UP: Final[int] = 5
#: After this many deaths in a row of the only worker before it was ready the detector is given up.
_LOAD_DEATHS: Final[int] = 2


@dataclass(frozen=True, slots=True)
class Task:
    """All that a worker needs to begin; no text travels through pipes."""

    corpus_directory: Path
    spans_root: Path
    fingerprint: str
    spec: DetectorSpec
    load: Callable[[DetectorSpec], Adapter]
    hardware: Mapping[str, Json]


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection[Any, Any]
    part: int | None = None
    ready: bool = False


@dataclass(slots=True)
class _State:
    fresh: deque[int]
    #: Parts that another run has in hand; taken up again at the end, waiting for their locks.
    busy: deque[int] = field(default_factory=deque)
    deaths: dict[int, int] = field(default_factory=dict)
    load_deaths: int = 0


def work(connection: Connection[Any, Any], task: Task) -> None:
    """What a worker process runs: load, say ready, then answer each ``(part, wait, one_by_one)`` until told None."""
    # Ctrl-C reaches the whole process group; only the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        corpus = Corpus.open(task.corpus_directory, verify=False)
        cache = SpanCache.of(task.spans_root, corpus, task.fingerprint)
        adapter = load_adapter(task.load, task.spec)
        cache.describe(task.spec, adapter.version)
        connection.send(("ready", None))
        while (order := connection.recv()) is not None:
            index, patient, one_by_one = order
            part = cache.open_part(index, wait=patient)
            if part is None:
                connection.send(("busy", index))
                continue
            with part:
                for problem in part.problems:
                    connection.send(("problem", problem))
                if not part.committed:
                    run_part(
                        adapter,
                        corpus,
                        part,
                        task.hardware,
                        lambda doc: connection.send(("document", doc)),
                        one_by_one=one_by_one,
                    )
            connection.send(("part", index))
    except DeidbenchError as error:
        connection.send(("error", (type(error).__name__, str(error))))
    except (EOFError, BrokenPipeError):
        # The parent is gone: nobody reads on; what is finished is in the journal.
        return
    except Exception as error:  # noqa: BLE001 - not swallowed: the parent raises it, once, instead of one trace per worker
        connection.send(("error", ("DetectorError", f"detector {task.spec.name!r} failed in a worker: {one_line(error)}")))


def _revive(name: str, message: str) -> DeidbenchError:
    """A worker's error as one of the parent's; classes that take other arguments than a message become their base."""
    kind = getattr(errors, name, DetectorError)
    while kind.__init__ is not Exception.__init__:
        kind = kind.__bases__[0]
    error = kind(message)
    return error if isinstance(error, DeidbenchError) else DetectorError(message)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Pool:
    """Workers over the parts of one detector and one corpus.

    Parameters
    ----------
    task
        What the workers do.
    cache
        The same cache in this process, for what a dead worker left unfinished.
    workers
        How many processes at most.
    on_document, on_problem
        Called with the index of each document computed, and with a line about each damaged file.
    """

    def __init__(
        self,
        task: Task,
        cache: SpanCache,
        workers: int,
        on_document: Callable[[int], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._task = task
        self._cache = cache
        self._size = workers
        self._on_document = on_document
        self._on_problem = on_problem
        self._workers: list[_Worker] = []

    def run(self, parts: Sequence[int], on_part: Callable[[int], None]) -> None:
        """Finish all `parts`; `on_part` is called with the index of each that is committed.

        Raises
        ------
        DetectorError
            The detector cannot be loaded or failed as a whole.
        StoreError
            The disk is full or not writable.
        """
        state = _State(deque(parts))
        open_parts = set(parts)
        try:
            while open_parts:
                while len(self._workers) < min(self._size, len(open_parts)):
                    self._start()
                for worker in list(self._workers):
                    if worker.ready and worker.part is None:
                        self._order(worker, state)
                for ready in wait([worker.connection for worker in self._workers]):
                    worker = next(w for w in self._workers if w.connection is ready)
                    self._receive(worker, state, open_parts, on_part)
        finally:
            self._stop()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, self._task), daemon=True, name="deidbench-detect")
        with _environment(_ONE_THREAD):
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _order(self, worker: _Worker, state: _State) -> None:
        queue, patient = (state.fresh, False) if state.fresh else (state.busy, True)
        if not queue:
            return
        index = queue.popleft()
        try:
            worker.connection.send((index, patient, state.deaths.get(index, 0) >= _DEATHS_BEFORE_SINGLE))
        except (BrokenPipeError, ConnectionResetError):
            # It died between two parts; its end of the pipe reports the death.
            queue.appendleft(index)
            worker.ready = False
            return
        worker.part = index

    def _receive(self, worker: _Worker, state: _State, open_parts: set[int], on_part: Callable[[int], None]) -> None:
        try:
            kind, value = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            self._bury(worker, state, open_parts, on_part)
            return
        if kind == "ready":
            worker.ready, state.load_deaths = True, 0
        elif kind == "document":
            self._on_document(value)
        elif kind == "problem":
            self._on_problem(value)
        elif kind == "busy":
            worker.part = None
            state.busy.append(value)
        elif kind == "part":
            worker.part = None
            open_parts.discard(value)
            on_part(value)
        else:
            raise _revive(*value)

    def _bury(self, worker: _Worker, state: _State, open_parts: set[int], on_part: Callable[[int], None]) -> None:
        worker.process.join()
        self._workers.remove(worker)
        worker.connection.close()
        cause = _cause(worker.process.exitcode)
        if worker.part is None:
            if not worker.ready:
                self._note_load_death(state, cause)
            return
        index = worker.part
        deaths = state.deaths[index] = state.deaths.get(index, 0) + 1
        if deaths > _DEATHS_BEFORE_SINGLE and self._give_up(index, cause, everything=deaths >= _DEATHS_BEFORE_GIVING_UP):
            open_parts.discard(index)
            on_part(index)
            return
        state.fresh.appendleft(index)

    def _note_load_death(self, state: _State, cause: str) -> None:
        """Go on with fewer workers (there may be memory for fewer models only); give up where the last one cannot load."""
        if self._workers:
            self._size = len(self._workers)
            return
        self._size = 1
        state.load_deaths += 1
        if state.load_deaths >= _LOAD_DEATHS:
            raise DetectorError(f"detector {self._task.spec.name!r} could not be loaded: its process was {cause}")

    def _give_up(self, index: int, cause: str, *, everything: bool) -> bool:
        """Record as failed the document that killed its worker, or all that are unfinished; True once the part is committed."""
        part = self._cache.open_part(index, wait=True)
        if part is None:
            raise StoreError(f"the lock of part {index} in {str(self._cache.directory)!r} cannot be taken")
        with part:
            if part.committed:
                return True
            for doc in part.missing if everything else part.missing[:1]:
                part.add(doc, failed(f"worker killed: its process was {cause}"))
                self._on_document(doc)
            if part.missing:
                return False
            part.commit(self._task.hardware)
            return True

    def _stop(self) -> None:
        for worker in self._workers:
            try:
                worker.connection.send(None)
            except (BrokenPipeError, ConnectionResetError):
                continue
            finally:
                worker.connection.close()
        for worker in self._workers:
            if worker.part is not None or not worker.ready:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(timeout=5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"ended with exit code {code}"
