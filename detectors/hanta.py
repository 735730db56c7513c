"""HanTa (Hanover Tagger): proper nouns of a German part-of-speech tagger.

STTS has one tag for proper nouns, ``NE``. *Our reading*: neighbouring NE tokens on one line are one value if one of them is
written like a name (a capital and letters, not two or three capitals); it is a place where the word before it is one of
`PLACE_CUES` (label ``NE:place``), otherwise a person (label ``NE``).

HanTa's model is a pickle. Only files whose SHA-256 stands in `PINNED` are opened, from the very bytes that were hashed, by an
unpickler that knows the two harmless globals such a model needs.
"""

from __future__ import annotations

import gzip
import io
import pickle
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

import regex

from bench.core.detector import DetectorSpec
from bench.core.errors import NotAvailableError
from detectors.base import Found, Options, TextAdapter, read_options
from detectors.resources import bytes_with_sha256, lacking, package_dir, weights
from detectors.windows import Raw

#: File to SHA-256: the German model of the HanTa 1.2.1 wheel.
PINNED: Final[Mapping[str, str]] = {"morphmodel_ger.pgz": "d0a23caa212663fe7715e18e937074287f80b9e3bab64ccebc12a81e0094db23"}
#: Prepositions that stand before places far more often than before people.
PLACE_CUES: Final = frozenset({"in", "nach", "aus"})
#: HanTa's analysis is quadratic in the length of a word; longer ones are judged by this many characters.
LONGEST_WORD: Final = 64
#: Most tokens that the sentence model gets at once: its tables grow with the sentence.
LONGEST_SENTENCE: Final = 200
_GLOBALS: Final = frozenset({("numpy", "dtype"), ("numpy._core.multiarray", "scalar"), ("numpy.core.multiarray", "scalar")})

# Numbers with inner signs, words with inner hyphens and apostrophes and a trailing dot if the next pattern knows it as an
# abbreviation, any other sign alone. Joiners and soft hyphens inside a word belong to it.
_TOKEN: Final = regex.compile(
    r"\p{Nd}++(?:[.,/:]\p{Nd}+)*(?![\p{L}\p{M}])"
    r"|[\p{L}\p{M}\p{Nd}](?:[\p{L}\p{M}\p{Nd}]|[\u00ad\u200b-\u200d\u2060]++(?=[\p{L}\p{M}])|[-‐'’](?=[\p{L}\p{Nd}]))*+"
    r"|\S"
)
_ABBREVIATION: Final = regex.compile(
    r"\p{L}|dr|drs|prof|med|dent|vet|phil|nat|rer|jur|ing|dipl|hr|fr|frl|st|str|nr|geb|tel|bzw|ca|evtl|ggf|inkl|max|min|sog|vgl|usw|"
    r"abs|art|jh|tbl|tgl|z|b|u|a|d|h",
    regex.IGNORECASE,
)
_INVISIBLE: Final = regex.compile(r"[\u00ad\u200b-\u200d\u2060]")
# German writes names with a capital; the tagger also gives NE to units (mg), doses (5FU) and abbreviations (CT, EKG).
_NAME: Final = regex.compile(r"(?!\p{Lu}{2,3}\.?$)\p{Lu}[\p{L}\p{M}]+(?:[-‐'’][\p{L}\p{M}]+)*\.?|\p{L}['’]\p{Lu}[\p{L}\p{M}]+")
_INITIAL: Final = regex.compile(r"\p{Lu}\.?")
_END: Final = frozenset(".!?")


class HantaOptions(Options):
    """Options of the adapter: `file`, the model inside the package; one of `PINNED`."""

    file: str


