"""Manifests: one TOML file per frozen detector, validated when read; every problem is one line with file, key and remedy."""

from __future__ import annotations

import difflib
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from bench.core.detector import DetectorSpec
from bench.core.errors import ConfigError, UnknownNameError


def read_manifest(path: Path | Traversable) -> DetectorSpec:
    """Read one manifest.

    Raises
    ------
    ConfigError
        The file cannot be read, is not TOML, or does not validate; the message names file and key.
    """
    where = f"manifest {str(path)!r}"
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {where}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where} is not UTF-8 at byte {error.start}") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is not valid TOML: {error}") from None
    return parse_manifest(data, where)


def parse_manifest(data: dict[str, Any], where: str) -> DetectorSpec:
    """Validate the data of a manifest; `where` names it in errors."""
    try:
        return DetectorSpec.model_validate(data)
    except UnknownNameError as error:
        raise ConfigError(f"{where}: {error}") from None
    except ValidationError as error:
        raise ConfigError(f"{where}: {explain(error, DetectorSpec)}") from None


def explain(error: ValidationError, model: type[BaseModel], prefix: str = "") -> str:
    """First problem of a pydantic error as one line: key (after `prefix`), value, and what `model` accepts."""
    problem: dict[str, Any] = dict(error.errors(include_url=False)[0])
    key = prefix + ".".join(str(part) for part in problem["loc"])
    fields = [prefix + name for name in model.model_fields]
    if problem["type"] == "extra_forbidden":
        close = difflib.get_close_matches(key, fields, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]!r}? " if close else ""
        return f"unknown key {key!r}; {hint}accepted: {', '.join(fields) or 'none'}"
    if problem["type"] == "missing":
        needed = ", ".join(prefix + name for name, field in model.model_fields.items() if field.is_required())
        return f"key {key!r} is missing; needed: {needed}"
    return f"{key} = {problem['input']!r}: {problem['msg']}"
