"""The secret key of the surrogates: read from a file or the environment, never printed, stored or put on a command line.

A key file holds one line of hexadecimal digits and is readable by its owner alone. The environment variable ``DEIDBENCH_KEY``
holds the same digits; ``DEIDBENCH_KEY_FILE`` names a key file.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from bench.core.errors import ConfigError, StoreError

#: Environment variables that hold the key, or the path of its file.
KEY_VARIABLE: Final[str] = "DEIDBENCH_KEY"
KEY_FILE_VARIABLE: Final[str] = "DEIDBENCH_KEY_FILE"
#: Name of the key file that a workspace creates on first use.
KEY_FILE_NAME: Final[str] = "key"
#: Bytes of a new key, and the least that is accepted (128 bits).
KEY_BYTES: Final[int] = 32
LEAST_BYTES: Final[int] = 16
_SEPARATOR: Final[bytes] = b"\x1f"
#: Type names are upper case, so a lower-case first field can never meet a surrogate's message.
_FINGERPRINT_MESSAGE: Final[bytes] = b"deidbench key fingerprint"


class SecretKey:
    """A key that can be used but not shown: no representation, comparison or pickle gives its bytes away.

    Parameters
    ----------
    raw
        Key bytes, at least 16.
    where
        Where it comes from, for the error message.

    Raises
    ------
    bench.core.errors.ConfigError
        The key is shorter than 16 bytes.
    """

    __slots__ = ("_inner", "fingerprint")

    def __init__(self, raw: bytes, where: str = "the key") -> None:
        if len(raw) < LEAST_BYTES:
            raise ConfigError(
                f"{where} has {len(raw)} bytes, at least {LEAST_BYTES} are needed: {2 * LEAST_BYTES} hexadecimal digits"
            )
        # Only the key schedule is kept: copying it costs less than half of a fresh HMAC (docs/kernels.md, Release).
        self._inner = hmac.new(raw, digestmod=hashlib.sha256)
        #: 16 hexadecimal digits that tell keys apart and give nothing of them away: safe to store with a release.
        self.fingerprint = self.mac(_FINGERPRINT_MESSAGE).hex()[:16]

    def mac(self, *fields: bytes) -> bytes:
        """HMAC-SHA256 of the fields joined by 0x1f, 32 bytes."""
        code = self._inner.copy()
        code.update(_SEPARATOR.join(fields))
        return code.digest()

    def draw(self, type_name: str, normalised: str, counter: int = 0) -> int:
        """The number behind a surrogate: HMAC-SHA256(key, type || 0x1f || normalised [|| 0x1f || counter]), below 2**256.

        The counter is left out where it is 0 (docs/measures.md, Release conditions).
        """
        # Lone surrogates (malformed UTF-16 in a source) must not break a release.
        fields = [type_name.encode(), normalised.encode("utf-8", "surrogatepass")]
        if counter:
            fields.append(str(counter).encode())
        return int.from_bytes(self.mac(*fields), "big")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretKey) and hmac.compare_digest(self._inner.digest(), other._inner.digest())

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"SecretKey(fingerprint={self.fingerprint!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret key is never stored, and so cannot be pickled; load it again from its file")


def _decode(text: str, where: str) -> SecretKey:
    try:
        raw = bytes.fromhex(text.strip())
    except ValueError:
        # The value itself must not appear in the message.
        raise ConfigError(f"{where} is not a key: expected an even number of hexadecimal digits and nothing else") from None
    return SecretKey(raw, where)


def read_key(path: Path) -> SecretKey:
    """Read a key file.

    Raises
    ------
    bench.core.errors.ConfigError
        It cannot be read, is readable or writable by others than its owner, or does not hold a key.
    """
    where = f"key file {str(path)!r}"
    try:
        with path.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            # A key is short; a large file given by mistake must not be read whole.
            raw = stream.read(4097)
    except OSError as error:
        raise ConfigError(f"cannot read {where}: {error.strerror}") from None
    if os.name == "posix" and mode & 0o077:
        raise ConfigError(f"{where} is open to others than its owner (mode {mode:04o}); run: chmod 600 {path}")
    if len(raw) > 4096:
        raise ConfigError(f"{where} is not a key: it is longer than 4096 bytes")
    return _decode(raw.decode("ascii", "replace"), where)


def create_key(path: Path) -> SecretKey:
    """Create a key file of 32 random bytes with mode 0600, or read the one that is there.

    Safe with two processes at once: the file appears complete or not at all, and the second process reads the first one's.

    Raises
    ------
    bench.core.errors.StoreError
        The file cannot be written.
    bench.core.errors.ConfigError
        See `read_key`.
    """
    if path.exists():
        return read_key(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                stream.write(secrets.token_hex(KEY_BYTES) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            # A link, unlike a rename, fails where the name is taken: nobody's key is ever overwritten.
            os.link(temporary, path)
        except FileExistsError:
            pass  # another process was first; its key is read below
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create key file {str(path)!r}: {error.strerror}") from None
    return read_key(path)


def load_key(path: Path | None, default: Path, environ: Mapping[str, str] = os.environ) -> SecretKey:
    """Find the key of a run: a file that was named, else the environment, else a file that is created on first use.

    Parameters
    ----------
    path
        The key file that the user named; it must exist.
    default
        The file that a run without a key reads, and creates with mode 0600 if it is not there.
    environ
        Environment variables.
    """
    if path is not None:
        return read_key(path)
    if KEY_VARIABLE in environ:
        return _decode(environ[KEY_VARIABLE], f"environment variable {KEY_VARIABLE}")
    if KEY_FILE_VARIABLE in environ:
        return read_key(Path(environ[KEY_FILE_VARIABLE]))
    return create_key(default)
