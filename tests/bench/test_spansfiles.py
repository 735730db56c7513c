"""Spans files: what is read, what is refused and how, the round trip, and the real files of the field's tools."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.corpus import Corpus
from bench.core.errors import DataError, DeidbenchError, DetectorError, LabelError, NotAvailableError, UsageError
from bench.core.model import STATUSES, Span
from bench.core.spancache import SpanCache
from bench.core.taxonomy import TYPES
from bench.detection import detect
from bench.spansfiles import (
    Imported,
    SpansFile,
    export_spans,
    find_imported,
    fingerprint_of,
    import_spans,
    imported_detectors,
)
from tests.reference.small_corpus import small_corpus

#: The second has an astral character: UTF-16 offsets would run past its end.
TEXTS = ["Ann met Bob in Bonn.", "😀 Kay", "nobody here"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return small_corpus(tmp_path_factory.mktemp("corpus") / "small", TEXTS)


class Bench:
    """Imports into one workspace."""

    def __init__(self, corpus: Corpus, root: Path) -> None:
        self.corpus, self.root = corpus, root

    def write(self, content: Any, name: str = "file.jsonl") -> Path:
        path = self.root / name
        self.root.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, list):
            path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def load(self, content: Any, name: str = "file.jsonl", **options: Any) -> Imported:
        return import_spans(self.corpus, self.write(content, name), "theirs", spans_root=self.root / "spans", **options)

    def cache(self, imported: Imported) -> SpanCache:
        return SpanCache.of(self.root / "spans", self.corpus, imported.fingerprint)

    def spans(self, imported: Imported) -> list[list[Span]]:
        cache = self.cache(imported)
        return [cache.spans(doc) for doc in range(len(self.corpus))]


@pytest.fixture
def bench(corpus: Corpus, tmp_path: Path) -> Bench:
    return Bench(corpus, tmp_path / "w")


def ann(**more: Any) -> dict[str, Any]:
    return {"doc_id": "d0", "spans": [{"start": 0, "end": 3, "label": "PERSON"}], **more}


# -- what is read ------------------------------------------------------------------------------------------------------------


def test_jsonl_becomes_a_detector_of_this_corpus(bench: Bench) -> None:
    imported = bench.load(
        [
            {"doc_id": "d1", "spans": [{"start": 2, "end": 5, "label": "NAME", "score": 0.5, "text": "Kay"}], "seconds": 0.25},
            {
                "doc_id": "d0",
                "spans": [
                    {"start": 15, "end": 19, "label": "PLACE"},
                    {"start": 0, "end": 3, "label": "NAME"},
                    {"start": 8, "end": 11, "label": "NR"},
                    {"start": 0, "end": 3, "label": "NAME"},
                ],
                "status": "truncated",
                "reason": "window",
            },
        ],
        labels={"NAME": "PERSON", "PLACE": "LOCATION", "NR": "-"},
        seconds=2.0,
    )
    assert bench.spans(imported) == [
        [Span(0, 3, "NAME", "PERSON"), Span(15, 19, "PLACE", "LOCATION")],
        [Span(2, 5, "NAME", "PERSON", 0.5)],
        [],
    ]
    cache = bench.cache(imported)
    assert [STATUSES[code] for code in cache.statuses()] == ["truncated", "ok", "missing"]
    assert cache.seconds()[:2].tolist() == [2.0, 0.25]
    assert math.isnan(cache.seconds()[2])
    assert cache.reasons() == {0: "window"}
    assert imported.counts == {"documents": 3, "spans": 3, "duplicates": 1, "ignored": 1, "missing": 1, "skipped": 0}
    assert (imported.spec.adapter, imported.spec.name, imported.spec.source) == ("spans-file", "theirs", "file.jsonl")


def test_unknown_costs_are_not_zero(bench: Bench) -> None:
    assert np.isnan(bench.cache(bench.load([ann()])).seconds()).all()


def test_tab_layout_overlaps_and_descending_order(bench: Bench) -> None:
    content = {"d0": [[8, 11, "someone"], [0, 11, "X"], [0, 3, "a person"]], "d1": [], "d2": [[0, 6]]}
    imported = bench.load(content, "theirs.json")
    assert bench.spans(imported) == [
        [Span(0, 3, "SPAN", "OTHER"), Span(0, 11, "SPAN", "OTHER"), Span(8, 11, "SPAN", "OTHER")],
        [],
        [Span(0, 6, "SPAN", "OTHER")],
    ]
    assert bench.cache(imported).status_counts()["ok"] == 3


def test_third_elements_are_labels_when_all_of_them_are_in_the_map(bench: Bench) -> None:
    content = {"d0": [[0, 3, "PER"], [15, 19, "GPE"]]}
    labels = {"PER": "PERSON", "GPE": "LOCATION"}
    mapped = [Span(0, 3, "PER", "PERSON"), Span(15, 19, "GPE", "LOCATION")]
    plain = [Span(0, 3, "SPAN", "OTHER"), Span(15, 19, "SPAN", "OTHER")]
    assert bench.spans(bench.load(content, "t.json", labels=labels))[0] == mapped
    assert bench.spans(bench.load(content, "t.json", labels={"PER": "PERSON"}))[0] == plain
    assert bench.spans(bench.load(content, "t.json"))[0] == plain
    assert bench.spans(bench.load(content, "t.json", labels=labels, third="ignore"))[0] == plain
    with pytest.raises(LabelError, match="document 'd0', span 1: label 'GPE' has no entry"):
        bench.load(content, "t.json", labels={"PER": "PERSON"}, third="label")
    with pytest.raises(LabelError, match=r"\[0, 3\] has no label"):
        bench.load({"d0": [[0, 3]]}, "t.json", third="label")


def test_types_in_the_file_stand_unless_a_map_is_given(bench: Bench) -> None:
    record = {"doc_id": "d0", "spans": [{"start": 0, "end": 3, "label": "x", "type": "AGE"}]}
    assert bench.spans(bench.load([record]))[0] == [Span(0, 3, "x", "AGE")]
    assert bench.spans(bench.load([record], labels={"x": "ID"}))[0] == [Span(0, 3, "x", "ID")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl.gz", gzip.compress(json.dumps(ann()).encode())),
        ("a.json.gz", gzip.compress(b'{"d0": [[0, 3, "PERSON"]]}')),
        ("no-suffix", json.dumps(ann()).encode()),
        ("pretty.json", json.dumps({"d0": [[0, 3, "PERSON"]]}, indent=2).encode()),
        ("bom.jsonl", b"\xef\xbb\xbf" + json.dumps(ann()).encode()),
        ("bom.json", b'\xef\xbb\xbf{"d0": [[0, 3, "PERSON"]]}'),
        ("blank.jsonl", b"\r\n" + json.dumps(ann()).encode() + b"\r\n\r\n"),
    ],
)
def test_the_layout_is_recognised(bench: Bench, name: str, content: bytes) -> None:
    assert bench.spans(bench.load(content, name))[0] == [Span(0, 3, "PERSON", "PERSON")]


def test_one_layout_can_be_forced(bench: Bench) -> None:
    assert bench.spans(bench.load({"d0": [[0, 3]]}, "odd.jsonl", layout="tab"))[0] == [Span(0, 3, "SPAN", "OTHER")]
    with pytest.raises(DataError, match="unknown key 'd0'"):
        bench.load({"d0": [[0, 3]]}, "t.json", layout="jsonl")


# -- what is refused ---------------------------------------------------------------------------------------------------------


def one(**span: Any) -> list[dict[str, Any]]:
    return [{"doc_id": "d1", "spans": [{"start": 2, "end": 5, "label": "PERSON", **span}]}]


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (one(end=6), DataError, ["line 1, document 'd1', span 0", "[2, 6)", "5 characters"]),
        (one(start=5, end=2), DataError, ["[5, 2)", "reversed"]),
        (one(end=2), DataError, ["[2, 2)", "empty"]),
        (one(start=-1), DataError, ["[-1, 5)"]),
        (one(start=2.0), DataError, ["start 2.0 is not an integer"]),
        (one(start="2"), DataError, ["start '2' is not an integer"]),
        (one(start=True), DataError, ["start True is not an integer"]),
        (one(end=10**30), DataError, ["outside the text"]),
        (one(text="Key"), DataError, ["text 'Key' differs from the corpus's 'Kay'"]),
        (one(label="CITY"), LabelError, ["document 'd1', span 0", "label 'CITY' has no entry", "--label CITY=TYPE"]),
        (one(label=7), DataError, ["label 7 is not a string"]),
        (one(label="\ud800"), DataError, ["half of a surrogate pair"]),
        (one(type="HUMAN"), LabelError, ["'HUMAN' is not a type", "PERSON"]),
        (one(score="high"), DataError, ["score 'high'"]),
        (one(score=10**400), DataError, ["score 1000", "not a finite number"]),
        (one(score=float("nan")), DataError, ["score nan"]),
        (one(lable="x"), DataError, ["unknown key 'lable'", "label"]),
        ([{"doc_id": "d1", "span": []}], DataError, ["unknown key 'span'", "spans"]),
        ([{"doc_id": "d1"}], DataError, ["key 'spans' is missing"]),
        ([{"doc_id": "d1", "spans": None}], DataError, ["spans None is not a list"]),
        ([{"doc_id": "d1", "spans": [[0, 1]]}], DataError, ["[0, 1] is not an object"]),
        ([{"doc_id": 1, "spans": []}], DataError, ["doc_id 1 is not a string"]),
        ([{"doc_id": "x9", "spans": []}], DataError, ["document 'x9'", "corpus 'small' has no such document", "--skip-unknown"]),
        ([ann(), ann()], DataError, ["line 2, document 'd0'", "twice"]),
        ([ann(status="fine")], DataError, ["unknown status 'fine'", "ok"]),
        ([ann(status="failed")], DataError, ["status 'failed' cannot have spans"]),
        ([ann(seconds=-1)], DataError, ["seconds -1"]),
        ("", DataError, ["no documents"]),
        ("{}", DataError, ["key 'doc_id' is missing"]),
        ("[1]", DataError, ["[1] is not an object"]),
        ("{", DataError, ["line 1", "not valid JSON"]),
        (b"\xff\xfe{}", DataError, ["not UTF-8"]),
        ('{"doc_id": "d0", "doc_id": "d1", "spans": []}', DataError, ["duplicate key 'doc_id'"]),
    ],
)
def test_wrong_jsonl_is_one_line_that_names_file_document_and_value(
    bench: Bench, content: Any, kind: type[DeidbenchError], says: list[str]
) -> None:
    with pytest.raises(kind) as caught:
        bench.load(content)
    message = str(caught.value)
    assert "file.jsonl" in message
    assert "\n" not in message
    for part in says:
        assert part in message
    assert imported_detectors(bench.root / "spans") == {}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"d0": [[0, 3], [18, 21]]}, ["document 'd0', span 1", "[18, 21)", "20 characters"]),
        ({"d0": [[0]]}, ["document 'd0': [0] is not a list of [start, end]"]),
        ({"d0": [[0, 1, "x", 2]]}, ["is not a list of [start, end]"]),
        ({"d0": [{"start": 0}]}, ["document 'd0'"]),
        ({"d0": "Ann met Bob"}, ["document 'd0'", "'Ann met Bob'", '"doc_id"']),
        ({"d0": [[0, 1.5]]}, ["end 1.5 is not an integer"]),
        ({"d9": [[0, 1]]}, ["document 'd9'", "no such document"]),
        ('{"d0": [[0, 1]], "d0": []}', ["duplicate key 'd0'"]),
        ("[]", ["is not an object of document ids"]),
        ("{}", ["no documents"]),
        (b'{"d0": [[0, 1]]', ["not valid JSON"]),
    ],
)
def test_wrong_tab_layout_is_one_line(bench: Bench, content: Any, says: list[str]) -> None:
    if isinstance(content, list):
        content = json.dumps(content)
    with pytest.raises(DataError) as caught:
        bench.load(content, "theirs.json")
    assert "theirs.json" in str(caught.value)
    for part in says:
        assert part in str(caught.value)


def test_unreadable_files_are_one_line(bench: Bench) -> None:
    with pytest.raises(DataError, match=r"cannot read .*nothing.json.*No such file"):
        import_spans(bench.corpus, bench.root / "nothing.json", "theirs", spans_root=bench.root / "spans")
    packed = gzip.compress(json.dumps(ann()).encode() * 50)
    for body in (packed[:-9], packed[:40], b"not gzip", packed[:20] + b"\xff" * 20):
        with pytest.raises(DataError, match="cannot read"):
            bench.load(body, "a.jsonl.gz")


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("../up", {}, "cannot be a folder name"),
        ("rampart", {"reserved": ["rampart"]}, "is taken"),
        ("theirs", {"seconds": -0.5}, "seconds per document -0.5"),
        ("theirs", {"seconds": math.nan}, "seconds per document nan"),
        ("theirs", {"labels": {"x": "HUMAN"}}, "'HUMAN'"),
    ],
)
def test_wrong_use_is_told(bench: Bench, name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        import_spans(bench.corpus, bench.write([ann()]), name, spans_root=bench.root / "spans", **options)


def test_documents_of_a_larger_collection_can_be_left_out_but_not_all(bench: Bench) -> None:
    content = {"x1": [[0, 99999]], "d0": [[0, 3]], "x2": []}
    imported = bench.load(content, "t.json", skip_unknown=True)
    assert imported.counts["skipped"] == 2
    assert imported.counts["missing"] == 2
    with pytest.raises(DataError, match="none of its 1 documents is in corpus 'small', whose first document is 'd0'"):
        bench.load({"x1": []}, "t.json", skip_unknown=True)


# -- the record of the workspace ---------------------------------------------------------------------------------------------


def test_the_fingerprint_is_of_the_content_not_of_the_file(bench: Bench) -> None:
    first = bench.load([ann()])
    same = bench.load({"d0": [[0, 3, "PERSON"], [0, 3, "PERSON"]]}, "other.json")
    assert same.fingerprint == first.fingerprint == fingerprint_of(first.spec)
    others = [
        bench.load(content, **options)
        for content, options in [
            ([{**ann(), "seconds": 1.0}], {}),
            ([{**ann(), "status": "truncated"}], {}),
            ([ann(), {"doc_id": "d2", "spans": []}], {}),
            ([{"doc_id": "d0", "spans": [{"start": 0, "end": 3, "label": "PERSON", "score": 0.5}]}], {}),
            ([{"doc_id": "d0", "spans": [{"start": 0, "end": 3, "label": "AGE"}]}], {}),
            ([ann()], {"labels": {"PERSON": "ID"}}),
        ]
    ]
    assert len({first.fingerprint, *(other.fingerprint for other in others)}) == 7


def test_an_import_is_found_by_name_for_its_corpus_only(bench: Bench, tmp_path: Path) -> None:
    root = bench.root / "spans"
    assert find_imported(root, "theirs", bench.corpus.fingerprint) is None
    first = bench.load([ann()])
    assert find_imported(root, "theirs", bench.corpus.fingerprint) == first
    second = bench.load([{**ann(), "seconds": 3.0}])
    assert find_imported(root, "theirs", bench.corpus.fingerprint) == second != first
    other = small_corpus(tmp_path / "other", ["Zoe"])
    assert find_imported(root, "theirs", other.fingerprint) is None
    path = bench.write([{"doc_id": "d0", "spans": []}], "other.jsonl")
    third = import_spans(other, path, "theirs", spans_root=root)
    assert find_imported(root, "theirs", other.fingerprint) == third
    assert find_imported(root, "theirs", bench.corpus.fingerprint) == second
    assert sorted(i.fingerprint for i in imported_detectors(root)["theirs"]) == sorted([second.fingerprint, third.fingerprint])


def test_an_imported_detector_answers_from_the_cache_and_is_never_run(bench: Bench) -> None:
    spec = bench.load([ann()]).spec
    summary = detect(bench.corpus, spec, bench.root / "spans", fresh=True, retry_failed=True)
    assert (summary.computed, summary.cached, summary.by_status["missing"]) == (0, 3, 2)
    assert math.isnan(summary.seconds)
    assert summary.as_json()["seconds"] is None
    with pytest.raises(NotAvailableError, match="import them for this corpus"):
        detect(bench.corpus, spec, bench.root / "elsewhere")
    assert "bench detectors spans import" in SpansFile.missing(spec)
    with pytest.raises(DetectorError, match="'theirs' is an imported spans file"):
        SpansFile(spec).detect([])


# -- round trip --------------------------------------------------------------------------------------------------------------

_span = st.builds(
    lambda start, length, label, score: {"start": start, "end": min(start + length, 20), **label, "score": score},
    st.integers(0, 19),
    st.integers(1, 20),
    st.sampled_from([{"label": n, "type": t} for n, t in [("PER", "PERSON"), ("年", "DATE"), ('q"\\\n', "OTHER"), ("ID", "ID")]]),
    st.floats(0, 1) | st.floats(-1e30, 1e30),
)
_record = st.one_of(
    st.fixed_dictionaries({"spans": st.lists(_span, max_size=5), "status": st.sampled_from(["ok", "truncated"])}),
    st.fixed_dictionaries(
        {
            "spans": st.just([]),
            "status": st.sampled_from(["failed", "unsupported"]),
            "reason": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            "seconds": st.floats(0, 1e6),
        }
    ),
)


@settings(max_examples=40, deadline=None)
@given(records=st.dictionaries(st.sampled_from(["d0", "d1", "d2"]), _record, min_size=1), packed=st.booleans())
def test_export_and_import_give_the_same_back(
    tmp_path_factory: pytest.TempPathFactory, records: dict[str, dict[str, Any]], packed: bool
) -> None:
    root = tmp_path_factory.mktemp("round")
    corpus = small_corpus(root / "corpus", ["x" * 20] * 3)
    bench = Bench(corpus, root / "w")
    first = bench.load([{"doc_id": doc_id, **record} for doc_id, record in records.items()])
    out = root / ("out.jsonl.gz" if packed else "out.jsonl")
    assert export_spans(corpus, bench.cache(first), out) == len(records)
    second = import_spans(corpus, out, "theirs", spans_root=root / "second")
    assert second.fingerprint == first.fingerprint
    assert second.counts == {**first.counts, "duplicates": 0}
    one, two = (SpanCache.of(r, corpus, first.fingerprint) for r in (bench.root / "spans", root / "second"))
    for doc in range(3):
        assert one.spans(doc) == two.spans(doc)
    assert one.statuses().tolist() == two.statuses().tolist()
    assert np.array_equal(one.seconds(), two.seconds(), equal_nan=True)
    assert one.reasons() == two.reasons()
    for doc_id, record in records.items():  # and it is what went in
        wanted = {(s["start"], s["end"], s["label"], s["type"]) for s in record["spans"]}
        assert {(s.start, s.end, s.label, s.type) for s in one.spans(int(doc_id[1:]))} == wanted
    again = root / "again.jsonl.gz"
    export_spans(corpus, two, again)
    if packed:
        assert again.read_bytes() == out.read_bytes()


def test_scores_are_written_short(bench: Bench) -> None:
    imported = bench.load([{"doc_id": "d0", "spans": [{"start": 0, "end": 3, "label": "PERSON", "score": 0.9}]}])
    out = bench.root / "out.jsonl"
    export_spans(bench.corpus, bench.cache(imported), out)
    assert json.loads(out.read_text(encoding="utf-8"))["spans"] == [
        {"start": 0, "end": 3, "label": "PERSON", "type": "PERSON", "score": 0.9}
    ]


# -- real files --------------------------------------------------------------------------------------------------------------

REAL = {
    "TAB_test_Presidio_Entity.json": (5163, 0),
    "TAB_test_spaCy_Entity.json": (None, 0),
    "TAB_test_St.NER7_Entity.json": (None, 0),
    "TAB_test_Manual_INTACT.json": (7340, 1),
    "TAB_all_Manual_Entity.json.gz": (7340, 1),
}


@pytest.mark.parametrize("name", REAL)
def test_masks_of_real_systems_over_the_test_judgments(shared_data: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    """Counts of the data's own description: 5,163 spans of Presidio; 7,341 manual ones, one of them twice."""
    originals = json.loads(shared_data("tab/tae/TAB_test_BK=Original.json").read_text(encoding="utf-8"))
    corpus = write_named(tmp_path / "corpus", originals)
    path = shared_data(f"tab/tae/{name}")
    imported = import_spans(corpus, path, "theirs", spans_root=tmp_path / "spans", skip_unknown=name.endswith(".gz"))
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    content = {doc_id: spans for doc_id, spans in json.loads(raw).items() if doc_id in originals}
    spans, duplicates = REAL[name]
    assert imported.counts["spans"] == (spans or sum(map(len, content.values())))
    assert imported.counts["duplicates"] == duplicates
    assert imported.counts["missing"] == 0
    cache = SpanCache.of(tmp_path / "spans", corpus, imported.fingerprint)
    for index, doc_id in enumerate(corpus.doc_ids):
        assert [(s.start, s.end) for s in cache.spans(index)] == sorted({(s[0], s[1]) for s in content[doc_id]})
        assert {s.type for s in cache.spans(index)} <= {"OTHER"}


def write_named(directory: Path, texts: dict[str, str]) -> Corpus:
    from bench.core.corpus_writer import write_corpus
    from bench.core.model import Document
    from tests.reference.small_corpus import TextSource

    records = ((Document(doc_id, text, "en"), ()) for doc_id, text in texts.items())
    return write_corpus(TextSource([], name="tab-test"), directory, records=records)


def test_every_type_can_be_imported_by_its_own_name(bench: Bench) -> None:
    spans = [{"start": i, "end": i + 1, "label": name} for i, name in enumerate(TYPES)]
    imported = bench.load([{"doc_id": "d0", "spans": spans}])
    assert [span.type for span in bench.spans(imported)[0]] == list(TYPES)
