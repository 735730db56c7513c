"""The secret key: what is read, created, refused, and never shown."""

from __future__ import annotations

import copy
import hashlib
import hmac
import os
import pickle
import stat
from pathlib import Path

import pytest

from bench.core.errors import ConfigError
from conditions.keys import SecretKey, create_key, load_key, read_key

RAW = bytes(range(32))


def _write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_draw_is_the_formula() -> None:
    key = SecretKey(RAW)
    expected = hmac.new(RAW, b"PERSON\x1fm\xc3\xbcller", hashlib.sha256).digest()
    assert key.draw("PERSON", "müller") == int.from_bytes(expected, "big")
    again = hmac.new(RAW, b"PERSON\x1fm\xc3\xbcller\x1f3", hashlib.sha256).digest()
    assert key.draw("PERSON", "müller", 3) == int.from_bytes(again, "big")


def test_draw_takes_lone_surrogates() -> None:
    assert SecretKey(RAW).draw("ID", "\ud800") != SecretKey(RAW).draw("ID", "\ud801")


def test_created_once_with_mode_0600_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "key"
    key = create_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(bytes.fromhex(path.read_text().strip())) == 32
    assert create_key(path) == key == read_key(path)
    assert [p.name for p in path.parent.iterdir()] == ["key"], "no temporary file is left"


def test_a_created_key_is_not_the_last_one(tmp_path: Path) -> None:
    assert create_key(tmp_path / "a") != create_key(tmp_path / "b")


def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        create_key(tmp_path / "key")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_a_file_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = _write(tmp_path / "key", RAW.hex(), mode)
    with pytest.raises(ConfigError, match="chmod 600"):
        read_key(path)


@pytest.mark.parametrize(
    ("text", "message"), [("00" * 15, "15 bytes"), ("zz" * 32, "hexadecimal"), ("", "0 bytes"), ("0" * 63, "hexadecimal")]
)
def test_a_short_or_malformed_key_is_refused_without_showing_it(tmp_path: Path, text: str, message: str) -> None:
    path = _write(tmp_path / "key", text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_key(path)
    assert "\n" not in str(caught.value)
    if text:
        assert text not in str(caught.value)


def test_a_missing_file_that_was_named_is_an_error_and_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read key file"):
        load_key(tmp_path / "missing", tmp_path / "default", {})
    assert not list(tmp_path.iterdir())


def test_order_of_sources(tmp_path: Path) -> None:
    named = _write(tmp_path / "named", "11" * 32)
    from_file = _write(tmp_path / "other", "22" * 32)
    environment = {"DEIDBENCH_KEY": "33" * 32, "DEIDBENCH_KEY_FILE": str(from_file)}
    default = tmp_path / "default"
    assert load_key(named, default, environment) == SecretKey(b"\x11" * 32)
    assert load_key(None, default, environment) == SecretKey(b"\x33" * 32)
    assert load_key(None, default, {"DEIDBENCH_KEY_FILE": str(from_file)}) == SecretKey(b"\x22" * 32)
    assert not default.exists()
    assert load_key(None, default, {}) == read_key(default)


def test_a_malformed_environment_variable_is_not_shown() -> None:
    with pytest.raises(ConfigError, match="DEIDBENCH_KEY") as caught:
        load_key(None, Path("unused"), {"DEIDBENCH_KEY": "secret!"})
    assert "secret!" not in str(caught.value)


def test_the_key_shows_itself_nowhere() -> None:
    key = SecretKey(RAW)
    for shown in (repr(key), str(key), f"{key}", repr([key]), key.fingerprint):
        assert RAW.hex() not in shown
        assert repr(RAW) not in shown
    with pytest.raises(TypeError, match="never stored"):
        pickle.dumps(key)
    with pytest.raises(TypeError, match="never stored"):
        copy.deepcopy(key)


def test_the_fingerprint_tells_keys_apart_and_is_no_surrogate_message() -> None:
    assert SecretKey(RAW).fingerprint == SecretKey(RAW).fingerprint
    assert SecretKey(RAW).fingerprint != SecretKey(RAW[::-1]).fingerprint
    assert SecretKey(RAW) != RAW
