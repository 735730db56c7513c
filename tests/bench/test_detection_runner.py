"""The detection runner on real processes: equal bytes for any number of workers, resuming, sharing, dying, lying adapters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bench.core.corpus import Corpus
from bench.core.detector import DetectorSpec
from bench.core.errors import DetectorError, StoreError, UsageError
from bench.core.model import STATUSES, Span
from bench.core.spancache import SpanCache
from bench.detection import DetectionSummary, detect
from tests.reference import rule_adapter
from tests.reference.small_corpus import small_corpus

ROOT = Path(__file__).resolve().parents[2]


def run(corpus: Corpus, root: Path, spec: DetectorSpec | None = None, **options: object) -> DetectionSummary:
    spec = spec or rule_adapter.spec()
    return detect(corpus, spec, root, load=rule_adapter.load, fingerprint=rule_adapter.key(spec), **options)  # type: ignore[arg-type]


def cache_of(corpus: Corpus, root: Path) -> SpanCache:
    return SpanCache.of(root, corpus, rule_adapter.key(rule_adapter.spec()))


def texts(n: int) -> list[str]:
    return [f"Message {i} from Ann Lee to Bob 😀 {i * 7919} end" for i in range(n)]


def logged(path: Path) -> Counter[str]:
    return Counter(path.read_text(encoding="utf-8").split()) if path.exists() else Counter()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Three parts: 256, 256 and 88 documents."""
    return small_corpus(tmp_path_factory.mktemp("corpus") / "small", texts(600))


def script(corpus: Corpus, root: Path, *, workers: int = 1, file_limit: int | None = None, **options: object) -> list[str]:
    """A command that runs the detector in a process of its own, where no file may grow past `file_limit` bytes."""
    code = f"""
import resource
from pathlib import Path
from bench.core.corpus import Corpus
from bench.core.errors import StoreError
from bench.detection import detect
from tests.reference import rule_adapter
if __name__ == "__main__":
    if {file_limit is not None!r}:
        resource.setrlimit(resource.RLIMIT_FSIZE, ({file_limit!r}, resource.RLIM_INFINITY))
    spec = rule_adapter.spec(**{options!r})
    corpus = Corpus.open(Path({str(corpus.directory)!r}))
    key = rule_adapter.key(spec)
    try:
        done = detect(corpus, spec, Path({str(root)!r}), workers={workers}, load=rule_adapter.load, fingerprint=key)
        print(done.computed, done.cached)
    except StoreError as error:
        print(error)
"""
    path = root.parent / f"script-{workers}-{len(list(root.parent.iterdir()))}.py"
    path.write_text(code, encoding="utf-8")
    return [sys.executable, str(path)]


def start(command: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def wait_for(log: Path, lines: int, process: subprocess.Popen[str]) -> None:
    while sum(logged(log).values()) < lines:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def span_bytes(corpus: Corpus, root: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(cache_of(corpus, root).directory.glob("*.spans.parquet"))]


# -- the right answer --------------------------------------------------------------------------------------------------------


def test_every_span_is_stored_and_the_second_run_answers_from_the_cache(corpus: Corpus, tmp_path: Path) -> None:
    log = tmp_path / "log"
    seen: list[int] = []
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(log=str(log)), progress=seen.append)
    cache = cache_of(corpus, tmp_path / "spans")
    for index, text in enumerate(texts(600)):
        assert cache.spans(index) == [
            Span(s.start, s.end, s.label, s.type, float(np.float32(s.score))) for s in rule_adapter.rule_spans(text)
        ]
    assert (summary.computed, summary.cached, summary.documents) == (600, 0, 600)
    assert summary.by_status == {"ok": 600, "truncated": 0, "failed": 0, "missing": 0, "unsupported": 0}
    assert summary.seconds == 600 * 0.25  # as the adapter measured; the warm-up's 0.001 is not in it
    assert summary.spans == sum(len(rule_adapter.rule_spans(text)) for text in texts(600))
    assert sorted(set(seen)) == list(range(601))
    assert seen == sorted(seen)
    assert set(logged(log).values()) == {1}

    again = run(corpus, tmp_path / "spans", rule_adapter.spec(log=str(log), fault="load"))  # not even loaded
    assert (again.computed, again.cached) == (0, 600)
    assert (again.spans, again.by_status, again.seconds) == (summary.spans, summary.by_status, summary.seconds)
    assert sum(logged(log).values()) == 600


