from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.core.errors import ConfigError, NotAvailableError, UnknownNameError
from bench.core.registry import Registry, load_attribute


def ints() -> Registry[int]:
    return Registry("number", lambda entry: isinstance(entry, int), "an int")


def test_lazy_entry_is_imported_on_use() -> None:
    registry = ints()
    registry.add("maxsize", "sys:maxsize")
    assert registry.names() == ["maxsize"]
    assert registry.get("maxsize") == sys.maxsize


def test_unknown_name_proposes_the_nearest() -> None:
    registry = ints()
    registry.add("seven", 7)
    with pytest.raises(UnknownNameError, match="unknown number 'sevn'; did you mean 'seven'"):
        registry.get("sevn")


def test_collision_names_both_owners() -> None:
    registry = ints()
    registry.add("seven", 7)
    with pytest.raises(ConfigError, match="registered twice: by deidbench and by package 'other'"):
        registry.add("seven", 8, "package 'other'")


def test_wrong_type_is_said_on_use() -> None:
    registry = ints()
    registry.add("path", "sys:path")
    with pytest.raises(ConfigError, match="is list, expected an int"):
        registry.get("path")


@pytest.mark.parametrize("reference", ["no_such_module:x", "sys:no_such_attribute"])
def test_broken_plug_in_keeps_its_error_until_used(reference: str) -> None:
    registry = ints()
    registry.add("broken", reference)
    assert "broken" in registry
    with pytest.raises(NotAvailableError, match="cannot be loaded"):
        registry.get("broken")


def test_reference_without_colon() -> None:
    with pytest.raises(ConfigError, match="'sys' is not of the form 'module:attr'"):
        load_attribute("sys", "a thing")


def test_entry_points_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real installed distribution (metadata on the path), whose second entry does not import."""
    (tmp_path / "plug_in_package.py").write_text("ANSWER = 42\n")
    metadata = tmp_path / "plug_in_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[deidbench.number]\nanswer = plug_in_package:ANSWER\nbroken = plug_in_package:MISSING\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = ints()
    assert registry.names() == ["answer", "broken"]
    assert registry.get("answer") == 42
    assert registry.origin("answer") == "package 'plug-in-package'"
    with pytest.raises(NotAvailableError, match="MISSING"):
        registry.get("broken")
