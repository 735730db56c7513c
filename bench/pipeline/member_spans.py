"""What one detector found in a corpus: its spans, how each document went, and what it cost."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.core.model import STATUSES, Json
from bench.core.tables import F64, U8, SpanTable

_RAN = tuple(STATUSES.index(status) for status in ("ok", "truncated", "failed"))


@dataclass(frozen=True, slots=True)
class MemberSpans:
    """What one member of an ensemble found in a corpus, and how each document went."""

    name: str
    fingerprint: str
    table: SpanTable
    status: U8
    seconds: F64
    #: The machines that the seconds were measured on; empty where nobody recorded one.
    hardware: Sequence[Mapping[str, Json]] = ()

    @property
    def ran(self) -> bool:
        """Whether the detector was given any document, or has answers of its own for any."""
        return bool(np.isin(self.status, _RAN).any())

    def count(self, status: str) -> int:
        """Documents with this status."""
        return int((self.status == STATUSES.index(status)).sum())

    @property
    def cost(self) -> float:
        """Mean seconds per document over the documents it ran on; NaN where not measured."""
        known = self.seconds[np.isin(self.status, _RAN) & ~np.isnan(self.seconds)]
        # fsum: a cost of 0.2 s for every document is 0.2 s.
        return math.fsum(known.tolist()) / len(known) if len(known) else math.nan

    @property
    def state(self) -> str:
        """Digest of what the fingerprint does not fix: the status and the measured seconds of every document."""
        content = np.ascontiguousarray(self.status).tobytes() + np.ascontiguousarray(self.seconds).tobytes()
        return hashlib.sha256(content).hexdigest()
