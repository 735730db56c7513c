"""Reading source files strictly: gzip by content, JSON lines with their line number, typed fields with their place.

Every failure is a `DataError` of one line that names the file, the record and the value.
"""

from __future__ import annotations

import difflib
import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from bench.core.errors import DataError
from bench.core.jsonio import loads

T = TypeVar("T")

_GZIP_MAGIC: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_KINDS: Final[Mapping[type, str]] = {
    str: "a string",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}


def short(value: object, limit: int = 80) -> str:
    """``repr`` of a value, cut to `limit` characters: bad values stand in messages, whole texts do not."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a plain or gzipped file for reading bytes; gzip is recognised by its first two bytes, not by its name."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield unpacked  # type: ignore[misc]  # a GzipFile reads bytes as IO[bytes] does
            else:
                yield raw
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: damaged or incomplete gzip data: {error}") from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None


def first_byte(path: Path) -> bytes:
    """First byte that is neither white space nor byte order mark; empty for a file without content."""
    with opened(path) as stream:
        head = stream.read(3)
        if head == _BOM:
            head = b""
        while not head.strip():
            block = stream.read(4096)
            if not block:
                return b""
            head += block
        return head.lstrip()[:1]


def whole_json(path: Path) -> Any:
    """Decode a file that is one JSON value."""
    with opened(path) as stream:
        raw = stream.read()
    return loads(raw, str(path))


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    r"""Yield ``("file:line", value)`` for every line that is not blank.

    Lines end at ``\n`` alone (a ``\r`` before it is dropped), never at the other characters that `str.splitlines` takes for
    line ends: U+2028 and its like may stand inside JSON strings.
    """
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            content = (line.removeprefix(_BOM) if number == 1 else line).strip()
            if content:
                where = f"{path}:{number}"
                yield where, _decode_line(content, where)


def _decode_line(content: bytes, where: str) -> Any:
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_distinct)
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 at byte {error.start + 1} of the line") from None
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: not valid JSON at column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise DataError(f"{where}: {error}") from None
    except RecursionError:
        raise DataError(f"{where}: JSON nested too deeply") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key!r} twice in one object")
            seen.add(key)
    return found


def typed(value: object, kind: type[T], name: str, where: str) -> T:
    """Return `value` if it is of `kind`; True and 1.0 are no whole numbers."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise DataError(f"{where}: {name!r} is {short(value)}, expected {_KINDS[kind]}")
    return value


def required(record: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    """Return ``record[key]`` of `kind`; a missing key is an error that names those present."""
    if key not in record:
        raise DataError(f"{where}: the key {key!r} is missing; keys present: {', '.join(map(repr, record)) or 'none'}")
    return typed(record[key], kind, key, where)


def optional(record: Mapping[str, Any], key: str, kind: type[T], default: T, where: str) -> T:
    """Return ``record[key]`` of `kind`, or `default` where the key is absent."""
    return typed(record[key], kind, key, where) if key in record else default


def check_keys(record: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse keys outside `known`, proposing the nearest: a misspelt key must not silently lose its value."""
    for key in record:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}"
            raise DataError(f"{where}: unknown key {key!r}; {hint}")