def test_two_workers_write_the_bytes_of_one(corpus: Corpus, tmp_path: Path) -> None:
    one = run(corpus, tmp_path / "one")
    two = run(corpus, tmp_path / "two", workers=2)
    assert span_bytes(corpus, tmp_path / "one") == span_bytes(corpus, tmp_path / "two")
    assert len(span_bytes(corpus, tmp_path / "two")) == 3
    assert (one.computed, one.by_status, one.spans, one.seconds) == (two.computed, two.by_status, two.spans, two.seconds)
    (machine,) = cache_of(corpus, tmp_path / "two").hardware()
    assert machine["workers"] == 2
    assert machine["processor"]


def test_languages_the_detector_does_not_know_are_unsupported_not_empty(tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann", "Bea", "王小明"], ["en", "de", "zh"])
    log = tmp_path / "log"
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(languages=("de",), log=str(log)))
    assert summary.by_status == {"ok": 1, "truncated": 0, "failed": 0, "missing": 0, "unsupported": 2}
    assert logged(log) == {"d1": 1}
    spec = rule_adapter.spec(languages=("de",))
    cache = SpanCache.of(tmp_path / "spans", corpus, rule_adapter.key(spec))
    assert cache.seconds().tolist() == [0.0, 0.25, 0.0]
    assert [STATUSES[code] for code in cache.statuses()] == ["unsupported", "ok", "unsupported"]


def test_failures_are_statuses_and_can_be_tried_again(tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann", "FAILING Bea", "Cid"])
    log = tmp_path / "log"
    first = run(corpus, tmp_path / "spans")
    assert first.by_status["failed"] == 1
    assert first.failures == {"d1": "the rules do not like it"}
    assert cache_of(corpus, tmp_path / "spans").spans(1) == []
    assert run(corpus, tmp_path / "spans").computed == 0
    retried = run(corpus, tmp_path / "spans", rule_adapter.spec(log=str(log)), retry_failed=True)
    assert (retried.computed, retried.cached) == (1, 2)
    assert logged(log) == {"d1": 1}
    fresh = run(corpus, tmp_path / "spans", rule_adapter.spec(log=str(log)), fresh=True)
    assert (fresh.computed, fresh.cached) == (3, 0)


def test_an_adapter_that_measures_nothing_is_not_free(tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann", "Bea"])
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(fault="unmeasured", wait=0.02))
    assert summary.seconds >= 0.04


def test_numpy_numbers_are_numbers(tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann 12", "Bea"])
    run(corpus, tmp_path / "plain")
    summary = run(corpus, tmp_path / "numpy", rule_adapter.spec(fault="numpy"))
    assert summary.by_status["ok"] == 2
    assert span_bytes(corpus, tmp_path / "plain") == span_bytes(corpus, tmp_path / "numpy")


# -- wrong answers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("outside", "outside the text of 3 characters"),
        ("reversed", "reversed"),
        ("label", "label 'CITY' has no entry"),
        ("type", "'HUMAN' is not a type"),
        ("mismatch", "came with type 'ID', the label map says 'PERSON'"),
        ("score", "not a finite number"),
        ("fraction", "numbers"),
        ("nospan", "is no span"),
        ("seconds", "-1.0 seconds"),
    ],
)
def test_a_wrong_answer_fails_its_document_and_no_other(tmp_path: Path, fault: str, says: str) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann", "Bea", "Cid"])
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(fault=fault))
    assert list(summary.failures) == ["d1"]
    assert says in summary.failures["d1"]
    assert "\n" not in summary.failures["d1"]
    cache = cache_of(corpus, tmp_path / "spans")
    assert [len(cache.spans(doc)) for doc in range(3)] == [1, 0, 1]


