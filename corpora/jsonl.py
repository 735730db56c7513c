"""Corpus ``jsonl``: our own plain format, one document a line, in and out (docs/corpora.md has a worked example).

A first line ``{"deidbench": {...}}`` may say what the corpus is and map its labels; without it labels are taxonomy types. Keys
that the format does not have are errors: a misspelt key must not silently lose its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from bench.core.errors import ConfigError, DataError, UnknownNameError
from bench.core.jsonio import read_json
from bench.core.model import Document, IdentityScope, Json, Mention
from bench.core.source import CorpusInfo, CorpusLoader, CorpusSource
from bench.core.taxonomy import IGNORED, TYPES, LabelMap, check_type
from corpora.options import SPLITS, check_options, choice, required_source
from corpora.reading import check_keys, json_lines, optional, required, short, typed
from corpora.validate import (
    check_document,
    check_identifier,
    check_mention,
    check_meta,
    check_offsets,
    check_string,
    check_surface,
)

#: Version of the format; the header states it.
FORMAT: Final[int] = 1
HEADER_KEY: Final[str] = "deidbench"
HEADER_KEYS: Final = (
    "format",
    "name",
    "version",
    "identity_scope",
    "labels",
    "language",
    "source",
    "licence",
    "reference",
    "options",
)
DOCUMENT_KEYS: Final = ("doc_id", "text", "language", "split", "case_id", "tokens", "meta", "mentions")
MENTION_KEYS: Final = ("start", "end", "type", "label", "entity_id", "identifier", "text")
_SCOPES: Final = ("document", "corpus")


def _label_entries(entries: Mapping[str, Any], where: str) -> dict[str, str]:
    checked: dict[str, str] = {}
    for label, name in entries.items():
        check_string(label, "a label", where, empty=True)
        if name != IGNORED:
            check_type(typed(name, str, label, where), f"{where}, label {label!r}")
        checked[label] = name
    return checked


class _Header:
    """The first line of a file, or what stands in for it."""

    def __init__(self, fields: Mapping[str, Any], where: str) -> None:
        check_keys(fields, HEADER_KEYS, where)
        version = required(fields, "format", int, where)
        if version != FORMAT:
            raise DataError(f"{where}: 'format' is {version}, this version reads {FORMAT}")
        self.name = optional(fields, "name", str, "jsonl", where)
        self.version = optional(fields, "version", str, "", where)
        self.language = optional(fields, "language", str, "", where)
        self.source = optional(fields, "source", str, "", where)
        self.licence = optional(fields, "licence", str, "", where)
        self.reference = optional(fields, "reference", str, "", where)
        for key in ("name", "version", "language", "source", "licence", "reference"):
            check_string(getattr(self, key), f"{key!r}", where, empty=True)
        self.options: Mapping[str, Json] = optional(fields, "options", dict, {}, where)
        check_meta(self.options, f"{where}, 'options'")
        scope = optional(fields, "identity_scope", str, "document", where)
        if scope not in _SCOPES:
            raise DataError(f"{where}: 'identity_scope' is {scope!r}; accepted: {', '.join(_SCOPES)}")
        self.scope = cast(IdentityScope, scope)
        labels = optional(fields, "labels", dict, {}, where)
        self.labels = _label_entries(labels, f"{where}, 'labels'") if labels else {name: name for name in TYPES}


def _header(path: Path) -> _Header:
    for where, value in json_lines(path):
        record = typed(value, dict, "the line", where)
        if HEADER_KEY in record:
            check_keys(record, (HEADER_KEY,), where)
            return _Header(typed(record[HEADER_KEY], dict, HEADER_KEY, where), where)
        break
    return _Header({"format": FORMAT}, str(path))


class JsonlSource(CorpusSource):
    """An opened JSONL file.

    Parameters
    ----------
    path
        File, plain or gzipped.
    language
        Language of documents that name none; empty to take the header's.
    labels
        Raw label to type, in place of the header's; None to take the header's.
    split
        Keep only this split; empty for all.
    """

    def __init__(self, path: Path, language: str = "", labels: Mapping[str, str] | None = None, split: str = "") -> None:
        header = _header(path)
        self._path, self._split = path, split
        self._language = language or header.language
        options = dict(header.options)
        given: dict[str, Json] = {"language": language, "labels": dict(labels) if labels is not None else None, "split": split}
        options.update({key: value for key, value in given.items() if value})
        entries = labels if labels is not None else header.labels
        self._map = LabelMap(entries, f"corpus {header.name}")
        self.info = CorpusInfo(
            name=header.name,
            version=header.version,
            identity_scope=header.scope,
            labels=dict(entries),
            source=header.source,
            licence=header.licence,
            reference=header.reference,
            options=options,
        )

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield the documents line by line."""
        seen: dict[str, str] = {}
        splits: set[str] = set()
        for index, (where, value) in enumerate(json_lines(self._path)):
            record = typed(value, dict, "the line", where)
            if HEADER_KEY in record:
                if index:
                    raise DataError(
                        f"{where}: a header ({HEADER_KEY!r}) after the first line; join files by their documents only"
                    )
                continue
            document, mentions = self._record(record, where)
            if document.doc_id in seen:
                raise DataError(f"{where}: document id {document.doc_id!r} is taken by {seen[document.doc_id]}")
            seen[document.doc_id] = where
            splits.add(document.split)
            if not self._split or document.split == self._split:
                yield document, mentions
        if not seen:
            raise DataError(f"{self._path} has no documents")
        if self._split and self._split not in splits:
            present = ", ".join(repr(split) for split in sorted(splits))
            raise DataError(f"{self._path} has no document of split {self._split!r}; splits present: {present}")

    def _record(self, record: Mapping[str, Any], where: str) -> tuple[Document, list[Mention]]:
        check_keys(record, DOCUMENT_KEYS, where)
        doc_id = required(record, "doc_id", str, where)
        where = f"{where}, document {short(doc_id)}"
        language = optional(record, "language", str, self._language, where)
        if not language:
            raise DataError(
                f"{where}: no language; give one (such as 'en') in the document, in the header, or by the option language"
            )
        tokens = None
        if record.get("tokens") is not None:
            # check_document, right below, refuses tokens that are not pairs.
            tokens = [tuple(t) if isinstance(t, list) else t for t in typed(record["tokens"], list, "tokens", where)]
        document = Document(
            doc_id=doc_id,
            text=required(record, "text", str, where),
            language=language,
            split=optional(record, "split", str, "", where),
            case_id=optional(record, "case_id", str, "", where),
            tokens=cast("list[tuple[int, int]] | None", tokens),
            meta=optional(record, "meta", dict, {}, where),
        )
        check_document(document, where)
        mentions: list[Mention] = []
        named: set[str] = set()
        unnamed: set[str] = set()
        for index, raw in enumerate(required(record, "mentions", list, where)):
            mention = self._mention(typed(raw, dict, "the mention", where), document, index, f"{where}, mention {index}")
            if mention is not None:
                mentions.append(mention)
                (named if "entity_id" in raw else unnamed).add(mention.entity_id)
        if named & unnamed:
            taken = min(named & unnamed)
            raise DataError(f"{where}: the entity id {taken!r} is the one that a mention without an id gets; name it otherwise")
        return document, mentions

    def _mention(self, raw: Mapping[str, Any], document: Document, index: int, where: str) -> Mention | None:
        check_keys(raw, MENTION_KEYS, where)
        start, end = required(raw, "start", int, where), required(raw, "end", int, where)
        check_offsets(start, end, len(document.text), where)
        if raw.get("text") is not None:
            check_surface(typed(raw["text"], str, "text", where), document.text, start, end, where)
        kind, label = self._type(raw, where)
        if kind is None:
            return None
        mention = Mention(
            doc_id=document.doc_id,
            start=start,
            end=end,
            type=kind,
            entity_id=optional(raw, "entity_id", str, f"{document.doc_id}#{index}", where),
            identifier=check_identifier(raw.get("identifier", ""), where),
            label=label,
        )
        check_mention(mention, document, where)
        return mention

    def _type(self, raw: Mapping[str, Any], where: str) -> tuple[str | None, str]:
        """Type and raw label; the type is None where the label map ignores the label on purpose."""
        if "type" not in raw:
            if "label" not in raw:
                raise DataError(f"{where}: neither 'type' (a type of the taxonomy) nor 'label' (a label of the label map)")
            label = typed(raw["label"], str, "label", where)
            return self._map.type_of(label, where), label
        kind = check_type(typed(raw["type"], str, "type", where), where)
        label = optional(raw, "label", str, kind, where)
        mapped = self._map.entries.get(label, kind)
        if mapped != kind and "label" in raw:
            raise DataError(f"{where}: type {kind!r}, but the label map has {label!r} as {mapped!r}")
        return kind, label


