"""The checks that every corpus passes on its way in, whatever its format (docs/measures.md, Units: offsets are code points).

`validated` wraps the records of any source, so that a loader of another package gets the same guarantees as those here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from bench.core.errors import DataError, UnknownNameError
from bench.core.jsonio import canonical
from bench.core.model import Document, Mention
from bench.core.taxonomy import IDENTIFIER_CLASSES, check_type
from corpora.options import SPLITS
from corpora.reading import short

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}\Z")
#: Offsets are stored as int32.
_LONGEST: Final[int] = 2**31 - 1


def check_string(value: object, name: str, where: str, *, empty: bool = False) -> str:
    """Return `value` if it is a string of Unicode scalar values (no lone surrogates), not empty unless `empty`."""
    if not isinstance(value, str):
        raise DataError(f"{where}: {name} is {short(value)}, expected a string")
    if not value and not empty:
        raise DataError(f"{where}: {name} is empty")
    # A lone surrogate is no character: it cannot be written as UTF-8, and tools disagree on whether it counts as one.
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            code = ord(value[error.start])
            raise DataError(
                f"{where}: {name} has the lone surrogate U+{code:04X} at offset {error.start}; characters beyond U+FFFF need "
                "both halves of their surrogate pair"
            ) from None
    return value


def _whole(value: object, name: str, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise DataError(f"{where}: the {name} offset is {short(value)}, expected a whole number of characters")
    return value


def check_offsets(start: object, end: object, length: int, where: str) -> None:
    """Refuse an interval that is not ``0 <= start < end <= length`` in whole numbers."""
    first, last = _whole(start, "start", where), _whole(end, "end", where)
    if first < 0 or last > length:
        raise DataError(f"{where}: offsets {start}:{end} lie outside the text of {length} characters")
    if first >= last:
        kind = "empty" if first == last else "reversed"
        raise DataError(f"{where}: offsets {start}:{end} are {kind}; start must be less than end")


def check_surface(given: str, text: str, start: int, end: int, where: str) -> None:
    """Refuse a mention whose given surface differs from the slice of the text: its offsets are in another unit or off."""
    actual = text[start:end]
    if given != actual:
        raise DataError(
            f"{where}: the mention's text is {short(given)} but the document has {short(actual)} at {start}:{end}; offsets count "
            "Unicode code points of the text as stored, end exclusive"
        )


def check_identifier(value: object, where: str) -> str:
    """Return an identifier class (DIRECT, QUASI, NO_MASK, or empty where the corpus does not tell)."""
    if not isinstance(value, str) or value not in IDENTIFIER_CLASSES:
        raise UnknownNameError("identifier class", str(value), [name for name in IDENTIFIER_CLASSES if name], where)
    return value


def check_tokens(tokens: Sequence[Any], length: int, where: str) -> None:
    """Refuse tokens that are not sorted, disjoint, non-empty intervals inside the text."""
    previous = 0
    for index, token in enumerate(tokens):
        place = f"{where}, token {index}"
        if not isinstance(token, tuple | list) or len(token) != 2:
            raise DataError(f"{place} is {short(token)}, expected a pair [start, end]")
        check_offsets(token[0], token[1], length, place)
        if token[0] < previous:
            raise DataError(
                f"{place} starts at {token[0]}, before the token ahead of it ends ({previous}); tokens must be sorted"
            )
        previous = token[1]


def check_meta(meta: Mapping[str, Any], where: str) -> None:
    """Refuse extras that cannot be stored as JSON (NaN, lone surrogates, other objects)."""
    if not meta:
        return
    try:
        canonical(dict(meta))
    except UnicodeEncodeError as error:
        raise DataError(f"{where}: meta holds a lone surrogate U+{ord(error.object[error.start]):04X}") from None
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: meta cannot be stored as JSON: {error}") from None


def check_document(document: Document, where: str) -> None:
    """Refuse a document without text, with ids, language, split, tokens or extras that cannot be stored."""
    check_string(document.doc_id, "the document id", where)
    check_string(document.text, "text", where, empty=True)
    if not document.text.strip():
        raise DataError(f"{where} has no text{' but white space' if document.text else ''}")
    if len(document.text) > _LONGEST:
        raise DataError(f"{where} has {len(document.text)} characters; the longest text that can be stored has {_LONGEST}")
    if not isinstance(document.language, str) or not _LANGUAGE.match(document.language):
        raise DataError(
            f"{where}: language is {short(document.language)}, expected an ISO 639 code in small letters such as 'en'"
        )
    if document.split not in ("", *SPLITS):
        raise DataError(f"{where}: split is {short(document.split)}; accepted: {', '.join(SPLITS)}, or empty")
    check_string(document.case_id, "the case id", where, empty=True)
    if document.tokens is not None:
        check_tokens(document.tokens, len(document.text), where)
    check_meta(document.meta, where)


def check_mention(mention: Mention, document: Document, where: str) -> None:
    """Refuse a mention of another document, outside the text, of an unknown type or class, or without an entity."""
    if mention.doc_id != document.doc_id:
        raise DataError(f"{where}: belongs to document {mention.doc_id!r}, but came with document {document.doc_id!r}")
    check_offsets(mention.start, mention.end, len(document.text), where)
    check_type(mention.type, where)
    check_identifier(mention.identifier, where)
    check_string(mention.entity_id, "the entity id", where)
    check_string(mention.label, "the label", where, empty=True)


def validated(
    records: Iterable[tuple[Document, Sequence[Mention]]], corpus: str = ""
) -> Iterator[tuple[Document, Sequence[Mention]]]:
    """Pass records on, checked.

    Parameters
    ----------
    records
        What `CorpusSource.records` yields.
    corpus
        Name that stands in the messages.

    Raises
    ------
    DataError
        A duplicate document id, a document without text, offsets outside the text, empty or reversed, tokens that are not
        sorted and disjoint or that only some documents have, ids that are empty or no strings, lone surrogates, extras that
        are not JSON, or no documents at all.
    UnknownNameError
        A type or identifier class that does not exist.
    """
    head = f"corpus {corpus}, " if corpus else ""
    seen: set[str] = set()
    own_tokens: bool | None = None
    for document, mentions in records:
        where = f"{head}document {short(document.doc_id)}"
        check_document(document, where)
        if document.doc_id in seen:
            raise DataError(f"{where}: the document id is taken by an earlier document")
        seen.add(document.doc_id)
        has_tokens = document.tokens is not None
        if own_tokens is not None and has_tokens != own_tokens:
            found, others = ("has", "lack") if has_tokens else ("lacks", "have")
            raise DataError(f"{where} {found} tokens of its own while those before it {others} them; all or none must")
        own_tokens = has_tokens
        for index, mention in enumerate(mentions):
            check_mention(mention, document, f"{where}, mention {index}")
        yield document, mentions
    if not seen:
        raise DataError(f"corpus {corpus!r} has no documents" if corpus else "the corpus has no documents")
