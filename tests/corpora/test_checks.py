"""Every check on a text made to fail it alone, with the count and the place known; and statistics counted by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.corpus_writer import write_corpus
from bench.core.model import Document, IdentityScope, Mention
from bench.core.source import CorpusInfo, CorpusSource
from bench.core.taxonomy import TYPES
from corpora.checks import CHECKS, check_corpus
from corpora.statistics import statistics

Record = tuple[Document, Sequence[Mention]]


def record(text: str, *mentions: tuple[int, int, str, str], doc_id: str = "d", split: str = "") -> Record:
    return Document(doc_id, text, "en", split), [Mention(doc_id, s, e, kind, entity) for s, e, kind, entity in mentions]


def found(*records: Record, scope: IdentityScope = "document") -> dict[str, tuple[int, str, int]]:
    rows = check_corpus(records, scope).iter_rows(named=True)
    return {row["check"]: (row["count"], row["doc_id"], row["offset"]) for row in rows if row["count"]}


P = "PERSON"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (record("Ann met Bo.", (0, 3, P, "1"), (8, 10, P, "2")), {}),
        (record("Ann", (0, 4, P, "1")), {"mention_outside_text": (1, "d", 0)}),
        (record("Ann", (-1, 2, P, "1")), {"mention_outside_text": (1, "d", -1)}),
        (record("Ann", (1, 1, P, "1"), (2, 1, P, "2")), {"mention_empty": (2, "d", 1)}),
        (record("Ann  Bo", (3, 5, P, "1")), {"mention_white_space_only": (1, "d", 3)}),
        (
            record("Ann Bo", (0, 4, P, "1"), (3, 6, P, "2")),
            {"mention_white_space_edge": (2, "d", 0), "mention_overlapping": (1, "d", 3)},
        ),
        (record("Ann Bo", *[(0, 3, P, "1")] * 3), {"mention_duplicate": (2, "d", 0)}),
        (record("Ann Bo", (0, 3, P, "1"), (0, 3, "OTHER", "2")), {"mention_same_span": (1, "d", 0)}),
        (record("Ann of Bo", (0, 9, P, "1"), (7, 9, P, "2"), (0, 3, P, "3")), {"mention_nested": (2, "d", 0)}),
        # Three that overlap each other in a row: two pairs, since the third begins where the first has ended.
        (record("a b c d", (0, 3, P, "1"), (2, 5, P, "2"), (4, 7, P, "3")), {"mention_overlapping": (2, "d", 2)}),
        (record("a b", (0, 1, P, "1"), (1, 3, P, "2")), {"mention_white_space_edge": (1, "d", 1)}),
        (record("Annabel", (0, 3, P, "1")), {"mention_cuts_token": (1, "d", 0)}),
        (record("王小明说", (0, 3, P, "1")), {}),
        (record("Weber. Weber, Webern. Weber", (0, 5, P, "1")), {"mention_unmarked_repeat": (2, "d", 7)}),
        (record("王明和王明", (0, 2, P, "1")), {"mention_unmarked_repeat": (1, "d", 3)}),
        (record("Oslo. Oslo", (0, 4, "LOCATION", "1")), {}),
        (record("Ann Bo", (0, 3, P, "1"), (4, 6, "OTHER", "1")), {"entity_several_types": (1, "d", 4)}),
        (record("Ann"), {"document_without_mentions": (1, "d", 0)}),
        (record("An\x00n\t", (0, 2, P, "1")), {"text_control_character": (1, "d", 2)}),
        (record("Ann\r\nBo", (0, 3, P, "1")), {"text_carriage_return": (1, "d", 3)}),
        (record("A \u202e", (0, 1, P, "1")), {"text_direction_override": (1, "d", 2)}),
        (record("A \ufeff", (0, 1, P, "1")), {"text_invisible_character": (1, "d", 2)}),
        (record("A \ufffd", (0, 1, P, "1")), {"text_replacement_character": (1, "d", 2)}),
        (record("A u\u0308", (0, 1, P, "1")), {"text_not_nfc": (1, "d", 2)}),
        (record("A \u212b", (0, 1, P, "1")), {"text_not_nfc": (1, "d", 2)}),
        (record("\U0001f469\u200d\U0001f467 A", (4, 5, P, "1")), {}),
    ],
)
def test_each_check_finds_its_own(case: Record, expected: dict[str, tuple[int, str, int]]) -> None:
    assert found(case) == expected


def test_identifier_classes_of_one_entity() -> None:
    mentions = [Mention("d", i, i + 1, P, "1", identifier) for i, identifier in enumerate(["DIRECT", "QUASI", "NO_MASK"])]
    assert found((Document("d", "a b", "en"), mentions))["entity_several_identifiers"] == (1, "d", 1)


def test_entity_ids_are_compared_within_their_scope() -> None:
    records = [record("Ann", (0, 3, P, "1"), doc_id="a"), record("Bo", (0, 2, "OTHER", "1"), doc_id="b")]
    assert found(*records) == {}
    assert found(*records, scope="corpus") == {"entity_several_types": (1, "b", 0)}


def test_equal_texts_within_and_across_splits() -> None:
    mention = (0, 1, P, "1")
    records = [record("A.", mention, doc_id=str(i), split=split) for i, split in enumerate(["train", "train", "test", "test"])]
    assert found(*records) == {"text_duplicate": (3, "1", 0), "text_duplicate_across_splits": (2, "2", 0)}


def test_all_checks_have_a_row_and_no_text_leaves() -> None:
    secret = "Weber Weber\x00"
    frame = check_corpus([record(secret, (0, 5, P, "1"))])
    assert frame["check"].to_list() == [check.name for check in CHECKS]
    assert set(frame["severity"]) == {"error", "warning", "note"}
    assert "Weber" not in frame.write_csv()


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from([P, "OTHER"])), max_size=8))
def test_pairs_equal_a_comparison_of_all_with_all(spans: list[tuple[int, int, str]]) -> None:
    mentions = [(start, start + length, kind) for start, length, kind in spans]
    expected = dict.fromkeys(("mention_same_span", "mention_nested", "mention_overlapping"), 0)
    for i, (s, e, kind) in enumerate(mentions):
        for s2, e2, kind2 in mentions[:i]:
            if (s, e) == (s2, e2):
                expected["mention_same_span"] += kind != kind2
            elif (s <= s2 and e2 <= e) or (s2 <= s and e <= e2):
                expected["mention_nested"] += 1
            elif s < e2 and s2 < e:
                expected["mention_overlapping"] += 1
    expected["mention_duplicate"] = len(mentions) - len(set(mentions))
    result = found(record("x" * 20, *[(s, e, kind, str(i)) for i, (s, e, kind) in enumerate(mentions)]))
    assert {name: result.get(name, (0, "", 0))[0] for name in expected} == expected


class Letters(CorpusSource):
    """Three documents in two languages, small enough to count by hand."""

    info = CorpusInfo("letters", "1", "corpus", {name: name for name in TYPES}, "", "", reference="manual")

    def records(self) -> Iterator[Record]:
        yield (
            Document("a", "Ann Lee, 5 May.", "en", "train", "x"),
            [
                Mention("a", 0, 7, P, "ann", "DIRECT"),
                Mention("a", 4, 7, P, "lee", "QUASI"),
                Mention("a", 9, 14, "DATE", "d1", "QUASI"),
            ],
        )
        yield Document("b", "Hallo Ann!", "de", "test", "x"), [Mention("b", 6, 9, P, "ann", "DIRECT")]
        yield Document("c", "Nichts.", "de", "test"), []


def test_statistics_counted_by_hand(tmp_path: Path) -> None:
    figures = statistics(write_corpus(Letters(), tmp_path / "letters"))
    assert figures.overview.to_dicts() == [
        {
            "corpus": "letters",
            "documents": 3,
            "cases": 2,
            "characters": 15 + 10 + 7,
            "tokens": 6 + 3 + 2,
            "mentions": 4,
            "entities": 3,
            "mentions_per_document": 4 / 3,
            "languages": "de/en",
            "reference": "manual",
            "tokeniser": "unicode-words/1",
        }
    ]
    # Gold tokens: Ann, Lee, 5, May and the second Ann.
    assert figures.by_type.rows() == [(P, 3, 2, 2, 3, 3 / 5), ("DATE", 1, 1, 1, 2, 2 / 5)]
    assert figures.by_identifier.rows() == [("DIRECT", 2, 1, 2, 3, 3 / 5), ("QUASI", 2, 2, 1, 3, 3 / 5)]
    assert figures.by_language.rows() == [("de", 2, 2, 17, 5, 1, 1, 0.5), ("en", 1, 1, 15, 6, 3, 3, 3.0)]
    assert figures.by_split.rows() == [("test", 2, 2, 17, 5, 1, 1, 0.5), ("train", 1, 1, 15, 6, 3, 3, 3.0)]


def test_statistics_without_any_mention(tmp_path: Path) -> None:
    class Empty(Letters):
        def records(self) -> Iterator[Record]:
            yield Document("c", "Nichts.", "de"), []

    figures = statistics(write_corpus(Empty(), tmp_path / "empty"))
    assert figures.overview["mentions_per_document"].to_list() == [0.0]
    assert figures.by_type.rows() == []
    assert figures.by_split.rows() == [("", 1, 1, 7, 2, 0, 0, 0.0)]
