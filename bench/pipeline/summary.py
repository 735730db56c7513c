"""What a run says at its end: the compact tables for people, and the object that ``--json`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl
from rich.table import Table

from bench.core.model import STATUSES
from bench.pipeline.run import CorpusOutcome, RunOutcome

DENOMINATORS: Final[tuple[str, ...]] = ("mentions", "entity_documents", "documents", "cases", "entities")
_STABILITY: Final[tuple[str, ...]] = ("collision", "fragmentation", "drift")
_FRONT_COLUMNS: Final[tuple[str, ...]] = (
    "ensemble",
    "k",
    "sensitivity",
    "specificity",
    "person_sensitivity",
    "mention_replaced",
    "entity_protected",
    "cost_parallel",
    "cost_serial",
)
MISSING: Final[str] = "—"


class Figures:
    """Look-up of a corpus's rows by measurement, metric and subset."""

    def __init__(self, results: pl.DataFrame) -> None:
        self._rows = {(row["measurement"], row["metric"], row["subset"]): row for row in results.iter_rows(named=True)}

    def get(self, measurement: str, metric: str, subset: str = "") -> Mapping[str, Any] | None:
        """The row, or None where there is none or it was not measurable."""
        row = self._rows.get((measurement, metric, subset))
        return row if row is not None and row["value"] is not None else None

    def value(self, measurement: str, metric: str, subset: str = "") -> float | None:
        """The row's value."""
        row = self.get(measurement, metric, subset)
        return None if row is None else float(row["value"])

    def share(self, measurement: str, metric: str, subset: str = "") -> dict[str, Any] | None:
        """Value with its counts and interval."""
        row = self.get(measurement, metric, subset)
        if row is None:
            return None
        return {key: row[key] for key in ("value", "numerator", "denominator", "ci_low", "ci_high", "method")}


def corpus_payload(outcome: CorpusOutcome) -> dict[str, Any]:
    """One corpus as the JSON object shows it: figures with counts and intervals, exposure at every denominator, the front."""
    at = Figures(outcome.stage.results)
    return {
        "corpus": outcome.corpus.name,
        "fingerprint": outcome.corpus.fingerprint,
        **dict(outcome.corpus.counts),
        "sensitivity": at.value("detection", "sensitivity"),
        "specificity": at.value("detection", "specificity"),
        "person_sensitivity": at.value("detection", "sensitivity", "type=PERSON"),
        "detection": {
            metric: at.share("detection", metric)
            for metric in ("sensitivity", "specificity", "precision", "mention_replaced", "entity_protected")
        },
        "exposure": {
            who: {metric: at.share("exposure", metric, subset) for metric in DENOMINATORS}
            for who, subset in (("all", ""), ("PERSON", "type=PERSON"))
        },
        "stability": {
            who: {metric: at.share("stability", metric, subset) for metric in _STABILITY}
            for who, subset in (("all", ""), ("PERSON", "type=PERSON"))
        },
        "seconds_per_document": {
            mode: at.value("cost", "seconds_per_document", f"mode={mode}") for mode in ("parallel", "serial")
        },
        "operating_points": {
            point["name"]: None if point["candidate"] is None else {key: point["candidate"][key] for key in _FRONT_COLUMNS}
            for point in outcome.stage.points
        },
        "front": [{key: row[key] for key in _FRONT_COLUMNS} for row in outcome.stage.front],
        "detectors": {member.name: member.fingerprint for member in outcome.members},
        "status": {
            member.name: {status: member.count(status) for status in STATUSES if member.count(status)}
            for member in outcome.members
        },
        "computed": sum(summary.computed for summary in outcome.detection),
        "cached": sum(summary.cached for summary in outcome.detection),
        "reused": outcome.stage.reused,
    }


def payload(outcome: RunOutcome) -> dict[str, Any]:
    """The whole run as one JSON object."""
    return {
        "run": outcome.name,
        "folder": str(outcome.folder),
        "settings": outcome.settings.as_json(),
        "files": [str(path) for path in outcome.files()],
        "failed_documents": outcome.failed,
        "corpora": [corpus_payload(one) for one in outcome.corpora],
    }


def _rate(value: float | None, digits: int = 4) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _percent(row: Mapping[str, Any] | None) -> str:
    return MISSING if row is None else f"{100 * row['value']:.1f} %"


