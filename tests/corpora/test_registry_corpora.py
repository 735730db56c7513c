"""The registry of corpora: its own entries, and those of packages outside this one, sound and broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.core.errors import UnknownNameError
from bench.core.source import CorpusLoader
from corpora.jsonl import JsonlLoader
from corpora.registry import CORPORA, loader
from corpora.tab import TabLoader

ROOT = Path(__file__).resolve().parents[2]
OWN = ("demo-clinical", "demo-legal", "demo-mail", "demo-news", "jsonl", "tab")


def test_names_and_loaders() -> None:
    assert set(OWN) <= set(CORPORA.names())
    assert isinstance(loader("tab"), TabLoader)
    assert isinstance(loader("jsonl"), JsonlLoader)
    with pytest.raises(UnknownNameError, match="did you mean 'jsonl'"):
        loader("json")


@pytest.mark.parametrize("name", OWN)
def test_every_entry_is_a_loader_that_describes_itself(name: str) -> None:
    chosen = loader(name)
    assert isinstance(chosen, CorpusLoader)
    assert chosen.name == name
    assert chosen.summary
    assert "\n" not in chosen.summary
    assert all(chosen.options.values())
    assert chosen.needs_source is not name.startswith("demo-")


PLUG_IN = """
from bench.core.model import Document, Mention
from bench.core.source import CorpusInfo, CorpusLoader, CorpusSource

class Source(CorpusSource):
    info = CorpusInfo("outside", "1", "document", {"PERSON": "PERSON"}, "", "")
    def records(self):
        yield Document("a", "Ann", "en"), [Mention("a", 0, 3, "PERSON", "1")]

class Loader(CorpusLoader):
    name, summary, needs_source = "outside", "From another package", False
    def open(self, source, options):
        return Source()

class NoLoader:
    pass
"""


def test_packages_outside_add_corpora_and_a_broken_one_stops_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "outside_corpora.py").write_text(PLUG_IN, encoding="utf-8")
    info = tmp_path / "outside_corpora-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-corpora\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[deidbench.corpus]\n"
        "outside = outside_corpora:Loader\n"
        "broken = outside_corpora_gone:Loader\n"
        "wrong = outside_corpora:NoLoader\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}

    def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bench", "corpora", *arguments, "--json", "--home", str(tmp_path / "home")]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    stats = bench("stats", "outside")
    assert stats.returncode == 0, stats.stderr
    assert json.loads(stats.stdout)["mentions"] == 1
    listed = {entry["name"]: entry for entry in json.loads(bench("list").stdout)["known"]}
    assert listed["outside"]["summary"] == "From another package"
    assert "outside_corpora_gone" in listed["broken"]["error"]
    assert "package 'outside-corpora'" in listed["broken"]["error"]
    assert "expected a class derived from" in listed["wrong"]["error"]
    assert listed["tab"]["error"] == ""
    broken = bench("stats", "broken")
    assert broken.returncode == 2
    assert broken.stderr.count("\n") == 1