@pytest.mark.parametrize(("fault", "says"), [("few", "2 answers for 3"), ("many", "more than 3 answers for 3")])
def test_answers_that_cannot_be_told_apart_are_all_refused(tmp_path: Path, fault: str, says: str) -> None:
    corpus = small_corpus(tmp_path / "corpus", ["Ann", "Bea", "Cid"])
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(fault=fault))
    assert summary.by_status["failed"] == summary.computed == 3
    assert all(says in reason for reason in summary.failures.values())
    assert summary.spans == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_detector_that_fails_as_a_whole_is_one_line_and_finished_documents_stay(
    corpus: Corpus, tmp_path: Path, workers: int
) -> None:
    with pytest.raises(DetectorError) as caught:
        run(corpus, tmp_path / "spans", rule_adapter.spec(fault="raise"), workers=workers)
    assert str(caught.value) == "detector 'rules' failed: RuntimeError: out of rules"
    log = tmp_path / "log"
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(log=str(log)))
    assert summary.cached == 600 - sum(logged(log).values()) >= 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_detector_that_does_not_load_is_one_line(corpus: Corpus, tmp_path: Path, workers: int) -> None:
    with pytest.raises(DetectorError) as caught:
        run(corpus, tmp_path / "spans", rule_adapter.spec(fault="load"), workers=workers)
    assert str(caught.value) == "detector 'rules' could not be loaded: ValueError: no rules here"


