"""Canonical JSON, digests and strict decoding: what fingerprints and sidecars are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.core.errors import DataError


def canonical(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces; NaN is refused, so equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(value: Any, length: int = 32) -> str:
    """First `length` hex digits of the SHA-256 of the canonical JSON of `value`."""
    return hashlib.sha256(canonical(value)).hexdigest()[:length]


def seal_of(record: Mapping[str, Any]) -> str:
    """64 hex digits over everything else in a record, which stands in it as ``seal``: an altered record is told apart."""
    return digest({key: value for key, value in record.items() if key != "seal"}, 64)


def file_sha256(path: Path) -> str:
    """Hex SHA-256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"duplicate key {key!r}")
        seen[key] = value
    return seen


def loads(text: str | bytes, where: str) -> Any:
    """Decode JSON; a syntax error or a duplicate key is a `DataError` that names `where` (and the position)."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise DataError(f"{where}: {error}") from None
    except RecursionError:
        raise DataError(f"{where}: JSON nested too deeply") from None


def read_json(path: Path) -> Any:
    """Read one JSON file; every failure is a `DataError` that names the file."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror}") from None
    return loads(raw, str(path))
