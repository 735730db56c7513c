"""The template of every adapter: what a detector finds in one text becomes a checked `Detection`.

A subclass loads its model and finds raw spans; everything that must hold for any detector is here: unsupported languages,
failures as statuses, label maps, thresholds, offsets. Documents are taken one by one, so that a result cannot depend on the
documents that share a call and the measured time is the document's own.
"""

from __future__ import annotations

import math
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import ConfigError, DetectorError, LabelError
from bench.core.model import Detection, Document, Span
from detectors.failures import reason
from detectors.manifest import explain
from detectors.windows import Raw, check_window, merge, plan


class Options(BaseModel):
    """Base of an adapter's own options (``[options]`` in the manifest): unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True, slots=True)
class Found:
    """Raw spans of one text, and why part of it was not read (empty: all of it was)."""

    spans: Sequence[Raw]
    cut: str = ""


class TextAdapter(Adapter):
    """An adapter that looks at one text at a time.

    Parameters
    ----------
    spec
        The detector; its options are validated, the model is loaded, and every label that the model can emit must have an
        entry in the label map.

    Raises
    ------
    ConfigError
        Options that do not validate, or a threshold for a label outside the map.
    LabelError
        The model has a label without an entry: it would vanish silently.
    """

    options_model: ClassVar[type[Options]] = Options

    def __init__(self, spec: DetectorSpec) -> None:
        super().__init__(spec)
        check_spec(spec, self.options_model)
        self._map = spec.label_map()
        self.load()
        for label in sorted(self.emitted()):
            self._map.type_of(label, "the model can emit it")

    @abstractmethod
    def load(self) -> None:
        """Load the model."""

    @abstractmethod
    def emitted(self) -> Iterable[str]:
        """Every raw label that `find` can return."""

    @abstractmethod
    def find(self, text: str, language: str) -> Found:
        """Find raw spans in a text that is not blank; offsets are code points of `text`."""

    def floor(self, label: str) -> float:
        """Lowest score that a span of `label` needs."""
        return self.spec.thresholds.get(label, self.spec.threshold)

    def replaced(self, label: str) -> bool:
        """Whether the map gives `label` a type (False: ignored on purpose); an unmapped label is a `LabelError`."""
        return self._map.type_of(label) is not None

    def detect(self, documents: Sequence[Document]) -> Iterator[Detection]:
        """Yield one `Detection` per document, in order; see `Adapter.detect`."""
        for document in documents:
            yield self._detect(document)

    def _detect(self, document: Document) -> Detection:
        if not self.spec.supports(document.language):
            return Detection((), "unsupported", f"{self.spec.name} does not read the language {document.language!r}")
        started = perf_counter()
        try:
            # A blank text has nothing to find, and models differ in what they make of one.
            found = self.find(document.text, document.language) if document.text.strip() else Found(())
            spans = self._finished(found.spans, document.text)
        except LabelError:
            raise
        except Exception as error:  # noqa: BLE001  # a model may fail with anything; the document carries it as its status
            return Detection((), "failed", reason(error, document.text), perf_counter() - started)
        return Detection(spans, "truncated" if found.cut else "ok", found.cut, perf_counter() - started)

    def _finished(self, raw: Iterable[Raw], text: str) -> tuple[Span, ...]:
        """Map, filter and tidy raw spans: sorted, no two equal, edges never on white space or inside a character."""
        best: dict[tuple[int, int, str], tuple[float, str]] = {}
        for span in raw:
            if not 0 <= span.start < span.end <= len(text):
                raise DetectorError(
                    f"span [{span.start}, {span.end}) with label {span.label} in a text of {len(text)} characters"
                )
            if not (math.isfinite(span.score) and 0.0 <= span.score <= 1.0 + 1e-6):
                raise DetectorError(f"score {span.score} with label {span.label} is not in [0, 1]")
            kind = self._map.type_of(span.label)
            if kind is None or span.score < self.floor(span.label):
                continue
            edges = tidy(text, span.start, span.end)
            if edges is None:
                continue
            key = (*edges, span.label)
            score = min(span.score, 1.0)
            if key not in best or score > best[key][0]:
                best[key] = (score, kind)
        return tuple(Span(start, end, label, kind, score) for (start, end, label), (score, kind) in sorted(best.items()))


def tidy(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Interval without outer white space and invisible characters, widened over combining marks; None if nothing is left.

    Normalisers drop accents and variation selectors before the model, so that a span may end between a letter and its mark:
    the mark belongs to the letter.
    """
    while start < end and _invisible(text[start]):
        start += 1
    while end > start and _invisible(text[end - 1]):
        end -= 1
    if start == end:
        return None
    while start > 0 and _is_mark(text[start]) and not _invisible(text[start - 1]):
        start -= 1
    return start, past_marks(text, end)


def past_marks(text: str, end: int) -> int:
    """First position from `end` on that is no combining mark."""
    while end < len(text) and _is_mark(text[end]):
        end += 1
    return end


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _invisible(character: str) -> bool:
    """White space, control and format characters (joiners, soft hyphens, byte-order marks)."""
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf")


def over_windows(
    text: str, size: int, overlap: int, find: Callable[[str], Iterable[Raw]], can_break: Callable[[int], bool] | None = None
) -> list[Raw]:
    """Run `find` over windows of characters and merge; cuts fall at white space unless `can_break` says otherwise."""
    windows = plan(len(text), size, overlap, can_break or (lambda i: text[i].isspace() or text[i - 1].isspace()))
    if len(windows) == 1:
        return list(find(text))
    found = [
        [Raw(span.start + start, span.end + start, span.label, span.score) for span in find(text[start:end])]
        for start, end in windows
    ]
    return merge(found, windows)


def read_options(spec: DetectorSpec, model: type[OptionsT]) -> OptionsT:
    """Validate ``spec.options``; every failure is one `ConfigError` line that names detector, key and what is accepted."""
    try:
        return model.model_validate(dict(spec.options))
    except ValidationError as error:
        raise ConfigError(f"detector {spec.name!r}: {explain(error, model, 'options.')}") from None


def check_spec(spec: DetectorSpec, options_model: type[Options]) -> None:
    """Everything about a specification that can be checked without the model."""
    read_options(spec, options_model)
    check_window(spec.window, spec.overlap, f"detector {spec.name!r}")
    unknown = sorted(set(spec.thresholds) - set(spec.labels))
    if unknown:
        known = ", ".join(sorted(spec.labels))
        raise ConfigError(f"detector {spec.name!r}: thresholds.{unknown[0]} is not a label of its map; accepted: {known}")
    for label, value in spec.thresholds.items():
        if not 0.0 <= value <= 1.0:
            raise ConfigError(f"detector {spec.name!r}: thresholds.{label} = {value!r}; accepted: a number from 0 to 1")
