"""``bench report``: views of finished runs."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli.common import Session, standard_options
from bench.core.atomic import write_atomic
from bench.core.errors import UnknownNameError
from bench.core.results import concat, read_results
from bench.core.workspace import Workspace
from reports.latex import document, leakage, operating_points

_TABLES = {"2": operating_points, "3": leakage}


def results_path(workspace: Workspace, run: str) -> Path:
    """Results of a run given by its name in the workspace, or by a run folder or results file."""
    given = Path(run)
    for candidate in (given, given / "results.parquet"):
        if candidate.is_file():
            return candidate
    known = sorted(p.parent.name for p in workspace.runs.glob("*/results.parquet"))
    if run not in known:
        raise UnknownNameError("run", run, known, f"workspace {str(workspace.home)!r}")
    return workspace.run_dir(run) / "results.parquet"


@click.group()
def command() -> None:
    """Make tables from one or more runs."""


@command.command("latex")
@click.argument("runs", nargs=-1, required=True)
@click.option("--table", type=click.Choice(["2", "3", "all"]), default="all", show_default=True, help="Table 2, 3, or both.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write [default: standard output].")
@click.option("--standalone", is_flag=True, help="A complete document that compiles as it is.")
@standard_options
def latex(session: Session, runs: tuple[str, ...], table: str, output: Path | None, standalone: bool) -> None:
    """Write Tables 2 and 3 of RUNS (names, folders or results files), side by side if several."""
    results = concat([read_results(results_path(session.workspace, run)) for run in runs])
    tables = [make(results) for name, make in _TABLES.items() if table in (name, "all")]
    text = document(tables) if standalone else "\n".join(tables)
    if output is None:
        session.print(text)
    else:
        write_atomic(output, text.encode())
        session.note(f"wrote {output}")
    session.finish({"runs": list(runs), "tables": len(tables), "output": str(output) if output else None, "latex": text})
