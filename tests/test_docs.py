"""Every command that the documentation shows runs, in the order shown, in one workspace with small files of the names shown."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import COMMANDS, invoke

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]
_PREFIXES = ("python -m bench ", "deidbench ")


def blocks(page: str) -> list[str]:
    """Fenced shell blocks of a page."""
    return re.findall(r"```(?:sh|console|bash)\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """Arguments of every command of ours in the shell blocks of a page."""
    lines = [line for block in blocks(page) for line in block.replace("\\\n", " ").splitlines()]
    return [
        shlex.split(line.removeprefix(prefix), comments=True) for line in lines for prefix in _PREFIXES if line.startswith(prefix)
    ]


def judgment(doc_id: str, split: str) -> dict[str, Any]:
    text = "Mr Kay Weber lives in Bonn."
    mention = {
        "entity_type": "PERSON",
        "entity_mention_id": f"{doc_id}_a1_em1",
        "start_offset": 3,
        "end_offset": 12,
        "span_text": "Kay Weber",
        "edit_type": "check",
        "identifier_type": "DIRECT",
        "entity_id": f"{doc_id}_a1_e1",
        "confidential_status": "NOT_CONFIDENTIAL",
    }
    return {
        "annotations": {"annotator1": {"entity_mentions": [mention]}},
        "quality_checked": [],
        "text": text,
        "task": "Task: Annotate the document to anonymise the following person: Kay Weber",
        "meta": {
            "year": 2001,
            "legal_branch": "CHAMBER",
            "countries": "DEU",
            "applicant": "Kay Weber",
            "articles": [91, 34, 54, 34, 93],
        },
        "doc_id": doc_id,
        "dataset_type": split,
    }


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the files that the documentation names, and demo corpora that are prepared small."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "text-anonymization-benchmark"
    folder.mkdir()
    for name, split in (("train", "train"), ("dev", "dev"), ("test", "test")):
        body = json.dumps([judgment(f"{name}1", split)])
        (folder / f"echr_{name}.json").write_text(body)
        (tmp_path / f"echr_{name}.json").write_text(body)
    plain = {
        "doc_id": "d1",
        "text": "Mr Kay Weber lives in Bonn.",
        "language": "en",
        "mentions": [{"start": 3, "end": 12, "type": "PERSON"}],
    }
    (tmp_path / "mine.jsonl").write_text(json.dumps(plain) + "\n")
    (tmp_path / "spans.jsonl").write_text(
        json.dumps({"doc_id": "d1", "spans": [{"start": 3, "end": 12, "label": "PERSON"}]}) + "\n"
    )
    example = re.search(
        r"```json(?:l)?\n(\{\"deidbench\".*?)```", (ROOT / "docs/corpora.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert example is not None, "docs/corpora.md has lost its worked example"
    (tmp_path / "letters.jsonl").write_text(example[1], encoding="utf-8")
    upstream = judgment("t1", "test")
    mention = upstream["annotations"]["annotator1"]["entity_mentions"][0]
    meta = {"doc_id": "t1", "annotator": "annotator1", "dataset_type": "test", "task": "", "quality_checked": []} | upstream[
        "meta"
    ]
    reshaped = {
        "metadata": {"provenance": meta},
        "text": upstream["text"],
        "entities": [{key: value for key, value in mention.items() if key != "entity_mention_id"} | {"span_id": "t1_a1_em1"}],
    }
    (tmp_path / "entity_tab_144.jsonl").write_text(json.dumps(reshaped) + "\n")
    for name in ("demo-clinical", "demo-legal", "demo-news", "demo-mail"):
        assert invoke(["corpora", "prepare", name, "--option", "documents=6"]) == 0
    return tmp_path


def concrete(arguments: list[str], runs: list[str]) -> list[str]:
    """Replace the words in capitals that stand for a name."""
    stands_for = {"NAME": "mine", "PATH": "mine.jsonl", "FILE": "out.jsonl", "RUN": runs[-1] if runs else "RUN"}
    return [stands_for.get(word, word) for word in arguments]


def test_commands_of_all_pages(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    runs: list[str] = []
    for page in PAGES:
        for arguments in commands(page):
            seen += 1
            arguments = concrete(arguments, runs)
            as_json = [] if "--json" in arguments else ["--json"]
            code = invoke([*arguments, *as_json])
            captured = capsys.readouterr()
            assert code in (0, 3) if arguments[:2] == ["corpora", "check"] else code == 0, f"{page}: {arguments}: {captured.err}"
            data = json.loads(captured.out.splitlines()[-1])
            if arguments[0] == "run":
                runs.append(data["run"])
    assert seen >= 15


def fenced(page: str, language: str) -> list[str]:
    """Fenced blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_examples_of_the_formats_are_read(workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["corpora", "prepare", "mine", "--source", "mine.jsonl"]) == 0
    lines, mapping, released = fenced("docs/formats.md", "json")
    for number, example in enumerate((lines, mapping)):
        (workplace / f"example{number}.json").write_text(example, encoding="utf-8")
        name = ["--name", f"example{number}", "--corpus", "mine"]
        assert invoke(["detectors", "spans", "import", f"example{number}.json", *name]) == 0, capsys.readouterr().err
    line = json.loads(released)
    for _, _, new_start, new_end, kind in line["offsets"]:
        assert line["text"][new_start:new_end] == f"[{kind}]"
    sets, config = fenced("docs/formats.md", "toml")
    home = Path(os.environ["BENCH_HOME"])
    (home / "ensembles.toml").write_text(sets, encoding="utf-8")
    (workplace / "config.toml").write_text(config, encoding="utf-8")
    capsys.readouterr()
    assert invoke(["run", "--config", "config.toml", "--ensemble", "careful", "--json"]) == 0
    data = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert data["settings"]["ensemble"] == "atleast2(presidio-patterns,rampart,spacy-en-sm)"
    assert [corpus["corpus"] for corpus in data["corpora"]] == ["demo-mail", "demo-legal"]


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"| `{name}` |" in readme


def test_make_targets_of_the_pages_exist() -> None:
    for page in [*PAGES, "CONTRIBUTING.md"]:
        for target in set(re.findall(r"`?make ([a-z]+)`?", (ROOT / page).read_text(encoding="utf-8"))) - {"sets", "and"}:
            done = subprocess.run(["make", "-n", "-C", str(ROOT), target], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{page}: make {target}: {done.stderr}"


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
            assert "://" in target or ((ROOT / page).parent / target).exists(), f"{page}: {target}"
