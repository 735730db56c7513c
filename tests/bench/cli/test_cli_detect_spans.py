"""``bench detect`` and ``bench detectors spans`` on a real detector and a small corpus, through the commands themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from bench.cli import spans as spans_cli
from bench.cli.main import invoke
from bench.core.errors import DataError, NotAvailableError, UsageError
from bench.core.workspace import Workspace

Run = Callable[..., tuple[int, Any, str]]
DETECTOR = "presidio-patterns"
MAIL = "write to ann.lee@example.org or bob@example.org"
#: Two addresses, and the domain of each is a URL to Presidio.
FOUND = 4


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "mail.jsonl"
    rows = [
        {"doc_id": "m1", "text": MAIL, "language": "en", "mentions": []},
        {"doc_id": "m2", "text": "😀 nothing to see", "language": "en", "mentions": []},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``bench detect``: exit code, the JSON object (or None), standard error."""

    def call(*arguments: object) -> tuple[int, Any, str]:
        capsys.readouterr()
        code = invoke([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out.splitlines()[-1]) if out else None, err

    return call


def spans(*arguments: object) -> None:
    """Run one command of the group that ``bench detectors spans`` is."""
    spans_cli.command.main([*map(str, arguments)], prog_name="spans", standalone_mode=False)


def test_detect_fills_the_cache_and_answers_from_it(run: Run, corpus: Path) -> None:
    code, data, err = run("detect", "--corpus", "mail", "--data", corpus, "--ensemble", DETECTOR)
    assert code == 0, err
    (summary,) = data["detectors"]
    assert summary["detector"] == DETECTOR
    assert summary["status"]["ok"] == 2
    assert summary["spans"] == FOUND
    assert (summary["computed"], summary["cached"]) == (2, 0)
    code, data, _ = run("detect", "--corpus", "mail", "--ensemble", DETECTOR)
    assert code == 0
    assert (data["detectors"][0]["computed"], data["detectors"][0]["cached"]) == (0, 2)
    code, data, _ = run("detect", "--corpus", "mail", "--ensemble", DETECTOR, "--fresh")
    assert (code, data["detectors"][0]["computed"]) == (0, 2)


def test_people_get_a_table(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["detect", "--corpus", "mail", "--data", str(corpus), "--ensemble", DETECTOR]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Spans in mail")
    assert DETECTOR in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ensemble", "presidio-paterns"], "did you mean 'presidio-patterns'"),
        (["--ensemble", DETECTOR, "--workers", "0"], "workers"),
        (["--ensemble", DETECTOR, "--option", "x"], "KEY=VALUE"),
        (["--ensemble", ""], "expected a detector"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(run: Run, corpus: Path, arguments: list[str], says: str) -> None:
    code, data, err = run("detect", "--corpus", "mail", "--data", corpus, *arguments)
    assert (code, data) == (2, None)
    assert says in err
    assert "Traceback" not in err


def test_export_and_import_again(run: Run, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("detect", "--corpus", "mail", "--data", corpus, "--ensemble", DETECTOR)
    out = tmp_path / "spans.jsonl.gz"
    spans("export", DETECTOR, out, "--corpus", "mail")
    assert "2 documents of presidio-patterns over mail; 0 have no answer" in capsys.readouterr().out
    spans("import", out, "--corpus", "mail", "--name", "again", "--json")
    data = json.loads(capsys.readouterr().out)
    assert (data["spans"], data["missing"], data["documents"]) == (FOUND, 0, 2)
    spans("list")
    assert "again" in capsys.readouterr().out
    # The import is a detector like any other: it can be named in an ensemble, and the cache answers for it.
    code, data, err = run("detect", "--corpus", "mail", "--ensemble", f"again,{DETECTOR}")
    assert code == 0, err
    one, two = data["detectors"]
    assert (one["spans"], one["status"]) == (two["spans"], two["status"])
    assert one["fingerprint"] != two["fingerprint"]


def test_import_options_reach_the_reader(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "masks.json"
    path.write_text(json.dumps({"m1": [[9, 27, "MAIL"], [31, 46, "NOISE"]], "x": []}), encoding="utf-8")
    options = ["--corpus", "mail", "--data", corpus, "--name", "masks", "--third", "label", "--seconds", "0.5", "--json"]
    spans("import", path, *options, "--label", "MAIL=CONTACT", "--label", "NOISE=-", "--skip-unknown")
    data = json.loads(capsys.readouterr().out)
    assert data["labels"] == {"SPAN": "OTHER", "MAIL": "CONTACT", "NOISE": "-"}
    assert [data[key] for key in ("spans", "ignored", "missing", "skipped")] == [1, 1, 1, 1]
    with pytest.raises(DataError, match="--skip-unknown"):
        spans("import", path, *options, "--label", "MAIL=CONTACT", "--label", "NOISE=-")


@pytest.mark.parametrize("name", [DETECTOR, "embedded"])
def test_names_of_detectors_and_sets_are_taken(corpus: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "masks.json"
    path.write_text('{"m1": []}', encoding="utf-8")
    with pytest.raises(UsageError, match="is taken"):
        spans("import", path, "--corpus", "mail", "--data", corpus, "--name", name)


def test_nothing_to_export_says_what_to_do(run: Run, corpus: Path, tmp_path: Path) -> None:
    run("corpora", "prepare", "mail", "--source", corpus)
    with pytest.raises(NotAvailableError, match=f"bench detect --corpus mail --ensemble {DETECTOR}"):
        spans("export", DETECTOR, tmp_path / "out.jsonl", "--corpus", "mail")
    with pytest.raises(UsageError, match="names 2 detectors"):
        spans("export", f"{DETECTOR},spacy-en-sm", tmp_path / "out.jsonl", "--corpus", "mail")
    with pytest.raises(click.UsageError, match="is not one of"):
        spans("import", corpus, "--corpus", "mail", "--name", "x", "--layout", "csv")
    assert not (tmp_path / "out.jsonl").exists()


def test_an_import_for_one_corpus_does_not_answer_for_another(run: Run, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "masks.json"
    path.write_text('{"m1": [[0, 5]]}', encoding="utf-8")
    spans("import", path, "--corpus", "mail", "--data", corpus, "--name", "masks")
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"doc_id": "m1", "text": "another text", "language": "en", "mentions": []}), encoding="utf-8")
    code, data, err = run("detect", "--corpus", "other", "--data", other, "--ensemble", "masks")
    assert (code, data) == (2, None)
    assert "masks" in err
    assert "import them for 'other'" in err


def test_failed_documents_end_with_exit_code_3(run: Run, corpus: Path, tmp_path: Path) -> None:
    run("detect", "--corpus", "mail", "--data", corpus, "--ensemble", DETECTOR)
    path = tmp_path / "failing.jsonl"
    path.write_text(json.dumps({"doc_id": "m1", "spans": [], "status": "failed", "reason": "no memory"}), encoding="utf-8")
    spans("import", path, "--corpus", "mail", "--name", "failing")
    code, data, err = run("detect", "--corpus", "mail", "--ensemble", f"failing,{DETECTOR}")
    assert code == 3
    assert data["detectors"][0]["failures"] == {"m1": "no memory"}
    assert "failing: document 'm1' failed: no memory" in err
    assert Workspace.at(None).spans.is_dir()
