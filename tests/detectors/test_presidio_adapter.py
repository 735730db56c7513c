"""The fast path gives what Presidio's own engine gives, offline."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from bench.core.detector import Adapter
from bench.core.errors import ConfigError
from bench.core.model import Detection, Document
from detectors import loading
from detectors.presidio import DENSE_RUN, Context, PresidioAdapter, stop_words, without_dense_runs

Detect = Callable[..., list[Detection]]

TEXTS = {
    "en": [
        "SSN 472-81-0094, passport no. 912803456, card 4151 3217 6243 3448, born 12/03/1956.",
        "My driver's licence number is A1234567. call (212) 555-0199 or +44 20 7946 0958; http://a.example.com/x?y=1 and b.org",
        "bank account number: 12345678901, account 945456787654. NHS 401-023-2137, postcode SW1A 1AA, NINO AB 12 34 56 C",
        "IP 192.168.0.1 and 2001:db8::1, MAC 00:1B:44:11:3A:B7, uuid 123e4567-e89b-12d3-a456-426614174000.",
        "IBAN GB29 NWBK 6016 1331 9268 19 to bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa; mail o'neil+x@sub.example.co.uk.",
        "12345678 is nothing, phone number 020 7946 0958. DEA AB1234563 ABN 51 824 753 556 medicare 2123 45670 1",
        "",
        "no identifiers here at all",
    ],
    "de": [
        "Steuer-ID 86095742719, IBAN DE89 3704 0044 0532 0130 00, Personalausweis T22000129, Kennzeichen B AB 1234.",
        "PLZ 50667 Köln, Tel. 0221 / 4785500, geb. 12.03.1956, Krankenversichertennummer A123456780, LANR 123456601",
    ],
    "zh": ["电话 13800138000 邮箱 wang@example.com 网址 www.example.com"],
}


class PlainEngine(NlpEngine):  # type: ignore[misc]  # Presidio has no types
    """What the adapter assumes of language processing: its tokens, lower-cased, and spaCy's stop words."""

    def load(self) -> None:
        """Nothing to load."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab

        from detectors.presidio import _TOKEN

        spans = [match.span() for match in _TOKEN.finditer(text)]
        words = [text[start:end] for start, end in spans]
        return NlpArtifacts(
            entities=[],
            tokens=Doc(Vocab(), words=words or None),
            tokens_indices=[start for start, _ in spans],
            lemmas=[word.lower() for word in words],
            nlp_engine=self,
            language=language,
        )

    def process_batch(self, texts: Iterable[str], language: str, *args: Any, **kwargs: Any) -> Iterator[tuple[str, NlpArtifacts]]:
        for text in texts:
            yield text, self.process_text(text, language)

    def is_stopword(self, word: str, language: str) -> bool:
        return word.lower() in stop_words(language)

    def is_punct(self, word: str, language: str) -> bool:
        return not Context("", "none").is_keyword(word.lower()) and word.lower() != "be"

    def get_supported_entities(self) -> list[str]:
        return []

    def get_supported_languages(self) -> list[str]:
        return list(TEXTS)


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_equal_to_the_analyzer_engine(language: str, loaded: Callable[[str], Adapter]) -> None:
    adapter = loaded("presidio-patterns")
    assert isinstance(adapter, PresidioAdapter)
    registry = RecognizerRegistry(recognizers=adapter.recognizers(language), supported_languages=[language])
    engine = AnalyzerEngine(registry=registry, nlp_engine=PlainEngine(), supported_languages=[language])
    found = 0
    for text in [*TEXTS[language], " ".join(TEXTS[language])]:
        expected = {
            (r.start, r.end, r.entity_type, round(r.score, 9))
            for r in engine.analyze(text, language, score_threshold=adapter.spec.threshold)
        }
        (detection,) = adapter.detect([Document("d", text, language)])
        assert {(s.start, s.end, s.label, round(s.score, 9)) for s in detection.spans} == expected
        found += len(expected)
    assert found > 2


def test_types_of_what_is_found(detect: Detect) -> None:
    text = TEXTS["en"][0]
    (detection,) = detect("presidio-patterns", text)
    assert {(text[s.start : s.end], s.label, s.type) for s in detection.spans} >= {
        ("472-81-0094", "US_SSN", "ID"),
        ("912803456", "US_PASSPORT", "ID"),
        ("4151 3217 6243 3448", "CREDIT_CARD", "ID"),
        ("12/03/1956", "DATE_TIME", "DATE"),
    }


def test_context_lifts_a_weak_pattern_and_only_within_its_reach(detect: Detect) -> None:
    near, far = "passport 912803456", "passport lies there since last long summer holiday under table lamp 912803456"
    first, second = detect("presidio-patterns", near, far)
    assert [round(s.score, 9) for s in first.spans if s.label == "US_PASSPORT"] == [0.4]
    assert not [s for s in second.spans if s.label == "US_PASSPORT"]


def test_nothing_is_fetched_or_written_when_an_address_is_validated(
    detect: Detect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    adapter = loading.load(loading.spec_of("presidio-patterns"))
    (detection,) = adapter.detect([Document("d", "write to a.b@example.museum and x@nowhere.invalidtld", "en")])
    assert [s.label for s in detection.spans if s.label == "EMAIL_ADDRESS"] == ["EMAIL_ADDRESS"]
    assert list(tmp_path.iterdir()) == []


def test_matched_text_does_not_reach_the_log() -> None:
    code = (
        "import logging; logging.basicConfig(level=logging.DEBUG)\n"
        "from bench.core.model import Document\n"
        "from detectors import loading\n"
        "adapter = loading.load(loading.spec_of('presidio-patterns'))\n"
        "logging.getLogger('presidio-analyzer').error('Failed to validate text %s', 'Kowalski')\n"
        "documents = [Document('d', 'IBAN GB29 NWBK 6016 1331 9268 19 of kowalski@example.com', 'en')]\n"
        "print([s.label for d in adapter.detect(documents) for s in d.spans])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "IBAN_CODE" in done.stdout
    assert "owalski" not in done.stderr and "NWBK" not in done.stderr


def test_a_pattern_that_runs_out_of_time_is_told(detect: Detect) -> None:
    from detectors import presidio

    class Slow:
        context: tuple[str, ...] = ()
        supported_entities = ("URL",)

        def analyze(self, text: str, entities: object, artifacts: object) -> list[object]:
            logging.getLogger("presidio-analyzer").warning("Regex pattern '%s' timed out after %s seconds, skipping.", "x", 60)
            return []

    adapter = loading.load(loading.spec_of("presidio-patterns"))
    assert isinstance(adapter, presidio.PresidioAdapter)
    adapter._sets = {"*": [Slow()]}
    (detection,) = adapter.detect([Document("d", "some text", "en")])
    assert (detection.status, detection.reason) == ("truncated", "1 patterns ran out of time")


def test_a_dense_run_is_left_out_and_told(detect: Detect) -> None:
    run = "a.b" * DENSE_RUN
    text = f"x@example.com {run} y@example.com {'-' * 2 * DENSE_RUN} z@example.com {'A' * 2 * DENSE_RUN}"
    readable, unread = without_dense_runs(text)
    assert (len(readable), unread) == (len(text), len(run))
    assert "A" * 2 * DENSE_RUN in readable
    (detection,) = detect("presidio-patterns", text)
    assert detection.status == "truncated" and str(len(run)) in detection.reason
    assert [text[s.start : s.end] for s in detection.spans if s.label == "EMAIL_ADDRESS"] == [f"{c}@example.com" for c in "xyz"]


@pytest.mark.parametrize("name", ["NoSuchRecognizer", "SpacyRecognizer", "re", "PatternRecognizer1"])
def test_only_pattern_recognisers_are_accepted(name: str) -> None:
    spec = loading.spec_of("presidio-patterns")
    with pytest.raises(ConfigError, match=f"{name}.* is not a pattern recogniser of Presidio"):
        loading.load(spec.model_copy(update={"options": {"recognizers": {"*": [name]}}}))


def test_keywords_before_a_position() -> None:
    context = Context("The card number of one two three, four: 4151", "en")
    assert context.before(40) == ["4151", "number", "card"]
    assert Context("", "en").before(0) == []
