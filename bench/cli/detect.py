"""``bench detect``: fill the span cache of a corpus, so that everything after it starts from spans that are there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from bench.cli.common import Session, simple_table, standard_options
from bench.cli.inputs import Source, corpus_option, source_options
from bench.core.errors import DetectorError
from bench.core.model import STATUSES
from bench.detection import DetectionSummary, detect
from bench.ensembles import Ensemble
from bench.pipeline.members import known_members, parse_detectors

#: Failed documents that are listed by name for each detector; the JSON output has all of them.
_LISTED = 5


@click.command()
@corpus_option
@source_options
@click.option(
    "--ensemble", default="embedded", show_default=True, help="Detectors to run: a list a,b,c, a named set, or an expression."
)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--fresh", is_flag=True, help="Discard what the cache holds of these detectors and compute it again.")
@click.option("--retry-failed", is_flag=True, help="Compute documents again that failed before.")
@standard_options
def command(
    session: Session,
    name: str,
    source: Source,
    ensemble: str,
    workers: int,
    fresh: bool,
    retry_failed: bool,
) -> None:
    """Run detectors over a corpus and keep their spans.

    Interrupted at any moment, the same command goes on where it stopped. A detector that fails as a whole does not keep the
    others from running; documents that failed are listed.
    """
    workspace = session.workspace
    names = parse_detectors(workspace, ensemble)
    corpus = source.obtain(session, name)
    summaries: list[DetectionSummary] = []
    broken: dict[str, str] = {}
    for member in known_members(workspace, corpus, Ensemble.of(names, 1)):
        with session.progress(f"{name}: {member.name}", len(corpus)) as progress:
            try:
                summaries.append(
                    detect(
                        corpus,
                        member.spec,
                        workspace.spans,
                        workers=workers,
                        progress=progress,
                        fresh=fresh,
                        retry_failed=retry_failed,
                        fingerprint=member.fingerprint,
                    )
                )
            except DetectorError as error:
                broken[member.name] = str(error)
    _show(session, name, summaries, broken)
    failures = len(broken) + sum(len(summary.failures) for summary in summaries)
    session.finish(_data(corpus.name, corpus.fingerprint, summaries, broken), failures=failures)


def _data(corpus: str, fingerprint: str, summaries: Sequence[DetectionSummary], broken: dict[str, str]) -> dict[str, Any]:
    return {
        "corpus": corpus,
        "corpus_fingerprint": fingerprint,
        "detectors": [summary.as_json() for summary in summaries],
        "errors": broken,
    }


def _show(session: Session, corpus: str, summaries: Sequence[DetectionSummary], broken: dict[str, str]) -> None:
    used = [status for status in STATUSES if any(summary.by_status[status] for summary in summaries)]
    columns = ["spans", *used, "computed now", "s per document"]
    table = simple_table(f"Spans in {corpus}", ["detector", *columns], columns)
    for summary in summaries:
        answered = summary.by_status["ok"] + summary.by_status["truncated"] + summary.by_status["failed"]
        cost = "" if math.isnan(summary.seconds) or not answered else f"{summary.seconds / answered:.4f}"
        counts = [f"{summary.by_status[status]:,}" for status in used]
        table.add_row(summary.detector, f"{summary.spans:,}", *counts, f"{summary.computed:,}", cost)
    session.show(table)
    for summary in summaries:
        for line in summary.damaged:
            session.note(f"{summary.detector}: damaged in the cache, detected again: {line}")
        for doc_id, reason in list(summary.failures.items())[:_LISTED]:
            session.note(f"{summary.detector}: document {doc_id!r} failed: {reason}")
        if len(summary.failures) > _LISTED:
            session.note(f"{summary.detector}: {len(summary.failures) - _LISTED} more documents failed")
    for message in broken.values():
        session.note(f"error: {message}")
