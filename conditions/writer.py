"""Releases on disk: one JSON line per document, one text file per document, one manifest per condition.

``<condition>.jsonl`` holds ``{"doc_id", "text", "language", "offsets"}`` per line (`conditions.offsets` documents the offsets);
``<condition>/<doc_id>.txt`` the text alone, byte for byte (no newline conversion; characters that a file name cannot hold are
percent-encoded); ``<condition>.json`` the manifest, written last: a release without one is incomplete. The mapping from
surfaces to surrogates is written only on demand, as ``mapping.jsonl`` with mode 0600.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote

from bench.core.atomic import replacing, storing, write_atomic
from bench.core.errors import DataError, UsageError
from bench.core.jsonio import loads
from bench.core.model import Json
from bench.core.tables import SegmentTable
from conditions.base import Condition
from conditions.offsets import OffsetMap
from conditions.release import ReleasedDocument, build_releases
from conditions.standard import Surrogates
from conditions.surfaces import BATCH_DOCUMENTS, Stream

#: Raised when the layout of the files changes.
RELEASE_SCHEMA: Final[int] = 1
#: Says that a folder is a release's, and may be written again.
_MARKER: Final[str] = ".deidbench-release"
_MAPPING: Final[str] = "mapping.jsonl"
#: Longest file name that every common file system takes, in bytes.
_LONGEST_NAME: Final[int] = 200


@dataclass(slots=True)
class Release:
    """Manifest of one written release.

    Parameters
    ----------
    condition
        Name of the condition.
    documents, characters, replacements
        Counts over the release.
    sha256
        SHA-256 of the JSONL file.
    details
        What the condition says of itself: fingerprint of the key, digest of the mapping, pools.
    origin
        Where it comes from: corpus, fingerprint, ensemble.
    """

    condition: str
    documents: int = 0
    characters: int = 0
    replacements: int = 0
    sha256: str = ""
    details: dict[str, Json] = field(default_factory=dict)
    origin: dict[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The manifest as stored."""
        return {
            "schema": RELEASE_SCHEMA,
            "condition": self.condition,
            "documents": self.documents,
            "characters": self.characters,
            "replacements": self.replacements,
            "sha256": self.sha256,
            "details": self.details,
            "origin": self.origin,
        }


def file_name(doc_id: str) -> str:
    """File name of a document's text: percent-encoded, and cut and given a digest where it would be too long."""
    name = quote(doc_id, safe=" ()+,@", errors="surrogatepass")
    # quote() leaves dots alone, and "." and ".." are no names; nor is a hidden file one that a reader would find.
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 17]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return name + ".txt"


class _Writer:
    """Writes one condition; the JSONL file appears whole or not at all."""

    def __init__(self, directory: Path, condition: Condition, stack: ExitStack, texts: bool) -> None:
        self.release = Release(condition.name)
        self._texts = directory / condition.name if texts else None
        temporary = stack.enter_context(replacing(directory / f"{condition.name}.jsonl"))
        self._stream: BinaryIO = stack.enter_context(temporary.open("wb"))
        self._digest = hashlib.sha256()
        if self._texts is not None:
            self._texts.mkdir(parents=True, exist_ok=True)

    def add(self, document: ReleasedDocument) -> None:
        record = {
            "doc_id": document.doc_id,
            "text": document.text,
            "language": document.language,
            "offsets": document.offsets.to_json(),
        }
        try:
            data = f"{json.dumps(record, ensure_ascii=False)}\n".encode()
        except UnicodeEncodeError as error:
            raise DataError(
                f"document {document.doc_id!r} holds the lone surrogate {error.object[error.start]!r}: not Unicode text"
            ) from None
        self._stream.write(data)
        self._digest.update(data)
        if self._texts is not None:
            (self._texts / file_name(document.doc_id)).write_bytes(document.text.encode())
        self.release.documents += 1
        self.release.characters += len(document.text)
        self.release.replacements += len(document.offsets)
        self.release.sha256 = self._digest.hexdigest()