def _seconds(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _table(title: str, first: str, *right: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False, expand=False)
    table.add_column(first, no_wrap=True)
    for column in right:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _main_table(outcome: RunOutcome) -> Table:
    table = _table(
        f"Detection by {outcome.settings.ensemble.name}",
        "corpus",
        "docs",
        "sens.",
        "spec.",
        "person",
        "protected",
        "s/doc",
        "serial",
    )
    for one in outcome.corpora:
        at = Figures(one.stage.results)
        table.add_row(
            one.corpus.name,
            f"{len(one.corpus):,}",
            _rate(at.value("detection", "sensitivity")),
            _rate(at.value("detection", "specificity")),
            _rate(at.value("detection", "sensitivity", "type=PERSON")),
            _percent(at.get("detection", "entity_protected")),
            _seconds(at.value("cost", "seconds_per_document", "mode=parallel")),
            _seconds(at.value("cost", "seconds_per_document", "mode=serial")),
        )
    return table


def _exposure_table(outcome: RunOutcome) -> Table:
    table = _table("Still exposed", "corpus", "who", "mentions", "pairs", "documents", "cases", "entities")
    table.columns[1].justify = "left"
    for one in outcome.corpora:
        at = Figures(one.stage.results)
        for name, who, subset in ((one.corpus.name, "people", "type=PERSON"), ("", "all types", "")):
            table.add_row(name, who, *(_percent(at.get("exposure", metric, subset)) for metric in DENOMINATORS))
    return table


def _points_table(outcome: RunOutcome) -> Table:
    table = _table("Operating points", "corpus", "point", "sens.", "spec.", "s/doc", "ensemble")
    table.columns[1].justify = "left"
    table.columns[-1].justify = "left"
    table.columns[-1].overflow = "fold"
    table.columns[-1].no_wrap = False
    for one in outcome.corpora:
        name = one.corpus.name
        for point in one.stage.points:
            row = point["candidate"]
            if row is None:
                table.add_row(name, point["name"], MISSING, MISSING, MISSING, point["reason"])
            else:
                rates = (_rate(row["sensitivity"]), _rate(row["specificity"]), _seconds(row["cost_parallel"]))
                # A space after each comma, so that a narrow terminal breaks lines between detectors.
                table.add_row(name, point["name"], *rates, row["ensemble"].replace(",", ", "))
            name = ""
    return table


def _stability_table(outcome: RunOutcome) -> Table:
    table = _table("Surrogates of condition B", "corpus", "who", *_STABILITY)
    table.columns[1].justify = "left"
    for one in outcome.corpora:
        at = Figures(one.stage.results)
        for name, who, subset in ((one.corpus.name, "people", "type=PERSON"), ("", "all types", "")):
            table.add_row(name, who, *(_percent(at.get("stability", metric, subset)) for metric in _STABILITY))
    return table


def tables(outcome: RunOutcome) -> Iterator[Table]:
    """The tables that a run ends with."""
    yield _main_table(outcome)
    yield _exposure_table(outcome)
    yield _points_table(outcome)
    yield _stability_table(outcome)


def statements(outcome: RunOutcome) -> Iterator[str]:
    """One sentence per corpus: what a release under this ensemble would still show."""
    for one in outcome.corpora:
        at = Figures(one.stage.results)
        documents = at.get("exposure", "documents", "type=PERSON")
        if documents is None:
            continue
        low, high = documents["ci_low"], documents["ci_high"]
        interval = "" if low is None else f", 95 % interval {100 * low:.1f}–{100 * high:.1f} %"
        yield (
            f"{one.corpus.name}: {documents['numerator']:,.0f} of {documents['denominator']:,.0f} documents "
            f"would still name a person ({100 * documents['value']:.1f} %{interval})."
        )


def warnings(outcome: RunOutcome) -> Iterator[str]:
    """What went wrong on the way, one line each: damaged cache files, failed, cut and missing documents."""
    for one in outcome.corpora:
        summaries = {summary.detector: summary for summary in one.detection}
        for member in one.members:
            where = f"{one.corpus.name}, {member.name}"
            summary = summaries.get(member.name)
            for line in summary.damaged if summary else ():
                yield f"{where}: damaged and detected again: {line}"
            if failed := member.count("failed"):
                doc_id, reason = next(iter(summary.failures.items())) if summary else ("", "")
                first = f", first on {doc_id!r}: {reason}" if summary else ""
                yield f"{where}: failed on {failed} of {len(one.corpus)} documents, scored as empty detections{first}"
            if truncated := member.count("truncated"):
                yield f"{where}: {truncated} of {len(one.corpus)} documents were cut"
            if missing := member.count("missing"):
                yield f"{where}: no answer for {missing} of {len(one.corpus)} documents, scored as empty detections"
            if unsupported := member.count("unsupported"):
                languages = ", ".join(sorted(set(one.corpus.languages)))
                if unsupported == len(one.corpus):
                    yield f"{where}: supports none of the corpus's languages ({languages}) and finds nothing"
