"""What a detector needs on this machine: packages, files inside them, and a digest of both. Nothing here imports a model."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.core.detector import DetectorSpec
from bench.core.errors import NotAvailableError
from bench.core.jsonio import digest, file_sha256

_digests: dict[tuple[str, int, int], str] = {}


def package_dir(package: str) -> Path:
    """Folder of an installed package, found without importing it; `NotAvailableError` if there is none."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        found = None
    if found is None or not found.submodule_search_locations:
        raise NotAvailableError(f"the package {package!r} is not installed")
    return Path(next(iter(found.submodule_search_locations)))


def installed(distribution: str) -> str | None:
    """Version of an installed distribution, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def lacking(spec: DetectorSpec, wanted: Mapping[str, str]) -> str | None:
    """Line that says what is missing and the command that brings it, or None.

    Parameters
    ----------
    spec
        The detector: its `remedy` is the command.
    wanted
        Distribution to the exact version it must have, or an empty string for any.
    """
    for name, needed in wanted.items():
        present = installed(name)
        if present is not None and (not needed or present == needed):
            continue
        what = f"{name} {needed}".strip()
        state = "is not installed" if present is None else f"is needed, {present} is installed"
        pinned = f"{name}=={needed}" if needed else name
        return f"{spec.name}: {what} {state}; run: {spec.remedy or f'pip install {pinned}'}"
    return None


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, remembered in this process for its path, size and modification time."""
    try:
        status = path.stat()
        key = (str(path), status.st_size, status.st_mtime_ns)
        if key not in _digests:
            _digests[key] = file_sha256(path)
    except OSError as error:
        raise NotAvailableError(f"cannot read the model file {path.name!r}: {error.strerror}") from None
    return _digests[key]


def weights(root: Path | None, files: Iterable[Path], distributions: Iterable[str]) -> str:
    """Digest over model files (by their name below `root`, not by where they lie) and package versions."""
    contents = {str(path.relative_to(root) if root else path.name): sha256_of(path) for path in files}
    return digest({"files": contents, "packages": {name: installed(name) or "" for name in distributions}})


def tree(root: Path, folders: Iterable[str], names: Iterable[str] = ()) -> list[Path]:
    """Files below some folders of `root` plus single files, sorted."""
    found = [path for folder in folders for path in (root / folder).rglob("*") if path.is_file()]
    return sorted([*found, *(root / name for name in names)])


def bytes_with_sha256(path: Path, expected: str, owner: str) -> bytes:
    """Contents of a file if and only if they have the expected SHA-256: what is checked is what is used."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotAvailableError(f"{owner}: cannot read {path.name!r}: {error.strerror}") from None
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected:
        raise NotAvailableError(f"{owner}: {path.name!r} has SHA-256 {actual}, only {expected} is opened (it is a pickle)")
    return data
