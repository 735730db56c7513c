"""A stored answer stands for a stage only where nothing that it depends on has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import invoke
from bench.core.results import read_results


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two small corpora with one imported detector each."""
    place = tmp_path / "home"
    for name, text in (("one", "Ann Lee met Bob."), ("two", "Nobody met Eve Ray.")):
        line = {
            "doc_id": "d",
            "text": text,
            "language": "en",
            "mentions": [{"start": text.index(" met") + 5, "end": len(text) - 1, "type": "PERSON"}],
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
        spans = {"doc_id": "d", "spans": [{"start": 0, "end": 3, "label": "PERSON"}], "seconds": 1.0}
        (tmp_path / f"{name}.spans").write_text(json.dumps(spans) + "\n")
        assert invoke(["corpora", "prepare", name, "--source", str(tmp_path / f"{name}.jsonl"), "--home", str(place)]) == 0
        arguments = ["--corpus", name, "--name", "x", "--layout", "jsonl", "--home", str(place)]
        assert invoke(["detectors", "spans", "import", str(tmp_path / f"{name}.spans"), *arguments]) == 0
    capsys.readouterr()
    return place


def run(home: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    arguments = ["--corpus", "one", "--corpus", "two", "--ensemble", "x", "--name", "r", "--home", str(home), "--json", *more]
    assert invoke(["run", *arguments]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out.splitlines()[-1])  # type: ignore[no-any-return]


def reused(data: dict[str, Any]) -> list[bool]:
    return [corpus.pop("reused") for corpus in data["corpora"]]


def test_the_same_run_is_read_back_and_equal(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(home, capsys)
    table = read_results(home / "runs" / "r" / "results.parquet")
    second = run(home, capsys)
    assert (reused(first), reused(second)) == ([False, False], [True, True])
    assert first == second
    assert read_results(home / "runs" / "r" / "results.parquet").equals(table)


@pytest.mark.parametrize("name", ["stage-one.json", "front-one.parquet", "documents-one.parquet", "survivors-one.parquet"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_made_again(home: Path, capsys: pytest.CaptureFixture[str], name: str, damage: str) -> None:
    first = run(home, capsys)
    victim = home / "runs" / "r" / name
    raw = bytearray(victim.read_bytes())
    if damage == "remove":
        victim.unlink()
    else:
        raw[len(raw) // 2] ^= 1
        victim.write_bytes(raw if damage == "flip" else raw[: len(raw) // 2])
    second = run(home, capsys)
    assert (reused(first), reused(second)) == ([False, False], [False, True])
    assert first == second
    assert reused(run(home, capsys)) == [True, True]


def test_damaged_results_are_made_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(home, capsys)
    (home / "runs" / "r" / "results.parquet").write_bytes(b"PAR1")
    second = run(home, capsys)
    assert (reused(first), reused(second)) == ([False, False], [False, False])
    assert first == second


def test_other_spans_and_another_key_are_other_answers(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(home, capsys)
    spans = {"doc_id": "d", "spans": [{"start": 11, "end": 18, "label": "PERSON"}], "seconds": 2.0}
    (tmp_path / "other.spans").write_text(json.dumps(spans) + "\n")
    arguments = ["--corpus", "two", "--name", "x", "--layout", "jsonl", "--home", str(home)]
    assert invoke(["detectors", "spans", "import", str(tmp_path / "other.spans"), *arguments]) == 0
    capsys.readouterr()
    changed = run(home, capsys)
    assert changed["corpora"][1]["sensitivity"] == 1.0
    assert reused(changed) == [True, False]
    monkeypatch.setenv("DEIDBENCH_KEY", "ab" * 32)
    assert reused(run(home, capsys)) == [False, False]


def test_only_the_seconds_differ(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(home, capsys)
    spans = {"doc_id": "d", "spans": [{"start": 0, "end": 3, "label": "PERSON"}], "seconds": 7.0}
    (tmp_path / "slow.spans").write_text(json.dumps(spans) + "\n")
    arguments = ["--corpus", "one", "--name", "x", "--layout", "jsonl", "--home", str(home)]
    assert invoke(["detectors", "spans", "import", str(tmp_path / "slow.spans"), *arguments]) == 0
    capsys.readouterr()
    slow = run(home, capsys)
    assert slow["corpora"][0]["seconds_per_document"]["serial"] == 7.0
    assert reused(slow) == [False, True]
