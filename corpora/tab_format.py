"""Reads the files of TAB, the Text Anonymization Benchmark (Pilán et al. 2022), one annotator layer at a time.

Two layouts carry the same content and are told apart by their keys: the upstream objects (``annotations`` with one list of
``entity_mentions`` for each annotator) and a reshaped one (``entities`` beside ``metadata.provenance``, one annotator). Either
comes as one JSON array or as one object a line, plain or gzipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.core.errors import DataError, UnknownNameError
from bench.core.jsonio import loads
from bench.core.model import Json
from bench.core.taxonomy import LabelMap
from corpora.options import SPLITS
from corpora.reading import first_byte, json_lines, optional, required, short, typed, whole_json
from corpora.validate import check_offsets, check_string, check_surface

#: TAB's entity types in our taxonomy.
LABELS: Final[Mapping[str, str]] = {
    "PERSON": "PERSON",
    "CODE": "ID",
    "LOC": "LOCATION",
    "ORG": "ORGANISATION",
    "DEM": "DEMOGRAPHIC",
    "DATETIME": "DATE",
    "QUANTITY": "QUANTITY",
    "MISC": "OTHER",
}
_MAP: Final = LabelMap(LABELS, "corpus tab")
#: Identifier classes, weakest to strongest: of several annotators' classes for one mention the strongest holds.
STRENGTH: Final[Mapping[str, int]] = {"NO_MASK": 0, "QUASI": 1, "DIRECT": 2}
#: The files of the upstream release, in the order they are read.
UPSTREAM_FILES: Final[tuple[str, ...]] = tuple(f"echr_{split}.json" for split in SPLITS)
_SUFFIXES: Final[tuple[str, ...]] = (".json", ".json.gz", ".jsonl", ".jsonl.gz")
#: Keys of the reshaped layout's provenance that are not `meta` upstream.
_NOT_META: Final = frozenset({"doc_id", "annotator", "dataset_type", "task", "quality_checked"})


@dataclass(frozen=True, slots=True)
class TabMention:
    """One mention of one annotator; offsets are half-open code points, `label` is TAB's entity type."""

    mention_id: str
    start: int
    end: int
    label: str
    type: str
    identifier: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class TabDocument:
    """One judgment with every annotator's layer; `meta` is decoded (article codes as strings) and holds task and checks."""

    doc_id: str
    text: str
    split: str
    meta: Mapping[str, Json]
    layers: Mapping[str, tuple[TabMention, ...]]
    file: Path


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that orders ``annotator2`` before ``annotator10``."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part)


def tab_files(source: Path) -> list[Path]:
    """Files to read: `source` itself, or in a folder the upstream splits, else every JSON file by name.

    Raises
    ------
    DataError
        The folder holds no such file.
    """
    if not source.is_dir():
        return [source]
    candidates = (source / f"{name}{suffix}" for name in UPSTREAM_FILES for suffix in ("", ".gz"))
    upstream = [path for path in candidates if path.is_file()]
    files = upstream or sorted(path for path in source.iterdir() if path.is_file() and path.name.endswith(_SUFFIXES))
    if not files:
        raise DataError(
            f"the folder {str(source)!r} holds none of {', '.join(UPSTREAM_FILES)} and no other *.json or *.jsonl file"
        )
    return files


def tab_documents(files: list[Path]) -> Iterator[TabDocument]:
    """Yield every document of `files` in order; one file at a time is in memory (JSON arrays), or one line (JSON lines).

    Raises
    ------
    DataError
        Malformed input, or one document id twice; the message names file, document, mention and value.
    LabelError
        An entity type that TAB does not have.
    """
    seen: dict[str, Path] = {}
    for path in files:
        for where, record in _records(path):
            document = _document(record, path, where)
            if document.doc_id in seen:
                raise DataError(f"document id {document.doc_id!r} occurs twice: in {seen[document.doc_id]} and in {path}")
            seen[document.doc_id] = path
            yield document


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    head = first_byte(path)
    if head == b"[":
        for index, record in enumerate(typed(whole_json(path), list, "the file", str(path))):
            yield f"{path}, entry {index}", record
    elif head == b"{":
        yield from json_lines(path)
    else:
        found = "is empty" if not head else f"starts with {head!r}"
        raise DataError(f"{path} {found}; expected a JSON array of TAB documents, or one document a line")