class JsonlLoader(CorpusLoader):
    """Opens the plain format of docs/corpora.md."""

    name = "jsonl"
    summary = "Plain format of this project: one JSON document a line, with its mentions (docs/corpora.md)"
    needs_source = True
    options: Mapping[str, str] = {
        "language": "ISO 639-1 code of documents that name none",
        "labels": "JSON file {label: type}, in place of the header's label map ('-' for labels that are no identifiers)",
        "split": "train, dev or test: keep only these documents (default: all)",
    }

    def open(self, source: Path | None, options: Mapping[str, str]) -> CorpusSource:
        """Open a JSONL file."""
        check_options(self, options)
        path = required_source(self, source, "a .jsonl file (may be gzipped)")
        if path.is_dir():
            raise DataError(f"corpus jsonl: {str(path)!r} is a folder, expected a .jsonl file (may be gzipped)")
        split = options.get("split", "")
        if split:
            choice(self, "split", split, SPLITS)
        labels = None
        if options.get("labels"):
            file = Path(options["labels"])
            try:
                labels = _label_entries(typed(read_json(file), dict, "the label map", str(file)), str(file))
            except (DataError, UnknownNameError) as error:
                raise ConfigError(f"corpus jsonl, option labels: {error}") from None
        return JsonlSource(path, options.get("language", ""), labels, split)
