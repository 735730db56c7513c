"""The template: failures are statuses, labels cannot vanish, offsets are checked, results are tidy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.detector import DetectorSpec
from bench.core.errors import ConfigError, LabelError
from bench.core.model import Detection, Document
from detectors.base import Found, TextAdapter, over_windows, tidy
from detectors.windows import Raw


class Scripted(TextAdapter):
    """A detector that returns, or raises, what the test says."""

    labels: tuple[str, ...] = ("NAME", "NUMBER")
    answer: Callable[[str], Found]

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        return "none"

    def load(self) -> None:
        self.calls = 0

    def emitted(self) -> Iterable[str]:
        return self.labels

    def find(self, text: str, language: str) -> Found:
        self.calls += 1
        return self.answer(text)


def scripted(answer: Callable[[str], Found], **fields: Any) -> Scripted:
    spec = DetectorSpec(name="toy", adapter="toy", labels={"NAME": "PERSON", "NUMBER": "ID", "WORD": "-"}, **fields)
    adapter = Scripted(spec)
    adapter.answer = answer
    return adapter


def one(adapter: TextAdapter, text: str, language: str = "en") -> Detection:
    (detection,) = adapter.detect([Document("d", text, language)])
    return detection


def spans(*raw: Raw) -> Callable[[str], Found]:
    return lambda text: Found(raw)


def test_a_failure_is_the_status_of_its_document_alone() -> None:
    def answer(text: str) -> Found:
        if "bad" in text:
            raise RuntimeError("cannot read 'Smith'")
        return Found([Raw(0, 5, "NAME")])

    documents = [Document(str(i), text, "en") for i, text in enumerate(["Smith", "bad Smith", "Jones"])]
    good, bad, after = scripted(answer).detect(documents)
    assert (good.status, after.status) == ("ok", "ok")
    assert (bad.status, bad.reason, bad.spans) == ("failed", "RuntimeError: cannot read …", ())
    assert bad.seconds > 0


def test_an_unsupported_language_is_a_status_and_never_reaches_the_model() -> None:
    adapter = scripted(spans(Raw(0, 2, "NAME")), languages=("de", "en"))
    detection = one(adapter, "张三", "zh")
    assert (detection.status, detection.spans, detection.reason) == ("unsupported", (), "toy does not read the language 'zh'")
    assert adapter.calls == 0


@pytest.mark.parametrize("text", ["", " ", "\r\n\t\u00a0\u3000"])
def test_a_blank_text_is_ok_and_empty(text: str) -> None:
    adapter = scripted(spans(Raw(0, 1, "NAME")))
    detection = one(adapter, text)
    assert (detection.status, detection.spans, adapter.calls) == ("ok", (), 0)


def test_a_label_outside_the_map_stops_the_detector() -> None:
    with pytest.raises(LabelError, match="label 'CITY' of detector toy has no entry"):
        one(scripted(spans(Raw(0, 1, "CITY"))), "Rome")


def test_a_model_with_an_unmapped_label_does_not_load() -> None:
    class Wider(Scripted):
        labels = ("NAME", "CITY")

    with pytest.raises(LabelError, match=r"'CITY'.*the model can emit it"):
        Wider(DetectorSpec(name="toy", adapter="toy", labels={"NAME": "PERSON"}))


@pytest.mark.parametrize(
    "raw",
    [
        Raw(-1, 2, "NAME"),
        Raw(2, 2, "NAME"),
        Raw(3, 2, "NAME"),
        Raw(0, 6, "NAME"),
        Raw(0, 1, "NAME", float("nan")),
        Raw(0, 1, "NAME", 1.5),
    ],
)
def test_impossible_spans_fail_the_document(raw: Raw) -> None:
    assert one(scripted(spans(raw)), "Smith").status == "failed"


def test_thresholds_hold_per_label_and_do_not_leak() -> None:
    found = spans(Raw(0, 5, "NAME", 0.6), Raw(6, 8, "NUMBER", 0.6), Raw(9, 12, "NAME", 0.5))
    text = "Smith 42 Lee"
    assert [(s.label, s.score) for s in one(scripted(found, threshold=0.55), text).spans] == [("NAME", 0.6), ("NUMBER", 0.6)]
    assert [s.label for s in one(scripted(found, threshold=0.1, thresholds={"NUMBER": 0.7}), text).spans] == ["NAME", "NAME"]
    assert [s.label for s in one(scripted(found, threshold=0.9, thresholds={"NUMBER": 0.6}), text).spans] == ["NUMBER"]


def test_a_threshold_for_an_unknown_label_or_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"thresholds\.NAEM is not a label of its map; accepted: NAME, NUMBER, WORD"):
        scripted(spans(), thresholds={"NAEM": 0.5})
    with pytest.raises(ConfigError, match=r"thresholds\.NAME = 5"):
        scripted(spans(), thresholds={"NAME": 5})


def test_spans_come_back_sorted_mapped_trimmed_and_once() -> None:
    text = " Smith and 42\n"
    found = spans(
        Raw(11, 14, "NUMBER", 0.5), Raw(0, 7, "NAME", 0.4), Raw(1, 6, "NAME", 0.7), Raw(6, 7, "NAME"), Raw(7, 10, "WORD")
    )
    result = one(scripted(found), text).spans
    assert [(text[s.start : s.end], s.label, s.type, s.score) for s in result] == [
        ("Smith", "NAME", "PERSON", 0.7),
        ("42", "NUMBER", "ID", 0.5),
    ]


def test_a_cut_is_told() -> None:
    detection = one(scripted(lambda text: Found([Raw(0, 5, "NAME")], "the rest was too long")), "Smith")
    assert (detection.status, detection.reason, len(detection.spans)) == ("truncated", "the rest was too long", 1)


@given(st.text(alphabet="aé e\u0301\u0327\u200d\ufe0f\n"), st.data())
def test_tidy_edges_lie_on_characters(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    outer = " \n\u200d"
    edges = tidy(text, start, end)
    if edges is None:
        assert not text[start:end].strip(outer)
        return
    left, right = edges
    assert text[start:end].strip(outer) in text[left:right]
    assert text[left] not in outer and text[right - 1] not in outer
    assert right == len(text) or text[right] not in "\u0301\u0327\ufe0f"


def test_a_mark_belongs_to_its_letter() -> None:
    assert tidy("Jose\u0301 ", 0, 4) == (0, 5)
    assert tidy("a\u0301b", 1, 3) == (0, 3)


def test_a_value_at_every_place_of_a_long_text_is_found_once() -> None:
    def find(part: str) -> list[Raw]:
        return [Raw(i, i + 9, "NAME") for i in range(len(part)) if part.startswith("Ann Smith", i)]

    for position in range(0, 300, 7):
        text = "x " * (position // 2) + "Ann Smith" + " y" * 100
        (span,) = over_windows(text, 60, 20, find)
        assert text[span.start : span.end] == "Ann Smith"
