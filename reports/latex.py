"""LaTeX in the shapes of Tables 2 and 3 of [T], made from results rows alone (booktabs only).

A figure that the rows do not hold is an em dash with a footnote, never a zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import jinja2
import polars as pl

from bench import __version__
from bench.core.errors import UsageError
from bench.core.results import parse_subset

#: Rows of Table 2 in the paper's order: value of ``point`` in the subset, and how the row is called.
POINTS: Final[tuple[tuple[str, str], ...]] = (
    ("max_sensitivity", "max. sensitivity"),
    ("fast_sensitivity", "fast sensitivity"),
    ("max_specificity", "max. specificity"),
    ("fast_specificity", "fast specificity"),
)
MISSING: Final[str] = "---"
_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
    }
)
_RULES: Final[dict[str, str]] = {"union": r"\cup", "intersection": r"\cap", "atleast": "v", "majority": "v"}


def escape(text: str) -> str:
    """Text as LaTeX prints it literally; control characters and direction marks are dropped."""
    kept = "".join(ch for ch in text if ch.isprintable())
    return kept.translate(_SPECIAL)


def rule_symbol(ensemble: str) -> str:
    """Superscript of Table 2: union, intersection, at-least-k vote, or a single detector."""
    head, bracket, _ = ensemble.partition("(")
    if not bracket:
        return "s"
    return _RULES.get(head.strip().rstrip("0123456789"), "s")


def _environment() -> jinja2.Environment:
    # Braces and percent signs mean something in LaTeX, hence the other delimiters. Values are escaped where they are made.
    return jinja2.Environment(
        loader=jinja2.PackageLoader("reports", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Look-up of single figures in a results frame."""

    frame: pl.DataFrame

    def one(self, measurement: str, metric: str, *, subset: str = "") -> dict[str, object] | None:
        found = self.frame.filter(
            (pl.col("measurement") == measurement) & (pl.col("metric") == metric) & (pl.col("subset") == subset)
        )
        if found.is_empty() or found["value"][0] is None:
            return None
        return found.row(0, named=True)


def _number(row: dict[str, object] | None, digits: int, scale: float = 1.0) -> str:
    if row is None:
        return MISSING
    return f"${float(row['value']) * scale:.{digits}f}$"  # type: ignore[arg-type]  # `one` has checked that it is a number


def _groups(results: pl.DataFrame, keys: Sequence[str]) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
    frames = results.partition_by(list(keys), maintain_order=True, as_dict=True)
    return [(tuple(str(part) for part in key), frame) for key, frame in frames.items()]


def operating_points(results: pl.DataFrame) -> str:
    """Table 2: the four operating points of every corpus, with sensitivity, specificity and cost in seconds per document.

    Raises
    ------
    bench.core.errors.UsageError
        The results hold no operating points.
    """
    front = results.filter(pl.col("measurement") == "front")
    if front.is_empty():
        raise UsageError("the results hold no operating points (measurement 'front'); run `bench run` on them first")
    corpora = _groups(front, ["run", "corpus"])
    several_runs = front["run"].n_unique() > 1
    missing = False
    table = []
    for point, title in POINTS:
        cells = []
        for _, frame in corpora:
            at = _Rows(frame.filter(pl.col("subset") == f"point={point}"))
            cost = at.one("front", "seconds_per_document", subset=f"point={point}")
            cost_text = MISSING
            if cost is not None:
                cost_text = f"${float(cost['value']):.3f}^{{{rule_symbol(str(cost['ensemble']))}}}$"  # type: ignore[arg-type]
            row = [_number(at.one("front", metric, subset=f"point={point}"), 4) for metric in ("sensitivity", "specificity")]
            cells.append([*row, cost_text])
        missing = missing or any(MISSING in cell for cell in cells)
        table.append((title, cells))
    titles = [escape(f"{corpus} ({run})" if several_runs else corpus) for (run, corpus), _ in corpora]
    return str(
        _environment()
        .get_template("operating_points.tex.j2")
        .render(titles=titles, rows=table, missing=missing, version=__version__)
    )


def leakage(results: pl.DataFrame) -> str:
    """Table 3: person sensitivity, specificity, exposure per (person, document) pair, and the attacks where they were run.

    Raises
    ------
    bench.core.errors.UsageError
        The results hold no detection rows.
    """
    detection = results.filter(pl.col("measurement") == "detection")
    if detection.is_empty():
        raise UsageError("the results hold no detection rows; run `bench run` on them first")
    rows = []
    ensembles = set()
    main = results.filter(pl.col("measurement") != "front")
    several = main.select("run", "ensemble").n_unique() > 1
    for (run, corpus, ensemble), frame in _groups(main, ["run", "corpus", "ensemble"]):
        at = _Rows(frame)
        ensembles.add(ensemble)
        rows.append(
            [
                escape(f"{corpus} ({ensemble}, {run})" if several else corpus),
                _number(at.one("detection", "sensitivity", subset="type=PERSON"), 4),
                _number(at.one("detection", "specificity"), 4),
                _number(at.one("exposure", "entity_documents", subset="type=PERSON"), 2, 100),
                _attack(frame, "frequency", "recovered_alignment", 0),
                _attack(frame, "linkage", "top1", 2, method="context"),
                _attack(frame, "linkage", "top1", 2, method="learned"),
                _attack(frame, "linkage", "chance", 4),
            ]
        )
    missing = any(MISSING in row for row in rows)
    caption_ensemble = escape(next(iter(ensembles))) if len(ensembles) == 1 else ""
    return str(
        _environment()
        .get_template("leakage.tex.j2")
        .render(rows=rows, missing=missing, ensemble=caption_ensemble, version=__version__)
    )


def _attack(frame: pl.DataFrame, measurement: str, metric: str, digits: int, *, method: str = "") -> str:
    """Figure of an attack on condition B, or an em dash where it was not run."""
    found = frame.filter(
        (pl.col("measurement") == measurement) & (pl.col("metric") == metric) & (pl.col("condition") == "B")
    ).to_dicts()
    for row in found:
        subset = parse_subset(row["subset"])
        if row["value"] is not None and (not method or subset.get("attack") == method):
            return f"${row['value']:.{digits}f}$"
    return MISSING


def document(tables: Sequence[str]) -> str:
    """A complete document around finished tables, so that a result can be compiled and looked at as it is."""
    return str(_environment().get_template("document.tex.j2").render(tables=list(tables)))
