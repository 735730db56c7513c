"""The TAB loader: on the real files (figures from their documentation), on hand-made layers, and on every kind of bad input."""

from __future__ import annotations

import copy
import gzip
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.core.errors import DataError, LabelError, UnknownNameError, UsageError
from bench.core.model import Document, Mention
from corpora.checks import check_corpus
from corpora.tab import TabLoader, merged_mentions
from corpora.tab_format import TabMention, natural, tab_documents
from corpora.validate import validated

TRAIN = "tab/original_format/train_100.json"
RESHAPED = "tab/spia/entity_tab_144.jsonl"


def load(path: Path, **options: str) -> list[tuple[Document, Sequence[Mention]]]:
    return list(validated(TabLoader().open(path, options).records()))


def raw_mention(number: int, start: int, text: str, label: str = "PERSON", annotator: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "entity_type": label,
        "entity_mention_id": f"d_a{annotator}_em{number}",
        "start_offset": start,
        "end_offset": start + len(text),
        "span_text": text,
        "edit_type": "check",
        "identifier_type": "QUASI",
        "entity_id": f"d_a{annotator}_e{number}",
        "confidential_status": "NOT_CONFIDENTIAL",
        **more,
    }


def raw_document(doc_id: str = "d", **more: Any) -> dict[str, Any]:
    return {
        "annotations": {"annotator1": {"entity_mentions": [raw_mention(1, 0, "Ann")]}},
        "quality_checked": [],
        "text": "Ann met Bo in Oslo.",
        "task": "Task: Annotate the document to anonymise the following person: Ann",
        "meta": {"year": 2001, "legal_branch": "CHAMBER", "countries": "NOR", "applicant": "Ann", "articles": []},
        "doc_id": doc_id,
        "dataset_type": "train",
        **more,
    }


def written(path: Path, *documents: Any) -> Path:
    path.write_text(json.dumps(list(documents), ensure_ascii=False), encoding="utf-8")
    return path


# --- the real files -------------------------------------------------------------------------------------------------------------


def test_upstream_sample_has_the_documented_counts(shared_data: Callable[[str], Path]) -> None:
    documents = list(tab_documents([shared_data(TRAIN)]))
    layers = [layer for document in documents for layer in document.layers.values()]
    assert (len(documents), len(layers), sum(map(len, layers))) == (100, 129, 6886)
    sizes = Counter(
        e for d in documents for name, layer in d.layers.items() for e in [(d.doc_id, name, m.entity_id) for m in layer]
    )
    assert (len(sizes), sum(size > 1 for size in sizes.values())) == (5308, 736)


def test_upstream_sample_single_layers_pass_the_checks_as_documented(shared_data: Callable[[str], Path]) -> None:
    found: Counter[str] = Counter()
    for document in tab_documents([shared_data(TRAIN)]):
        for name, layer in document.layers.items():
            record = (Document(document.doc_id, document.text, "en"), merged_mentions(document.doc_id, {name: layer}))
            assert len(record[1]) == len(layer)
            frame = check_corpus([record])
            found.update(dict(zip(frame["check"].to_list(), frame["count"].to_list(), strict=True)))
    assert found["mention_nested"] == 13
    assert found["entity_several_identifiers"] == 25
    assert found["entity_several_types"] == 4
    for name in ("mention_duplicate", "mention_overlapping", "mention_outside_text", "mention_empty", "text_not_nfc"):
        assert found[name] == 0


def naive_union(document: Mapping[str, Any]) -> tuple[dict[tuple[int, int, str], str], set[frozenset[tuple[int, int, str]]]]:
    """Strongest class of every distinct mention, and the entities as sets of mentions, straight from the raw JSON."""
    strength = ["NO_MASK", "QUASI", "DIRECT"]
    classes: dict[tuple[int, int, str], str] = {}
    groups: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
    for layer in document["annotations"].values():
        for m in layer["entity_mentions"]:
            key = (m["start_offset"], m["end_offset"], m["entity_type"])
            classes[key] = max(classes.get(key, "NO_MASK"), m["identifier_type"], key=strength.index)
            groups[m["entity_id"]].add(key)
    sets = list(groups.values())
    joined = True
    while joined:
        joined = False
        for i in range(len(sets)):
            for j in range(len(sets) - 1, i, -1):
                if sets[i] & sets[j]:
                    sets[i] |= sets.pop(j)
                    joined = True
    return classes, {frozenset(group) for group in sets}


