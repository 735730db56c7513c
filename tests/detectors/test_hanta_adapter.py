"""Proper nouns become values; the pickle is opened only if it is the one that was pinned."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.detector import Adapter
from bench.core.errors import NotAvailableError
from bench.core.model import Detection
from detectors import hanta, loading
from detectors.hanta import HantaAdapter, sentences
from detectors.resources import package_dir

Detect = Callable[..., list[Detection]]


def found(text: str, detect: Detect) -> list[tuple[str, str]]:
    (detection,) = detect("hanta-de", text)
    return [(text[s.start : s.end], s.type) for s in detection.spans]


def test_tags_equal_those_of_the_tagger_that_loads_itself(loaded: Callable[[str], Adapter]) -> None:
    from HanTa.HanoverTagger import HanoverTagger

    adapter = loaded("hanta-de")
    assert isinstance(adapter, HantaAdapter)
    own = HanoverTagger("morphmodel_ger.pgz")
    for text in (
        "Herr Koch wurde in Hamburg von Frau Anna-Lena Müller operiert .",
        "Der Patient Mehmet Öztürk kam aus München .",
    ):
        assert adapter._tagger.tag_sent(text.split(), taglevel=0) == own.tag_sent(text.split(), taglevel=0)


def test_people_and_places(detect: Detect) -> None:
    text = "Wir berichten über Ihren Patienten Mehmet Öztürk, wohnhaft in Köln. Frau Dr. Anna-Lena Müller operierte."
    assert found(text, detect) == [("Mehmet Öztürk", "PERSON"), ("Köln", "LOCATION"), ("Anna-Lena Müller", "PERSON")]


def test_decomposed_letters_and_joiners_are_read_as_written(detect: Detect) -> None:
    assert ("Mu\u0308ller", "PERSON") in found("Gestern kam Frau Mu\u0308ller.", detect)
    assert ("Mül\u00adler", "PERSON") in found("Gestern kam Frau Mül\u00adler.", detect)


def test_units_doses_and_short_abbreviations_are_no_names(detect: Detect) -> None:
    values = [value for value, _ in found("Wir gaben 5FU 500 mg und machten ein CT und EKG.", detect)]
    assert not {"mg", "5FU", "CT", "EKG"} & set(values)


def test_a_name_does_not_run_over_a_line(detect: Detect) -> None:
    values = [value for value, _ in found("Gestern kamen Schneider\nMüller und Weber.", detect)]
    assert all("\n" not in value for value in values) and "Schneider" in values


def test_very_long_words_are_told(detect: Detect) -> None:
    (detection,) = detect("hanta-de", "Das Wort " + "donau" * 20 + " ist lang, sagte Frau Schneider.")
    assert detection.status == "truncated"
    assert detection.reason == "1 words longer than 64 characters were judged by their beginning"
    assert detection.spans


@given(st.text(alphabet="aÄ1.-'’ \n\u0301\u200d\u00adz,!", max_size=80))
def test_tokens_lie_in_order_on_the_text_and_cover_it(text: str) -> None:
    tokens = [token for sentence in sentences(text) for token in sentence]
    assert all(a.end <= b.start for a, b in pairwise(tokens))
    assert all(token.word and token.start < token.end for token in tokens)
    covered = {i for token in tokens for i in range(token.start, token.end)}
    assert covered == {i for i in range(len(text)) if not text[i].isspace()}


def test_sentences_and_abbreviations() -> None:
    text = "Dr. med. J. Weber kam am 12.03.2019. Er ging.\n\nMit freundlichen Grüßen"
    assert [[t.word for t in s] for s in sentences(text)] == [
        ["Dr.", "med.", "J.", "Weber", "kam", "am", "12.03.2019", "."],
        ["Er", "ging", "."],
        ["Mit", "freundlichen", "Grüßen"],
    ]


def test_the_pin_is_the_digest_of_the_installed_model() -> None:
    data = (package_dir("HanTa") / "morphmodel_ger.pgz").read_bytes()
    assert list(hanta.PINNED.items()) == [("morphmodel_ger.pgz", hashlib.sha256(data).hexdigest())]


class _Trap:
    """Unpickling this would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_another_pickle_is_refused_before_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "sprung"
    (tmp_path / "morphmodel_ger.pgz").write_bytes(gzip.compress(pickle.dumps(_Trap(trap))))
    monkeypatch.setattr(hanta, "package_dir", lambda _package: tmp_path)
    with pytest.raises(NotAvailableError, match=r"'morphmodel_ger\.pgz' has SHA-256 .* only d0a23c.* is opened"):
        loading.load(loading.spec_of("hanta-de"))
    assert not trap.exists()


def test_a_model_without_a_pin_is_refused() -> None:
    spec = loading.spec_of("hanta-de")
    with pytest.raises(
        NotAvailableError, match=r"'morphmodel_en\.pgz' is a pickle without a pinned digest; accepted: morphmodel_ger"
    ):
        loading.load(spec.model_copy(update={"options": {"file": "morphmodel_en.pgz"}}))


def test_the_unpickler_builds_nothing_that_runs(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    with pytest.raises(pickle.UnpicklingError, match="the model names"):
        hanta._tagger(gzip.compress(pickle.dumps(_Trap(trap))))
    assert not trap.exists()
