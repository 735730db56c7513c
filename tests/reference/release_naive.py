"""Naive releases, offset maps and stability: one document, one span, one character at a time, straight from the definitions."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from bench.core.model import Document
from bench.core.taxonomy import PERSON, TYPES
from conditions.normalise import normalise
from conditions.pools import pool_language
from conditions.surrogates import pool_for

#: (start, end, type code) of one document's segments.
Segments = Sequence[tuple[int, int, int]]


def key_of(code: int, surface: str) -> str:
    """Normalised key of a surface."""
    return normalise(surface, titles=code == PERSON)


def vocabulary(
    documents: Sequence[Document], segments: Sequence[Segments], gold: Sequence[Segments]
) -> tuple[set[str], dict[tuple[int, str], set[str]]]:
    """Forbidden keys, and the languages each (type, key) is replaced in."""
    forbidden: set[str] = set()
    languages: dict[tuple[int, str], set[str]] = defaultdict(set)
    for document, rows, mentions in zip(documents, segments, gold, strict=True):
        for start, end, code in rows:
            key = key_of(code, document.text[start:end])
            forbidden.add(key)
            languages[code, key].add(document.language)
        for start, end, code in mentions:
            forbidden.add(key_of(code, document.text[start:end]))
    return forbidden, languages


def surrogate(raw_key: bytes, code: int, surface: str, languages: Mapping[tuple[int, str], set[str]], forbidden: set[str]) -> str:
    """pool[type, locale][HMAC-SHA256(key, type || 0x1f || normalised [|| 0x1f || counter]) mod pool size]."""
    key = key_of(code, surface)
    language = pool_language(key, languages[code, key])
    for counter in range(256):
        message = f"{TYPES[code]}\x1f{key}" + (f"\x1f{counter}" if counter else "")
        number = int.from_bytes(hmac.new(raw_key, message.encode(), hashlib.sha256).digest(), "big")
        _, pool = pool_for(TYPES[code], key, surface, language, wider=sum(counter >= step for step in (32, 96, 160)))
        if pool.size > 2**192:
            raise NotImplementedError("the naive version draws from no pool that one hash cannot fill")
        text = " ".join(pool.at(number % pool.size).split())
        if text and key_of(code, text) not in forbidden:
            return text
    raise AssertionError(f"no surrogate for {surface!r}")


def replace(text: str, rows: Segments, replacements: Sequence[str]) -> tuple[str, list[list[int | str]]]:
    """Replace from the right, one at a time; offsets in the documented file format."""
    offsets: list[list[int | str]] = []
    shift = 0
    for (start, end, code), new in zip(rows, replacements, strict=True):
        offsets.append([start, end, start + shift, start + shift + len(new), TYPES[code]])
        shift += len(new) - (end - start)
    for (start, end, _), new in reversed(list(zip(rows, replacements, strict=True))):
        text = text[:start] + new + text[end:]
    return text, offsets


def release(
    documents: Sequence[Document], segments: Sequence[Segments], gold: Sequence[Segments], raw_key: bytes
) -> Iterator[tuple[str, str, str, list[list[int | str]]]]:
    """(A, B, C, offsets of B) of every document, with the check that B rewritten into C is C."""
    forbidden, languages = vocabulary(documents, segments, gold)
    for document, rows in zip(documents, segments, strict=True):
        chosen = [surrogate(raw_key, code, document.text[start:end], languages, forbidden) for start, end, code in rows]
        b, offsets = replace(document.text, rows, chosen)
        c, _ = replace(document.text, rows, [f"[{TYPES[code]}]" for _, _, code in rows])
        rewritten = b
        for _, _, start, end, name in reversed(offsets):
            rewritten = rewritten[: int(start)] + f"[{name}]" + rewritten[int(end) :]
        if rewritten != c:
            raise AssertionError(document.doc_id)
        yield document.text, b, c, offsets


def new_positions(length: int, offsets: Sequence[Sequence[int | str]]) -> list[int]:
    """Released offset of every original offset ``0 .. length``, by walking over the text."""
    positions = []
    shift = 0
    for position in range(length + 1):
        inside = None
        for old_start, old_end, new_start, new_end, _ in offsets:
            if position == old_end:
                shift = int(new_end) - int(old_end)
            if int(old_start) <= position < int(old_end):
                inside = int(new_start)
        positions.append(position + shift if inside is None else inside)
    return positions


def stability(rows: Sequence[tuple[str, int, str]], scope: str) -> dict[str, tuple[int, int]]:
    """Collision, fragmentation and drift from (entity, document, surrogate) of every mention replaced whole."""
    of_entity: dict[str, set[tuple[int, str]]] = defaultdict(set)
    per_pair: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for entity, document, name in rows:
        of_entity[entity].add((document if scope == "document" else 0, name))
        per_pair[entity, document][name] += 1
    colliding = sum(any(of_entity[a] & of_entity[b] for b in of_entity if b != a) for a in of_entity)
    several = [counts for counts in per_pair.values() if sum(counts.values()) >= 2]
    drifting = repeated = 0
    for entity in of_entity:
        modal = [
            {name for name, n in counts.items() if n == max(counts.values())}
            for (owner, _), counts in per_pair.items()
            if owner == entity
        ]
        if len(modal) >= 2:
            repeated += 1
            drifting += not set.intersection(*modal)
    return {
        "collision": (colliding, len(of_entity)),
        "fragmentation": (sum(len(counts) >= 2 for counts in several), len(several)),
        "drift": (drifting, repeated),
    }
