"""The frame of the command line: exit codes, one-line errors, configuration files, JSON on the last line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from bench.cli.common import Session, simple_table
from bench.cli.main import COMMANDS, invoke
from bench.core.results import Measure, concat, rows
from bench.core.workspace import Workspace


def write_run(home: Path, name: str = "r1") -> Path:
    head = {"run": name, "corpus": "c", "corpus_fingerprint": "f", "ensemble": "a"}
    frame = concat(
        [
            rows([Measure("detection", "specificity", 0.5)], **head),
            rows([Measure("front", "sensitivity", 0.75, subset="point=max_sensitivity")], **head),
        ]
    )
    folder = home / "runs" / name
    folder.mkdir(parents=True)
    frame.write_parquet(folder / "results.parquet")
    return folder


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--help"]) == 0
    overview = capsys.readouterr().out
    for name, (_, line) in COMMANDS.items():
        assert f"  {name} " in overview
        assert line in " ".join(overview.split())
        assert invoke([name, "--help"]) == 0
        assert "Usage: bench" in capsys.readouterr().out


def test_help_imports_no_heavy_library() -> None:
    script = (
        "import sys, bench.cli.main as m; m.invoke(['--help']);"
        "print(sorted({'numpy', 'spacy', 'polars', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rnu"], 2, "unknown command 'rnu'; did you mean 'run'"),
        (["report", "latex"], 2, "Missing argument 'RUNS...'"),
        (["report", "latex", "r1", "--tabel", "2"], 2, "No such option '--tabel'"),
        (["report", "latex", "r2"], 2, "unknown run 'r2' in workspace"),
        (["report", "latex", "r1", "--table", "4"], 2, "'4' is not one of '2', '3', 'all'"),
    ],
)
def test_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str) -> None:
    write_run(tmp_path)
    if arguments[0] == "report":
        arguments = [*arguments, "--home", str(tmp_path)]
    assert invoke(arguments) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_json_is_the_last_line_and_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path)
    assert invoke(["report", "latex", "r1", "--home", str(tmp_path), "--json"]) == 0
    captured = capsys.readouterr()
    (line,) = captured.out.splitlines()
    assert json.loads(line)["tables"] == 2
    assert r"\begin{table}" in captured.err


def test_run_by_folder_and_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path)
    assert invoke(["report", "latex", str(folder), str(folder / "results.parquet"), "--table", "2"]) == 0
    assert r"\begin{table}" in capsys.readouterr().out


def test_output_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path)
    target = tmp_path / "t.tex"
    assert invoke(["report", "latex", "r1", "--home", str(tmp_path), "--standalone", "--output", str(target)]) == 0
    assert target.read_text().startswith(r"\documentclass")
    assert capsys.readouterr().out == ""


def config(tmp_path: Path, text: str) -> str:
    path = tmp_path / "c.toml"
    path.write_text(text)
    return str(path)


def test_config_gives_defaults_and_flags_win(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path)
    path = config(tmp_path, f'[report.latex]\ntable = "3"\nhome = "{tmp_path}"\n')
    assert invoke(["report", "latex", "r1", "--config", path]) == 0
    assert "shape of Table 3" in capsys.readouterr().out
    assert invoke(["report", "latex", "r1", "--config", path, "--table", "2"]) == 0
    out = capsys.readouterr().out
    assert "shape of Table 2" in out
    assert "shape of Table 3" not in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[report.latex]\ntabel = "3"\n', "unknown option 'tabel' in config"),
        ("[report.latex\n", "is not valid TOML"),
        ("report = 3\n", "'report' is 3, expected a table of options"),
        ("[reprot]\n", "unknown table 'reprot' in config"),
        ('[report.latex]\ntable = "9"\n', "'9' is not one of"),
    ],
)
def test_bad_config(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    write_run(tmp_path)
    code = invoke(["report", "latex", "r1", "--home", str(tmp_path), "--config", config(tmp_path, text)])
    assert code == 2
    assert message in capsys.readouterr().err


def test_a_closed_pipe_is_no_trace(tmp_path: Path) -> None:
    write_run(tmp_path)
    command = f"{sys.executable} -m bench report latex r1 --home {tmp_path} | head -c 1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "%"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("terminal", [True, False])
def test_numbers_are_never_cut_however_narrow_the_place(tmp_path: Path, terminal: bool) -> None:
    session = Session(Workspace.at(tmp_path), as_json=False)
    session.out = Console(file=io.StringIO(), width=12, force_terminal=terminal, color_system=None, soft_wrap=True)
    table = simple_table("", ["corpus", "sens.", "note"], ["sens."])
    table.add_row("demo-mail", "0.123456789", "a note of several words")
    session.show(table)
    printed = session.out.file.getvalue()  # type: ignore[attr-defined]
    assert "0.123456789" in printed
    assert ("a note of several words" in printed) is not terminal
