"""Every (subset, k) counted by loops over tokens, mentions and entities, and the fronts by comparing all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.core.tables import MentionTable
from tests.reference.votes_naive import Spans, Tokens, votes

#: One gold mention: start, end, type code, entity.
Gold = Sequence[Sequence[tuple[int, int, int, int]]]


def mention_table(docs: Gold) -> MentionTable:
    """Columnar form of a corpus's gold mentions."""
    flat = [mention for doc in docs for mention in sorted(doc)]
    n_entities = max((m[3] for m in flat), default=-1) + 1
    return MentionTable(
        np.cumsum([0, *(len(doc) for doc in docs)], dtype=np.int64),
        np.array([m[0] for m in flat], dtype=np.int32),
        np.array([m[1] for m in flat], dtype=np.int32),
        np.array([m[2] for m in flat], dtype=np.uint8),
        np.array([m[3] for m in flat], dtype=np.int64),
        np.zeros(len(flat), dtype=np.uint8),
        tuple(str(i) for i in range(n_entities)),
    )


@dataclass
class Counts:
    """What one ensemble gets right, with the totals."""

    tp: int = 0
    gold: int = 0
    tn: int = 0
    non_gold: int = 0
    person_tp: int = 0
    person_gold: int = 0
    mentions_replaced: int = 0
    mentions: int = 0
    entities_protected: int = 0
    entities: int = 0


def score(tokens: Tokens, gold: Gold, detectors: Sequence[Spans], replaced: frozenset[int], subset: set[int], k: int) -> Counts:
    """Recount one ensemble from the definitions."""
    flags = votes(tokens, detectors, replaced)
    counts = Counts()
    entities: dict[int, bool] = {}
    for d, doc in enumerate(tokens):
        hit = [len(f & subset) >= k for f in flags[d]]
        mentions = [m for m in gold[d] if m[2] in replaced]
        token_at = {c: i for i, token in enumerate(doc) for c in range(*token)}
        touched = [{token_at[c] for c in range(m[0], m[1]) if c in token_at} for m in mentions]
        for i in range(len(doc)):
            types = {m[2] for m, inside in zip(mentions, touched, strict=True) if i in inside}
            if types:
                counts.gold += 1
                counts.tp += hit[i]
                counts.person_gold += 0 in types
                counts.person_tp += hit[i] and 0 in types
            else:
                counts.non_gold += 1
                counts.tn += not hit[i]
        for m, inside in zip(mentions, touched, strict=True):
            whole = bool(inside) and all(hit[i] for i in inside)
            counts.mentions += 1
            counts.mentions_replaced += whole
            entities[m[3]] = entities.get(m[3], True) and whole
    counts.entities, counts.entities_protected = len(entities), sum(entities.values())
    return counts


def front(rows: Sequence[tuple[float, int, int, int, int, int]]) -> set[int]:
    """Indices on the front of ``(cost, tp, tn, size, mask, k)``: cost down, tp and tn up.

    A row falls to any other that is at least as good in all three and better in one, or equal in all three and earlier in
    (size, mask, k).
    """

    def beats(a: tuple[float, int, int, int, int, int], b: tuple[float, int, int, int, int, int]) -> bool:
        no_worse = a[0] <= b[0] and a[1] >= b[1] and a[2] >= b[2]
        return no_worse and (a[:3] != b[:3] or a[3:] < b[3:])

    return {i for i, b in enumerate(rows) if not any(beats(a, b) for j, a in enumerate(rows) if j != i)}