def test_union_equals_a_naive_union_on_every_real_document(shared_data: Callable[[str], Path]) -> None:
    path = shared_data(TRAIN)
    loaded = load(path)
    raw = json.loads(path.read_bytes())
    assert [document.doc_id for document, _ in loaded] == [document["doc_id"] for document in raw]
    for source, (document, mentions) in zip(raw, loaded, strict=True):
        classes, entities = naive_union(source)
        assert {(m.start, m.end, m.label): m.identifier for m in mentions} == classes
        assert len(mentions) == len(classes)
        groups = defaultdict(set)
        for m in mentions:
            groups[m.entity_id].add((m.start, m.end, m.label))
        assert {frozenset(group) for group in groups.values()} == entities
        assert document.text == source["text"]
        assert document.case_id == document.doc_id
        assert set(groups) <= {m["entity_id"] for layer in source["annotations"].values() for m in layer["entity_mentions"]}


def test_first_takes_the_lowest_number_and_a_name_leaves_the_others_out(
    shared_data: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = shared_data(TRAIN)
    raw = json.loads(path.read_bytes())
    first = [min(d["annotations"], key=lambda name: int(name.removeprefix("annotator"))) for d in raw]
    for source, name, (_, mentions) in zip(raw, first, load(path, annotator="first"), strict=True):
        layer = source["annotations"][name]["entity_mentions"]
        assert {(m.start, m.end, m.identifier, m.entity_id) for m in mentions} == {
            (m["start_offset"], m["end_offset"], m["identifier_type"], m["entity_id"]) for m in layer
        }
    source = TabLoader().open(path, {"annotator": "annotator4"})
    with caplog.at_level(logging.WARNING):
        kept = list(source.records())
    assert [d.doc_id for d, _ in kept] == [d["doc_id"] for d in raw if "annotator4" in d["annotations"]]
    assert source.info.options == {"annotator": "annotator4", "documents_left_out": 85}
    assert "85 of 100 documents left out" in caplog.text


def test_reshaped_layout_and_its_test_split(shared_data: Callable[[str], Path]) -> None:
    everything = load(shared_data(RESHAPED))
    assert (len(everything), sum(len(mentions) for _, mentions in everything)) == (144, 6613)
    assert Counter(d.split for d, _ in everything) == {"train": 92, "dev": 21, "test": 31}
    texts = json.loads(shared_data("tab/tae/TAB_test_BK=Original.json").read_bytes())
    test = load(shared_data(RESHAPED), split="test")
    assert len(test) == 31
    for document, _ in test:
        assert document.text == texts[document.doc_id]


def test_both_layouts_agree_where_they_share_documents(shared_data: Callable[[str], Path]) -> None:
    upstream = {d.doc_id: d for d in tab_documents([shared_data(TRAIN)])}
    shared = [d for d in tab_documents([shared_data(RESHAPED)]) if d.doc_id in upstream]
    assert len(shared) == 18
    for document in shared:
        ((name, layer),) = document.layers.items()
        assert document.text == upstream[document.doc_id].text
        assert layer == upstream[document.doc_id].layers[name]
        assert {**upstream[document.doc_id].meta, "annotators": [name]} == document.meta


# --- hand-made layers -----------------------------------------------------------------------------------------------------------


def tab_mention(entity: str, start: int, end: int, identifier: str = "QUASI", type_: str = "PERSON") -> TabMention:
    return TabMention(f"{entity}@{start}", start, end, type_, type_, identifier, entity)


def test_union_joins_entities_through_a_third_and_keeps_the_strongest_class() -> None:
    layers = {
        "annotator10": [tab_mention("a10_e1", 0, 3, "DIRECT"), tab_mention("a10_e1", 10, 13, "NO_MASK")],
        "annotator2": [tab_mention("a2_e1", 0, 3, "NO_MASK"), tab_mention("a2_e2", 20, 23)],
        "annotator3": [tab_mention("a3_e9", 10, 13, "QUASI"), tab_mention("a3_e8", 20, 24)],
    }
    found = {(m.start, m.end): (m.entity_id, m.identifier) for m in merged_mentions("d", layers)}
    assert found == {
        (0, 3): ("a2_e1", "DIRECT"),
        (10, 13): ("a2_e1", "QUASI"),
        (20, 23): ("a2_e2", "QUASI"),
        (20, 24): ("a3_e8", "QUASI"),
    }
    backwards = {name: layers[name][::-1] for name in reversed(layers)}
    assert merged_mentions("d", backwards) == merged_mentions("d", layers)


def test_equal_spans_of_different_types_stay_apart() -> None:
    layers = {"annotator1": [tab_mention("e1", 0, 3)], "annotator2": [tab_mention("e2", 0, 3, type_="OTHER")]}
    assert [(m.type, m.entity_id) for m in merged_mentions("d", layers)] == [("PERSON", "e1"), ("OTHER", "e2")]


def test_one_entity_id_used_by_two_annotators_for_different_things_stays_two_entities() -> None:
    layers = {"annotator1": [tab_mention("e1", 0, 3)], "annotator2": [tab_mention("e1", 5, 8)]}
    assert [m.entity_id for m in merged_mentions("d", layers)] == ["annotator1:e1", "annotator2:e1"]


def test_annotators_sort_by_number() -> None:
    assert sorted(["annotator10", "annotator2", "b", "annotator1"], key=natural) == [
        "annotator1",
        "annotator2",
        "annotator10",
        "b",
    ]


def test_articles_are_decoded(tmp_path: Path) -> None:
    document = raw_document()
    document["meta"]["articles"] = [ord(char) for char in '["6", "p1-1"]']
    ((loaded, _),) = load(written(tmp_path / "t.json", document))
    assert loaded.meta["articles"] == ["6", "p1-1"]
    assert (loaded.meta["year"], loaded.meta["applicant"], loaded.meta["task"]) == (2001, "Ann", document["task"])
    document["meta"]["articles"] = [ord(char) for char in "[6"]
    with pytest.raises(DataError, match="'articles'"):
        load(written(tmp_path / "t.json", document))


def test_labels_map_into_the_taxonomy(tmp_path: Path) -> None:
    text = "ABCDEFGH"
    labels = ["PERSON", "CODE", "LOC", "ORG", "DEM", "DATETIME", "QUANTITY", "MISC"]
    mentions = [raw_mention(i, i, text[i], label) for i, label in enumerate(labels)]
    document = raw_document(text=text, annotations={"annotator1": {"entity_mentions": mentions}})
    ((_, loaded),) = load(written(tmp_path / "t.json", document))
    types = ["PERSON", "ID", "LOCATION", "ORGANISATION", "DEMOGRAPHIC", "DATE", "QUANTITY", "OTHER"]
    assert [(m.label, m.type) for m in loaded] == list(zip(labels, types, strict=True))


# --- files ----------------------------------------------------------------------------------------------------------------------


def test_folder_of_upstream_splits_is_read_in_order_and_alone(tmp_path: Path) -> None:
    written(tmp_path / "echr_test.json", raw_document("t", dataset_type="test"))
    written(tmp_path / "echr_train.json", raw_document("a"))
    dev = json.dumps([raw_document("v", dataset_type="dev")]).encode()
    (tmp_path / "echr_dev.json.gz").write_bytes(gzip.compress(dev))
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    assert [(d.doc_id, d.split) for d, _ in load(tmp_path)] == [("a", "train"), ("v", "dev"), ("t", "test")]
    assert [d.doc_id for d, _ in load(tmp_path, split="dev")] == ["v"]


def test_any_other_folder_is_read_by_name(tmp_path: Path) -> None:
    written(tmp_path / "b.json", raw_document("b"))
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(raw_document(i)) for i in ("x", "y")), encoding="utf-8")
    assert [d.doc_id for d, _ in load(tmp_path)] == ["x", "y", "b"]


