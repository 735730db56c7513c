"""Detectors are loaded once for all tests; texts that detectors get wrong are shared."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from bench.core.detector import Adapter
from bench.core.model import Detection, Document
from detectors import loading

#: Detector to a language that it reads.
LANGUAGE = {"hanta-de": "de", "lac-zh": "zh", "presidio-patterns": "en", "rampart": "en", "spacy-en-sm": "en"}
#: Detector to a sentence, and a value in it that the detector must find.
OBVIOUS = {
    "hanta-de": ("Gestern wurde Frau Anna Schneider in Köln operiert.", "Anna Schneider", "PERSON"),
    "lac-zh": ("李小龙昨天去了上海工作。", "李小龙", "PERSON"),
    "presidio-patterns": ("Please write to maria.lopez@example.com today.", "maria.lopez@example.com", "CONTACT"),
    "rampart": ("My name is Alex Rivera and I live in Springfield.", "Alex Rivera", "PERSON"),
    "spacy-en-sm": ("Yesterday Angela Merkel met the press in Berlin.", "Angela Merkel", "PERSON"),
}
#: Texts that move offsets in tools which change text before the model.
NASTY = {
    "joiner": "\u200d{0} and 👩\u200d👩\u200d👧 {0}",
    "variation selectors": "✈\ufe0f {0} ❤\ufe0f\ufe0f {0}",
    "leading spaces": "   \t  {0}  \t ",
    "crlf": "\r\n\r\n{0}\r\n{0}\r\n",
    "astral": "😀😀𝒳 {0} 𠮷 {0}",
    "combining marks": "Ame\u0301lie e\u0301e\u0301 {0} z\u0327\u0301",
    "nul": "\x00\x00 {0} \x00\x1f{0}",
    "byte order mark": "\ufeff{0}\ufeff",
    "right to left": "\u202e{0}\u202c عبد الله",
    "expanding lower case": "İİİİ {0} ßß ﬁﬁ {0}",
    "odd spaces": "\u00a0\u3000{0}\u2028{0}\u0085",
}


@cache
def _loaded(name: str) -> Adapter:
    return loading.load(loading.spec_of(name))


@pytest.fixture(scope="session")
def loaded() -> Callable[[str], Adapter]:
    """Adapter of a shipped detector, its model loaded once."""
    return _loaded


@pytest.fixture(scope="session")
def detect() -> Callable[..., list[Detection]]:
    """Detections of a shipped detector for texts in a language that it reads."""

    def run(name: str, *texts: str) -> list[Detection]:
        documents = [Document(f"d{i}", text, LANGUAGE[name]) for i, text in enumerate(texts)]
        return list(_loaded(name).detect(documents))

    return run
