"""``bench corpora``: list the formats and embedded corpora, prepare one, describe it, check it, write it in the plain format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import polars as pl

from bench.cli.common import Session, loader_options, simple_table, standard_options
from bench.core.corpus import Corpus
from bench.core.errors import DeidbenchError, NotAvailableError, UnknownNameError, UsageError
from bench.core.model import Document, Mention
from bench.preparation import loader_for, prepare
from corpora.checks import check_corpus
from corpora.export import write_jsonl
from corpora.registry import CORPORA, loader
from corpora.statistics import statistics
from corpora.stored import stored_records


def _opened(session: Session, name: str) -> Corpus:
    """A prepared corpus, or an embedded one prepared on the way."""
    workspace = session.workspace
    if name in workspace.prepared():
        return workspace.open_corpus(name)
    if name not in CORPORA:
        raise UnknownNameError("corpus", name, {*workspace.prepared(), *CORPORA}, f"workspace {str(workspace.home)!r}")
    if loader(name).needs_source:
        raise NotAvailableError(f"corpus {name!r} is not prepared yet; `bench corpora prepare {name} --source PATH` does it")
    with session.progress(f"preparing {name}", None) as progress:
        return prepare(workspace, name, loader(name), None, {}, progress)


def _summary(corpus: Corpus) -> dict[str, Any]:
    counts = corpus.counts
    return {
        "corpus": corpus.name,
        "documents": counts["documents"],
        "cases": counts["cases"],
        "mentions": counts["mentions"],
        "entities": counts["entities"],
        "tokens": counts["tokens"],
        "languages": sorted(set(corpus.languages)),
        "tokeniser": corpus.tokeniser,
        "identity_scope": corpus.info.identity_scope,
        "fingerprint": corpus.fingerprint,
        "options": dict(corpus.info.options),
    }


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if value < 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _show_frame(session: Session, title: str, frame: pl.DataFrame) -> None:
    numeric = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    table = simple_table(title, [name.replace("_", " ") for name in frame.columns], [name.replace("_", " ") for name in numeric])
    for row in frame.iter_rows():
        table.add_row(*map(_cell, row))
    session.show(table)
    session.print()


@click.group()
def command() -> None:
    """List, prepare, describe, check and export corpora."""


@command.command("list")
@standard_options
def list_(session: Session) -> None:
    """List formats, embedded corpora, and what is prepared in the workspace."""
    known, prepared = [], []
    table = simple_table("Formats and embedded corpora", ["name", "source", "options", "what it is"])
    for name in CORPORA.names():
        entry = _described(name)
        known.append(entry)
        source = {True: "--source PATH", False: "embedded"}.get(entry["needs_source"], "?")
        table.add_row(name, source, ", ".join(entry["options"]), entry["error"] or entry["summary"])
    session.show(table)
    session.print()
    columns = ["documents", "mentions", "entities", "tokens"]
    table = simple_table(f"Prepared in {session.workspace.home}", ["name", *columns, "languages"], columns)
    for name in session.workspace.prepared():
        try:
            summary = _summary(session.workspace.open_corpus(name, verify=False))
        except DeidbenchError as error:
            prepared.append({"corpus": name, "error": str(error)})
            table.add_row(name, "", "", "", "", str(error))
            continue
        prepared.append(summary)
        table.add_row(name, *(_cell(summary[column]) for column in columns), " ".join(summary["languages"]))
    session.show(table)
    session.finish({"known": known, "prepared": prepared}, failures=sum("error" in entry for entry in prepared))


def _described(name: str) -> dict[str, Any]:
    """What the registry holds under a name; a plug-in that cannot be loaded shows its error in place of a summary."""
    try:
        chosen = loader(name)
    except DeidbenchError as error:
        return {"name": name, "needs_source": None, "summary": "", "options": {}, "error": str(error)}
    return {
        "name": name,
        "needs_source": chosen.needs_source,
        "summary": chosen.summary,
        "options": dict(chosen.options),
        "error": "",
    }


@command.command("prepare")
@click.argument("name")
@click.option("--source", type=click.Path(path_type=Path), help="File or folder to read; embedded corpora have none.")
@click.option("--name", "target", metavar="AS", help="Name to prepare it under [default: NAME].")
@click.option("--format", "format_", help="Format of the source [default: the one called NAME, or jsonl for a .jsonl file].")
@click.option("--annotator", help="tab: union, first, or one annotator; short for --option annotator=…")
@click.option("--split", help="Keep only train, dev or test; short for --option split=…")
@click.option("--option", "pairs", multiple=True, metavar="KEY=VALUE", help="Option of the format; repeatable.")
@standard_options
def prepare_(
    session: Session,
    name: str,
    source: Path | None,
    target: str | None,
    format_: str | None,
    annotator: str | None,
    split: str | None,
    pairs: Sequence[str],
) -> None:
    """Read corpus NAME into the workspace; what was prepared under its name is replaced once the new one is complete."""
    options = loader_options(pairs, {"annotator": annotator, "split": split})
    target = target or name
    session.workspace.corpus_dir(target)  # refuses a name that cannot be a folder before anything is read
    chosen = loader_for(name, source, format_)
    if source is None and chosen.needs_source:
        raise UsageError(f"corpus {name!r} is read from a source; give it with --source PATH")
    with session.progress(f"preparing {target}", None) as progress:
        corpus = prepare(session.workspace, target, chosen, source, options, progress)
    summary = _summary(corpus)
    session.print(
        f"{target}: {summary['documents']:,} documents, {summary['mentions']:,} mentions of {summary['entities']:,} entities, "
        f"{summary['tokens']:,} tokens ({', '.join(summary['languages'])})"
    )
    session.finish(summary)


@command.command("stats")
@click.argument("name")
@standard_options
def stats(session: Session, name: str) -> None:
    """Count documents, tokens, mentions and entities of a prepared corpus, by type, identifier class, language and split."""
    corpus = _opened(session, name)
    figures = statistics(corpus)
    frames = {
        "overview": figures.overview,
        "by_type": figures.by_type,
        "by_identifier": figures.by_identifier,
        "by_language": figures.by_language,
        "by_split": figures.by_split,
    }
    table = simple_table("", ["", name], [name])
    for column, value in figures.overview.row(0, named=True).items():
        if column != "corpus":
            table.add_row(column.replace("_", " "), _cell(value))
    session.show(table)
    session.print()
    for title in ("by_type", "by_identifier", "by_language", "by_split"):
        _show_frame(session, title.replace("_", " "), frames[title])
    session.finish({**_summary(corpus), **{title: frame.to_dicts() for title, frame in frames.items()}})


@command.command("check")
@click.argument("name")
@click.option("--all", "show_all", is_flag=True, help="Show also the checks that found nothing.")
@standard_options
def check(session: Session, name: str, show_all: bool) -> None:
    """Look for gold and texts that may be wrong in a prepared corpus: counts and places, never text."""
    corpus = _opened(session, name)

    with session.progress(f"checking {name}", len(corpus)) as progress:
        frame = check_corpus(_counted(stored_records(corpus), progress), corpus.info.identity_scope)
    title = f"{name}: {len(frame)} checks, {int((frame['count'] > 0).sum())} found something"
    table = simple_table(title, ["severity", "count", "of", "first in", "at"], ["count", "at"])
    for row in frame.iter_rows(named=True):
        if show_all or row["count"]:
            offset = "" if row["offset"] is None else str(row["offset"])
            table.add_row(row["severity"], _cell(row["count"]), row["meaning"], row["doc_id"] or "", offset)
    session.show(table)
    errors = int(frame.filter(pl.col("severity") == "error")["count"].sum())
    session.finish({"corpus": name, "fingerprint": corpus.fingerprint, "checks": frame.to_dicts()}, failures=errors)


def _counted(
    records: Iterator[tuple[Document, Sequence[Mention]]], progress: Any
) -> Iterator[tuple[Document, Sequence[Mention]]]:
    for count, record in enumerate(records, start=1):
        yield record
        progress(count)


@command.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@standard_options
def export(session: Session, name: str, file: Path) -> None:
    """Write a prepared corpus to FILE in the plain format (JSON lines; gzipped where FILE ends in .gz)."""
    corpus = _opened(session, name)
    count = write_jsonl(corpus, file)
    session.print(f"wrote {count:,} documents to {file}")
    session.finish({"corpus": name, "documents": count, "file": str(file), "fingerprint": corpus.fingerprint})