def _document(record: Any, path: Path, where: str) -> TabDocument:
    record = typed(record, dict, "the document", where)
    if "annotations" in record:
        origin = record
        meta = optional(record, "meta", dict, {}, where)
    elif "entities" in record:
        origin = required(required(record, "metadata", dict, where), "provenance", dict, where)
        meta = {key: value for key, value in origin.items() if key not in _NOT_META}
    else:
        raise DataError(
            f"{where}: no TAB document: neither 'annotations' (upstream) nor 'entities' (reshaped) is among its keys: "
            f"{short(', '.join(map(str, record)))}"
        )
    doc_id = check_string(required(origin, "doc_id", str, where), "'doc_id'", where)
    where = f"{path}: document {doc_id!r}"
    text = check_string(required(record, "text", str, where), "'text'", where)
    split = required(origin, "dataset_type", str, where)
    if split not in SPLITS:
        raise DataError(f"{where}: 'dataset_type' is {split!r}; accepted: {', '.join(SPLITS)}")
    if origin is record:
        annotations = required(record, "annotations", dict, where)
        raw = {name: _upstream_layer(layer, f"{where}, {name}") for name, layer in annotations.items()}
        id_key = "entity_mention_id"
    else:
        raw = {required(origin, "annotator", str, where): required(record, "entities", list, where)}
        id_key = "span_id"
    if not raw:
        raise DataError(f"{where}: 'annotations' names no annotator; a document nobody annotated has no gold")
    layers = {name: _layer(raw[name], text, id_key, f"{where}, {name}") for name in sorted(raw, key=natural)}
    extras: dict[str, Json] = {
        **_decoded(meta, where),
        "task": optional(origin, "task", str, "", where),
        "quality_checked": optional(origin, "quality_checked", list, [], where),
        "annotators": list(layers),
    }
    return TabDocument(doc_id, text, split, extras, layers, path)


def _upstream_layer(layer: Any, where: str) -> list[Any]:
    return required(typed(layer, dict, "the annotator's layer", where), "entity_mentions", list, where)


def _layer(mentions: list[Any], text: str, id_key: str, where: str) -> tuple[TabMention, ...]:
    layer: list[TabMention] = []
    seen: set[str] = set()
    for index, raw in enumerate(mentions):
        mention = _mention(raw, text, id_key, f"{where}, mention {index}")
        if mention.mention_id in seen:
            raise DataError(f"{where}: mention id {mention.mention_id!r} occurs twice")
        seen.add(mention.mention_id)
        layer.append(mention)
    return tuple(layer)


def _mention(raw: Any, text: str, id_key: str, where: str) -> TabMention:
    record = typed(raw, dict, "the mention", where)
    mention_id = check_string(required(record, id_key, str, where), f"{id_key!r}", where)
    where = f"{where} ({mention_id!r})"
    start = required(record, "start_offset", int, where)
    end = required(record, "end_offset", int, where)
    check_offsets(start, end, len(text), where)
    check_surface(required(record, "span_text", str, where), text, start, end, where)
    label = required(record, "entity_type", str, where)
    _MAP.type_of(label, where)  # an unknown label is an error here; TAB has none that is ignored
    identifier = required(record, "identifier_type", str, where)
    if identifier not in STRENGTH:
        raise UnknownNameError("identifier class", identifier, STRENGTH, where)
    entity_id = check_string(required(record, "entity_id", str, where), "'entity_id'", where)
    return TabMention(mention_id, start, end, label, LABELS[label], identifier, entity_id)


def _decoded(meta: Mapping[str, Any], where: str) -> dict[str, Json]:
    """Copy `meta` with ``articles`` decoded: upstream stores the character codes of a list written as text."""
    decoded: dict[str, Json] = dict(meta)
    codes = meta.get("articles")
    if isinstance(codes, list) and codes and all(isinstance(code, int) for code in codes):
        try:
            written = "".join(map(chr, codes))
        except (ValueError, OverflowError):
            raise DataError(f"{where}: 'articles' is {short(codes)}, expected the character codes of a list of strings") from None
        articles = loads(written, f"{where}, 'articles' ({short(written)})")
        if not isinstance(articles, list) or not all(isinstance(article, str) for article in articles):
            raise DataError(f"{where}: 'articles' decodes to {short(written)}, expected a list of strings")
        decoded["articles"] = list(articles)
    return decoded
