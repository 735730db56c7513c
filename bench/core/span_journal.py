"""The journal of a part in progress: one line per finished document, so that a kill loses at most the document at hand."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bench.core.atomic import storing, write_atomic
from bench.core.model import Detection, Span

_CHECK: Final[int] = 16


def _line(value: Any) -> bytes:
    # ASCII escapes keep line ends and lone surrogates out of the line.
    body = json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
    return hashlib.sha256(body).hexdigest()[:_CHECK].encode() + b" " + body + b"\n"


def _value(line: bytes) -> Any | None:
    """The value of a line (without its line end), or None where it is altered."""
    check, space, body = line[:_CHECK], line[_CHECK : _CHECK + 1], line[_CHECK + 1 :]
    if space != b" " or hashlib.sha256(body).hexdigest()[:_CHECK].encode() != check:
        return None
    return json.loads(body)


def _encode(doc: int, detection: Detection) -> bytes:
    seconds = None if math.isnan(detection.seconds) else detection.seconds
    spans = [[s.start, s.end, s.label, s.type, s.score] for s in detection.spans]
    return _line([doc, detection.status, detection.reason, seconds, spans])


def _decode(value: Any) -> tuple[int, Detection]:
    doc, status, reason, seconds, spans = value
    found = [Span(start, end, label, type_, score) for start, end, label, type_, score in spans]
    return doc, Detection(found, status, reason, math.nan if seconds is None else seconds)


class Journal:
    """Finished documents of one part, appended one by one and flushed to the operating system each time.

    Every line carries its own checksum; a torn last line (the process died while writing) is not a record, and an altered
    line costs its own document only. Whoever opens a journal holds the part's lock.

    Parameters
    ----------
    path
        The journal file.
    header
        What the journal belongs to (schema, corpus, detector, document range); a file with another header is not read.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self._header = dict(header)
        self._descriptor: int | None = None
        #: One line per thing that was found wrong on opening and set aside.
        self.problems: list[str] = []

    def read(self) -> dict[int, Detection]:
        """Records by document index; unreadable ones are left out and noted in `problems`."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        # What follows the last line end is torn: the process died while it wrote.
        *lines, _ = raw.split(b"\n")
        if not lines:
            return {}
        if _value(lines[0]) != self._header:
            self.problems.append(f"{str(self.path)!r} belongs to another part, detector or schema and is started afresh")
            return {}
        records: dict[int, Detection] = {}
        altered = 0
        for line in lines[1:]:
            value = _value(line)
            if value is None:
                altered += 1
                continue
            doc, detection = _decode(value)
            records[doc] = detection
        if altered:
            self.problems.append(f"{str(self.path)!r} has {altered} altered lines; their documents are detected again")
        return records

    def open(self) -> dict[int, Detection]:
        """Read what is finished and open for appending; whatever is torn or altered is cut away first."""
        records = self.read()
        self.rewrite(records)
        with storing(self.path):
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        return records

    def rewrite(self, records: Mapping[int, Detection]) -> None:
        """Replace the journal by one that holds exactly `records`."""
        write_atomic(self.path, _line(self._header) + b"".join(_encode(doc, records[doc]) for doc in sorted(records)))

    def append(self, doc: int, detection: Detection) -> None:
        """Record one finished document."""
        if self._descriptor is None:
            raise ValueError("the journal is not open")
        line = memoryview(_encode(doc, detection))
        with storing(self.path):
            while line:
                line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        """Close without removing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def remove(self) -> None:
        """Close and delete: the part it led to is committed."""
        self.close()
        self.path.unlink(missing_ok=True)
