"""Token classifiers in ONNX with a Hugging Face tokenizer: word pieces in, whole values out.

The model judges word pieces; a value is made of words. Probabilities are averaged over the pieces of a word, so that no word
is split or half marked, and words of one label are joined under the rules of `joined`. Every window runs alone and
unpadded: nothing that shares a call can change a result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from bench.core.detector import DetectorSpec
from bench.core.errors import ConfigError, NotAvailableError
from detectors.base import Found, Options, TextAdapter, past_marks, read_options
from detectors.onnx import session
from detectors.resources import lacking, package_dir, weights
from detectors.windows import Raw, merge, plan

#: What may stand between two parts of one value on one line: blanks, or the dot of an initial and blanks.
_SAME_VALUE: Final = re.compile(r"\.?[ \t\u00a0\u3000]{1,3}")
#: Signs inside a word of a name that the model may leave out: ``Holst-Christensen``, ``O'Neil``.
_INNER_SIGNS: Final = frozenset("-‐‑–'’")


class TokenOptions(Options):
    """Options of the adapter.

    Parameters
    ----------
    distribution
        Distribution that brings the package in ``model``.
    folder
        Folder of config.json and tokenizer.json inside that package.
    file
        The ONNX file, below `folder`.
    threads
        Threads of one session.
    join
        New label to the labels whose neighbouring spans become one span of it (given name and surname: one name).
    """

    distribution: str
    folder: str
    file: str
    threads: int = Field(default=1, ge=1)
    join: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


class OnnxTokenAdapter(TextAdapter):
    """Token classification with an ONNX model."""

    version: ClassVar[str] = "1"
    options_model: ClassVar[type[Options]] = TokenOptions

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        options = read_options(spec, TokenOptions)
        return lacking(spec, {options.distribution: spec.revision, "onnxruntime": "", "tokenizers": ""})

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        options = read_options(spec, TokenOptions)
        root = package_dir(spec.model) / options.folder
        files = [root / "config.json", root / "tokenizer.json", root / options.file]
        return weights(root, files, ("onnxruntime", "tokenizers"))

    def load(self) -> None:
        from tokenizers import Tokenizer

        self._options = read_options(self.spec, TokenOptions)
        root = package_dir(self.spec.model) / self._options.folder
        config = json.loads((root / "config.json").read_text(encoding="utf-8"))
        self._tokenizer = Tokenizer.from_file(str(root / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        first, last = (self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
        if first is None or last is None:
            raise NotAvailableError(f"{self.spec.name}: the tokenizer has no [CLS] or [SEP]")
        self._first, self._last = int(first), int(last)
        limit = int(config["max_position_embeddings"]) - 2
        if not 0 < self.spec.window <= limit:
            raise ConfigError(f"detector {self.spec.name!r}: window = {self.spec.window}; accepted: 1 to {limit} word pieces")
        self._session = session(root / self._options.file, self._options.threads)
        self._inputs = [item.name for item in self._session.get_inputs()]
        self._labels = _Labels({int(key): str(name) for key, name in config["id2label"].items()})
        for label, parts in self._options.join.items():
            unknown = sorted(set(parts) - set(self._labels.names))
            if unknown:
                raise ConfigError(
                    f"detector {self.spec.name!r}: options.join.{label} names {unknown[0]!r}; "
                    f"accepted: {', '.join(self._labels.names)}"
                )

    def emitted(self) -> Iterable[str]:
        return (*self._labels.names, *self._options.join)

    def find(self, text: str, language: str) -> Found:
        text.encode("utf-8")  # a lone surrogate is told as what it is; the tokenizer would call it "not a str"
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        pieces = Pieces(text, encoding.ids, encoding.offsets, encoding.word_ids)
        windows = plan(len(pieces.ids), self.spec.window, self.spec.overlap, pieces.starts_word)
        found = [self._window(text, pieces, start, end) for start, end in windows]
        if not found:
            return Found(())
        spans = [
            Raw(pieces.offsets[span.start][0], pieces.offsets[span.end - 1][1], span.label, span.score)
            for span in merge(found, windows)
        ]
        return Found(join_parts(text, [span for span in spans if span.score >= self.floor(span.label)], self._options.join))

    def _window(self, text: str, pieces: Pieces, start: int, end: int) -> list[Raw]:
        """Spans of one window in units of word pieces of the whole text."""
        ids = np.array([[self._first, *pieces.ids[start:end], self._last]], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (logits,) = self._session.run(None, {name: feed[name] for name in self._inputs})
        return self._labels.spans(np.asarray(logits[0, 1:-1], dtype=np.float64), text, pieces, start)


class Pieces:
    """Word pieces of one text: ids, offsets into the text, and where words start."""

    def __init__(self, text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]], words: Sequence[int | None]) -> None:
        # Pieces without characters (none of the known tokenizers has them without special tokens) could not become spans.
        kept = [i for i, (start, end) in enumerate(offsets) if end > start]
        self.ids = [ids[i] for i in kept]
        # The normaliser drops combining marks; they belong to the letter before them.
        self.offsets = [(offsets[i][0], past_marks(text, offsets[i][1])) for i in kept]
        self._words = [words[i] for i in kept]

    def starts_word(self, index: int) -> bool:
        """Whether a word starts at piece `index`."""
        return index == 0 or self._words[index] is None or self._words[index] != self._words[index - 1]


class _Labels:
    """BIO labels of a model: which columns make which raw label, and how judged words become spans."""

    def __init__(self, by_column: Mapping[int, str]) -> None:
        names: list[str] = []
        begin: list[tuple[int, int]] = []
        inside: list[tuple[int, int]] = []
        self._outside: list[int] = []
        for column, name in sorted(by_column.items()):
            prefix, sign, label = name.partition("-")
            if not sign or prefix not in ("B", "I"):
                if name != "O":
                    raise NotAvailableError(f"the model's label {name!r} is neither 'O' nor 'B-…' nor 'I-…'")
                self._outside.append(column)
                continue
            if label not in names:
                names.append(label)
            (begin if prefix == "B" else inside).append((column, names.index(label)))
        self.names = tuple(names)
        self._begin, self._inside = begin, inside
        self._columns = len(by_column)

    def spans(self, logits: npt.NDArray[np.float64], text: str, pieces: Pieces, first: int) -> list[Raw]:
        """Spans of the pieces ``first, first + 1, ...``, shape of `logits` (pieces, labels); units: pieces."""
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        probability = shifted / shifted.sum(axis=1, keepdims=True)
        starts = [i for i in range(len(logits)) if i == 0 or pieces.starts_word(first + i)]
        sizes = np.diff([*starts, len(logits)])
        word = np.add.reduceat(probability, starts, axis=0) / sizes[:, None]
        by_label = np.zeros((len(starts), len(self.names) + 1))
        begins = np.zeros_like(by_label)
        for column, label in self._begin:
            by_label[:, label] += word[:, column]
            begins[:, label] += probability[starts, column]
        for column, label in self._inside:
            by_label[:, label] += word[:, column]
            begins[:, label] -= probability[starts, column]
        by_label[:, -1] = word[:, self._outside].sum(axis=1)
        chosen = by_label.argmax(axis=1)
        words = [
            JudgedWord(
                first + starts[i],
                first + starts[i] + int(sizes[i]),
                self.names[label] if label < len(self.names) else "",
                float(by_label[i, label]),
                bool(begins[i, label] > 0.0),
            )
            for i, label in enumerate(chosen)
        ]
        return joined(text, words, pieces.offsets)


class JudgedWord:
    """One word of a window: pieces ``[start, end)``, label (empty: outside), probability, whether it begins a value."""

    __slots__ = ("begins", "end", "label", "score", "start")

    def __init__(self, start: int, end: int, label: str, score: float, begins: bool) -> None:
        self.start, self.end, self.label, self.score, self.begins = start, end, label, score, begins


def joined(text: str, words: Sequence[JudgedWord], offsets: Sequence[tuple[int, int]]) -> list[Raw]:
    """Join judged words into spans (units: pieces); the score is the mean over the words that carry the label.

    A word continues the span before it if it has the same label and either touches it, or is reached over blanks of the same
    line and does not begin a value. A lone hyphen or apostrophe that touches such words on both sides goes with them.
    """
    spans: list[Raw] = []
    scores: list[float] = []
    previous_end = 0
    for index, word in enumerate(words):
        label, scored = word.label, True
        if not label and spans and 0 < index < len(words) - 1 and _bridges(text, words, index, offsets):
            label, scored = words[index - 1].label, False
        if not label:
            continue
        if spans and spans[-1].label == label and previous_end == word.start:
            gap = text[offsets[word.start - 1][1] : offsets[word.start][0]]
            if not gap or (not word.begins and gap.isspace() and "\n" not in gap and "\r" not in gap):
                if scored:
                    scores.append(word.score)
                spans[-1] = Raw(spans[-1].start, word.end, label, float(np.mean(scores)))
                previous_end = word.end
                continue
        scores = [word.score]
        spans.append(Raw(word.start, word.end, label, word.score))
        previous_end = word.end
    return spans


def _bridges(text: str, words: Sequence[JudgedWord], index: int, offsets: Sequence[tuple[int, int]]) -> bool:
    before, word, after = words[index - 1], words[index], words[index + 1]
    if not before.label or before.label != after.label:
        return False
    start, end = offsets[word.start][0], offsets[word.end - 1][1]
    touches = offsets[before.end - 1][1] == start and end == offsets[after.start][0]
    return touches and text[start:end] in _INNER_SIGNS


def join_parts(text: str, spans: Sequence[Raw], join: Mapping[str, Sequence[str]]) -> list[Raw]:
    """Give neighbouring spans that are parts of one value (given name, surname) one span with the label of the whole."""
    group = {part: whole for whole, parts in join.items() for part in parts}
    result: list[Raw] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        whole = group.get(span.label)
        if result and whole is not None:
            last = result[-1]
            if (last.label == whole or group.get(last.label) == whole) and _SAME_VALUE.fullmatch(text[last.end : span.start]):
                result[-1] = Raw(last.start, span.end, whole, max(last.score, span.score))
                continue
        result.append(span)
    return result
