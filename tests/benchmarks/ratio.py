"""How a kernel is compared with its naive version: equality first, then one ratio of times in one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ratio:
    """A measured ratio of naive to fast time, beside the one required by the kernel's specification."""

    kernel: str
    measured: float
    required: float
    detail: str = ""

    def line(self) -> str:
        """``RATIO <kernel> <measured> >= <required> ok|short``."""
        verdict = "ok" if self.measured >= self.required else "short"
        return f"RATIO {self.kernel} {self.measured:.1f} >= {self.required:g} {verdict}"


def best_of(call: Callable[[], T], repeat: int = 3) -> tuple[float, T]:
    """Least wall time of `repeat` calls in seconds, with the last result; the caller has warmed any compiler."""
    best, result = float("inf"), None
    for _ in range(repeat):
        began = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - began)
    return best, result  # type: ignore[return-value]  # repeat >= 1
