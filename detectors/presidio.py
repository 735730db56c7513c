"""Presidio's pattern recognisers alone: regular expressions, checksums, phone-number parsing and context words; no model.

The recognisers are Presidio's own classes and run unchanged. Around them stands, instead of ``AnalyzerEngine``, a path that
gives the same results (the tests compare the two) without its costs: no lemmatiser, no deep copies, no search through the
whole text for each match.
"""

from __future__ import annotations

import logging
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final

import regex

from bench.core.detector import DetectorSpec
from bench.core.errors import ConfigError
from detectors.base import Found, Options, TextAdapter, over_windows, read_options
from detectors.resources import lacking, weights
from detectors.windows import Raw

#: Presidio's context enhancement (LemmaContextAwareEnhancer): a context word among the keywords before a match adds this ...
CONTEXT_GAIN: Final = 0.35
#: ... and lifts the score at least to this ...
CONTEXT_MINIMUM: Final = 0.4
#: ... where this many keywords before the match are looked at, besides the token in which the match starts.
CONTEXT_WORDS: Final = 5
ANY: Final = "*"
#: Shortest run without a space that is not read if it is full of dots and other signs of addresses.
DENSE_RUN: Final = 1000
_RUN: Final = regex.compile(rf"[\w.@+\-]{{{DENSE_RUN},}}+")
_TOKEN: Final = regex.compile(r"\w+|[^\w\s]")
_PACKAGES: Final = ("presidio-analyzer", "phonenumbers", "tldextract", "regex", "spacy")


class PresidioOptions(Options):
    """Options of the adapter.

    Parameters
    ----------
    recognizers
        Language (``*``: every language) to the names of Presidio's recogniser classes.
    phone_regions
        Language (``*``: every other) to the regions whose national phone formats are tried.
    """

    recognizers: Mapping[str, tuple[str, ...]]
    phone_regions: Mapping[str, tuple[str, ...]] = {}


class PresidioAdapter(TextAdapter):
    """Pattern recognisers of Presidio."""

    version: ClassVar[str] = "1"
    options_model: ClassVar[type[Options]] = PresidioOptions

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        return lacking(spec, {"presidio-analyzer": spec.revision, "phonenumbers": "", "tldextract": ""})

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        return weights(None, (), _PACKAGES)

    def load(self) -> None:
        self._options = read_options(self.spec, PresidioOptions)
        self._log = _quiet_log()
        self._sets: dict[str, list[Any]] = {}
        for language in {ANY, *self._options.recognizers, *self._options.phone_regions}:
            self._sets[language] = self.recognizers(language)

    def recognizers(self, language: str) -> list[Any]:
        """New instances of the recognisers for `language`."""
        names = [*self._options.recognizers.get(ANY, ())]
        if language != ANY:
            names += self._options.recognizers.get(language, ())
        return [self._build(name, language) for name in names]

    def _build(self, name: str, language: str) -> Any:
        from presidio_analyzer import PatternRecognizer, predefined_recognizers

        known = getattr(predefined_recognizers, name, None)
        phone = predefined_recognizers.PhoneRecognizer
        if not (isinstance(known, type) and issubclass(known, PatternRecognizer | phone)):
            raise ConfigError(
                f"detector {self.spec.name!r}: options.recognizers: {name!r} is not a pattern recogniser of Presidio"
            )
        if known is phone:
            regions = self._options.phone_regions
            return known(supported_language=language, supported_regions=regions.get(language, regions.get(ANY, ("US",))))
        if issubclass(known, predefined_recognizers.EmailRecognizer):
            return _email_recognizer()(supported_language=language)
        return known(supported_language=language)

    def emitted(self) -> Iterable[str]:
        return {entity for group in self._sets.values() for item in group for entity in item.supported_entities}

    def find(self, text: str, language: str) -> Found:
        group = self._sets.get(language, self._sets[ANY])
        before = self._log.count
        readable, unread = without_dense_runs(text)

        def analyse(part: str) -> list[Raw]:
            return _analyse(part, language, group, self.spec)

        spans = over_windows(readable, self.spec.window, self.spec.overlap, analyse)
        cuts = [f"{unread} characters in runs of more than {DENSE_RUN} without a space were not read"] if unread else []
        if self._log.count > before:
            cuts.append(f"{self._log.count - before} patterns ran out of time")
        return Found(spans, "; ".join(cuts))


