"""What must hold for each shipped detector, on its real model."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.core.detector import Adapter
from bench.core.model import Detection, Document
from tests.detectors.conftest import LANGUAGE, NASTY, OBVIOUS

Detect = Callable[..., list[Detection]]
each = pytest.mark.parametrize("name", sorted(LANGUAGE))


def surfaces(text: str, detection: Detection) -> list[str]:
    return [text[span.start : span.end] for span in detection.spans]


def check(text: str, detection: Detection) -> None:
    """Offsets, order and edges of any detection."""
    keys = [(s.start, s.end, s.label) for s in detection.spans]
    assert keys == sorted(set(keys))
    for span in detection.spans:
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        assert 0.0 <= span.score <= 1.0


@each
def test_the_obvious_is_found(name: str, detect: Detect) -> None:
    text, value, kind = OBVIOUS[name]
    (detection,) = detect(name, text)
    assert detection.status == "ok" and detection.seconds > 0
    assert (value, kind) in [(text[s.start : s.end], s.type) for s in detection.spans]


@each
@pytest.mark.parametrize("case", sorted(NASTY))
def test_offsets_stay_on_nasty_texts(name: str, case: str, detect: Detect) -> None:
    sentence, value, _ = OBVIOUS[name]
    text = NASTY[case].format(sentence)
    (detection,) = detect(name, text)
    assert detection.status == "ok"
    check(text, detection)
    assert value in surfaces(text, detection)


@each
def test_leading_text_only_shifts_offsets(name: str, detect: Detect) -> None:
    text, value, _ = OBVIOUS[name]
    plain, shifted = detect(name, text, "\n\n   " + text)
    assert value in surfaces(text, plain)
    assert value in surfaces("\n\n   " + text, shifted)


@each
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=300))
def test_any_text_gives_a_valid_answer(name: str, detect: Detect, text: str) -> None:
    (detection,) = detect(name, text)
    assert detection.status in ("ok", "truncated")
    check(text, detection)


@each
@pytest.mark.parametrize("text", ["", " ", "\n\r\n", "\u200d", "\x00", "."])
def test_texts_without_content(name: str, text: str, detect: Detect) -> None:
    (detection,) = detect(name, text)
    assert (detection.status, list(detection.spans)) == ("ok", [])


@each
def test_a_lone_surrogate_is_read_or_a_stated_failure(name: str, detect: Detect) -> None:
    sentence, value, _ = OBVIOUS[name]
    text = "\ud800 " + sentence
    (detection,) = detect(name, text)
    if detection.status == "failed":
        assert detection.reason.startswith("UnicodeEncodeError: ") and not detection.spans
        detection.reason.encode("utf-8")
    else:
        assert value in surfaces(text, detection)


@each
def test_results_do_not_depend_on_neighbours_order_or_repetition(
    name: str, loaded: Callable[[str], Adapter], detect: Detect
) -> None:
    sentence = OBVIOUS[name][0]
    texts = [sentence, "x", sentence * 9, "", " ".join([sentence] * 40), "12.03.1956 " + sentence, sentence.lower()]
    together = detect(name, *texts)
    alone = [detect(name, text)[0] for text in texts]
    backwards = detect(name, *reversed(texts))[::-1]
    for first, second, third in zip(together, alone, backwards, strict=True):
        assert (first.status, first.spans) == (second.status, second.spans) == (third.status, third.spans)


@each
def test_a_value_is_found_wherever_a_window_ends(name: str, loaded: Callable[[str], Adapter], detect: Detect) -> None:
    """The value moves over the first inner cut of the adapter's windows."""
    sentence, value, kind = OBVIOUS[name]
    spec = loaded(name).spec
    filler, pause = {"de": ("Es war ein ruhiger Tag. ", ""), "zh": ("今天天气很好，", "。")}.get(
        spec.languages[0], ("It was a calm day. ", "")
    )
    pieces = 5 if name == "rampart" else len(filler)  # units of the window that the filler takes
    window = (spec.window or 400) * len(filler) // pieces
    before = filler * ((window - len(sentence) - 60) // len(filler)) + pause
    for shift in range(0, len(sentence) + 90, 3 if window < 1000 else 17):
        text = before + "x" * shift + " " + sentence + " " + filler * 8
        (detection,) = detect(name, text)
        check(text, detection)
        hits = [s for s in detection.spans if text[s.start : s.end] == value and s.type == kind]
        assert len(hits) == 1, (shift, surfaces(text, detection))


@each
def test_a_name_after_the_window_is_found(name: str, loaded: Callable[[str], Adapter], detect: Detect) -> None:
    sentence, value, _ = OBVIOUS[name]
    filler = {"de": "Es war ein ruhiger Tag. ", "zh": "今天天气很好。"}.get(
        loaded(name).spec.languages[0], "It was a calm day.\n"
    )
    text = filler * (30_000 // len(filler)) + sentence
    (detection,) = detect(name, text)
    assert detection.status == "ok"
    assert surfaces(text, detection).count(value) == 1
    assert text.endswith(sentence) and detection.spans[-1].end > len(text) - len(sentence)


@each
def test_every_label_of_the_model_is_in_the_map(name: str, loaded: Callable[[str], Adapter]) -> None:
    adapter = loaded(name)
    emitted = set(adapter.emitted())  # type: ignore[attr-defined]  # every shipped adapter is a TextAdapter
    assert emitted and emitted <= set(adapter.spec.labels)


@each
def test_no_label_of_the_map_is_unknown_to_the_model(name: str, loaded: Callable[[str], Adapter]) -> None:
    adapter = loaded(name)
    assert set(adapter.spec.labels) <= set(adapter.emitted())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(set(LANGUAGE) - {"presidio-patterns"}))
def test_another_language_is_unsupported(name: str, loaded: Callable[[str], Adapter]) -> None:
    (detection,) = loaded(name).detect([Document("d", OBVIOUS[name][0], "xx")])
    assert (detection.status, detection.spans, detection.seconds) == ("unsupported", (), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hanta-de", "presidio-patterns", "spacy-en-sm"])
def test_a_million_characters(name: str, detect: Detect) -> None:
    sentence, value, _ = OBVIOUS[name]
    words = sentence.lower().split()
    random.Random(7).shuffle(words)
    filler = " ".join(words) + ".\n"
    text = (filler * (1_000_000 // len(filler)))[: 1_000_000 - len(sentence) - 2] + ".\n" + sentence
    (detection,) = detect(name, text)
    assert detection.status == "ok" and len(text) == 1_000_000
    check(text, detection)
    assert surfaces(text, detection)[-1] in (value, "Köln", "Berlin", "example.com")
    assert any(s.start >= len(text) - len(sentence) and text[s.start : s.end] == value for s in detection.spans)


@each
@pytest.mark.parametrize("unit", ["a", "a.", "(", "1", "a@", "\n", "-", "\u0301"])
def test_long_runs_without_a_space_end(name: str, unit: str, detect: Detect) -> None:
    text = unit * (12_000 // len(unit))
    (detection,) = detect(name, text)
    assert detection.status in ("ok", "truncated")
    check(text, detection)
