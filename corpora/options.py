"""What every loader does with its arguments: options it does not have, a path that is missing or unwanted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from bench.core.errors import DataError, UnknownNameError, UsageError
from bench.core.source import CorpusLoader

#: Splits a document can belong to (`bench.core.model.Document.split`); the empty string where the corpus has none.
SPLITS: tuple[str, ...] = ("train", "dev", "test")


def check_options(loader: CorpusLoader, options: Mapping[str, str]) -> None:
    """Refuse options that `loader` does not describe in its `options`; the message proposes the nearest."""
    for key in options:
        if key not in loader.options:
            raise UnknownNameError("option", key, loader.options, f"corpus {loader.name}")


def required_source(loader: CorpusLoader, source: Path | None, accepts: str) -> Path:
    """Return the path a loader needs, if it was given and exists; `accepts` says in words what it may be."""
    if source is None:
        raise UsageError(f"corpus {loader.name} needs a source: give the path of {accepts}")
    if not source.exists():
        raise DataError(f"corpus {loader.name}: there is no file or folder {str(source)!r}; expected {accepts}")
    return source


def choice(loader: CorpusLoader, option: str, value: str, accepted: Collection[str]) -> str:
    """Return `value` if it is one of `accepted`, else an error that proposes the nearest."""
    if value not in accepted:
        raise UnknownNameError(f"value of option {option!r}", value, accepted, f"corpus {loader.name}")
    return value