def test_duplicate_ids_name_both_files(tmp_path: Path) -> None:
    written(tmp_path / "a.json", raw_document("x"))
    written(tmp_path / "b.json", raw_document("x"))
    with pytest.raises(DataError, match=r"'x' occurs twice: in .*a\.json and in .*b\.json"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"hello", "starts with b'h'"),
        (b"[1", "not valid JSON"),
        (b"[]", "no documents"),
        (b"[5]", "is 5, expected an object"),
        (b'[{"doc": 1}]', "no TAB document"),
        (b'{"001-1": [[0, 4]]}', "no TAB document"),
        (b"[\xff]", "not UTF-8"),
        (b'[{"text": "a", "text": "b"}]', "duplicate key 'text'"),
        (gzip.compress(b"[]", mtime=0)[:-6], "gzip"),
    ],
)
def test_files_that_are_no_tab(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        load(path)
    assert "t.json" in str(caught.value)


def test_missing_path_empty_folder_and_no_path(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file or folder"):
        load(tmp_path / "none.json")
    with pytest.raises(DataError, match="echr_train"):
        load(tmp_path)
    with pytest.raises(UsageError, match="needs a source"):
        TabLoader().open(None, {})


def mention_with(**change: Any) -> Callable[[dict[str, Any]], None]:
    def apply(document: dict[str, Any]) -> None:
        document["annotations"]["annotator1"]["entity_mentions"][0].update(change)

    return apply


def mention_without(key: str) -> Callable[[dict[str, Any]], None]:
    def apply(document: dict[str, Any]) -> None:
        del document["annotations"]["annotator1"]["entity_mentions"][0][key]

    return apply


def document_with(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(change)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (mention_with(span_text="Anna"), DataError, "'Anna' but the document has 'Ann' at 0:3"),
        (mention_with(end_offset=99), DataError, "0:99 lie outside the text of 19"),
        (mention_with(start_offset=-1), DataError, "-1:3 lie outside"),
        (mention_with(start_offset=3), DataError, "3:3 are empty"),
        (mention_with(start_offset=5), DataError, "5:3 are reversed"),
        (mention_with(start_offset=0.0), DataError, "'start_offset' is 0.0, expected a whole number"),
        (mention_with(start_offset=True), DataError, "'start_offset' is True"),
        (mention_with(start_offset="0"), DataError, "'start_offset' is '0'"),
        (mention_with(entity_type="NAME"), LabelError, "label 'NAME' of corpus tab"),
        (mention_with(identifier_type="DIRCT"), UnknownNameError, "did you mean 'DIRECT'"),
        (mention_with(identifier_type=""), UnknownNameError, "identifier class ''"),
        (mention_with(entity_id=""), DataError, "'entity_id' is empty"),
        (mention_without("entity_id"), DataError, "'entity_id' is missing"),
        (mention_without("span_text"), DataError, "'span_text' is missing"),
        (mention_without("entity_mention_id"), DataError, "'entity_mention_id' is missing"),
        (document_with(text=""), DataError, "'text' is empty"),
        (document_with(text=7), DataError, "'text' is 7, expected a string"),
        (document_with(text="\ud83dAnn"), DataError, r"lone surrogate U\+D83D at offset 0"),
        (document_with(doc_id=""), DataError, "'doc_id' is empty"),
        (document_with(dataset_type="validation"), DataError, "accepted: train, dev, test"),
        (document_with(annotations={}), DataError, "names no annotator"),
        (document_with(annotations=[]), DataError, "'annotations' is .*expected an object"),
        (document_with(annotations={"annotator1": {}}), DataError, "'entity_mentions' is missing"),
        (
            document_with(annotations={"annotator1": {"entity_mentions": [raw_mention(1, 0, "Ann"), raw_mention(1, 8, "Bo")]}}),
            DataError,
            "'d_a1_em1' occurs twice",
        ),
    ],
)
def test_malformed_documents_are_one_line_naming_file_document_and_value(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], error: type[Exception], message: str
) -> None:
    document = copy.deepcopy(raw_document())
    change(document)
    path = tmp_path / "t.json"
    path.write_text(json.dumps([document]), encoding="ascii")
    with pytest.raises(error, match=message) as caught:
        load(path)
    assert "t.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mention_error_names_its_id_and_annotator(tmp_path: Path) -> None:
    document = raw_document()
    document["annotations"]["annotator1"]["entity_mentions"][0]["span_text"] = "X"
    with pytest.raises(DataError, match=r"document 'd', annotator1, mention 0 \('d_a1_em1'\)"):
        load(written(tmp_path / "t.json", document))


def test_options_that_do_not_exist(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", raw_document())
    with pytest.raises(UnknownNameError, match="did you mean 'annotator'"):
        load(path, anotator="first")
    with pytest.raises(UnknownNameError, match="known: dev, test, train"):
        load(path, split="x")
    with pytest.raises(DataError, match="no document of split 'test'; splits present: train"):
        load(path, split="test")
    with pytest.raises(UnknownNameError, match=r"annotator 'annotator7'.*'annotator1'"):
        load(path, annotator="annotator7")