def without_dense_runs(text: str) -> tuple[str, int]:
    """Text of the same length in which dense runs are blank, and how many characters with letters or digits that hides.

    A dense run has at least `DENSE_RUN` characters of addresses and host names, one in ten of them a sign: ``a.a.a.a…``. It is
    no address, and Presidio's URL and e-mail patterns need minutes for one.
    """
    unread = 0

    def blank(match: regex.Match[str]) -> str:
        nonlocal unread
        run = str(match.group())
        letters = sum(character.isalnum() for character in run)
        if len(run) - letters < len(run) // 10:
            return run
        unread += len(run) if letters else 0
        return " " * len(run)

    return _RUN.sub(blank, text), unread


class _TimeoutCount(logging.Handler):
    """Counts Presidio's time-out warnings and drops every record (they quote the text)."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "timed out" in str(record.msg)


@cache
def _quiet_log() -> _TimeoutCount:
    """Cut Presidio's log off from the process's (it writes matched text there); one counter for the whole process."""
    counter = _TimeoutCount()
    logger = logging.getLogger("presidio-analyzer")
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    logger.addHandler(counter)
    return counter


@cache
def _email_recognizer() -> Any:
    """Presidio's e-mail recogniser with the public-suffix snapshot inside `tldextract`: no network, no cache folder."""
    import tldextract
    from presidio_analyzer.predefined_recognizers import EmailRecognizer

    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    class OfflineEmailRecognizer(EmailRecognizer):  # type: ignore[misc]  # Presidio has no types
        def validate_result(self, pattern_text: str) -> bool:
            return bool(extract(pattern_text).fqdn)

    return OfflineEmailRecognizer


def _analyse(text: str, language: str, group: Sequence[Any], spec: DetectorSpec) -> list[Raw]:
    """What ``AnalyzerEngine.analyze`` gives for these recognisers, with the specification's thresholds."""
    from presidio_analyzer import EntityRecognizer

    context = Context(text, language)
    results = []
    for recognizer in group:
        wanted = [word.lower() for word in recognizer.context or ()]
        for result in recognizer.analyze(text, recognizer.supported_entities, None):
            if wanted and any(word in near for near in context.before(result.start) for word in wanted):
                result.score = min(max(result.score + CONTEXT_GAIN, CONTEXT_MINIMUM), EntityRecognizer.MAX_SCORE)
            if result.score >= spec.thresholds.get(result.entity_type, spec.threshold):
                results.append(result)
    return [
        Raw(result.start, result.end, result.entity_type, float(result.score))
        for result in EntityRecognizer.remove_duplicates(results)
    ]


class Context:
    """Keywords before a position of a text; the text is tokenised when first asked."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._stop = stop_words(language)
        self._tokens: list[tuple[int, int, str]] | None = None

    def before(self, position: int) -> list[str]:
        """Lower-case keyword in which `position` lies and the `CONTEXT_WORDS` keywords before it, nearest first.

        A keyword is a token that is neither a stop word nor punctuation. If the token at `position` is no keyword, one more
        before it is taken, as Presidio does.
        """
        if self._tokens is None:
            self._tokens = [(*match.span(), match.group().lower()) for match in _TOKEN.finditer(self._text)]
        tokens = self._tokens
        index = bisect_right(tokens, position, key=lambda token: token[0]) - 1
        if index < 0 or position >= tokens[index][1]:
            index = min(index + 1, len(tokens) - 1)
        words: list[str] = []
        while index >= 0 and len(words) <= CONTEXT_WORDS:
            if self.is_keyword(tokens[index][2]):
                words.append(tokens[index][2])
            index -= 1
        return words

    def is_keyword(self, word: str) -> bool:
        """Whether a lower-case token is a keyword (Presidio drops ``be`` in every language)."""
        return word not in self._stop and word != "be" and unicodedata.category(word[0])[0] != "P"


@cache
def stop_words(language: str) -> frozenset[str]:
    """SpaCy's stop words of a language; none where spaCy does not know the language."""
    from spacy.util import get_lang_class

    try:
        return frozenset(word.lower() for word in get_lang_class(language).Defaults.stop_words)
    except ImportError:
        return frozenset()
