"""The error hierarchy: every expected failure is one of these, and prints as one line.

Each class carries the exit code of docs/design.md, so the command line needs no table: 1 failed, 2 wrong use,
3 finished with failures that are listed. Messages name the bad value (``!r``), where it stands, and what
would be accepted.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DeidbenchError(Exception):
    """Base of every expected failure; the command line prints it as one line and exits with `exit_code`."""

    exit_code = 1


class UsageError(DeidbenchError):
    """The caller asked for something that does not exist or cannot be: exit code 2."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that no registry, map or set holds."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        known = sorted(known)
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(repr(c) for c in close)}?" if close else f"known: {', '.join(known) or 'none'}"
        super().__init__(f"unknown {kind} {name!r}{f' in {where}' if where else ''}; {hint}")
        self.kind, self.name, self.known = kind, name, tuple(known)


class LabelError(UsageError):
    """A label without an entry in its label map (never dropped silently, docs/measures.md, Units)."""


class ConfigError(UsageError):
    """A configuration, manifest or label map that does not validate."""


class DataError(DeidbenchError):
    """Input that is malformed: the message names the file, the record and the value."""


class StoreError(DeidbenchError):
    """The store could not be read or written: corrupted, of another schema version, disk full."""


class DetectorError(DeidbenchError):
    """A detector could not be loaded, or failed on a document."""


class NotAvailableError(UsageError):
    """Something that exists but is not installed or not prepared here; the message gives the remedy."""


class IntegrityError(DeidbenchError):
    """An invariant of a release or a result does not hold: a defect, never the user's fault."""
