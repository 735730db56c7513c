"""``bench run`` from the command line: figures by hand, the cache, kill -9, and what bad input gets."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.cli.main import invoke
from bench.core.results import read_results

#: 13 tokens: Ann Lee wrote from ann @ x . org to Bob Ray . — gold: Ann Lee (PERSON), the address (CONTACT), Bob Ray (PERSON).
FIRST = "Ann Lee wrote from ann@x.org to Bob Ray."
SECOND = "Nobody is named here."


def write_corpus_file(path: Path) -> Path:
    def mention(start: int, end: int, type_: str, entity: str) -> dict[str, Any]:
        return {"start": start, "end": end, "type": type_, "entity_id": entity, "text": FIRST[start:end]}

    mentions = [mention(0, 7, "PERSON", "ann"), mention(19, 28, "CONTACT", "mail"), mention(32, 39, "PERSON", "bob")]
    lines = [
        {"doc_id": "d1", "text": FIRST, "language": "en", "mentions": mentions},
        {"doc_id": "d2", "text": SECOND, "language": "en", "mentions": []},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_spans_file(path: Path, spans: list[dict[str, Any]], status: str = "ok") -> Path:
    lines = [
        {"doc_id": "d1", "spans": spans, "status": status, "seconds": 2.0},
        {"doc_id": "d2", "spans": [], "status": "ok", "seconds": 4.0},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A workspace with a corpus of two documents and two detectors that were run elsewhere."""
    place = tmp_path / "home"
    source = write_corpus_file(tmp_path / "mini.jsonl")
    assert invoke(["corpora", "prepare", "mini", "--source", str(source), "--home", str(place)]) == 0
    # `first` finds all of Ann Lee and the address, and a non-identifier (wrote); `second` finds Ann and Bob only.
    first = [
        {"start": 0, "end": 7, "label": "PERSON"},
        {"start": 19, "end": 28, "label": "CONTACT"},
        {"start": 8, "end": 13, "label": "PERSON"},
    ]
    second = [{"start": 0, "end": 3, "label": "PERSON"}, {"start": 32, "end": 35, "label": "PERSON"}]
    for name, spans in (("first", first), ("second", second)):
        file = write_spans_file(tmp_path / f"{name}.jsonl", spans)
        arguments = ["detectors", "spans", "import", str(file), "--corpus", "mini", "--name", name, "--home", str(place)]
        assert invoke(arguments) == 0
    capsys.readouterr()
    return place


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert invoke(["run", *arguments, "--json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out.splitlines()[-1])  # type: ignore[no-any-return]


def test_figures_by_hand(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = run_json(capsys, "--corpus", "mini", "--ensemble", "union(first,second)", "--home", str(home))
    (corpus,) = data["corpora"]
    # Gold tokens: Ann, Lee; ann, @, x, ., org; Bob, Ray = 9. Flagged among them: Ann, Lee, the 5, Bob = 8.
    assert corpus["detection"]["sensitivity"]["numerator"] == 8
    assert corpus["detection"]["sensitivity"]["denominator"] == 9
    assert corpus["person_sensitivity"] == 3 / 4
    # Other tokens: wrote, from, to, . and the five of the second document (Nobody is named here .); one of them is flagged.
    assert corpus["detection"]["specificity"]["numerator"] == 8
    assert corpus["detection"]["specificity"]["denominator"] == 9
    exposure = corpus["exposure"]
    assert [exposure["PERSON"][m]["value"] for m in ("mentions", "entity_documents", "documents", "cases", "entities")] == [
        1 / 2,
        1 / 2,
        1 / 2,
        1 / 2,
        1 / 2,
    ]
    assert exposure["all"]["mentions"] == exposure["all"]["mentions"] | {"numerator": 1, "denominator": 3}
    assert corpus["seconds_per_document"] == {"parallel": 3.0, "serial": 6.0}
    assert corpus["status"] == {"first": {"ok": 2}, "second": {"ok": 2}}
    assert corpus["stability"]["PERSON"]["collision"]["value"] == 0


def test_front_lists_every_subset_and_k(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = run_json(capsys, "--corpus", "mini", "--ensemble", "union(first,second)", "--candidates", "all", "--home", str(home))
    frame = pl.read_parquet(Path(data["folder"]) / "front-mini.parquet")
    figures = {row["ensemble"]: (row["tp"], row["tn"]) for row in frame.iter_rows(named=True)}
    assert figures == {"first": (7, 8), "second": (2, 9), "union(first,second)": (8, 8), "intersection(first,second)": (1, 9)}


def test_run_folder_and_report(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = run_json(capsys, "--corpus", "mini", "--ensemble", "union(first,second)", "--name", "r1", "--home", str(home))
    folder = home / "runs" / "r1"
    assert {Path(name).name for name in data["files"]} == {
        "results.parquet",
        "run.json",
        "tables.tex",
        "front-mini.parquet",
        "documents-mini.parquet",
        "survivors-mini.parquet",
    }
    record = json.loads((folder / "run.json").read_text())
    assert record["complete"] is True
    assert record["settings"]["policy"].startswith("PERSON+LOCATION")
    assert record["hardware"]["cores"] >= 1
    assert record["corpora"]["mini"]["conditions"]["C"]["texts_sha256"]
    frame = read_results(folder / "results.parquet")
    assert frame["run"].unique().to_list() == ["r1"]
    survivor = pl.read_parquet(folder / "survivors-mini.parquet").row(0, named=True)
    assert (survivor["type"], survivor["kind"], survivor["left"]) == ("PERSON", "partial", 1)
    # No document text and no name in anything the run wrote.
    for path in folder.iterdir():
        assert b"Bob" not in path.read_bytes()
    assert invoke(["report", "latex", "r1", "--home", str(home)]) == 0
    assert "$0.7500$" in capsys.readouterr().out


def test_the_key_is_made_once_readable_by_its_owner_alone_and_never_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = run_json(capsys, "--corpus", "mini", "--ensemble", "first", "--home", str(home))
    key = home / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    secret = key.read_text().strip()
    again = run_json(capsys, "--corpus", "mini", "--ensemble", "first", "--home", str(home))
    assert key.read_text().strip() == secret
    for path in Path(data["folder"]).iterdir():
        assert secret.encode() not in path.read_bytes()
    assert secret not in json.dumps([data, again])


def test_missing_and_failed_documents_are_counted_and_exit_3(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_spans_file(tmp_path / "bad.jsonl", [], status="failed")
    assert invoke(["detectors", "spans", "import", str(file), "--corpus", "mini", "--name", "bad", "--home", str(home)]) == 0
    capsys.readouterr()
    assert invoke(["run", "--corpus", "mini", "--ensemble", "union(bad,second)", "--home", str(home)]) == 3
    captured = capsys.readouterr()
    assert "mini, bad: failed on 1 of 2 documents, scored as empty detections" in captured.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--corpus", "mini", "--ensemble", "union(first,secnd)"], 2, "column 13"),
        (["--corpus", "mini", "--ensemble", "union(first"], 2, "expected ',' or ')'"),
        (["--corpus", "mini", "--ensemble", "union13"], 2, "gpt-oss-20b"),
        (["--corpus", "minni"], 2, "unknown corpus 'minni'"),
        (["--corpus", "tab"], 2, "give its source with --data PATH"),
        (["--corpus", "tab", "--data", "/no/such/file.json"], 1, "/no/such/file.json"),
        (["--corpus", "mini", "--corpus", "mini"], 2, "'mini' is given twice"),
        (["--corpus", "mini", "--ensemble", "first", "--replace", "PERSN"], 2, "did you mean 'PERSON'"),
        (["--corpus", "mini", "--ensemble", "first", "--candidates", "some"], 2, "candidate set 'some' is unknown"),
        (["--corpus", "mini", "--ensemble", "first", "--name", "a/b"], 2, "'a/b' cannot be a folder name"),
        (["--corpus", "mini", "--ensemble", "first", "--workers", "0"], 2, "0 is not in the range"),
        (["--corpus", "demo-mail", "--option", "documents=none"], 2, "documents"),
        (["--corpus", "mini", "--ensemble", "first", "--key-file", "/no/key"], 2, "cannot read key file"),
        (["--data", "x.jsonl"], 2, "--data goes with exactly one --corpus"),
    ],
)
def test_wrong_use_is_one_clear_line(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert invoke(["run", *arguments, "--home", str(home)]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_a_named_run_is_not_overwritten_by_another(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_json(capsys, "--corpus", "mini", "--ensemble", "first", "--name", "mine", "--home", str(home))
    assert invoke(["run", "--corpus", "mini", "--ensemble", "second", "--name", "mine", "--home", str(home)]) == 2
    assert "run 'mine' exists and is about other corpora or settings" in capsys.readouterr().err


def comparable(path: Path) -> pl.DataFrame:
    """Results without what is measured anew in every run: seconds."""
    frame = read_results(path)
    timed = pl.col("metric") == "seconds_per_document"
    fast = pl.col("subset").str.starts_with("point=fast")
    return frame.filter(~timed & ~fast)


def bench(home: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "bench", "run", *arguments, "--home", str(home)]


DEMO = ("--corpus", "demo-mail", "--option", "documents=60", "--ensemble", "union(presidio-patterns,spacy-en-sm)", "--name", "r")


@pytest.mark.parametrize("seed", [1, 2])
def test_kill_9_and_again_gives_the_same_table(tmp_path: Path, seed: int) -> None:
    """Real detectors in real processes, killed at a random moment, then run again: every value but measured seconds is equal."""
    environment = os.environ | {"DEIDBENCH_KEY": "00" * 32}
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    subprocess.run(bench(whole, *DEMO), env=environment, check=True, capture_output=True)
    rng = random.Random(seed)
    process = subprocess.Popen(
        bench(torn, *DEMO, "--workers", "2"),
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Not before something has been journaled, so that there is something to lose.
    while process.poll() is None and not list(torn.glob("spans/*/*/*.journal")):
        time.sleep(0.05)
    time.sleep(rng.uniform(0, 1.5))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = subprocess.run([*bench(torn, *DEMO), "--json"], env=environment, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout.splitlines()[-1])["run"] == "r"
    resumed = read_results(torn / "runs" / "r" / "results.parquet")
    first, second = (comparable(place / "runs" / "r" / "results.parquet") for place in (whole, torn))
    assert first.equals(second)
    again = subprocess.run([*bench(torn, *DEMO), "--json"], env=environment, check=True, capture_output=True, text=True)
    assert json.loads(again.stdout.splitlines()[-1])["corpora"][0]["computed"] == 0
    # Answered from the cache, the seconds are equal too.
    assert read_results(torn / "runs" / "r" / "results.parquet").equals(resumed)


@pytest.mark.parametrize("wait", [0.0, 0.2, 0.4, 0.6])
def test_ctrl_c_is_one_line_and_keeps_finished_work(tmp_path: Path, wait: float) -> None:
    """At several moments: in some of them libraries run a finaliser, which swallows the first KeyboardInterrupt."""
    process = subprocess.Popen(
        bench(tmp_path, *DEMO), start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not list(tmp_path.glob("spans/*/*/*.journal")):
        time.sleep(0.05)
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 1
    assert "the same command resumes" in err.splitlines()[-1]
    # What finished before is kept: as a journal of the part at hand, or as a part.
    assert list(tmp_path.glob("spans/*/*/*.journal")) or list(tmp_path.glob("spans/*/*/part-*.json"))
