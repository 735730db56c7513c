"""``bench corpora`` from a source file to its export, through the real command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import invoke

Run = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one ``bench corpora`` command with --json: exit code, the JSON object (or None), standard error."""

    def call(*arguments: object) -> tuple[int, Any, str]:
        code = invoke(["corpora", *map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out.splitlines()[-1]) if out else None, err

    return call


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.jsonl"
    rows = [
        {"deidbench": {"format": 1, "language": "de", "identity_scope": "corpus", "reference": "manual"}},
        {
            "doc_id": "a",
            "text": "Frau Weber, 5 Mai",
            "split": "train",
            "mentions": [
                {"start": 5, "end": 10, "type": "PERSON", "entity_id": "w"},
                {"start": 12, "end": 17, "type": "DATE", "entity_id": "t"},
            ],
        },
        {
            "doc_id": "b",
            "text": "Weber ruft an",
            "split": "test",
            "mentions": [{"start": 0, "end": 5, "type": "PERSON", "entity_id": "w"}],
        },
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_from_source_to_export_and_back(run: Run, letters: Path, tmp_path: Path) -> None:
    code, prepared, _ = run("prepare", "letters", "--source", letters)
    assert code == 0
    expected = {"corpus": "letters", "documents": 2, "mentions": 3, "entities": 2, "tokens": 8, "languages": ["de"]}
    assert {key: prepared[key] for key in expected} == expected
    code, stats, _ = run("stats", "letters")
    assert code == 0
    assert stats["overview"][0]["mentions_per_document"] == 1.5
    assert [(row["type"], row["mentions"], row["gold_tokens"]) for row in stats["by_type"]] == [("PERSON", 2, 2), ("DATE", 1, 2)]
    code, checked, _ = run("check", "letters")
    assert code == 0
    assert sum(row["count"] for row in checked["checks"]) == 0
    code, exported, _ = run("export", "letters", tmp_path / "out.jsonl.gz")
    assert (code, exported["documents"]) == (0, 2)
    code, again, _ = run("prepare", "jsonl", "--source", tmp_path / "out.jsonl.gz", "--name", "again")
    assert (code, again["fingerprint"]) == (0, prepared["fingerprint"])
    code, listed, _ = run("list")
    assert [entry["corpus"] for entry in listed["prepared"]] == ["again", "letters"]


def test_split_option_and_its_flag(run: Run, letters: Path) -> None:
    for arguments in (["--split", "test"], ["--option", "split=test"]):
        code, prepared, _ = run("prepare", "letters", "--source", letters, *arguments)
        assert (code, prepared["documents"], prepared["options"]) == (0, 1, {"split": "test"})
    code, _, err = run("prepare", "letters", "--source", letters, "--split", "test", "--option", "split=dev")
    assert code == 2
    assert "both given" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["prepare", "tab"], 2, "give it with --source PATH"),
        (["prepare", "tab", "--source", "none.json"], 1, "no file or folder 'none.json'"),
        (["prepare", "tabb"], 2, "did you mean 'tab'"),
        (["prepare", "letters", "--source", "LETTERS", "--option", "langage=de"], 2, "did you mean 'language'"),
        (["prepare", "letters", "--source", "LETTERS", "--option", "language"], 2, "KEY=VALUE"),
        (["prepare", "letters", "--source", "LETTERS", "--name", "../x"], 2, "'../x' cannot be a folder name"),
        (["prepare", "tab", "--source", "LETTERS"], 1, "no TAB document"),
        (["stats", "tab"], 2, "is not prepared yet"),
        (["check", "latters"], 2, "unknown corpus 'latters'"),
        (["export", "tab", "x.jsonl"], 2, "is not prepared yet"),
    ],
)
def test_wrong_use_says_what_is_accepted(run: Run, letters: Path, arguments: list[str], code: int, message: str) -> None:
    got, data, err = run(*[str(letters) if argument == "LETTERS" else argument for argument in arguments])
    assert got == code
    assert data is None
    assert message in err
    assert "Traceback" not in err


def test_a_failed_preparation_keeps_the_one_before(run: Run, letters: Path, tmp_path: Path) -> None:
    _, before, _ = run("prepare", "letters", "--source", letters)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(letters.read_text(encoding="utf-8") + "\n{", encoding="utf-8")
    code, _, err = run("prepare", "letters", "--source", bad)
    assert code == 1
    assert "bad.jsonl:4: not valid JSON" in err
    code, stats, _ = run("stats", "letters")
    assert (code, stats["fingerprint"]) == (0, before["fingerprint"])


def test_tables_for_people(letters: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["corpora", "prepare", "letters", "--source", str(letters)]) == 0
    assert "letters: 2 documents, 3 mentions of 2 entities, 8 tokens (de)" in capsys.readouterr().out
    for command in ("stats", "check"):
        assert invoke(["corpora", command, "letters"]) == 0
        assert capsys.readouterr().out
