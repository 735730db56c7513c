"""The span cache against a plain dictionary, and against everything that can happen to files."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import StoreError
from bench.core.jsonio import canonical as canonical_json
from bench.core.model import STATUSES, Detection, Span
from bench.core.span_parts import SHARD_CHARACTERS, SHARD_DOCUMENTS, PartData, SpanColumns, shards
from bench.core.spancache import SpanCache
from bench.core.taxonomy import TYPES

HARDWARE = {"processor": "test"}


def canonical(spans: list[Span]) -> list[Span]:
    """Naive canonical order: sorted, exact repetitions once with the highest score (as float32)."""
    best: dict[tuple[int, int, int, str], float] = {}
    for span in spans:
        key = (span.start, span.end, TYPES.index(span.type), span.label)
        score = float(np.float32(span.score))
        best[key] = max(best.get(key, -math.inf), score)
    return [Span(start, end, label, TYPES[code], best[start, end, code, label]) for start, end, code, label in sorted(best)]


def fill(cache: SpanCache, detections: list[Detection], *, only: set[int] | None = None) -> None:
    for index, (first, last) in enumerate(cache.parts):
        if only is None or index in only:
            cache.write_part(index, PartData.of_detections(first, detections[first:last]), HARDWARE)
    cache.refresh()


def people(n: int) -> list[Detection]:
    return [Detection([Span(i, i + 2, "NAME", "PERSON", 0.5)], "ok", "", float(i)) for i in range(n)]


#: Three parts: 256 + 256 + 88 documents.
LENGTHS = [700] * 600


def three_parts(root: Path) -> SpanCache:
    cache = SpanCache(root, "c" * 32, "d" * 32, LENGTHS)
    fill(cache, people(600))
    return cache


# -- shards ------------------------------------------------------------------------------------------------------------------


_length = st.integers(0, 3 * SHARD_CHARACTERS // 2) | st.integers(0, 900)


@given(st.lists(st.tuples(_length, st.integers(1, 300)), min_size=1, max_size=8))
def test_shards_cover_every_document_once_within_both_bounds(runs: list[tuple[int, int]]) -> None:
    lengths = [length for length, count in runs for _ in range(count)]
    ranges = shards(lengths)
    assert [doc for first, last in ranges for doc in range(first, last)] == list(range(len(lengths)))
    for (first, last), following in zip(ranges, [*ranges[1:], None], strict=True):
        total = sum(lengths[first:last])
        assert last - first == 1 or (last - first <= SHARD_DOCUMENTS and total <= SHARD_CHARACTERS)
        if following is not None:  # no shard ends before it must
            assert last - first == SHARD_DOCUMENTS or total + lengths[last] > SHARD_CHARACTERS


def test_shard_boundaries_are_fixed() -> None:
    # A change of these moves every part of every cache: SPAN_SCHEMA must be raised with it.
    assert shards([]) == []
    assert shards([0] * 257) == [(0, 256), (256, 257)]
    assert shards([100_000, 100_000, 1, 500_000, 1]) == [(0, 2), (2, 3), (3, 4), (4, 5)]


# -- round trip --------------------------------------------------------------------------------------------------------------

_span = st.tuples(
    st.integers(0, 50), st.integers(1, 20), st.sampled_from(["NAME", "Ort", "名", "X"]), st.sampled_from(TYPES), st.floats(0, 1)
).map(lambda t: Span(t[0], t[0] + t[1], t[2], t[3], t[4]))
_detection = st.one_of(
    st.builds(
        Detection,
        st.lists(_span, max_size=6),
        st.sampled_from(["ok", "truncated"]),
        st.just(""),
        st.floats(0, 10) | st.just(math.nan),
    ),
    st.builds(Detection, st.just(()), st.sampled_from(["failed", "missing", "unsupported"]), st.text(max_size=5), st.just(0.0)),
)


@settings(max_examples=40, deadline=None)
@given(detections=st.lists(_detection, min_size=1, max_size=12), long=st.sets(st.integers(0, 11)))
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, detections: list[Detection], long: set[int]) -> None:
    lengths = [SHARD_CHARACTERS if i in long else 100 for i in range(len(detections))]
    cache = SpanCache(tmp_path_factory.mktemp("spans"), "c", "d", lengths)
    fill(cache, detections)
    table = cache.table()
    assert cache.complete
    assert len(table) == table.indptr[-1]
    for doc, detection in enumerate(detections):
        assert cache.spans(doc) == canonical(list(detection.spans))
        assert STATUSES[cache.statuses()[doc]] == detection.status
        assert cache.reasons().get(doc, "") == detection.reason
        assert cache.seconds()[doc] == detection.seconds or (math.isnan(detection.seconds) and math.isnan(cache.seconds()[doc]))
    assert cache.status_counts() == {s: sum(d.status == s for d in detections) for s in STATUSES}


@settings(max_examples=60, deadline=None)
@given(st.lists(_detection, max_size=8))
def test_a_part_survives_its_own_bytes(detections: list[Detection]) -> None:
    part = PartData.of_detections(5, detections)
    again = part.detections()
    assert PartData.of_detections(5, again).spans.spans() == part.spans.spans()
    assert [list(d.spans) for d in again] == [canonical(list(d.spans)) for d in detections]


def test_reading_a_part_starts_no_thread(tmp_path: Path) -> None:
    """A thread of Arrow's that still holds the part's bytes when the interpreter ends would abort the process (exit code 134)."""
    cache = three_parts(tmp_path)
    record = "part-00000.{}.parquet"
    script = f"""