def test_workers_that_die_while_loading_end_the_run(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(DetectorError, match="could not be loaded: its process was ended by SIGKILL"):
        run(corpus, tmp_path / "spans", rule_adapter.spec(fault="die"), workers=2)


def test_no_workers_is_wrong_use(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="workers is 0"):
        run(corpus, tmp_path / "spans", workers=0)


# -- kills -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_after_kill_9_the_same_call_goes_on_where_it_stopped(corpus: Corpus, tmp_path: Path, workers: int) -> None:
    root, log, gate = tmp_path / "spans", tmp_path / "log", tmp_path / "gate"
    command = script(corpus, root, workers=workers, log=str(log), gate=str(gate), gate_after=40)
    process = start(command)
    wait_for(log, 41 * workers, process)  # every worker stands at its gate, 40 documents of its part finished
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    finished = {f"d{256 * part + i}" for part in range(workers) for i in range(40)}
    again = tmp_path / "again"
    summary = run(corpus, root, rule_adapter.spec(log=str(again)))
    assert summary.cached == 40 * workers
    assert logged(again) == Counter({f"d{i}": 1 for i in range(600) if f"d{i}" not in finished})
    run(corpus, tmp_path / "whole")
    assert span_bytes(corpus, root) == span_bytes(corpus, tmp_path / "whole")
    assert summary.seconds == 150.0


def test_ctrl_c_ends_the_workers_and_keeps_what_is_finished(corpus: Corpus, tmp_path: Path) -> None:
    root, log, gate = tmp_path / "spans", tmp_path / "log", tmp_path / "gate"
    process = start(script(corpus, root, workers=2, log=str(log), gate=str(gate), gate_after=10))
    wait_for(log, 22, process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode != 0
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1  # the parent's own, which the command line turns into one line
    assert run(corpus, root).cached == 20


def test_two_runs_at_once_share_the_work(corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "spans"
    logs = [tmp_path / "log-1", tmp_path / "log-2"]
    gate = tmp_path / "gate"
    first = start(script(corpus, root, log=str(logs[0]), gate=str(gate), gate_after=5))
    wait_for(logs[0], 6, first)
    second = start(script(corpus, root, log=str(logs[1]), wait=0.001))
    wait_for(logs[1], 10, second)
    gate.touch()
    outputs = [process.communicate() for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outputs
    counts = [list(map(int, out.split())) for out, _ in outputs]
    assert counts[0][0] + counts[1][0] == 600
    assert min(counts[0][0], counts[1][0]) >= 88
    both = logged(logs[0]) + logged(logs[1])
    assert both == Counter({f"d{i}": 1 for i in range(600)})
    run(corpus, tmp_path / "whole")
    assert span_bytes(corpus, root) == span_bytes(corpus, tmp_path / "whole")


def test_a_worker_that_is_killed_once_is_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    content = texts(300)
    content[7] = "KILLONCE " + content[7]
    corpus = small_corpus(tmp_path / "corpus", content)
    log = tmp_path / "log"
    summary = run(corpus, tmp_path / "spans", rule_adapter.spec(once=str(tmp_path / "once"), log=str(log)), workers=2)
    assert summary.by_status["ok"] == 300
    assert (tmp_path / "once").exists()
    assert logged(log) == Counter({f"d{i}": 1 for i in range(300)}) + Counter({"d7": 1})


def test_documents_that_kill_every_worker_fail_alone(tmp_path: Path) -> None:
    content = texts(300)
    content[7] = content[9] = "KILLER"
    corpus = small_corpus(tmp_path / "corpus", content)
    summary = run(corpus, tmp_path / "spans", workers=2)
    assert summary.failures == dict.fromkeys(["d7", "d9"], "worker killed: its process was ended by SIGKILL")
    assert summary.by_status["ok"] == 298
    assert summary.computed == 300


def test_a_part_that_kills_again_and_again_is_given_up(tmp_path: Path) -> None:
    content = texts(290)
    for i in range(100, 256):
        content[i] = "KILLER"
    corpus = small_corpus(tmp_path / "corpus", content)
    summary = run(corpus, tmp_path / "spans", workers=2)
    assert summary.by_status["failed"] == 156
    assert summary.by_status["ok"] == 134


# -- damage and disks --------------------------------------------------------------------------------------------------------


def test_a_damaged_part_is_reported_and_done_again(corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "spans"
    run(corpus, root)
    whole = span_bytes(corpus, root)
    path = cache_of(corpus, root).directory / "part-00001.spans.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    summary = run(corpus, root)
    assert (summary.computed, summary.cached) == (256, 344)
    (line,) = summary.damaged
    assert path.name in line
    assert run(corpus, root).damaged == ()
    assert span_bytes(corpus, root) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_is_one_line_naming_the_file_and_the_next_run_finishes(corpus: Corpus, tmp_path: Path, workers: int) -> None:
    root = tmp_path / "spans"
    process = start(script(corpus, root, workers=workers, file_limit=9000))
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.startswith(f"cannot write {str(cache_of(corpus, root).directory)!r}"[:-1])
    assert out.endswith(": File too large\n")
    assert out.count("\n") == 1
    assert err == ""
    summary = run(corpus, root)
    assert summary.by_status["ok"] == 600
    assert summary.cached > 0
    assert summary.damaged == ()
    run(corpus, tmp_path / "whole")
    assert span_bytes(corpus, root) == span_bytes(corpus, tmp_path / "whole")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("body", [None, b"PAR1 nothing PAR1"])
def test_a_corpus_that_cannot_be_read_is_one_line(tmp_path: Path, workers: int, body: bytes | None) -> None:
    corpus = small_corpus(tmp_path / "corpus", texts(600))
    path = corpus.directory / "documents.parquet"
    assert len(corpus.doc_ids) == 600
    path.unlink()
    if body is not None:
        path.write_bytes(body)
    with pytest.raises(StoreError, match=r"cannot read documents [0-9]+ to [0-9]+ of corpus 'small'"):
        run(corpus, tmp_path / "spans", workers=workers)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_really_full_disk(corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "spans"
    root.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(root)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        with pytest.raises(StoreError, match=r"cannot write .*part-0000.*: No space left on device"):
            run(corpus, root)
        subprocess.run(["mount", "-o", "remount,size=8m", str(root)], check=True)
        summary = run(corpus, root)
        assert summary.cached > 0
        assert summary.by_status["ok"] == 600
        run(corpus, tmp_path / "whole")
        assert span_bytes(corpus, root) == span_bytes(corpus, tmp_path / "whole")
    finally:
        subprocess.run(["umount", str(root)], check=True)
