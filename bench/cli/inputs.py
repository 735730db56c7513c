"""Options that several commands share: where a corpus comes from, and which types are replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from bench.cli.common import Session, loader_options
from bench.core.corpus import Corpus
from bench.core.taxonomy import Policy
from bench.preparation import obtain

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Source:
    """Where a corpus comes from if it is not prepared yet, and how its format reads it."""

    data: Path | None
    format: str | None
    options: Mapping[str, str]

    def obtain(self, session: Session, name: str) -> Corpus:
        """Open the corpus, or prepare it on the way with a progress display."""
        with session.progress(f"preparing {name}", None) as progress:
            return obtain(session.workspace, name, data=self.data, format_=self.format, options=self.options, progress=progress)


def source_options(function: F) -> F:
    """Add ``--data``, ``--format``, ``--annotator``, ``--split`` and ``--option``; pass them as one `Source`."""

    @click.option("--data", type=click.Path(path_type=Path), help="Source of the corpus, where it is not prepared yet.")
    @click.option("--format", "format_", help="Format of --data [default: the corpus's own, or jsonl for a .jsonl file].")
    @click.option("--annotator", help="tab: union, first, or one annotator; short for --option annotator=…")
    @click.option("--split", help="Only train, dev or test; short for --option split=…")
    @click.option("--option", "pairs", multiple=True, metavar="KEY=VALUE", help="Option of the corpus format; repeatable.")
    @wraps(function)
    def wrapper(
        *args: Any,
        data: Path | None,
        format_: str | None,
        annotator: str | None,
        split: str | None,
        pairs: tuple[str, ...],
        **kwargs: Any,
    ) -> Any:
        options = loader_options(pairs, {"annotator": annotator, "split": split})
        return function(*args, source=Source(data, format_, options), **kwargs)

    return wrapper  # type: ignore[return-value]


def _policy(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Policy:
    if value is None:
        return Policy.default()
    return Policy.of(part.strip() for part in value.split(",") if part.strip())


def policy_option(function: F) -> F:
    """Add ``--replace``; pass it as `policy`."""
    return click.option(
        "--replace",
        "policy",
        metavar="TYPES",
        callback=_policy,
        help="Comma-separated types to replace [default: all but DATE and QUANTITY].",
    )(function)


def corpus_option(function: F) -> F:
    """Add ``--corpus``, one name; pass it as `name`."""
    return click.option(
        "--corpus", "name", required=True, help="A prepared corpus, an embedded one, or the name to prepare --data under."
    )(function)