import os, sys
from pathlib import Path
from bench.core.span_parts import read_part
folder = Path(sys.argv[1])
spans, docs = ((folder / name).read_bytes() for name in ({record.format("spans")!r}, {record.format("docs")!r}))
before = len(os.listdir("/proc/self/task"))
read_part(0, {cache.parts[0][1]}, spans, docs)
print(len(os.listdir("/proc/self/task")) - before)
"""
    arguments = [sys.executable, "-c", script, str(cache.directory)]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "0\n"


def test_columns_in_any_order_give_the_same_rows() -> None:
    rows = [(0, 1, 3, 1, 0, 0.5), (0, 1, 3, 0, 0, 0.5), (0, 0, 3, 0, 0, 0.1), (0, 1, 3, 0, 0, 0.9), (1, 0, 1, 1, 2, 1.0)]
    forward = SpanColumns.of(*zip(*rows, strict=True), labels=["A", "B"])  # type: ignore[misc,arg-type]
    backward = SpanColumns.of(*zip(*reversed(rows), strict=True), labels=["A", "B"])  # type: ignore[misc,arg-type]
    assert forward.spans() == backward.spans()
    assert forward.score.tolist() == [np.float32(0.1), np.float32(0.9), np.float32(0.5), 1.0]


def test_span_files_are_plain_parquet_that_others_can_read(tmp_path: Path) -> None:
    cache = three_parts(tmp_path)
    frame = pl.read_parquet(cache.directory / "part-00001.spans.parquet")
    assert frame.columns == ["doc", "start", "length", "label", "type", "score"]
    assert frame.row(0) == (256, 256, 2, "NAME", "PERSON", 0.5)
    docs = pl.read_parquet(cache.directory / "part-00002.docs.parquet")
    assert docs.row(87) == (599, "ok", "", 599.0)


def test_an_empty_cache_answers_missing_and_writes_nothing(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path / "spans", "c", "d", [10, 20])
    assert len(cache.table()) == 0
    assert cache.table().indptr.tolist() == [0, 0, 0]
    assert cache.status_counts()["missing"] == 2
    assert np.isnan(cache.seconds()).all()
    assert cache.todo() == [0]
    assert not (tmp_path / "spans").exists()


def test_parts_that_are_not_there_are_missing_documents(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", LENGTHS)
    fill(cache, people(600), only={0, 2})
    assert cache.todo() == [1]
    assert cache.status_counts() == {"ok": 344, "truncated": 0, "failed": 0, "missing": 256, "unsupported": 0}
    assert cache.spans(255) == [Span(255, 257, "NAME", "PERSON", 0.5)]
    assert cache.spans(256) == []
    assert cache.spans(512) == [Span(512, 514, "NAME", "PERSON", 0.5)]
    assert len(cache.table()) == 344


def test_lookup_arrays_are_built_once_and_those_of_an_older_state_go(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", LENGTHS)
    fill(cache, people(600), only={0})
    cache.table()
    (old,) = cache.directory.glob("csr-*")
    fill(cache, people(600))
    cache.table()
    (new,) = cache.directory.glob("csr-*")
    assert old != new
    stamp = (new / "start.npy").stat().st_mtime_ns
    again = SpanCache(tmp_path, "c", "d", LENGTHS)
    assert again.spans(599) == [Span(599, 601, "NAME", "PERSON", 0.5)]
    assert (new / "start.npy").stat().st_mtime_ns == stamp
    assert isinstance(again.table().start, np.memmap)


# -- damage ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["spans.parquet", "docs.parquet", "json"])
@pytest.mark.parametrize("how", ["flip", "truncate", "append", "empty", "delete"])
def test_a_damaged_part_is_named_and_not_served(tmp_path: Path, suffix: str, how: str, caplog: pytest.LogCaptureFixture) -> None:
    path = three_parts(tmp_path).directory / f"part-00001.{suffix}"
    body = path.read_bytes()
    middle = len(body) // 2
    if how == "flip":
        path.write_bytes(body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :])
    elif how == "truncate":
        path.write_bytes(body[:-7])
    elif how == "append":
        path.write_bytes(body + b"0")
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
    cache = SpanCache(tmp_path, "c" * 32, "d" * 32, LENGTHS)
    assert cache.todo() == [1]
    assert not cache.complete
    assert cache.spans(300) == []
    assert STATUSES[cache.statuses()[300]] == "missing"
    assert cache.spans(0) == [Span(0, 2, "NAME", "PERSON", 0.5)]
    if (suffix, how) == ("json", "delete"):  # never committed, as far as anyone can tell
        assert cache.damaged == []
    else:
        (line,) = cache.damaged
        assert path.name in line
        assert line in caplog.text


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("schema", 99, "span schema 99, this version reads 1"),
        ("first", 0, "first is 0, not 256"),
        ("corpus", "e", "corpus is 'e'"),
    ],
)
def test_a_part_of_another_schema_corpus_or_range_is_refused_by_name(tmp_path: Path, key: str, value: object, says: str) -> None:
    path = three_parts(tmp_path).directory / "part-00001.json"
    record = json.loads(path.read_bytes())
    record.pop("digest")
    record[key] = value
    body = canonical_json(record)
    seal = f',"digest":"{hashlib.sha256(body).hexdigest()}"}}'
    path.write_bytes(body[:-1] + seal.encode())
    cache = SpanCache(tmp_path, "c" * 32, "d" * 32, LENGTHS)
    assert cache.todo() == [1]
    assert says in cache.damaged[0]


def test_parts_of_one_detector_copied_to_another_are_not_served(tmp_path: Path) -> None:
    import shutil

    source = three_parts(tmp_path).directory
    shutil.copytree(source, source.with_name("e" * 32))
    other = SpanCache(tmp_path, "c" * 32, "e" * 32, LENGTHS)
    assert other.todo() == [0, 1, 2]
    assert len(other.damaged) == 3
    assert len(other.table()) == 0


@pytest.mark.parametrize("name", ["start.npy", "indptr.npy", "labels.json", "arrays.json"])
def test_altered_lookup_arrays_are_built_again(tmp_path: Path, name: str) -> None:
    cache = three_parts(tmp_path)
    expected = [cache.spans(doc) for doc in range(600)]
    (place,) = cache.directory.glob("csr-*")
    body = (place / name).read_bytes()
    (place / name).write_bytes(body[:-1] + bytes([body[-1] ^ 1]))
    again = SpanCache(tmp_path, "c" * 32, "d" * 32, LENGTHS)
    assert [again.spans(doc) for doc in range(600)] == expected


def test_a_part_that_vanishes_between_check_and_read_is_an_error_not_an_empty_answer(tmp_path: Path) -> None:
    cache = three_parts(tmp_path)
    assert cache.complete
    (cache.directory / "part-00001.spans.parquet").unlink()
    with pytest.raises(StoreError, match="changed while it was read"):
        cache.table()


# -- parts in progress -------------------------------------------------------------------------------------------------------


def opened(cache: SpanCache, index: int = 0):  # type: ignore[no-untyped-def]
    part = cache.open_part(index)
    assert part is not None
    return part


def test_a_part_left_open_resumes_at_the_first_missing_document(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", [50] * 4)
    answers = [
        Detection([Span(1, 3, "NAME", "PERSON", 1 / 3)], "ok", "", 0.1),
        Detection((), "failed", "zeile\r\nzwei \ud800 ☃", math.nan),
        *people(2),
    ]
    with opened(cache) as part:
        part.add(0, answers[0])
        part.add(1, answers[1])
        assert cache.open_part(0) is None  # another hand is refused
    assert cache.todo() == [0]
    with opened(cache) as part:
        assert part.missing == [2, 3]
        assert part.done[0] == answers[0]
        assert part.done[1].reason == answers[1].reason
        assert math.isnan(part.done[1].seconds)


def test_a_resumed_part_has_the_bytes_of_an_uninterrupted_one(tmp_path: Path) -> None:
    answers = [Detection([Span(1, 3, "NAME", "PERSON", 1 / 3), Span(0, 2, "NR", "ID", 0.1)], "ok", "", 0.1 * i) for i in range(4)]
    for name, stop in (("whole", 4), ("broken", 2)):
        cache = SpanCache(tmp_path / name, "c", "d", [50] * 4)
        with opened(cache) as part:
            for doc in range(stop):
                part.add(doc, answers[doc])
            if stop == 4:
                part.commit(HARDWARE)
        if stop < 4:
            with opened(cache) as part:
                for doc in part.missing:
                    part.add(doc, answers[doc])
                part.commit(HARDWARE)
    for suffix in ("spans.parquet", "docs.parquet", "json"):
        one, two = (tmp_path / name / "c" / "d" / f"part-00000.{suffix}" for name in ("whole", "broken"))
        assert one.read_bytes() == two.read_bytes()
    assert sorted(p.name for p in (tmp_path / "broken" / "c" / "d").iterdir()) == [
        "part-00000.docs.parquet",
        "part-00000.json",
        "part-00000.spans.parquet",
    ]


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 400))
def test_a_journal_cut_anywhere_keeps_every_whole_line(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    cache = SpanCache(tmp_path_factory.mktemp("spans"), "c", "d", [50] * 4)
    with opened(cache) as part:
        for doc, answer in enumerate(people(3)):
            part.add(doc, answer)
    path = cache.directory / "part-00000.journal"
    body = path.read_bytes()
    path.write_bytes(body[:cut])
    whole = max(0, body[:cut].count(b"\n") - 1)
    with opened(cache) as part:
        assert part.done == {doc: people(3)[doc] for doc in range(whole)}
        assert part.problems == []
        for doc in part.missing:
            part.add(doc, people(4)[doc])
        part.commit(HARDWARE)
    assert cache.spans(3) == [Span(3, 5, "NAME", "PERSON", 0.5)]


def test_an_altered_journal_line_costs_its_own_document_only(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", [50] * 4)
    with opened(cache) as part:
        for doc, answer in enumerate(people(4)):
            part.add(doc, answer)
    path = cache.directory / "part-00000.journal"
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b"NAME", b"NAM\r")
    path.write_bytes(b"\n".join(lines))
    with opened(cache) as part:
        assert part.missing == [1]
        assert "1 altered lines" in part.problems[0]


def test_a_journal_of_another_detector_is_not_believed(tmp_path: Path) -> None:
    for name in "de":
        cache = SpanCache(tmp_path, "c", name, [50] * 4)
        with opened(cache) as part:
            part.add(0, people(1)[0])
    (tmp_path / "c" / "d" / "part-00000.journal").replace(cache.directory / "part-00000.journal")
    with opened(cache) as part:
        assert part.done == {}
        assert "belongs to another" in part.problems[0]


def test_a_document_of_another_part_and_an_unfinished_commit_are_refused(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", LENGTHS)
    with opened(cache) as part:
        with pytest.raises(ValueError, match="document 256 is not in part 0"):
            part.add(256, people(1)[0])
        with pytest.raises(ValueError, match="lacks 256 documents"):
            part.commit(HARDWARE)


def test_forgetting_failures_keeps_the_rest(tmp_path: Path) -> None:
    cache = SpanCache(tmp_path, "c", "d", LENGTHS)
    answers = people(600)
    answers[3] = answers[599] = Detection((), "failed", "why", 0.0)
    fill(cache, answers)
    assert cache.forget(only_failed=True) == 2
    assert cache.todo() == [0, 2]
    with opened(cache, 2) as part:
        assert part.missing == [599]
        part.add(599, people(600)[599])
        part.commit(HARDWARE)
    with opened(cache, 0) as part:
        assert part.missing == [3]
    assert cache.forget(only_failed=True) == 0
    cache.refresh()
    assert cache.forget(only_failed=False) == 255 + 256 + 88
    assert cache.todo() == [0, 1, 2]


def test_a_full_disk_is_one_line_and_what_was_committed_stays(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = """
import resource, sys
from pathlib import Path
from bench.core.errors import StoreError
from bench.core.jsonio import canonical as canonical_json
from bench.core.model import Detection, Span
from bench.core.spancache import SpanCache
cache = SpanCache(Path(sys.argv[1]), "c", "d", [150_000, 150_000])
for index, count in enumerate([1, 20_000]):
    with cache.open_part(index) as part:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        try:
            spans = [Span(i * i % 90_001, i * i % 90_001 + 1, "N", "PERSON", i / 20_011) for i in range(count)]
            part.add(index, Detection(spans))
            part.commit({})
        except StoreError as error:
            print(error)
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {str(tmp_path / 'c' / 'd' / 'part-00001.journal')!r}: File too large\n"
    cache = SpanCache(tmp_path, "c", "d", [150_000, 150_000])
    assert cache.todo() == [1]
    assert cache.damaged == []
    with opened(cache, 1) as part:
        assert part.missing == [1]


def test_nothing_is_left_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0  # noqa: PTH208
    cache = SpanCache(tmp_path, "c", "d", LENGTHS)
    for index in range(3):
        with opened(cache, index) as part:
            part.add(part.first, people(1)[0])
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0  # noqa: PTH208
    assert after == before
