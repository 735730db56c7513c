"""A prepared corpus: a directory of Parquet plus memory-mapped offset arrays, written once and never changed.

Layout of ``corpora/<name>/``:

``corpus.json``
    name, version, identity scope, label map, source, licence, counts, tokeniser, fingerprint, the size and SHA-256 of every
    other file, and a digest of all this as its seal.
``documents.parquet``
    ``doc_id, text, language, split, case_id, length, meta`` (meta as JSON text), in row groups small enough that any range of
    documents is read without the rest.
``mentions.parquet``
    ``doc, start, length, type, entity_id, identifier, label``, sorted by (doc, start, end); ``doc`` is the document's index.
``tokens.parquet``
    ``doc, start, length``.
``arrays/*.npy``
    the same tokens and mentions as flat arrays, memory-mapped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.core.errors import DataError, NotAvailableError, StoreError
from bench.core.jsonio import file_sha256, read_json, seal_of
from bench.core.model import Document, Json
from bench.core.source import CorpusInfo
from bench.core.tables import I32, I64, MentionTable, TokenTable

#: Raised when the layout or the meaning of a column changes.
CORPUS_SCHEMA: Final[int] = 1
#: Folder of the memory-mapped arrays.
ARRAYS: Final[str] = "arrays"
_META_FIELDS: Final = ("name", "version", "identity_scope", "labels", "source", "licence", "reference", "options")


def _checked_record(path: Path) -> dict[str, Any]:
    try:
        record = read_json(path)
    except DataError as error:
        raise StoreError(f"{error}; prepare the corpus again") from None
    if not isinstance(record, dict) or record.get("schema") != CORPUS_SCHEMA:
        found = record.get("schema") if isinstance(record, dict) else None
        raise StoreError(
            f"{str(path)!r} has corpus schema {found!r}, this version reads {CORPUS_SCHEMA}; prepare the corpus again"
        )
    if record.get("seal") != seal_of(record):
        raise StoreError(f"{str(path)!r} differs from its checksum; prepare the corpus again")
    return record


class Corpus:
    """A prepared corpus, opened from its directory; texts are streamed, arrays memory-mapped.

    Parameters
    ----------
    directory
        As written by `write_corpus`.
    verify
        Compare every file with its recorded SHA-256 first; worker processes skip what their parent has done.
    """

    def __init__(self, directory: Path, *, verify: bool = True) -> None:
        self.directory = directory
        record = directory / "corpus.json"
        if not record.is_file():
            raise NotAvailableError(f"no prepared corpus at {str(directory)!r}: it has no corpus.json")
        self._record = _checked_record(record)
        if verify:
            self._verify()
        self.info = CorpusInfo(**{key: self._record[key] for key in _META_FIELDS})

    @classmethod
    def open(cls, directory: Path, *, verify: bool = True) -> Corpus:
        """Open a prepared corpus."""
        return cls(directory, verify=verify)

    def _verify(self) -> None:
        for name, expected in self._record["files"].items():
            path = self.directory / name
            if not path.is_file() or path.stat().st_size != expected["bytes"] or file_sha256(path) != expected["sha256"]:
                raise StoreError(f"{str(path)!r} is missing or differs from its recorded checksum; prepare the corpus again")

    @property
    def name(self) -> str:
        """Name the corpus is prepared under."""
        return str(self._record["name"])

    @property
    def fingerprint(self) -> str:
        """32 hex digits over documents, mentions, tokens, identity scope and tokeniser; not over name or path."""
        return str(self._record["fingerprint"])

    @property
    def tokeniser(self) -> str:
        """Name and version of the tokeniser, or ``corpus`` where the corpus brings its own tokens."""
        return str(self._record["tokeniser"])

    @property
    def preparation(self) -> Mapping[str, Json]:
        """What it was prepared from: loader, options, digest of the source, version of this package."""
        return dict(self._record.get("preparation", {}))

    @property
    def counts(self) -> Mapping[str, int]:
        """``documents, mentions, entities, tokens, cases``."""
        return dict(self._record["counts"])

    def __len__(self) -> int:
        return int(self._record["counts"]["documents"])

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    @cached_property
    def _columns(self) -> dict[str, list[str]]:
        table = self._read("documents", ["doc_id", "language", "split", "case_id"])
        return {name: table.column(name).to_pylist() for name in table.column_names}

    @property
    def doc_ids(self) -> Sequence[str]:
        """Document ids in corpus order."""
        return self._columns["doc_id"]

    @cached_property
    def index_of(self) -> Mapping[str, int]:
        """Document id to index."""
        return {doc_id: index for index, doc_id in enumerate(self.doc_ids)}

    @property
    def languages(self) -> Sequence[str]:
        """Language of every document."""
        return self._columns["language"]

    @property
    def splits(self) -> Sequence[str]:
        """Split of every document, empty where there is none."""
        return self._columns["split"]

    @cached_property
    def case_codes(self) -> I64:
        """Dense code of every document's case, shape (documents,); a document without a case is its own."""
        cases = [
            f"case\x1f{case}" if case else f"document\x1f{doc_id}"
            for case, doc_id in zip(self._columns["case_id"], self.doc_ids, strict=True)
        ]
        codes: dict[str, int] = {}
        return np.asarray([codes.setdefault(case, len(codes)) for case in cases], dtype=np.int64)

    def _read(self, name: str, columns: Sequence[str]) -> pa.Table:
        # Not `pq.read_table`: it imports pyarrow.dataset and through it pandas, which takes longer than the reading.
        with pq.ParquetFile(self.directory / f"{name}.parquet") as parquet:
            return parquet.read(columns=list(columns))

    def _array(self, name: str) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = np.load(self.directory / ARRAYS / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        return array

    @cached_property
    def lengths(self) -> I32:
        """Length of every document in code points."""
        return self._array("lengths")

    def tokens(self) -> TokenTable:
        """Tokens of the whole corpus (memory-mapped)."""
        return TokenTable(self._array("token_indptr"), self._array("token_start"), self._array("token_end"), self.tokeniser)

    def mentions(self) -> MentionTable:
        """Gold mentions of the whole corpus (memory-mapped, entity ids in memory)."""
        entities = self._read("entities", ["entity_id"]).column("entity_id").to_pylist()
        return MentionTable(
            self._array("mention_indptr"),
            self._array("mention_start"),
            self._array("mention_end"),
            self._array("mention_type"),
            self._array("mention_entity"),
            self._array("mention_identifier"),
            tuple(entities),
        )

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Document]:
        """Stream the documents of ``range(start, stop)``; reads only the row groups that hold them."""
        stop = len(self) if stop is None else min(stop, len(self))
        tokens = self.tokens() if self.tokeniser == "corpus" else None
        with pq.ParquetFile(self.directory / "documents.parquet") as parquet:
            first = 0
            for group in range(parquet.num_row_groups):
                rows = parquet.metadata.row_group(group).num_rows
                if first + rows > start and first < stop:
                    batch: pa.Table = parquet.read_row_group(group)
                    low, high = max(start - first, 0), min(stop - first, rows)
                    for offset, row in enumerate(batch.slice(low, high - low).to_pylist()):
                        yield self._document(row, first + low + offset, tokens)
                first += rows
                if first >= stop:
                    return

    def _document(self, row: dict[str, Any], index: int, tokens: TokenTable | None) -> Document:
        own = None
        if tokens is not None:
            low, high = int(tokens.indptr[index]), int(tokens.indptr[index + 1])
            own = list(zip(tokens.start[low:high].tolist(), tokens.end[low:high].tolist(), strict=True))
        return Document(
            row["doc_id"], row["text"], row["language"], row["split"], row["case_id"], own, json.loads(row["meta"] or "{}")
        )

    def mention_labels(self) -> tuple[Sequence[str], Sequence[str]]:
        """Raw label and plain entity id of every mention, in table order."""
        table = self._read("mentions", ["label", "entity_id"])
        return table.column("label").to_pylist(), table.column("entity_id").to_pylist()
