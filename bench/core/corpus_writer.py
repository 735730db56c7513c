"""Writes a prepared corpus in one streaming pass; the directory appears whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.core.atomic import write_array
from bench.core.corpus import ARRAYS, CORPUS_SCHEMA, Corpus
from bench.core.errors import DataError, StoreError
from bench.core.jsonio import canonical, file_sha256, seal_of
from bench.core.model import Document, Json, Mention
from bench.core.source import CorpusSource
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPE_CODE, check_type
from bench.core.tokens import TOKENISER, tokenise

#: A row group closes at this many documents or characters, whichever comes first: what one range read must decode at most.
_GROUP_DOCUMENTS: Final[int] = 256
_GROUP_CHARACTERS: Final[int] = 1_000_000

_DOCUMENTS: Final = pa.schema(
    [
        ("doc_id", pa.string()),
        ("text", pa.large_string()),
        ("language", pa.string()),
        ("split", pa.string()),
        ("case_id", pa.string()),
        ("length", pa.int32()),
        ("meta", pa.large_string()),
    ]
)
_MENTIONS: Final = pa.schema(
    [
        ("doc", pa.int32()),
        ("start", pa.int32()),
        ("length", pa.int32()),
        ("type", pa.string()),
        ("entity_id", pa.string()),
        ("identifier", pa.string()),
        ("label", pa.string()),
    ]
)
_TOKENS: Final = pa.schema([("doc", pa.int32()), ("start", pa.int32()), ("length", pa.int32())])


class _Table:
    """A Parquet file that grows by whole batches of plain columns."""

    def __init__(self, path: Path, schema: pa.Schema, delta: Sequence[str], dictionary: Sequence[str]) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            use_dictionary=list(dictionary),
            column_encoding=dict.fromkeys(delta, "DELTA_BINARY_PACKED"),
        )

    def write(self, columns: Sequence[Any]) -> None:
        arrays = [pa.array(column, type=field.type) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def _check_mention(document: Document, mention: Mention) -> None:
    where = f"document {document.doc_id!r}, mention {mention.start}:{mention.end}"
    if not 0 <= mention.start < mention.end <= len(document.text):
        raise DataError(f"{where} is empty, reversed or outside the text of {len(document.text)} characters")
    check_type(mention.type, where)
    if mention.identifier not in IDENTIFIER_CLASSES:
        raise DataError(f"{where} has identifier class {mention.identifier!r}; accepted: {', '.join(IDENTIFIER_CLASSES[1:])}")


class _Pass:
    """State of one streaming pass: open files, running counts, flat arrays (a few bytes a token) and the running hash."""

    def __init__(self, directory: Path, scoped: bool) -> None:
        self.scoped = scoped
        self.hash = hashlib.sha256()
        self.documents = _Table(directory / "documents.parquet", _DOCUMENTS, ["length"], ["language", "split"])
        self.mentions = _Table(
            directory / "mentions.parquet", _MENTIONS, ["doc", "start"], ["length", "type", "identifier", "label"]
        )
        self.tokens = _Table(directory / "tokens.parquet", _TOKENS, ["doc", "start"], ["length"])
        self.lengths: list[int] = []
        self.entities: dict[str, int] = {}
        self.cases: set[str] = set()
        self.ids: set[str] = set()
        self.languages: set[str] = set()
        self.own_tokens: bool | None = None
        self.token_counts: list[int] = []
        self.mention_counts: list[int] = []
        self.token_blocks: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self.mention_blocks: list[np.ndarray[Any, Any]] = []
        self._batch: list[tuple[Document, list[Mention]]] = []
        self._characters = 0

    def add(self, document: Document, mentions: Sequence[Mention]) -> None:
        if document.doc_id in self.ids:
            raise DataError(f"duplicate document id {document.doc_id!r}")
        self.ids.add(document.doc_id)
        for mention in mentions:
            _check_mention(document, mention)
        self._batch.append((document, sorted(mentions, key=lambda m: (m.start, m.end, TYPE_CODE[m.type]))))
        self._characters += len(document.text)
        if len(self._batch) >= _GROUP_DOCUMENTS or self._characters >= _GROUP_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        if not self._batch:
            return
        first = len(self.lengths)
        metas = [json.dumps(dict(d.meta), ensure_ascii=False, sort_keys=True) if d.meta else "" for d, _ in self._batch]
        documents = [d for d, _ in self._batch]
        self.documents.write(
            [
                [d.doc_id for d in documents],
                [d.text for d in documents],
                [d.language for d in documents],
                [d.split for d in documents],
                [d.case_id for d in documents],
                [len(d.text) for d in documents],
                metas,
            ]
        )
        starts: list[int] = []
        ends: list[int] = []
        token_docs: list[int] = []
        rows: list[tuple[int, Mention]] = []
        for offset, ((document, mentions), meta) in enumerate(zip(self._batch, metas, strict=True)):
            tokens = self._tokens_of(document)
            self.hash.update(
                canonical(
                    [
                        document.doc_id,
                        document.text,
                        document.language,
                        document.split,
                        document.case_id,
                        meta,
                        [list(pair) for pair in tokens] if self.own_tokens else None,
                        [[m.start, m.end, m.type, m.entity_id, m.identifier, m.label] for m in mentions],
                    ]
                )
            )
            starts.extend(start for start, _ in tokens)
            ends.extend(end for _, end in tokens)
            token_docs.extend([first + offset] * len(tokens))
            rows.extend((first + offset, mention) for mention in mentions)
            self.lengths.append(len(document.text))
            self.token_counts.append(len(tokens))
            self.mention_counts.append(len(mentions))
            self.languages.add(document.language)
            self.cases.add(f"c{document.case_id}" if document.case_id else f"d{document.doc_id}")
        start_array, end_array = np.asarray(starts, dtype=np.int32), np.asarray(ends, dtype=np.int32)
        self.tokens.write([np.asarray(token_docs, dtype=np.int32), start_array, end_array - start_array])
        self.token_blocks.append((start_array, end_array))
        self._write_mentions(rows, [d.doc_id for d in documents], first)
        self._batch, self._characters = [], 0

    def _tokens_of(self, document: Document) -> Sequence[tuple[int, int]]:
        own = document.tokens is not None
        if self.own_tokens is None:
            self.own_tokens = own
        if own != self.own_tokens:
            raise DataError(f"document {document.doc_id!r} {'has' if own else 'lacks'} tokens of its own, unlike those before it")
        return document.tokens if document.tokens is not None else tokenise(document.text)

    def _write_mentions(self, rows: list[tuple[int, Mention]], doc_ids: Sequence[str], first: int) -> None:
        self.mentions.write(
            [
                [doc for doc, _ in rows],
                [m.start for _, m in rows],
                [m.end - m.start for _, m in rows],
                [m.type for _, m in rows],
                [m.entity_id for _, m in rows],
                [m.identifier for _, m in rows],
                [m.label for _, m in rows],
            ]
        )
        codes = np.empty((len(rows), 5), dtype=np.int64)
        for index, (doc, m) in enumerate(rows):
            key = f"{doc_ids[doc - first]}\x1f{m.entity_id}" if self.scoped else m.entity_id
            entity = self.entities.setdefault(key, len(self.entities))
            codes[index] = (m.start, m.end, TYPE_CODE[m.type], entity, IDENTIFIER_CLASSES.index(m.identifier))
        self.mention_blocks.append(codes)

    def close(self) -> None:
        self.flush()
        for table in (self.documents, self.mentions, self.tokens):
            table.close()

    def abandon(self) -> None:
        """Let go of the files after a failure; that they cannot be finished is known."""
        for table in (self.documents, self.mentions, self.tokens):
            with suppress(OSError, pa.ArrowException):
                table.close()

    def save_arrays(self, directory: Path) -> None:
        directory.mkdir()
        mentions = np.concatenate([np.empty((0, 5), dtype=np.int64), *self.mention_blocks])

        def save(name: str, array: np.ndarray[Any, Any]) -> None:
            write_array(directory / f"{name}.npy", array)

        save("lengths", np.asarray(self.lengths, dtype=np.int32))
        save("token_indptr", np.concatenate([[0], np.cumsum(self.token_counts, dtype=np.int64)]).astype(np.int64))
        save("token_start", np.concatenate([np.empty(0, np.int32), *(s for s, _ in self.token_blocks)]))
        save("token_end", np.concatenate([np.empty(0, np.int32), *(e for _, e in self.token_blocks)]))
        save("mention_indptr", np.concatenate([[0], np.cumsum(self.mention_counts, dtype=np.int64)]).astype(np.int64))
        save("mention_start", mentions[:, 0].astype(np.int32))
        save("mention_end", mentions[:, 1].astype(np.int32))
        save("mention_type", mentions[:, 2].astype(np.uint8))
        save("mention_entity", mentions[:, 3])
        save("mention_identifier", mentions[:, 4].astype(np.uint8))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_corpus(
    source: CorpusSource,
    directory: Path,
    *,
    name: str | None = None,
    records: Iterable[tuple[Document, Sequence[Mention]]] | None = None,
    progress: Callable[[int], None] | None = None,
    preparation: Mapping[str, Json] | None = None,
) -> Corpus:
    """Prepare a corpus: stream its records into `directory`, which appears whole or not at all.

    Parameters
    ----------
    source
        An opened source; its `info` is read after the pass, so that a loader can add what it counted.
    directory
        Where the prepared corpus shall stand; an earlier one there is replaced once the new one is complete.
    name
        Name to record; default: the source's own.
    records
        The source's records, wrapped (validated) by the caller; default: `source.records()`.
    progress
        Called with the number of documents read so far.
    preparation
        What the corpus was prepared from (loader, options, digest of the source), so that a later call can tell whether it is
        still what is asked for.

    Raises
    ------
    DataError
        No documents, duplicate ids, or whatever the source finds.
    StoreError
        The disk is full or not writable.
    """
    temporary = directory.parent / f".{directory.name}.preparing-{os.getpid()}"
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        _write(source, temporary, name, records, progress, preparation)
        _replace(temporary, directory)
    except OSError as error:
        raise StoreError(f"cannot write corpus to {str(directory)!r}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return Corpus(directory, verify=False)


def _write(
    source: CorpusSource,
    directory: Path,
    name: str | None,
    records: Iterable[tuple[Document, Sequence[Mention]]] | None,
    progress: Callable[[int], None] | None,
    preparation: Mapping[str, Json] | None,
) -> None:
    state = _Pass(directory, source.info.identity_scope == "document")
    try:
        for count, (document, mentions) in enumerate(records if records is not None else source.records(), start=1):
            state.add(document, mentions)
            if progress is not None and count % 100 == 0:
                progress(count)
        state.close()
    except BaseException:
        state.abandon()
        raise
    info = source.info
    if not state.lengths:
        raise DataError(f"corpus {name or info.name!r} has no documents")
    if progress is not None:
        progress(len(state.lengths))
    state.save_arrays(directory / ARRAYS)
    pq.write_table(pa.table({"entity_id": pa.array(list(state.entities), pa.string())}), directory / "entities.parquet")
    tokeniser = "corpus" if state.own_tokens else TOKENISER
    state.hash.update(canonical([info.identity_scope, tokeniser]))
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    record = {
        "schema": CORPUS_SCHEMA,
        **asdict(info),
        "name": name or info.name,
        "tokeniser": tokeniser,
        "preparation": dict(preparation or {}),
        "fingerprint": state.hash.hexdigest()[:32],
        "languages": sorted(state.languages),
        "counts": {
            "documents": len(state.lengths),
            "mentions": int(sum(state.mention_counts)),
            "entities": len(state.entities),
            "tokens": int(sum(state.token_counts)),
            "cases": len(state.cases),
            "characters": int(sum(state.lengths)),
        },
        "files": {
            path.relative_to(directory).as_posix(): {"bytes": path.stat().st_size, "sha256": file_sha256(path)} for path in files
        },
    }
    record["seal"] = seal_of(record)
    (directory / "corpus.json").write_text(json.dumps(record, indent=2, ensure_ascii=False, sort_keys=True), encoding="utf-8")
    for path in (*files, directory / "corpus.json", directory):
        _sync(path)


def _replace(temporary: Path, directory: Path) -> None:
    """Put `temporary` in the place of `directory`; a reader sees the old or the new one, never a mixture."""
    old = directory.parent / f".{directory.name}.old-{os.getpid()}"
    if directory.exists():
        directory.rename(old)
    temporary.rename(directory)
    _sync(directory.parent)
    shutil.rmtree(old, ignore_errors=True)
