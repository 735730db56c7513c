"""What `validated` lets through and what it refuses, for sources that no loader of ours has checked."""

from __future__ import annotations

from typing import Any

import pytest

from bench.core.errors import DataError, DeidbenchError, UnknownNameError
from bench.core.model import Document, Mention
from corpora.validate import validated


def document(**change: Any) -> Document:
    return Document(**{"doc_id": "d", "text": "Ann 😀\r\n", "language": "en", **change})


def mention(**change: Any) -> Mention:
    return Mention(**{"doc_id": "d", "start": 0, "end": 3, "type": "PERSON", "entity_id": "1", **change})


def test_sound_records_pass_unchanged() -> None:
    records = [
        (document(), [mention(), mention(start=4, end=7)]),
        (document(doc_id="e", split="dev", case_id="c", meta={"a": [1, None, "x"]}), []),
    ]
    assert list(validated(iter(records), "c")) == records


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": ""}, "corpus c, document 'd' has no text"),
        ({"text": "\u2003\n"}, "no text but white space"),
        ({"text": b"x"}, "text is b'x', expected a string"),
        ({"text": "a\udc80"}, r"lone surrogate U\+DC80 at offset 1"),
        ({"doc_id": ""}, "the document id is empty"),
        ({"doc_id": 7}, "the document id is 7"),
        ({"language": ""}, "language is ''"),
        ({"language": "EN"}, "language is 'EN'"),
        ({"split": "all"}, "accepted: train, dev, test"),
        ({"case_id": None}, "the case id is None"),
        ({"tokens": [(0, 3), (3, 3)]}, "token 1: offsets 3:3 are empty"),
        ({"tokens": [(4, 5), (0, 3)]}, "token 1 starts at 0"),
        ({"tokens": [(0, 8)]}, "0:8 lie outside the text of 7 characters"),
        ({"meta": {"x": float("nan")}}, "meta cannot be stored as JSON"),
        ({"meta": {"x": {1}}}, "meta cannot be stored as JSON"),
        ({"meta": {"\ud800": 1}}, r"lone surrogate U\+D800"),
    ],
)
def test_documents_that_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(validated([(document(**change), [])], "c"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": 8}, "document 'd', mention 1: offsets 0:8 lie outside"),
        ({"start": 3}, "3:3 are empty"),
        ({"start": 4, "end": 2}, "4:2 are reversed"),
        ({"start": -2}, "-2:3 lie outside"),
        ({"start": 1.0}, "start offset is 1.0"),
        ({"end": True}, "end offset is True"),
        ({"type": "PERS"}, "unknown type 'PERS'"),
        ({"identifier": "MAYBE"}, "unknown identifier class 'MAYBE'"),
        ({"entity_id": ""}, "the entity id is empty"),
        ({"label": None}, "the label is None"),
        ({"doc_id": "e"}, "belongs to document 'e'"),
    ],
)
def test_mentions_that_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, UnknownNameError), match=message):
        list(validated([(document(), [mention(), mention(**change)])]))


def test_duplicate_ids_no_documents_and_tokens_on_some() -> None:
    with pytest.raises(DataError, match="document 'd': the document id is taken"):
        list(validated([(document(), []), (document(text="other"), [])]))
    with pytest.raises(DataError, match="corpus 'c' has no documents"):
        list(validated([], "c"))
    with pytest.raises(DataError, match="document 'e' lacks tokens of its own"):
        list(validated([(document(tokens=[]), []), (document(doc_id="e"), [])]))
    with pytest.raises(DataError, match="document 'e' has tokens of its own"):
        list(validated([(document(), []), (document(doc_id="e", tokens=[(0, 1)]), [])]))


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(DeidbenchError) as caught:
        list(validated([(document(language="x" * 10_000), [])]))
    assert len(str(caught.value)) < 300


def test_records_pass_one_at_a_time() -> None:
    taken: list[str] = []

    def source() -> Any:
        for name in ("a", "b", "c"):
            taken.append(name)
            yield document(doc_id=name), []

    stream = validated(source())
    next(stream)
    assert taken == ["a"]
