"""A small real detector for tests: capitalised words are people, runs of digits are ids; it can be told to misbehave.

It lives in a module of its own because worker processes import it by name. Options of the specification:

``log``
    A file to which every document id is appended when the document is begun.
``wait``
    Seconds to sleep on each document.
``gate``
    A file; documents after the first `gate_after` wait until it exists.
``fault``
    ``raise``, ``few``, ``many``, ``outside``, ``reversed``, ``label``, ``type``, ``mismatch``, ``score``, ``seconds``, ``numpy``.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.core.detector import Adapter, DetectorSpec
from bench.core.model import Detection, Document, Span

_RULE = re.compile(r"(?P<NAME>[A-Z]\w+)|(?P<NUMBER>\d+)")
LABELS = {"NAME": "PERSON", "NUMBER": "ID"}


def rule_spans(text: str) -> list[Span]:
    """What the detector finds in a text."""
    return [
        Span(m.start(), m.end(), str(m.lastgroup), LABELS[str(m.lastgroup)], 0.9 if m.lastgroup == "NAME" else 0.75)
        for m in _RULE.finditer(text)
    ]


class RuleAdapter(Adapter):
    """The detector."""

    version = "7"

    @classmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        return "rules"

    def detect(self, documents: Sequence[Document]) -> Iterator[Detection]:
        options = self.spec.options
        for count, document in enumerate(documents):
            if document.doc_id == "warm-up":
                yield Detection((), "ok", "", 0.001)
                continue
            if options.get("log"):
                with Path(options["log"]).open("a", encoding="utf-8") as stream:
                    stream.write(f"{document.doc_id}\n")
            if options.get("gate") and count >= options.get("gate_after", 0):
                while not Path(options["gate"]).exists():
                    time.sleep(0.01)
            time.sleep(options.get("wait", 0))
            if "KILLER" in document.text or ("KILLONCE" in document.text and _first_time(options["once"])):
                os.kill(os.getpid(), signal.SIGKILL)
            if "FAILING" in document.text:
                yield Detection((), "failed", "the rules do not like it", 0.5)
                continue
            yield self._answer(document, options.get("fault", ""))
            if options.get("fault") == "few" and count == len(documents) - 2:
                return
            if options.get("fault") == "raise" and count == 1:
                raise RuntimeError("out of\nrules")
        if options.get("fault") == "many":
            yield Detection(())

    def _answer(self, document: Document, fault: str) -> Detection:
        spans: list[Any] = rule_spans(document.text)
        n = len(document.text)
        if document.doc_id.endswith("1"):
            bad = {
                "outside": Span(0, n + 1, "NAME", "PERSON"),
                "reversed": Span(3, 2, "NAME", "PERSON"),
                "label": Span(0, 1, "CITY", "LOCATION"),
                "type": Span(0, 1, "NAME", "HUMAN"),
                "mismatch": Span(0, 1, "NAME", "ID"),
                "score": Span(0, 1, "NAME", "PERSON", float("nan")),
                "fraction": Span(0.5, 1, "NAME", "PERSON"),  # type: ignore[arg-type]
                "nospan": (0, 1),
            }
            if fault in bad:
                spans.append(bad[fault])
            if fault == "seconds":
                return Detection(spans, "ok", "", -1.0)
        if fault == "numpy":
            spans = [Span(np.int64(s.start), np.int32(s.end), s.label, s.type, np.float32(s.score)) for s in spans]  # type: ignore[arg-type]
        if fault == "unmeasured":
            return Detection(spans)
        return Detection(spans, "ok", "", 0.25)


def _first_time(path: str) -> bool:
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def load(spec: DetectorSpec) -> Adapter:
    """Factory that worker processes import."""
    if spec.options.get("fault") == "load":
        raise ValueError("no rules here")
    if spec.options.get("fault") == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return RuleAdapter(spec)


def spec(**options: Any) -> DetectorSpec:
    """Specification of the detector."""
    languages = options.pop("languages", ("*",))
    return DetectorSpec(name="rules", adapter="rules", labels=LABELS, languages=languages, options=options)


def key(of: DetectorSpec) -> str:
    """Its key in the cache; options do not count, so that a run can be interrupted and resumed with others."""
    return of.model_copy(update={"options": {}}).fingerprint(RuleAdapter.version, RuleAdapter.weights_digest(of))
