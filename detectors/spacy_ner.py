"""spaCy named-entity recognisers: one package, its `ner` pipe and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from bench.core.detector import DetectorSpec
from detectors.base import Found, Options, TextAdapter, over_windows, read_options
from detectors.resources import lacking, package_dir, tree, weights
from detectors.windows import Raw

#: Longest run without white space that spaCy's tokeniser gets in one piece: it is quadratic in a run of affix characters.
LONGEST_RUN = 400
_LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")


class SpacyOptions(Options):
    """Options of the adapter.

    Parameters
    ----------
    distribution
        Name of the distribution that brings the package in ``model``.
    pipes
        Pipes that are loaded; the recogniser must not depend on any other.
    """

    distribution: str
    pipes: tuple[str, ...] = ("ner",)


class SpacyAdapter(TextAdapter):
    """Named entities of a spaCy pipeline; spaCy gives no scores, so each is 1."""

    version: ClassVar[str] = "1"
    options_model: ClassVar[type[Options]] = SpacyOptions

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        options = read_options(spec, SpacyOptions)
        return lacking(spec, {"spacy": "", options.distribution: spec.revision})

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        options = read_options(spec, SpacyOptions)
        root = _data_dir(spec)
        files = tree(root, (*options.pipes, "vocab"), ("config.cfg", "tokenizer"))
        return weights(root, files, ("spacy", "thinc", options.distribution))

    def load(self) -> None:
        import spacy

        pipes = read_options(self.spec, SpacyOptions).pipes
        data = _data_dir(self.spec)
        present = [path.name for path in data.iterdir() if path.is_dir()]
        self._nlp: Any = spacy.load(data, exclude=[name for name in present if name not in pipes])
        self._nlp.tokenizer = BoundedTokenizer(self._nlp.tokenizer)

    def emitted(self) -> Iterable[str]:
        return tuple(self._nlp.get_pipe("ner").labels)

    def find(self, text: str, language: str) -> Found:
        return Found(over_windows(text, self.spec.window, self.spec.overlap, self._entities))

    def _entities(self, text: str) -> list[Raw]:
        # The zone frees every string that this text added to the vocabulary, which would otherwise grow with the corpus.
        with self._nlp.memory_zone():
            return [Raw(entity.start_char, entity.end_char, entity.label_) for entity in self._nlp(text).ents]


class BoundedTokenizer:
    """spaCy's tokeniser, except that runs of more than `LONGEST_RUN` non-space characters are tokenised in pieces."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __call__(self, text: str) -> Any:
        if _LONG_RUN.search(text) is None:
            return self._inner(text)
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        for piece in self._pieces(text):
            for token in self._inner(piece):
                words.append(token.text)
                spaces.append(bool(token.whitespace_))
        return Doc(self._inner.vocab, words=words, spaces=spaces)

    @staticmethod
    def _pieces(text: str) -> Iterable[str]:
        position = 0
        for run in _LONG_RUN.finditer(text):
            for cut in range(run.start(), run.end(), LONGEST_RUN):
                if cut > position:
                    yield text[position:cut]
                    position = cut
        if position < len(text):
            yield text[position:]


def _data_dir(spec: DetectorSpec) -> Path:
    """Folder with ``config.cfg`` inside the package: the one versioned folder that spaCy packages carry."""
    root = package_dir(spec.model)
    return next(path.parent for path in sorted(root.glob("*/config.cfg")))
