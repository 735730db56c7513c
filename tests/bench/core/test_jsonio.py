from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.core.errors import DataError
from bench.core.jsonio import canonical, digest, file_sha256, loads, read_json


def test_canonical_is_independent_of_order() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"é","b":1}'.encode()
    assert digest({}, 64) == hashlib.sha256(b"{}").hexdigest()
    with pytest.raises(ValueError, match="Out of range float"):
        canonical(float("nan"))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"a": }', "here: not valid JSON at line 1, column 7"),
        (b'{"a": 1, "a": 2}', "here: duplicate key 'a'"),
        (b"\xff\xfe", "here: not UTF-8 at byte 0"),
        (b"[" * 100_000, "here: JSON nested too deeply"),
    ],
)
def test_bad_json_names_place_and_reason(raw: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        loads(raw, "here")


def test_byte_order_mark_is_no_content() -> None:
    assert loads(b'\xef\xbb\xbf{"a": 1}', "here") == {"a": 1}


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(DataError, match=r"cannot read .*No such file"):
        read_json(path)
    path.write_bytes(b"[1]")
    assert read_json(path) == [1]
    assert file_sha256(path) == hashlib.sha256(b"[1]").hexdigest()
