"""Get a prepared corpus: open it, or prepare it on the way, and know when what is prepared is not what was asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from bench import __version__
from bench.core.corpus import Corpus
from bench.core.corpus_writer import write_corpus
from bench.core.errors import DataError, UnknownNameError, UsageError
from bench.core.jsonio import file_sha256
from bench.core.model import Json
from bench.core.source import CorpusLoader
from bench.core.workspace import Workspace
from corpora.registry import CORPORA, loader
from corpora.validate import validated


def source_digest(path: Path) -> str:
    """SHA-256 over a source file, or over names and contents of all files below a folder."""
    if path.is_file():
        return file_sha256(path)
    if not path.exists():
        raise DataError(f"no file or folder {str(path)!r}")
    total = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        total.update(file.relative_to(path).as_posix().encode() + b"\0" + bytes.fromhex(file_sha256(file)))
    return total.hexdigest()


def loader_for(name: str, data: Path | None, format_: str | None) -> CorpusLoader:
    """Loader of a corpus: the format asked for, else the one of that name, else JSONL for a ``.jsonl`` file."""
    if format_ is not None:
        return loader(format_)
    if name in CORPORA:
        return loader(name)
    if data is not None and any(data.name.endswith(suffix) for suffix in (".jsonl", ".jsonl.gz")):
        return loader("jsonl")
    if data is not None:
        raise UsageError(f"corpus {name!r} is no format of its own; say which --format {str(data)!r} has: {', '.join(CORPORA)}")
    raise UnknownNameError("corpus", name, CORPORA)


def prepare(
    workspace: Workspace,
    name: str,
    chosen: CorpusLoader,
    data: Path | None,
    options: Mapping[str, str],
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """Read a source into the workspace under `name`, replacing what was prepared there once the new one is complete."""
    if data is None and chosen.needs_source:
        raise UsageError(f"corpus {name!r} is not prepared yet; give its source with --data PATH")
    source = chosen.open(data, options)
    return write_corpus(
        source,
        workspace.corpus_dir(name),
        name=name,
        records=validated(source.records(), name),
        progress=progress,
        preparation=_wanted(chosen, data, options),
    )


def _wanted(chosen: CorpusLoader, data: Path | None, options: Mapping[str, str]) -> dict[str, Json]:
    return {
        "loader": chosen.name,
        "options": dict(options),
        "source_sha256": source_digest(data) if data is not None else None,
        "version": __version__,
    }


def obtain(
    workspace: Workspace,
    name: str,
    *,
    data: Path | None = None,
    format_: str | None = None,
    options: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """Open corpus `name`; prepare it where it is not, or where source or options differ from what it was prepared from.

    Without `data` and `options` a prepared corpus is opened as it is; an embedded one is generated again after an update of this
    package, with the options it was prepared with.
    """
    options = dict(options or {})
    corpus = workspace.open_corpus(name) if name in workspace.prepared() else None
    if corpus is not None and data is None and not options:
        stored = corpus.preparation
        embedded = name in CORPORA and not loader(name).needs_source
        if not embedded or stored.get("version") == __version__:
            return corpus
        options = {str(key): str(value) for key, value in _mapping(stored.get("options")).items()}
    chosen = loader_for(name, data, format_)
    if corpus is not None and corpus.preparation == _wanted(chosen, data, options):
        return corpus
    return prepare(workspace, name, chosen, data, options, progress)


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
