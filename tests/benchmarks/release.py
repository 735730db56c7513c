"""Releases A, B and C of a corpus against the naive way: one span at a time, normalised, hashed and replaced where it stands.

Both sides do the same whole job: collect what may be no surrogate, choose surrogates, write B and C with their offsets, and check
that B rewritten into C is C. The corpus is synthetic: 20,000 documents of about 2,000 characters with 25 segments each, drawn
from 6,000 names whose frequencies follow Zipf's law (as names in mail and news do), a third with a title or in capitals.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from typing import Final

import numpy as np

from bench.core.model import Document
from bench.core.taxonomy import TYPE_CODE
from conditions.keys import SecretKey
from conditions.release import ReleasedDocument, build_releases
from conditions.standard import Placeholders, Surrogates, Unmodified
from tests.benchmarks.ratio import Ratio, best_of
from tests.reference import release_naive
from tests.reference.release_data import mention_table, segment_table

DOCUMENTS: Final[int] = 20_000
SEGMENTS_PER_DOCUMENT: Final[int] = 25
NAMES: Final[int] = 6_000
#: Required by docs/kernels.md.
REQUIRED: Final[float] = 8
_RAW: Final[bytes] = b"a key for benchmarks, 32 bytes.."
_KINDS: Final[tuple[str, ...]] = ("PERSON", "PERSON", "PERSON", "LOCATION", "ORGANISATION", "ID", "CONTACT", "AGE")


def _surface(number: int, kind: str, rng: np.random.Generator) -> str:
    """One spelling of entity `number`."""
    match kind:
        case "PERSON":
            name = f"Given{number % 97} Family{number}"
            return (f"Dr. {name}", name.upper(), name, name, name, name)[int(rng.integers(6))]
        case "CONTACT":
            return f"user.{number}@mail{number % 50}.com"
        case "ID":
            return f"MRN-{100_000 + number}"
        case "AGE":
            return f"{number % 90 + 5}-year-old"
        case _:
            return f"{kind.title()} {number}"


def corpus() -> tuple[list[Document], list[list[tuple[int, int, int]]]]:
    """Documents with their segments, from a fixed seed."""
    rng = np.random.default_rng(20240602)
    weights = 1 / np.arange(1, NAMES + 1)
    numbers = rng.choice(NAMES, (DOCUMENTS, SEGMENTS_PER_DOCUMENT), p=weights / weights.sum())
    filler = "the quick brown fox jumps over the lazy dog and goes home late "
    documents, rows = [], []
    for i in range(DOCUMENTS):
        pieces, position, segments = [], 0, []
        for number in numbers[i].tolist():
            kind = _KINDS[number % len(_KINDS)]
            surface = _surface(number, kind, rng)
            text = filler[: int(rng.integers(30, len(filler)))]
            segments.append((position + len(text), position + len(text) + len(surface), TYPE_CODE[kind]))
            pieces += [text, surface, " "]
            position += len(text) + len(surface) + 1
        documents.append(Document(f"doc-{i}", "".join(pieces), "de" if i % 2 else "en"))
        rows.append(segments)
    return documents, rows


def run() -> list[Ratio]:
    """The ratio of the release kernel; both versions must give the same characters and offsets."""
    documents, rows = corpus()
    segments = segment_table(rows)
    gold = mention_table(rows, [[f"{i}-{j}" for j in range(len(row))] for i, row in enumerate(rows)])

    def fast() -> Iterator[tuple[ReleasedDocument, ...]]:
        return build_releases(lambda: documents, segments, [Unmodified(), Surrogates(SecretKey(_RAW), gold), Placeholders()])

    def naive() -> Iterator[tuple[str, str, str, list[list[int | str]]]]:
        return release_naive.release(documents, rows, rows, _RAW)

    # The first call reads Faker's lists, which both sides share.
    for (a, b, c), expected in zip(fast(), naive(), strict=True):
        if (a.text, b.text, c.text, b.offsets.to_json()) != expected:
            raise ValueError(f"document {a.doc_id}: the fast release and the naive one differ")
    # Both are streamed and not kept: a release goes to disk. The corpus lies in memory for both, out of the collector's sight.
    gc.freeze()
    naive_seconds, _ = best_of(lambda: deque(naive(), maxlen=0), 1)
    seconds, _ = best_of(lambda: deque(fast(), maxlen=0), 3)
    gc.unfreeze()
    detail = (
        f"{DOCUMENTS} documents, {len(segments)} segments, {NAMES} names: {seconds:.2f} s for A, B and C with offset maps "
        f"and the check of B against C; naive {naive_seconds:.1f} s"
    )
    return [Ratio("release", naive_seconds / seconds, REQUIRED, detail)]
