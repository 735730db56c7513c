"""A front as people and programs read it: tables of operating points and candidates, a JSON object, a file of all candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from rich.table import Table

from bench.core.atomic import replacing
from bench.core.errors import UsageError
from bench.fronts import Front

MISSING: Final[str] = "—"
#: What ``--output`` can write, by the end of the file name.
FORMATS: Final[tuple[str, ...]] = (".parquet", ".csv")
#: Level to the column that holds its sensitivity.
SENSITIVITY: Final[Mapping[str, str]] = {"token": "sensitivity", "mention": "mention_replaced", "entity": "entity_protected"}


def _rate(value: float | None) -> str:
    return MISSING if value is None else f"{value:.4f}"


def _seconds(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}" if value >= 0.1 else f"{value:.2g}"


def _spaced(row: Mapping[str, Any]) -> str:
    """The expression with spaces, so that a narrow terminal breaks it between names and not inside one."""
    return str(row["ensemble"]).replace(",", ", ")


def _table(title: str, first: str, rates: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in (*rates, "s/doc"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("ensemble", overflow="fold")
    return table


def points_table(front: Front) -> Table:
    """The operating points in the shape of Table 2 of [T], with person sensitivity; a point that cannot be given says why.

    Sensitivity is that of the front's level.
    """
    table = _table(f"Operating points ({front.level} level, {front.cost} cost)", "point", ("sens.", "spec.", "person"))
    for point in front.points:
        row = point.candidate
        if row is None:
            table.add_row(point.name, *[MISSING] * 4, "", point.reason)
            continue
        rates = (row[SENSITIVITY[front.level]], row["specificity"], row["person_sensitivity"])
        table.add_row(point.name, *map(_rate, rates), _seconds(row[f"cost_{front.cost}"]), row["symbol"], _spaced(row))
    return table


def candidates_table(front: Front, rows: pl.DataFrame, title: str) -> Table:
    """Rows of a candidate frame with their sensitivity at every level; ``*`` marks those on the front."""
    table = _table(title, "", ("tokens", "mentions", "entities", "spec."))
    for row in rows.iter_rows(named=True):
        rates = [row[name] for name in (*SENSITIVITY.values(), "specificity")]
        cost = _seconds(row[f"cost_{front.cost}"])
        table.add_row("*" if row["on_front"] else "", *map(_rate, rates), cost, row["symbol"], _spaced(row))
    return table


def front_json(front: Front, *, listed: bool) -> dict[str, Any]:
    """Points, front and, if `listed`, every candidate; a figure that is not measurable is null."""
    return {
        "detectors": list(front.detectors),
        "level": front.level,
        "cost": front.cost,
        "unpriced": list(front.unpriced),
        "n_candidates": len(front.candidates),
        "operating_points": {p.name: None if p.candidate is None else dict(p.candidate) for p in front.points},
        "reasons": {p.name: p.reason for p in front.points if p.reason},
        "front": front.front.to_dicts(),
        "candidates": front.candidates.to_dicts() if listed else None,
    }


def check_output(path: Path) -> None:
    """Refuse a file name whose end is not one of `FORMATS`, before any work is done for it."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot tell the format of {str(path)!r}; accepted: a name that ends in {' or '.join(FORMATS)}")
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give a file name")


def write_candidates(front: Front, path: Path) -> None:
    """Write every candidate to a Parquet or CSV file, which appears whole or not at all; in CSV members are joined by ``+``."""
    check_output(path)
    with replacing(path) as temporary, temporary.open("wb") as stream:
        if path.suffix.lower() == ".csv":
            front.candidates.with_columns(pl.col("members").list.join("+")).write_csv(stream)
        else:
            front.candidates.write_parquet(stream)


def machines(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """One short line for each distinct machine that costs were measured on."""
    return sorted({_machine(record) for record in records})


def _machine(record: Mapping[str, Any]) -> str:
    if "processor" not in record:
        return "hardware that was not recorded (imported spans)"
    return f"{record['processor']}, {record.get('cores', '?')} cores, processes: {record.get('workers', 1)}"
