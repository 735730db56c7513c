"""The plain format: the example of its documentation, every optional part, bad lines, and that what is written reads back."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.core.corpus_writer import write_corpus
from bench.core.errors import ConfigError, DataError, LabelError, StoreError, UnknownNameError, UsageError
from bench.core.model import Document, Mention
from bench.core.source import CorpusInfo, CorpusSource
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPE_CODE, TYPES
from corpora.export import write_jsonl
from corpora.jsonl import JsonlLoader
from corpora.stored import stored_records
from corpora.validate import validated

DOCS = Path(__file__).resolve().parents[2] / "docs" / "corpora.md"


def load(path: Path, **options: str) -> list[tuple[Document, Sequence[Mention]]]:
    return list(validated(JsonlLoader().open(path, options).records()))


def lines(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def plain(doc_id: str = "a", text: str = "Ann met Bo.", **more: Any) -> dict[str, Any]:
    return {"doc_id": doc_id, "text": text, "language": "en", "mentions": [], **more}


def test_the_documented_example_loads(tmp_path: Path) -> None:
    blocks = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    (example,) = [block for block in blocks if '"deidbench"' in block]
    path = tmp_path / "letters.jsonl"
    path.write_text(example, encoding="utf-8")
    source = JsonlLoader().open(path, {})
    (first, first_mentions), (second, second_mentions) = validated(source.records())
    assert (source.info.name, source.info.identity_scope, source.info.reference) == ("letters", "corpus", "manual")
    assert (first.doc_id, first.language, first.split, first.case_id) == ("letter-1", "en", "train", "patient-7")
    surfaces = [(first.text[m.start : m.end], m.type, m.label, m.entity_id) for m in first_mentions]
    assert surfaces == [("Dr. Wéber", "PERSON", "DOCTOR", "p1"), ("12 May", "DATE", "DATE", "letter-1#1")]
    assert [(second.text[m.start : m.end], m.type, m.identifier, m.entity_id) for m in second_mentions] == [
        ("Weber", "PERSON", "DIRECT", "p1")
    ]
    assert second.meta == {"ward": "B2"}
    assert second.language == "de"


def test_defaults_without_a_header(tmp_path: Path) -> None:
    record = plain(mentions=[{"start": 0, "end": 3, "type": "PERSON"}, {"start": 8, "end": 10, "label": "PERSON"}])
    source = JsonlLoader().open(lines(tmp_path / "a.jsonl", record), {})
    ((document, mentions),) = source.records()
    assert document == Document("a", "Ann met Bo.", "en")
    assert mentions == [
        Mention("a", 0, 3, "PERSON", "a#0", "", "PERSON"),
        Mention("a", 8, 10, "PERSON", "a#1", "", "PERSON"),
    ]
    assert (source.info.name, source.info.identity_scope) == ("jsonl", "document")
    assert source.info.labels == {name: name for name in TYPES}


def test_labels_of_the_header_map_ignore_and_refuse(tmp_path: Path) -> None:
    header = {"deidbench": {"format": 1, "labels": {"PER": "PERSON", "ORDINAL": "-"}}}
    mentions = [{"start": 0, "end": 3, "label": "PER"}, {"start": 4, "end": 7, "label": "ORDINAL"}]
    ((_, found),) = load(lines(tmp_path / "a.jsonl", header, plain(mentions=mentions)))
    assert [(m.type, m.label) for m in found] == [("PERSON", "PER")]
    with pytest.raises(LabelError, match=r"label 'LOC' of corpus jsonl.*a\.jsonl:2, document 'a', mention 0"):
        load(lines(tmp_path / "a.jsonl", header, plain(mentions=[{"start": 0, "end": 3, "label": "LOC"}])))
    with pytest.raises(DataError, match="type 'DATE', but the label map has 'PER' as 'PERSON'"):
        load(lines(tmp_path / "a.jsonl", header, plain(mentions=[{"start": 0, "end": 3, "label": "PER", "type": "DATE"}])))


def test_options_language_labels_and_split(tmp_path: Path) -> None:
    record = plain(mentions=[{"start": 0, "end": 3, "label": "PER"}], split="dev")
    del record["language"]
    path = lines(tmp_path / "a.jsonl", record, plain("b", split="test"))
    label_file = tmp_path / "labels.json"
    label_file.write_text('{"PER": "PERSON"}', encoding="utf-8")
    options = {"language": "de", "labels": str(label_file), "split": "dev"}
    source = JsonlLoader().open(path, options)
    ((document, mentions),) = source.records()
    assert (document.language, mentions[0].type) == ("de", "PERSON")
    assert source.info.options == {"language": "de", "labels": {"PER": "PERSON"}, "split": "dev"}
    with pytest.raises(DataError, match="no document of split 'train'; splits present: 'dev', 'test'"):
        load(path, **{**options, "split": "train"})
    with pytest.raises(DataError, match=r"a\.jsonl:1, document 'a': no language"):
        load(path, labels=str(label_file))
    label_file.write_text('{"PER": "PERSN"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="did you mean 'PERSON'"):
        load(path, **options)
    with pytest.raises(ConfigError, match="cannot read"):
        load(path, labels=str(tmp_path / "none.json"))


def test_line_ends_blank_lines_and_byte_order_mark(tmp_path: Path) -> None:
    text = "one\r\ntwo\u2028three\x85\n"
    path = tmp_path / "a.jsonl"
    body = json.dumps(plain("a", text), ensure_ascii=False) + "\r\n\r\n  \n" + json.dumps(plain("b"))
    path.write_bytes(b"\xef\xbb\xbf" + body.encode())
    assert [(d.doc_id, d.text) for d, _ in load(path)] == [("a", text), ("b", "Ann met Bo.")]
    path.write_bytes(gzip.compress(body.encode()))
    assert [d.doc_id for d, _ in load(path)] == ["a", "b"]


def test_characters_beyond_the_basic_plane_count_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        r'{"doc_id":"a","text":"\ud83d\ude00 Bo","language":"en","mentions":[{"start":2,"end":4,"type":"PERSON","text":"Bo"}]}'
    )
    ((document, (mention,)),) = load(path)
    assert document.text == "😀 Bo"
    assert document.text[mention.start : mention.end] == "Bo"


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ('{"doc_id": "a"', DataError, r"a\.jsonl:2: not valid JSON at column 15"),
        ("[1]", DataError, "the line' is .*expected an object"),
        ('{"doc_id":"a","doc_id":"b"}', DataError, "'doc_id' twice"),
        (plain(txt="x"), DataError, r"a\.jsonl:2: unknown key 'txt'; did you mean 'text'"),
        (plain(entities=[]), DataError, "unknown key 'entities'"),
        (plain(mentions=[{"start": 0, "end": 3, "typ": "PERSON"}]), DataError, "unknown key 'typ'; did you mean 'type'"),
        ({"text": "x", "language": "en", "mentions": []}, DataError, "'doc_id' is missing"),
        ({"doc_id": "a", "text": "x", "language": "en"}, DataError, "'mentions' is missing"),
        (plain(text=""), DataError, "has no text"),
        (plain(text=" \n"), DataError, "has no text but white space"),
        (plain(text=None), DataError, "'text' is None, expected a string"),
        (plain(language="English"), DataError, "language is 'English'"),
        (plain(split="validation"), DataError, "split is 'validation'; accepted: train, dev, test"),
        (plain("h"), DataError, r"a\.jsonl:2: document id 'h' is taken by .*a\.jsonl:1"),
        (plain(mentions=[{"start": 0, "end": 12, "type": "PERSON"}]), DataError, "0:12 lie outside the text of 11"),
        (plain(mentions=[{"start": 2, "end": 2, "type": "PERSON"}]), DataError, "2:2 are empty"),
        (plain(mentions=[{"start": 0, "end": 3.0, "type": "PERSON"}]), DataError, "'end' is 3.0, expected a whole number"),
        (plain(mentions=[{"start": 0, "end": 3, "type": "PERSN"}]), UnknownNameError, "did you mean 'PERSON'"),
        (plain(mentions=[{"start": 0, "end": 3}]), DataError, "neither 'type'"),
        (plain(mentions=[{"start": 0, "end": 3, "type": "PERSON", "identifier": "direct"}]), UnknownNameError, "'direct'"),
        (plain(mentions=[{"start": 0, "end": 3, "type": "PERSON", "entity_id": ""}]), DataError, "entity id is empty"),
        (plain(mentions=[{"start": 0, "end": 3, "type": "PERSON", "entity_id": 7}]), DataError, "'entity_id' is 7"),
        (
            plain(
                mentions=[{"start": 0, "end": 3, "type": "PERSON"}, {"start": 8, "end": 10, "type": "PERSON", "entity_id": "a#0"}]
            ),
            DataError,
            "'a#0' is the one that a mention without an id gets",
        ),
        (
            plain(mentions=[{"start": 0, "end": 3, "type": "PERSON", "text": "Bob"}]),
            DataError,
            "'Bob' but the document has 'Ann'",
        ),
        (plain(tokens=[[0, 3], [2, 5]]), DataError, "token 1 starts at 2, before the token ahead of it ends"),
        (plain(tokens=[[0, 3], 4]), DataError, "token 1 is 4, expected a pair"),
        (plain(tokens=[[0, 30]]), DataError, "0:30 lie outside"),
        (plain(text="\ud83d Ann"), DataError, r"lone surrogate U\+D83D at offset 0"),
        (plain(meta={"x": "\udc00"}), DataError, r"lone surrogate U\+DC00"),
        ('{"doc_id":"a","text":"x","language":"en","mentions":[],"meta":{"x":NaN}}', DataError, "meta cannot be stored as JSON"),
        ({"deidbench": {"format": 1}}, DataError, "after the first line"),
    ],
)
def test_bad_lines_are_one_line_naming_file_and_line(tmp_path: Path, line: Any, error: type[Exception], message: str) -> None:
    path = tmp_path / "a.jsonl"
    second = line if isinstance(line, str) else json.dumps(line)
    path.write_text(json.dumps(plain("h")) + "\n" + second + "\n", encoding="utf-8")
    with pytest.raises(error, match=message) as caught:
        load(path)
    assert "a.jsonl:2" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "error", "message"),
    [
        ({}, DataError, "'format' is missing"),
        ({"format": 2}, DataError, "'format' is 2, this version reads 1"),
        ({"format": 1, "license": "MIT"}, DataError, "unknown key 'license'; did you mean 'licence'"),
        ({"format": 1, "identity_scope": "case"}, DataError, "accepted: document, corpus"),
        ({"format": 1, "labels": {"PER": "PERSN"}}, UnknownNameError, "did you mean 'PERSON'"),
        ({"format": 1, "labels": {"PER": 1}}, DataError, "'PER' is 1, expected a string"),
    ],
)
def test_bad_headers(tmp_path: Path, header: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        load(lines(tmp_path / "a.jsonl", {"deidbench": header}, plain()))
    assert "a.jsonl:1" in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    empty = tmp_path / "a.jsonl"
    empty.write_bytes(b"\n\n")
    with pytest.raises(DataError, match="has no documents"):
        load(empty)
    with pytest.raises(DataError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(DataError, match="no file or folder"):
        load(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="needs a source"):
        JsonlLoader().open(None, {})
    empty.write_bytes(json.dumps(plain()).encode() + b"\n\xff\xfe")
    with pytest.raises(DataError, match=r"a\.jsonl:2: not UTF-8 at byte 1"):
        load(empty)
    empty.write_bytes(b"[" * 200_000)
    with pytest.raises(DataError, match="nested too deeply"):
        load(empty)


# --- export ---------------------------------------------------------------------------------------------------------------------


class MemorySource(CorpusSource):
    def __init__(self, records: Sequence[tuple[Document, Sequence[Mention]]], **info: Any) -> None:
        self._records = records
        self.info = CorpusInfo(
            **{
                "name": "mem",
                "version": "",
                "identity_scope": "document",
                "labels": {name: name for name in TYPES},
                "source": "",
                "licence": "",
                **info,
            }
        )

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        yield from self._records


unicode_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | unicode_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(unicode_text, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def a_record(draw: st.DrawFn, own_tokens: bool) -> tuple[Document, list[Mention]]:
    text = draw(unicode_text.filter(lambda t: bool(t.strip())))
    doc_id = draw(unicode_text)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2)))
    tokens = list(zip(cuts[::2], cuts[1::2], strict=False)) if own_tokens else None
    document = Document(
        doc_id,
        text,
        draw(st.sampled_from(["en", "de", "zh", "ar"])),
        draw(st.sampled_from(["", "train", "dev", "test"])),
        draw(st.just("") | unicode_text),
        tokens,
        draw(st.dictionaries(unicode_text, json_values, max_size=2)),
    )
    mentions = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text) - 1))
        kind = draw(st.sampled_from(TYPES))
        mentions.append(
            Mention(
                doc_id,
                start,
                draw(st.integers(start + 1, len(text))),
                kind,
                draw(unicode_text),
                draw(st.sampled_from(IDENTIFIER_CLASSES)),
                draw(st.sampled_from(["", kind, "raw label"])),
            )
        )
    return document, mentions


corpora = st.booleans().flatmap(
    lambda own: st.lists(a_record(own), min_size=1, max_size=3, unique_by=lambda record: record[0].doc_id)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(records=corpora, packed=st.booleans())
def test_what_is_written_reads_back_equal(
    tmp_path: Path, records: Sequence[tuple[Document, Sequence[Mention]]], packed: bool
) -> None:
    path = tmp_path / ("x.jsonl.gz" if packed else "x.jsonl")
    assert write_jsonl(MemorySource(records), path) == len(records)
    assert load(path) == list(records)
    raw = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    # No reader that splits lines its own way can be misled.
    assert len(raw.decode().splitlines()) == len(records) + 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=25)
@given(records=corpora)
def test_a_prepared_corpus_exports_what_it_was_made_of(
    tmp_path: Path, records: Sequence[tuple[Document, Sequence[Mention]]]
) -> None:
    corpus = write_corpus(MemorySource(records), tmp_path / "prepared")
    ordered = [(d, sorted(m, key=lambda m: (m.start, m.end, TYPE_CODE[m.type]))) for d, m in records]
    assert list(stored_records(corpus)) == ordered
    write_jsonl(corpus, tmp_path / "x.jsonl")
    assert load(tmp_path / "x.jsonl") == ordered
    again = write_corpus(JsonlLoader().open(tmp_path / "x.jsonl", {}), tmp_path / "again")
    assert again.fingerprint == corpus.fingerprint


def test_what_a_corpus_says_of_itself_is_kept(tmp_path: Path) -> None:
    info: Mapping[str, Any] = {
        "name": "letters",
        "version": "3",
        "identity_scope": "corpus",
        "labels": {"PER": "PERSON", "X": "-"},
        "source": "somewhere",
        "licence": "CC0",
        "reference": "constructed",
        "options": {"seed": 4},
    }
    source = MemorySource([(Document("a", "Ann", "en"), [Mention("a", 0, 3, "PERSON", "p", "", "PER")])], **info)
    write_jsonl(source, tmp_path / "x.jsonl")
    assert JsonlLoader().open(tmp_path / "x.jsonl", {}).info == source.info


def test_a_failed_export_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("old", encoding="utf-8")
    bad = MemorySource([(Document("a", "Ann", "en"), []), (Document("a", "Bo", "en"), [])])
    with pytest.raises(DataError, match="'a': the document id is taken"):
        write_jsonl(bad, path)
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]
    assert path.read_text(encoding="utf-8") == "old"
    good = MemorySource([(Document("a", "Ann", "en"), [])])
    with pytest.raises(StoreError, match="is a folder"):
        write_jsonl(good, tmp_path)
    with pytest.raises(StoreError, match="cannot write"):
        write_jsonl(good, path / "under-a-file.jsonl")


def test_gzipped_exports_have_equal_bytes(tmp_path: Path) -> None:
    source = MemorySource([(Document("a", "Ann", "en"), [])])
    write_jsonl(source, tmp_path / "x.jsonl.gz")
    write_jsonl(source, tmp_path / "another-name.jsonl.gz")
    assert (tmp_path / "x.jsonl.gz").read_bytes() == (tmp_path / "another-name.jsonl.gz").read_bytes()
