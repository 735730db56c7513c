"""Votes and merged spans character by character, straight from the definitions of docs/measures.md, Detection.

A corpus is a list of documents; a document's tokens are ``(start, end)`` pairs, its spans ``(start, end, type code)`` triples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from bench.core.tables import SpanTable, TokenTable

Tokens: TypeAlias = Sequence[Sequence[tuple[int, int]]]
Spans: TypeAlias = Sequence[Sequence[tuple[int, int, int]]]


def token_table(docs: Tokens) -> TokenTable:
    """Columnar form of a corpus's tokens."""
    flat = [token for doc in docs for token in doc]
    return TokenTable(
        np.cumsum([0, *(len(doc) for doc in docs)], dtype=np.int64),
        np.array([start for start, _ in flat], dtype=np.int32),
        np.array([end for _, end in flat], dtype=np.int32),
        "test/1",
    )


def span_table(docs: Spans) -> SpanTable:
    """Columnar form of one detector's spans, sorted as the contract of `SpanTable` asks."""
    flat = [span for doc in docs for span in sorted(doc)]
    n = len(flat)
    return SpanTable(
        np.cumsum([0, *(len(doc) for doc in docs)], dtype=np.int64),
        np.array([start for start, _, _ in flat], dtype=np.int32),
        np.array([end for _, end, _ in flat], dtype=np.int32),
        np.array([kind for _, _, kind in flat], dtype=np.uint8),
        np.zeros(n, dtype=np.int32),
        np.ones(n, dtype=np.float32),
        ("X",),
    )


def touches(token: tuple[int, int], span: tuple[int, int, int]) -> bool:
    """Whether token and span share at least one character."""
    return bool(set(range(*token)) & set(range(span[0], span[1])))


def votes(tokens: Tokens, detectors: Sequence[Spans], replaced: frozenset[int]) -> list[list[set[int]]]:
    """For every token of every document, the detectors that flag it."""
    result = []
    for d, doc in enumerate(tokens):
        characters = [{c for s, e, kind in spans[d] if kind in replaced for c in range(s, e)} for spans in detectors]
        result.append([{i for i, found in enumerate(characters) if any(c in found for c in range(*token))} for token in doc])
    return result


def segments(tokens: Tokens, detectors: Sequence[Spans], replaced: frozenset[int], k: int) -> list[list[tuple[int, int, int]]]:
    """Merged spans per document as ``(start, end, type)``."""
    flags = votes(tokens, detectors, replaced)
    result = []
    for d, doc in enumerate(tokens):
        groups: list[list[int]] = []
        for i in range(len(doc)):
            if len(flags[d][i]) < k:
                continue
            joined = (
                i > 0
                and len(flags[d][i - 1]) >= k
                and any(
                    span[2] in replaced and touches(doc[i - 1], span) and touches(doc[i], span)
                    for spans in detectors
                    for span in spans[d]
                )
            )
            if joined:
                groups[-1].append(i)
            else:
                groups.append([i])
        result.append([(doc[g[0]][0], doc[g[-1]][1], _type(g, d, doc, detectors, replaced)) for g in groups])
    return result


def _type(
    group: Sequence[int], d: int, doc: Sequence[tuple[int, int]], detectors: Sequence[Spans], replaced: frozenset[int]
) -> int:
    ballots = [
        kind for i in group for spans in detectors for kind in {s[2] for s in spans[d] if s[2] in replaced and touches(doc[i], s)}
    ]
    most = max(ballots.count(kind) for kind in set(ballots))
    return min(kind for kind in set(ballots) if ballots.count(kind) == most)