class HantaAdapter(TextAdapter):
    """Proper nouns by HanTa; it gives no scores, so each is 1."""

    version: ClassVar[str] = "1"
    options_model: ClassVar[type[Options]] = HantaOptions

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        return lacking(spec, {"hanta": spec.revision})

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        root = package_dir(spec.model)
        return weights(root, [root / read_options(spec, HantaOptions).file], ("hanta",))

    def load(self) -> None:
        name = read_options(self.spec, HantaOptions).file
        if name not in PINNED:
            raise NotAvailableError(
                f"{self.spec.name}: {name!r} is a pickle without a pinned digest; accepted: {', '.join(PINNED)}"
            )
        data = bytes_with_sha256(package_dir(self.spec.model) / name, PINNED[name], self.spec.name)
        self._tagger = _tagger(data)

    def emitted(self) -> Iterable[str]:
        tags = {tag.removeprefix("END_") for tag in self._tagger.tag2int if tag.startswith("END_")}
        return tags | {"NE:place"}

    def find(self, text: str, language: str) -> Found:
        spans: list[Raw] = []
        shortened = 0
        for sentence in sentences(text):
            shortened += sum(len(token.word) > LONGEST_WORD for token in sentence)
            spans.extend(self._names(text, sentence))
        cut = f"{shortened} words longer than {LONGEST_WORD} characters were judged by their beginning" if shortened else ""
        return Found(spans, cut)

    def _names(self, text: str, sentence: list[Token]) -> Iterator[Raw]:
        tags: list[str] = []
        for start in range(0, len(sentence), LONGEST_SENTENCE):
            words = [token.word[:LONGEST_WORD] for token in sentence[start : start + LONGEST_SENTENCE]]
            tags.extend(self._tagger.tag_sent(words, taglevel=0))
        run: list[int] = []
        for index, token in enumerate(sentence):
            proper = tags[index] == "NE" and (_NAME.fullmatch(token.word) or _INITIAL.fullmatch(token.word))
            if run and (not proper or "\n" in text[sentence[index - 1].end : token.start]):
                yield from _value(sentence, run)
                run = []
            if proper:
                run.append(index)
        yield from _value(sentence, run)


def _value(sentence: list[Token], run: list[int]) -> Iterator[Raw]:
    """The span of a run of proper nouns, if one of them is more than an initial or a short abbreviation."""
    if any(_NAME.fullmatch(sentence[index].word) for index in run):
        place = run[0] > 0 and sentence[run[0] - 1].word.lower() in PLACE_CUES
        yield Raw(sentence[run[0]].start, sentence[run[-1]].end, "NE:place" if place else "NE")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the text: offsets, and the word as the tagger gets it (composed, without invisible characters)."""

    start: int
    end: int
    word: str


def sentences(text: str) -> Iterator[list[Token]]:
    """Tokens of `text`, sentence by sentence: a sentence ends after ``.!?`` and at an empty line."""
    sentence: list[Token] = []
    previous = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if sentence and text.count("\n", previous, start) > 1:
            yield sentence
            sentence = []
        if text[start] == "." and sentence and sentence[-1].end == start and _ABBREVIATION.fullmatch(sentence[-1].word):
            before = sentence[-1]
            sentence[-1] = Token(before.start, end, before.word + ".")
        else:
            word = _INVISIBLE.sub("", unicodedata.normalize("NFC", match.group())) or match.group()
            sentence.append(Token(start, end, word))
            if word in _END:
                yield sentence
                sentence = []
        previous = end
    if sentence:
        yield sentence


class _ModelUnpickler(pickle.Unpickler):
    """Builds containers, numbers and strings, and nothing that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _GLOBALS:
            raise pickle.UnpicklingError(f"the model names {module}.{name}")
        return super().find_class(module, name)


def _tagger(data: bytes) -> Any:
    """HanTa's tagger from the checked bytes of a model, with a memory for words that it has analysed."""
    from HanTa.HanoverTagger import HanoverTagger

    model = _ModelUnpickler(io.BytesIO(gzip.decompress(data))).load()
    tagger = HanoverTagger(None, model)
    tagger.strict = False  # what the constructor sets when it reads a file itself
    tagger.analyze_forward = lru_cache(maxsize=50_000)(tagger.analyze_forward)
    return tagger
