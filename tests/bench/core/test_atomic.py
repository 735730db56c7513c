"""Atomic files and locks: what a reader may see, and who may hold a lock, checked with real processes."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.core.atomic import FileLock, remove_stale, replacing, write_array, write_atomic
from bench.core.errors import StoreError


def test_written_bytes_stand_and_nothing_else_does(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.bin"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["file.bin"]


def test_a_failing_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    write_atomic(path, b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_bytes(b"half of the n")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.bin"]


def test_a_file_too_large_for_the_disk_is_one_line_and_nothing_half_written(tmp_path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from bench.core.atomic import write_atomic
from bench.core.errors import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomic(Path(sys.argv[1]), b"x" * 5000)
except StoreError as error:
    print(error)
"""
    path = tmp_path / "file.bin"
    write_atomic(path, b"old")
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {str(path)!r}: {os.strerror(errno.EFBIG)}\n"
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.bin"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_a_link_is_followed_and_a_pipe_or_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "link").symlink_to("there")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="pipe': it is no regular file"):
        write_atomic(tmp_path / "pipe", b"")
    assert (tmp_path / "pipe").is_fifo()
    with pytest.raises(StoreError, match="it is a folder"):
        write_atomic(tmp_path, b"")


def test_arrays_are_those_that_numpy_writes(tmp_path: Path) -> None:
    for array in (np.arange(5, dtype=np.int32), np.empty(0, np.uint8), np.arange(6.0).reshape(2, 3)[:, ::2]):
        write_array(tmp_path / "a.npy", array)
        read = np.load(tmp_path / "a.npy", allow_pickle=False)
        assert read.dtype == array.dtype
        assert np.array_equal(read, array)


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot write .*file/inner.*File exists"):
        write_atomic(tmp_path / "file" / "inner", b"")


def test_stale_temporaries_of_one_prefix_go(tmp_path: Path) -> None:
    for name in (".part-00000.json.tmp-1", ".part-00001.json.tmp-1", "part-00000.json"):
        (tmp_path / name).write_text("")
    remove_stale(tmp_path, "part-00000.")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".part-00001.json.tmp-1", "part-00000.json"]


def test_a_held_lock_is_refused_and_a_released_one_is_given(tmp_path: Path) -> None:
    path = tmp_path / "locks" / "a.lock"
    first, second = FileLock(path), FileLock(path)
    assert first.acquire(wait=False)
    assert not second.acquire(wait=False)
    with pytest.raises(ValueError, match="already held"):
        first.acquire()
    first.release()
    assert not path.exists()
    assert second.acquire(wait=False)
    second.release()
    with pytest.raises(ValueError, match="not held"):
        second.release()


def test_processes_that_take_turns_never_meet(tmp_path: Path) -> None:
    """Unlocked read-modify-write by four processes would lose counts, also at the moment the lock file is removed."""
    script = """
import sys
from pathlib import Path
from bench.core.atomic import FileLock
counter = Path(sys.argv[1])
for _ in range(100):
    with FileLock(counter.with_suffix(".lock")):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [subprocess.Popen([sys.executable, "-c", script, str(counter)]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    assert counter.read_text() == "400"


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    script = """
import sys, time
from pathlib import Path
from bench.core.atomic import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(600)
"""
    path = tmp_path / "a.lock"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    lock = FileLock(path)
    assert not lock.acquire(wait=False)
    process.kill()
    process.wait()
    process.stdout.close()
    assert lock.acquire(wait=True)
    lock.release()
