"""Seeds and options of the generated corpora: a document's randomness depends on (seed, corpus, index) and on nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.core.errors import UsageError

#: Seed of the corpora that the documentation and the leaderboard speak of.
DEFAULT_SEED: Final = 1
#: The options that every generated corpus takes.
OPTION_HELP: Final[Mapping[str, str]] = {
    "seed": f"whole number that every choice derives from (default {DEFAULT_SEED})",
    "documents": "number of documents, at least 1; a smaller corpus is the beginning of a larger one",
}


def stream(*parts: str | int) -> random.Random:
    """Return a generator seeded by SHA-256 over `parts`: equal on every machine, independent of the order of calls."""
    key = "\x1f".join(str(part) for part in parts)
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:16], "big"))


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """The checked options of a generated corpus."""

    seed: int
    documents: int


def _whole_number(corpus: str, name: str, value: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise UsageError(f"option {name!r} of corpus {corpus!r} is {value!r}; it must be a whole number") from None


def read_options(corpus: str, source: Path | None, options: Mapping[str, str], default_documents: int) -> DemoOptions:
    """Check the options of a generated corpus.

    Raises
    ------
    UsageError
        A source path was given, an option is unknown, a value is no whole number, or `documents` is below 1.
    """
    if source is not None:
        raise UsageError(f"corpus {corpus!r} is generated and reads no file, but was given {str(source)!r}; leave the path out")
    for name in options:
        if name not in OPTION_HELP:
            raise UsageError(f"unknown option {name!r} of corpus {corpus!r}; accepted: {', '.join(sorted(OPTION_HELP))}")
    seed = _whole_number(corpus, "seed", options.get("seed", str(DEFAULT_SEED)))
    documents = _whole_number(corpus, "documents", options.get("documents", str(default_documents)))
    if documents < 1:
        raise UsageError(f"option 'documents' of corpus {corpus!r} is {documents!r}; it must be at least 1")
    return DemoOptions(seed, documents)
