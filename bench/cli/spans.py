"""``bench detectors spans``: import spans that were made elsewhere as a detector, and export those of any detector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from bench.cli.common import Session, key_values, simple_table, standard_options
from bench.core.errors import NotAvailableError, UsageError
from bench.core.spancache import SpanCache
from bench.ensembles import Ensemble
from bench.pipeline.members import known_members, named_sets, parse_detectors
from bench.preparation import obtain
from bench.spans_layouts import Layout, Third
from bench.spansfiles import export_spans, import_spans, imported_detectors
from detectors import loading


@click.group()
def command() -> None:
    """Import, export and list spans files."""


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--corpus", "corpus_name", required=True, help="The corpus that the spans are of.")
@click.option("--data", type=click.Path(path_type=Path), help="Source to prepare the corpus from.")
@click.option("--name", required=True, help="Name of the detector that the file becomes.")
@click.option("--layout", type=click.Choice(get_args(Layout)), default="auto", show_default=True, help="Layout of the file.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="LABEL=TYPE",
    help="Entry of the label map, repeatable; '-' leaves a label out [default: the file's types, or labels that are types].",
)
@click.option(
    "--third",
    type=click.Choice(get_args(Third)),
    default="auto",
    show_default=True,
    help="Third element in TAB's layout: a label, or a replacement text to ignore. auto: labels if all are in the label map.",
)
@click.option("--seconds", type=float, help="Measured seconds per document, where the file has none.")
@click.option("--skip-unknown", is_flag=True, help="Leave out documents that the corpus does not have.")
@standard_options
def import_(
    session: Session,
    file: Path,
    corpus_name: str,
    data: Path | None,
    name: str,
    layout: Layout,
    labels: Sequence[str],
    third: Third,
    seconds: float | None,
    skip_unknown: bool,
) -> None:
    """Import FILE as a detector over one corpus.

    FILE is JSONL, one {"doc_id": ..., "spans": [{"start": ..., "end": ..., "label": ...}]} a line, or the one JSON object
    {"doc_id": [[start, end, ...], ...]} that TAB tools write; either may be gzipped. Offsets are code points, ends exclusive.
    """
    workspace = session.workspace
    with session.progress(f"preparing {corpus_name}", None) as progress:
        corpus = obtain(workspace, corpus_name, data=data, progress=progress)
    imported = import_spans(
        corpus,
        file,
        name,
        spans_root=workspace.spans,
        layout=layout,
        labels=key_values(labels, "--label") or None,
        third=third,
        seconds=seconds,
        skip_unknown=skip_unknown,
        reserved=[*loading.names(), *named_sets(session.workspace)],
    )
    counts = imported.counts
    session.print(
        f"{name}: {counts['spans']:,} spans in {counts['documents'] - counts['missing']:,} of {counts['documents']:,} documents "
        f"of {corpus.name}; {counts['missing']:,} documents missing, {counts['skipped']:,} others skipped, "
        f"{counts['duplicates']:,} repeated spans, {counts['ignored']:,} ignored by the label map"
    )
    session.finish(
        {
            "detector": name,
            "corpus": corpus.name,
            "fingerprint": imported.fingerprint,
            "labels": dict(imported.spec.labels),
            **counts,
        }
    )


@command.command("export")
@click.argument("detector")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--corpus", "corpus_name", required=True, help="The corpus that the spans are of.")
@standard_options
def export(session: Session, detector: str, file: Path, corpus_name: str) -> None:
    """Write the spans that the cache holds of DETECTOR to FILE as JSONL (gzipped if it ends in .gz).

    The file holds offsets and labels, never text.
    """
    workspace = session.workspace
    names = parse_detectors(workspace, detector)
    if len(names) != 1:
        raise UsageError(f"{detector!r} names {len(names)} detectors; a file holds the spans of one")
    name = names[0]
    corpus = workspace.open_corpus(corpus_name)
    (member,) = known_members(workspace, corpus, Ensemble.of((name,), 1))
    cache = SpanCache.of(workspace.spans, corpus, member.fingerprint)
    missing = cache.status_counts()["missing"]
    if missing == len(corpus):
        raise NotAvailableError(
            f"no spans of {name} over corpus {corpus.name!r} yet; "
            f"`bench detect --corpus {corpus.name} --ensemble {name}` makes them"
        )
    written = export_spans(corpus, cache, file)
    session.print(f"{file}: {written:,} documents of {name} over {corpus.name}; {missing:,} have no answer and are left out")
    session.finish({"detector": name, "corpus": corpus.name, "file": str(file), "documents": written, "missing": missing})


@command.command("list")
@standard_options
def list_(session: Session) -> None:
    """List imported detectors with the corpora that they cover."""
    columns = ["documents", "missing", "spans"]
    table = simple_table("Imported spans", ["detector", "corpus", *columns, "labels", "fingerprint"], columns)
    entries = []
    for name, imports in imported_detectors(session.workspace.spans).items():
        for entry in imports:
            counts = entry.counts
            labels = " ".join(f"{label}={type_}" for label, type_ in sorted(entry.spec.labels.items()))
            row = [f"{counts[column]:,}" for column in columns]
            table.add_row(name, entry.corpus, *row, labels, entry.fingerprint)
            entries.append({"detector": name, "corpus": entry.corpus, "fingerprint": entry.fingerprint, **counts})
    session.show(table)
    session.finish({"imported": entries})
