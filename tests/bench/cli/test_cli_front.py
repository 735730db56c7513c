"""``bench front`` through the real command line, over spans files whose figures are counted by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.cli.main import invoke
from bench.core.workspace import Workspace
from bench.preparation import obtain
from bench.spansfiles import import_spans

Front = Callable[..., tuple[int, Any, str]]

#: Ten tokens; "Anna Weber" and "Weber" are one person, "Bonn" a place, "5 May" a date that is retained.
TEXT = "Anna Weber of Bonn wrote . Weber left 5 May"
MENTIONS = [(0, 10, "PERSON", "p"), (14, 18, "LOCATION", "b"), (27, 32, "PERSON", "p"), (38, 43, "DATE", "d")]
#: Detector to spans and seconds per document. Both find the first name; one the rest, with "wrote" by mistake.
DETECTORS: dict[str, tuple[list[tuple[int, int, str]], float | None]] = {
    "names": ([(0, 10, "PERSON")], 1.0),
    "greedy": ([(0, 10, "PERSON"), (14, 24, "LOCATION"), (27, 32, "PERSON"), (38, 43, "DATE")], 4.0),
    "unpriced": ([(27, 32, "PERSON")], None),
}


@pytest.fixture
def front(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Front:
    """Run ``bench front`` over the one-letter corpus: exit code, JSON object (or None), standard error."""
    source = tmp_path / "letter.jsonl"
    mentions = [{"start": s, "end": e, "type": t, "entity_id": i} for s, e, t, i in MENTIONS]
    rows = [
        {"deidbench": {"format": 1, "language": "en", "identity_scope": "document", "reference": "manual"}},
        {"doc_id": "a", "text": TEXT, "mentions": mentions},
    ]
    source.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    workspace = Workspace.at(tmp_path / "home")
    corpus = obtain(workspace, "letter", data=source, format_="jsonl")
    for name, (spans, seconds) in DETECTORS.items():
        file = tmp_path / f"{name}.jsonl"
        found = [{"start": s, "end": e, "label": label} for s, e, label in spans]
        file.write_text(json.dumps({"doc_id": "a", "spans": found}), encoding="utf-8")
        import_spans(corpus, file, name, spans_root=workspace.spans, seconds=seconds)

    def call(*arguments: object) -> tuple[int, Any, str]:
        code = invoke(["front", "--corpus", "letter", "--home", str(workspace.home), *map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out.splitlines()[-1]) if out else None, err

    return call


def test_every_ensemble_with_its_hand_counted_figures(front: Front) -> None:
    code, data, err = front("--detectors", "names,greedy", "--candidates", "all")
    assert code == 0
    # Gold: Anna, Weber, Bonn, Weber. Other: of, wrote, ".", left, 5, May; `greedy` takes "wrote", its date is retained.
    figures = {
        row["ensemble"]: (row["tp"], row["gold_tokens"], row["tn"], row["non_gold_tokens"], row["entities_protected"])
        for row in data["candidates"]
    }
    assert figures == {
        "greedy": (4, 4, 5, 6, 2),
        "names": (2, 4, 6, 6, 0),
        "union(greedy,names)": (4, 4, 5, 6, 2),
        "intersection(greedy,names)": (2, 4, 6, 6, 0),
    }
    assert (data["n_candidates"], data["detectors"], data["unpriced"]) == (4, ["greedy", "names"], [])
    assert [row["ensemble"] for row in data["front"]] == ["names", "greedy"]
    points = {name: row["ensemble"] for name, row in data["operating_points"].items()}
    assert points == {
        "max. sensitivity": "greedy",
        "fast sensitivity": "greedy",
        "max. specificity": "names",
        "fast specificity": "names",
    }
    for shown in ("Operating points (token level, parallel cost)", "union(greedy, names)", "0.8333", "imported spans"):
        assert shown in err


def test_a_detector_without_cost_is_named(front: Front) -> None:
    code, data, err = front("--detectors", "names,unpriced")
    assert code == 0
    assert data["unpriced"] == ["unpriced"]
    assert data["operating_points"]["fast sensitivity"] is None
    assert data["reasons"]["fast sensitivity"] == "no cost was measured for unpriced"
    assert "the front compares sensitivity and specificity alone" in err


def test_levels_costs_and_replaced_types(front: Front) -> None:
    _, data, _ = front("--detectors", "names,greedy", "--level", "entity", "--cost", "serial")
    assert (data["level"], data["cost"]) == ("entity", "serial")
    assert data["operating_points"]["max. sensitivity"]["entity_protected"] == 1.0
    assert {row["ensemble"]: row["cost_serial"] for row in data["candidates"]}["union(greedy,names)"] == 5.0
    _, dates, _ = front("--detectors", "greedy", "--replace", "DATE")
    assert [(row["tp"], row["gold_tokens"], row["tn"]) for row in dates["candidates"]] == [(2, 2, 8)]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_all_candidates_go_to_a_file(front: Front, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "out" / f"front{suffix}"
    code, data, _ = front("--detectors", "names,greedy,unpriced", "--output", path)
    assert (code, data["output"]) == (0, str(path))
    frame = pl.read_csv(path) if suffix == ".csv" else pl.read_parquet(path)
    assert frame["ensemble"].to_list() == [row["ensemble"] for row in data["candidates"]]
    assert len(frame) == 12
    assert frame["members"].to_list()[-1] in ("greedy+names+unpriced", ["greedy", "names", "unpriced"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--detectors", "names,gready"], "column 7: unknown detector or set 'gready'; did you mean 'greedy'"),
        (["--detectors", "names,"], "column 7: found the end, expected a detector or a set"),
        (["--detectors", "names", "--candidates", "quads"], "candidate set 'quads' is unknown; accepted: singles, pairs"),
        (["--detectors", "names", "--output", "x.json"], "'x.json'; accepted: a name that ends in .parquet or .csv"),
        (["--detectors", "names", "--replace", "PERSONS"], "unknown type 'PERSONS' in the policy; did you mean 'PERSON'"),
        (["--detectors", "names", "--level", "word"], "'word' is not one of 'token', 'mention', 'entity'"),
        (["--detectors", "union13"], "detectors of ensemble 'union13' cannot be used here"),
    ],
)
def test_wrong_use_is_one_clear_message(front: Front, arguments: list[str], message: str) -> None:
    code, data, err = front(*arguments)
    assert (code, data) == (2, None)
    assert message in err
    assert "Traceback" not in err
