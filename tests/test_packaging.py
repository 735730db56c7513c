"""What the wheel holds: every file of the packages, nothing of the tests; and what the core install needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("bench", "corpora", "detectors", "conditions", "attacks", "reports")


def test_a_built_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    out.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / package, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    script = f"import setuptools.build_meta as b; b.build_wheel({str(out)!r})"
    done = subprocess.run([sys.executable, "-c", script], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = out.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == expected


def test_the_core_stays_free_of_torch() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    heavy = ("torch", "transformers", "flair", "gliner", "vllm", "ray")
    assert not [line for line in project["dependencies"] if line.lower().startswith(heavy)]
    assert not [
        line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line.split("==")[0] in heavy
    ]


def test_constraints_pin_what_the_project_needs_and_name_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all("==" in line and "://" not in line and " @ " not in line for line in lines)
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name = requirement.split(">")[0].split("=")[0].split("<")[0].strip()
        assert name.lower() in pinned, name
