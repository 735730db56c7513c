from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from bench.core.errors import UsageError
from bench.core.results import Measure, concat, rows
from reports.latex import POINTS, document, escape, leakage, operating_points, rule_symbol


def results(corpus: str = "demo_mail & co") -> pl.DataFrame:
    head = {"run": "r1", "corpus": corpus, "corpus_fingerprint": "f"}
    main = rows(
        [
            Measure("detection", "sensitivity", 0.91234, subset="type=PERSON"),
            Measure("detection", "specificity", 0.5),
            Measure("exposure", "entity_documents", 0.0123, subset="type=PERSON", numerator=123, denominator=10000),
        ],
        ensemble="union(a,b)",
        **head,
    )
    point = rows(
        [
            Measure("front", "sensitivity", 0.75, subset="point=max_sensitivity"),
            Measure("front", "specificity", 0.25, subset="point=max_sensitivity"),
            Measure("front", "seconds_per_document", 1.23456, subset="point=max_sensitivity"),
        ],
        ensemble="atleast2(a,b,c)",
        **head,
    )
    absent = rows([Measure("front", "sensitivity", None, subset="point=fast_sensitivity", method="no cost")], ensemble="", **head)
    return concat([main, point, absent])


def test_escape() -> None:
    assert escape("a_b & 50% {x} \\ $") == r"a\_b \& 50\% \{x\} \textbackslash{} \$"
    assert escape("x\u202ey\x00z\n") == "xyz"


@pytest.mark.parametrize(
    ("ensemble", "symbol"),
    [
        ("union(a,b)", r"\cup"),
        ("intersection(a,b)", r"\cap"),
        ("atleast2(a,b,c)", "v"),
        ("majority(a,b,c)", "v"),
        ("spacy-en-sm", "s"),
    ],
)
def test_rule_symbol(ensemble: str, symbol: str) -> None:
    assert rule_symbol(ensemble) == symbol


def test_operating_points_has_the_figures_of_the_rows() -> None:
    text = operating_points(results())
    assert r"max. sensitivity & $0.7500$ & $0.2500$ & $1.235^{v}$ \\" in text
    assert r"fast sensitivity & --- & --- & --- \\" in text
    assert "not measurable" in text
    assert r"\multicolumn{3}{c}{demo\_mail \& co}" in text
    assert text.count(r"\\") == 3 - 1 + len(POINTS)


def test_leakage_marks_what_was_not_run() -> None:
    text = leakage(results())
    assert r"demo\_mail \& co & $0.9123$ & $0.5000$ & $1.23$ & --- & --- & --- & --- \\" in text
    assert r"\texttt{union(a,b)}" in text


def test_only_booktabs_rules() -> None:
    text = operating_points(results()) + leakage(results())
    assert not re.search(r"\\hline|\\multirow|\\SI", text)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 2


def test_nothing_to_show_is_an_error() -> None:
    empty = results().clear()
    with pytest.raises(UsageError, match="no operating points"):
        operating_points(empty)
    with pytest.raises(UsageError, match="no detection rows"):
        leakage(empty)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on this machine")
def test_a_real_tex_compiles_both(tmp_path: Path) -> None:
    both = concat([results(), results('x#y~z^<>"|')])
    (tmp_path / "t.tex").write_text(document([operating_points(both), leakage(both)]), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 0