def write_releases(
    directory: Path,
    documents: Stream,
    segments: SegmentTable,
    conditions: Sequence[Condition],
    *,
    origin: dict[str, Json] | None = None,
    texts: bool = True,
    mapping: bool = False,
    progress: Callable[[int], object] = lambda done: None,
    batch_size: int = BATCH_DOCUMENTS,
) -> list[Release]:
    """Build and write releases under several conditions.

    Parameters
    ----------
    directory
        Folder to write to: new, empty, or of an earlier release, which is replaced condition by condition.
    documents, segments, conditions, batch_size
        See `conditions.release.build_releases`.
    origin
        What the manifests say of the release's origin.
    texts
        Write one text file per document as well.
    mapping
        Write ``mapping.jsonl`` (mode 0600) for condition B.
    progress
        Called with the number of documents done.

    Raises
    ------
    bench.core.errors.UsageError
        The folder holds files that no release wrote.
    bench.core.errors.StoreError
        A file cannot be written (disk full, no permission).
    bench.core.errors.IntegrityError
        See `conditions.release.build_releases`.
    """
    with storing(directory):
        _claim(directory)
        for condition in conditions:
            # Without its manifest the old release is incomplete, whatever happens while the new one is written.
            (directory / f"{condition.name}.json").unlink(missing_ok=True)
            if (directory / condition.name).is_dir():
                shutil.rmtree(directory / condition.name)
            if isinstance(condition, Surrogates):
                # It would be taken for the new release's, and it names people.
                (directory / _MAPPING).unlink(missing_ok=True)
        with ExitStack() as stack:
            writers = [_Writer(directory, condition, stack, texts) for condition in conditions]
            for done, released in enumerate(build_releases(documents, segments, conditions, batch_size), 1):
                for writer, document in zip(writers, released, strict=True):
                    writer.add(document)
                progress(done)
    for writer, condition in zip(writers, conditions, strict=True):
        writer.release.details = condition.describe()
        writer.release.origin = origin or {}
        data = json.dumps(writer.release.to_json(), ensure_ascii=False, indent=1) + "\n"
        write_atomic(directory / f"{condition.name}.json", data.encode())
        if mapping and isinstance(condition, Surrogates):
            _write_mapping(directory / _MAPPING, condition)
    return [writer.release for writer in writers]


def _claim(directory: Path) -> None:
    """Make the folder, or take it if a release was written there before; any other folder with files in it is left alone."""
    directory.mkdir(parents=True, exist_ok=True)
    marker = directory / _MARKER
    if not marker.exists() and any(directory.iterdir()):
        raise UsageError(
            f"{str(directory)!r} holds files that no release wrote, and a release replaces what it finds; choose an empty folder"
        )
    marker.touch()


def _write_mapping(path: Path, condition: Surrogates) -> None:
    with replacing(path) as temporary:
        # The mode is given when the file is made: it is never readable by others, not even for a moment.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as stream:
            for entry in condition.surrogates.mapping():
                stream.write(json.dumps(entry, ensure_ascii=False) + "\n")


def read_release(path: Path) -> Iterator[ReleasedDocument]:
    """Stream the documents of a ``<condition>.jsonl`` file.

    Raises
    ------
    bench.core.errors.DataError
        It cannot be read, or a line is not of the format; the message names file and line.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror}") from None
    with stream:
        for number, line in enumerate(stream, 1):
            where = f"{path}, line {number}"
            record = loads(line, where)
            if not isinstance(record, dict) or not all(
                isinstance(record.get(name), str) for name in ("doc_id", "text", "language")
            ):
                raise DataError(f"{where}: expected an object with the strings doc_id, text and language")
            offsets = record.get("offsets", [])
            if not isinstance(offsets, list) or not all(isinstance(entry, list) for entry in offsets):
                raise DataError(f"{where}: offsets is not a list of lists")
            yield ReleasedDocument(record["doc_id"], record["text"], record["language"], OffsetMap.from_json(offsets, where))
