"""Writes any corpus, prepared or still a source, in the plain format of `corpora.jsonl`; reading it back gives equal records."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from bench.core.atomic import replacing
from bench.core.corpus import Corpus
from bench.core.model import Document, Mention
from bench.core.source import CorpusInfo, CorpusSource
from corpora.jsonl import FORMAT, HEADER_KEY
from corpora.stored import stored_records
from corpora.validate import validated

#: Characters that JSON allows bare in strings but that some readers take for line ends.
_LINE_ENDS: Final = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def document_object(document: Document, mentions: Iterable[Mention]) -> dict[str, Any]:
    """One line of the format; each mention carries its surface, so that a reader in another language can check its offsets."""
    line: dict[str, Any] = {"doc_id": document.doc_id, "text": document.text, "language": document.language}
    if document.split:
        line["split"] = document.split
    if document.case_id:
        line["case_id"] = document.case_id
    if document.tokens is not None:
        line["tokens"] = [list(token) for token in document.tokens]
    if document.meta:
        line["meta"] = dict(document.meta)
    line["mentions"] = [_mention_object(mention, document.text) for mention in mentions]
    return line


def _mention_object(mention: Mention, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {"start": mention.start, "end": mention.end, "type": mention.type}
    if mention.label != mention.type:
        found["label"] = mention.label
    found["entity_id"] = mention.entity_id
    if mention.identifier:
        found["identifier"] = mention.identifier
    found["text"] = text[mention.start : mention.end]
    return found


def header_object(info: CorpusInfo) -> dict[str, Any]:
    """The first line of the format."""
    fields = {
        "format": FORMAT,
        "name": info.name,
        "version": info.version,
        "identity_scope": info.identity_scope,
        "labels": dict(info.labels),
        "source": info.source,
        "licence": info.licence,
        "reference": info.reference,
        "options": dict(info.options),
    }
    return {HEADER_KEY: {key: value for key, value in fields.items() if value}}


def _encoded(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_ENDS).encode("utf-8") + b"\n"


def write_jsonl(corpus: CorpusSource | Corpus, path: Path) -> int:
    """Write a corpus as JSON lines; the file appears whole or not at all, gzipped where its name ends in ``.gz``.

    Parameters
    ----------
    corpus
        A prepared corpus or an opened source; its records are validated on the way.
    path
        File to write; an existing one is replaced.

    Returns
    -------
    int
        Number of documents written.

    Raises
    ------
    StoreError
        The file cannot be written.
    DataError
        The source is malformed.
    """
    records = stored_records(corpus) if isinstance(corpus, Corpus) else corpus.records()
    with replacing(path) as temporary, temporary.open("wb") as stream:
        return _write(stream, path, corpus.info, validated(records, corpus.info.name))


def _write(raw: IO[bytes], path: Path, info: CorpusInfo, records: Iterator[tuple[Document, Sequence[Mention]]]) -> int:
    # No name and no time in the gzip header: the same corpus gives the same bytes.
    packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if path.name.endswith(".gz") else None
    stream: Any = packed or raw
    count = 0
    lines = (_encoded(document_object(document, mentions)) for document, mentions in records)
    stream.write(_encoded(header_object(info)))
    for line in lines:
        stream.write(line)
        count += 1
    if packed is not None:
        packed.close()
    return count
