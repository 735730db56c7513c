"""Files that appear whole or not at all, and locks between processes: what every writer of the store is built on."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from bench.core.errors import StoreError

_TEMPORARY = ".tmp-"


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an operating-system error while writing `path` (disk full, not writable) into a one-line `StoreError`."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


def sync_directory(directory: Path) -> None:
    """Flush a folder's entries to disk, so that a rename in it survives a power loss."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on a clean exit it is flushed to disk and takes the place of `path` in one step.

    On any exception the temporary file is removed and what stood at `path` stays. A link is followed; a device or a pipe is
    refused, because a rename would put a file in the place of ``/dev/null``.

    Raises
    ------
    StoreError
        The file cannot be written (disk full, no permission, file too large).
    """
    if path.is_symlink():
        path = path.resolve()
    temporary = path.with_name(f".{path.name}{_TEMPORARY}{os.getpid()}")
    with storing(path):
        if path.exists() and not path.is_file():
            raise StoreError(f"cannot write {str(path)!r}: it is {'a folder' if path.is_dir() else 'no regular file'}")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            with temporary.open("rb") as stream:
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_directory(path.parent)


def write_atomic(path: Path, data: bytes) -> None:
    """Write a whole file in one step (see `replacing`)."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_array(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Write a ``.npy`` file by plain writes: `numpy.save` meets a full disk with a message that does not say so."""
    array = np.ascontiguousarray(array)
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
        stream.write(array.data)


def remove_stale(directory: Path, prefix: str) -> None:
    """Remove temporary files that a killed writer of ``<prefix>*`` left; the caller holds the lock that guards those files."""
    for path in directory.glob(f".{prefix}*{_TEMPORARY}*"):
        path.unlink(missing_ok=True)


class FileLock:
    """An exclusive lock between processes, released by the kernel when its holder dies, however it dies.

    The file is removed on release. A process that waited on the removed file notices that the path now leads elsewhere and
    tries again, so that two holders never coexist.

    Parameters
    ----------
    path
        The lock file; its folder is created.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, *, wait: bool = True) -> bool:
        """Take the lock; False if `wait` is False and another process (or another `FileLock`) holds it."""
        if self._descriptor is not None:
            raise ValueError(f"the lock {str(self.path)!r} is already held by this object")
        with storing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            while True:
                descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                    current = self._is_current(descriptor)
                except BlockingIOError:
                    os.close(descriptor)
                    return False
                except BaseException:
                    os.close(descriptor)
                    raise
                if current:
                    self._descriptor = descriptor
                    return True
                os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        here = os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def release(self) -> None:
        """Give the lock back."""
        if self._descriptor is None:
            raise ValueError(f"the lock {str(self.path)!r} is not held by this object")
        descriptor, self._descriptor = self._descriptor, None
        self.path.unlink(missing_ok=True)
        os.close(descriptor)

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.release()
