"""Detection of one part: give its unfinished documents to the adapter, check every answer, keep each at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import index
from typing import Final

import pyarrow as pa

from bench.core.corpus import Corpus
from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import DeidbenchError, DetectorError, StoreError
from bench.core.model import STATUSES, Detection, Document, Json, Span
from bench.core.span_store import OpenPart
from bench.core.taxonomy import TYPE_CODE

#: Scores are stored as float32.
_LARGEST_SCORE: Final[float] = 3.4028234e38
#: First text by language; English where none is listed.
_WARM_UP: Final = {
    "de": "Anna Weber kam am Montag aus Bonn.",
    "zh": "王小明昨天到了北京。",
    "ar": "وصل أحمد إلى القاهرة أمس.",
}


def load_adapter(load: Callable[[DetectorSpec], Adapter], spec: DetectorSpec) -> Adapter:
    """Load a detector and run it once on one short text, so that no document pays for lazy initialisation.

    Raises
    ------
    DetectorError
        The detector cannot be loaded or does not survive the first text.
    """
    try:
        adapter = load(spec)
    except DeidbenchError:
        raise
    except Exception as error:
        raise DetectorError(f"detector {spec.name!r} could not be loaded: {one_line(error)}") from error
    language = "en" if spec.supports("en") else spec.languages[0]
    text = _WARM_UP.get(language, "Anna Weber came from Boston on Monday.")
    for _ in _answers(adapter, spec, [Document("warm-up", text, language)]):
        pass
    return adapter


def one_line(error: BaseException) -> str:
    """Type and message of an exception of foreign code, without line ends."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _answers(adapter: Adapter, spec: DetectorSpec, documents: Sequence[Document]) -> Iterator[Detection]:
    """The adapter's answers; whatever it raises is the failure of the whole detector."""
    try:
        yield from adapter.detect(documents)
    except DeidbenchError:
        raise
    except Exception as error:
        raise DetectorError(f"detector {spec.name!r} failed: {one_line(error)}") from error


def failed(reason: str) -> Detection:
    """A document without an answer, and why."""
    return Detection((), "failed", reason, 0.0)


def _fault(span: object, spec: DetectorSpec, length: int) -> str | None:
    if not isinstance(span, Span):
        return f"{span!r:.200} is no span"
    if not 0 <= span.start < span.end <= length:
        return f"the span {(span.start, span.end)!r} is empty, reversed or outside the text of {length} characters"
    if span.label not in spec.labels:
        return f"label {span.label!r} has no entry in the label map; mapped: {', '.join(sorted(spec.labels))}"
    if span.type not in TYPE_CODE:
        return f"{span.type!r} is not a type of the taxonomy"
    if span.type != spec.labels[span.label]:
        return f"label {span.label!r} came with type {span.type!r}, the label map says {spec.labels[span.label]!r}"
    if not abs(span.score) <= _LARGEST_SCORE:
        return f"the score {span.score!r} of the span {(span.start, span.end)!r} is not a finite number"
    return None


def _plain(span: Span) -> Span:
    """The same span with Python's own numbers (models hand out numpy's); a fractional offset is a `TypeError`."""
    return Span(index(span.start), index(span.end), span.label, span.type, float(span.score))


def checked(detection: Detection, spec: DetectorSpec, document: Document, elapsed: float) -> Detection:
    """A detection that may be stored: itself, or a failure whose reason says what is wrong with it.

    Parameters
    ----------
    detection
        The adapter's answer for `document`.
    spec
        The detector.
    document
        The document that was asked about.
    elapsed
        Seconds since the answer before; stands in where the adapter measured none, so that no answer is free of cost.
    """
    if not isinstance(detection, Detection) or detection.status not in STATUSES or detection.status == "missing":
        return failed(f"detector {spec.name!r} answered {detection!r:.200}, which is no detection")
    if not (math.isfinite(detection.seconds) and detection.seconds >= 0.0):
        return failed(f"detector {spec.name!r} reports {detection.seconds!r} seconds")
    seconds = float(detection.seconds)
    if detection.status not in ("ok", "truncated"):
        reason = detection.reason or ("no reason given" if detection.status == "failed" else "")
        return Detection((), detection.status, _encodable(reason), seconds)
    spans = []
    for span in detection.spans:
        try:
            fault = _fault(span, spec, len(document.text))
            if fault is None:
                spans.append(_plain(span))
        except TypeError:
            fault = f"{span!r:.200} does not hold numbers where numbers belong"
        if fault is not None:
            return Detection((), "failed", _encodable(f"detector {spec.name!r} gave a wrong answer: {fault}"), seconds)
    return Detection(spans, detection.status, _encodable(detection.reason), seconds or elapsed)


def _encodable(text: str) -> str:
    """Reasons may quote broken text; a lone surrogate could not be stored."""
    return text.encode("utf-8", "backslashreplace").decode()


def _texts(corpus: Corpus, docs: Sequence[int]) -> list[tuple[int, Document]]:
    """Documents of the range that `docs` span, with their indices: one part's texts at most."""
    if not docs:
        return []
    try:
        return list(enumerate(corpus.documents(docs[0], docs[-1] + 1), start=docs[0]))
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"cannot read documents {docs[0]} to {docs[-1]} of corpus {corpus.name!r}: {one_line(error)}") from error


def run_part(
    adapter: Adapter,
    corpus: Corpus,
    part: OpenPart,
    hardware: Mapping[str, Json],
    on_document: Callable[[int], None],
    *,
    one_by_one: bool = False,
) -> None:
    """Finish a part and commit it.

    Parameters
    ----------
    adapter
        The loaded detector.
    corpus
        Where the texts are streamed from; one part's texts are in memory at a time.
    part
        The part in hand; what its journal holds is not computed again.
    hardware
        What the measured seconds belong to.
    on_document
        Called with the index of each document that has just been finished.
    one_by_one
        Give the adapter a single document per call, so that a document that kills the process is known by name.

    Raises
    ------
    DetectorError
        The detector as a whole failed; finished documents stay in the journal.
    StoreError
        The disk is full or not writable.
    """
    spec = adapter.spec
    wanted = set(part.missing)
    asked: list[tuple[int, Document]] = []
    for doc, document in _texts(corpus, part.missing):
        if doc not in wanted:
            continue
        if spec.supports(document.language):
            asked.append((doc, document))
        else:
            part.add(doc, Detection((), "unsupported", f"language {document.language!r}", 0.0))
            on_document(doc)
    for call in [[pair] for pair in asked] if one_by_one else [asked]:
        _run_call(adapter, part, call, on_document)
    part.commit(hardware)


def _run_call(
    adapter: Adapter, part: OpenPart, asked: Sequence[tuple[int, Document]], on_document: Callable[[int], None]
) -> None:
    if not asked:
        return
    count, began = 0, time.perf_counter()
    for detection in _answers(adapter, adapter.spec, [document for _, document in asked]):
        count += 1
        if count > len(asked):
            break
        now = time.perf_counter()
        doc, document = asked[count - 1]
        part.add(doc, checked(detection, adapter.spec, document, now - began))
        began = now
        on_document(doc)
    if count != len(asked):
        # Nobody can tell which answer belongs to which document, so none of this call may stand.
        amount = f"more than {len(asked)}" if count > len(asked) else str(count)
        reason = f"detector {adapter.spec.name!r} gave {amount} answers for {len(asked)} documents"
        for doc, _ in asked:
            part.add(doc, failed(reason))
            on_document(doc)
