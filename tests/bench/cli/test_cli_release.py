"""``bench release`` through the real command line, over spans that were imported."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import invoke
from bench.core.workspace import Workspace
from bench.preparation import obtain
from bench.spansfiles import import_spans
from conditions.writer import read_release

Call = Callable[..., tuple[int, Any, str]]

TEXT = "Dr. Anna Weber of Bonn wrote .\r\nWEBER left on 5 May ."
SPANS = [(0, 14, "PERSON"), (18, 22, "LOCATION"), (32, 37, "PERSON"), (46, 51, "DATE")]


@pytest.fixture
def release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run ``bench release`` over a corpus of two letters: exit code, JSON object (or None), standard error."""
    source = tmp_path / "letters.jsonl"
    rows = [
        {"deidbench": {"format": 1, "language": "de", "identity_scope": "document", "reference": "manual"}},
        {"doc_id": "one", "text": TEXT, "mentions": [{"start": 4, "end": 14, "type": "PERSON", "entity_id": "w"}]},
        {"doc_id": "two", "text": "No name .", "mentions": []},
    ]
    source.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    workspace = Workspace.at(tmp_path / "home")
    corpus = obtain(workspace, "letters", data=source, format_="jsonl")
    file = tmp_path / "names.jsonl"
    spans = [{"start": s, "end": e, "label": label} for s, e, label in SPANS]
    file.write_text(json.dumps({"doc_id": "one", "spans": spans}), encoding="utf-8")
    import_spans(corpus, file, "names", spans_root=workspace.spans)

    def call(*arguments: object) -> tuple[int, Any, str]:
        fixed = ["--corpus", "letters", "--ensemble", "names", "--home", str(workspace.home), "--json"]
        code = invoke(["release", *fixed, *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, json.loads(out.splitlines()[-1]) if out else None, err

    return call


def test_three_conditions_and_a_key_of_its_own(release: Call, tmp_path: Path) -> None:
    code, data, err = release("--output", tmp_path / "out")
    assert code == 0
    counts = [(r["condition"], r["documents"], r["replacements"]) for r in data["releases"]]
    assert counts == [("A", 2, 0), ("B", 2, 3), ("C", 2, 3)]
    a, b, c = ([d.text for d in read_release(tmp_path / "out" / f"{name}.jsonl")] for name in "ABC")
    assert a == [TEXT, "No name ."]
    assert c == ["[PERSON] of [LOCATION] wrote .\r\n[PERSON] left on 5 May .", "No name ."]
    assert b[0].endswith(" left on 5 May .") and "eber" not in b[0] and "Bonn" not in b[0]
    key = tmp_path / "home" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    secret = key.read_text().strip()
    assert secret not in err + json.dumps(data)
    assert not (tmp_path / "out" / "mapping.jsonl").exists()
    assert "names has no whole answer for 1 documents (missing)" in err


def test_the_same_key_gives_the_same_release_and_another_another(release: Call, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("ab" * 32)
    (tmp_path / "other").chmod(0o600)
    for output, *more in (("one",), ("two",), ("three", "--key-file", tmp_path / "other")):
        assert release("--conditions", "B", "--output", tmp_path / str(output), *more)[0] == 0
    one, two, three = ((tmp_path / name / "B.jsonl").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_the_mapping_on_demand(release: Call, tmp_path: Path) -> None:
    code, _, _ = release("--conditions", "B", "--write-mapping", "--output", tmp_path / "out")
    assert code == 0
    path = tmp_path / "out" / "mapping.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    keys = [json.loads(line)["key"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert keys == ["anna weber", "weber", "bonn"]


def test_without_b_no_key_is_made(release: Call, tmp_path: Path) -> None:
    code, data, _ = release("--conditions", "C", "--no-texts")
    assert code == 0
    assert data["key_fingerprint"] is None
    assert not (tmp_path / "home" / "key").exists()
    folder = Path(data["output"])
    assert folder == tmp_path / "home" / "releases" / "letters-names"
    assert sorted(p.name for p in folder.iterdir()) == [".deidbench-release", "C.json", "C.jsonl"]


def test_another_policy(release: Call, tmp_path: Path) -> None:
    code, _, _ = release("--conditions", "C", "--replace", "DATE", "--output", tmp_path / "out")
    assert code == 0
    text = next(read_release(tmp_path / "out" / "C.jsonl")).text
    assert text == TEXT.replace("5 May", "[DATE]")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--conditions", "A,D"], 2, "unknown condition 'D'"),
        (["--conditions", ""], 2, "names no condition"),
        (["--replace", "NAME"], 2, "unknown type 'NAME'"),
        (["--key-file", "missing"], 2, "cannot read key file 'missing'"),
        (["--ensemble", "nams"], 2, "'nams'"),
    ],
)
def test_wrong_use(release: Call, arguments: list[str], code: int, message: str) -> None:
    found, _, err = release(*arguments)
    assert found == code
    assert message in err
    assert "Traceback" not in err


def test_a_key_open_to_others_is_refused(release: Call, tmp_path: Path) -> None:
    (tmp_path / "open").write_text("ab" * 32)
    (tmp_path / "open").chmod(0o644)
    code, _, err = release("--key-file", tmp_path / "open")
    assert code == 2
    assert "chmod 600" in err
    assert "abab" not in err
