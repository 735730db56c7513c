"""Detection counted one token, one mention, one entity at a time, straight from docs/measures.md, Detection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.core.tables import Bool, MentionTable, TokenTable
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPE_CODE


@dataclass(frozen=True)
class NaiveMention:
    """A gold span with names instead of codes."""

    start: int
    end: int
    type: str
    entity: str
    identifier: str = ""


@dataclass(frozen=True)
class NaiveDocument:
    """A document as token offsets, gold, and the positions of its flagged tokens."""

    tokens: tuple[tuple[int, int], ...]
    mentions: tuple[NaiveMention, ...]
    flagged: frozenset[int]
    language: str = "en"
    case: str = ""


@dataclass(frozen=True)
class Restriction:
    """Part of the gold; empty fields do not restrict."""

    type: str = ""
    identifier: str = ""
    language: str = ""

    def holds(self, document: NaiveDocument, mention: NaiveMention) -> bool:
        """Whether the mention belongs to this part."""
        return (
            self.type in ("", mention.type)
            and self.identifier in ("", mention.identifier)
            and self.language in ("", document.language)
        )


def touched(document: NaiveDocument, mention: NaiveMention) -> list[int]:
    """Positions of the tokens that share a character with the mention."""
    return [i for i, (start, end) in enumerate(document.tokens) if max(start, mention.start) < min(end, mention.end)]


def is_replaced(document: NaiveDocument, mention: NaiveMention) -> bool:
    """Whether the mention has tokens and all of them are flagged."""
    tokens = touched(document, mention)
    return bool(tokens) and all(token in document.flagged for token in tokens)


def token_figures(documents: Sequence[NaiveDocument], replaced: frozenset[str], part: Restriction) -> dict[str, tuple[int, int]]:
    """Numerator and denominator of sensitivity over `part`, and of specificity and precision over its language."""
    tp = gold = tn = nongold = flagged = flagged_gold = 0
    for document in documents:
        if part.language not in ("", document.language):
            continue
        kept = [mention for mention in document.mentions if mention.type in replaced]
        for i in range(len(document.tokens)):
            mentions = [mention for mention in kept if i in touched(document, mention)]
            hit = i in document.flagged
            if any(part.holds(document, mention) for mention in mentions):
                gold += 1
                tp += hit
            if not mentions:
                nongold += 1
                tn += not hit
            flagged += hit
            flagged_gold += hit and bool(mentions)
    return {"sensitivity": (tp, gold), "specificity": (tn, nongold), "precision": (flagged_gold, flagged)}


def unit_figures(documents: Sequence[NaiveDocument], replaced: frozenset[str], part: Restriction) -> dict[str, tuple[int, int]]:
    """Mentions replaced and entities protected over `part`."""
    states: dict[str, list[bool]] = {}
    for document in documents:
        for mention in document.mentions:
            if mention.type in replaced and part.holds(document, mention):
                states.setdefault(mention.entity, []).append(is_replaced(document, mention))
    flat = [state for group in states.values() for state in group]
    return {
        "mention_replaced": (sum(flat), len(flat)),
        "entity_protected": (sum(all(group) for group in states.values()), len(states)),
    }


def bootstrap_loop(
    numerator: Sequence[float], denominator: Sequence[float], resamples: int, draw: Callable[[], Sequence[int]]
) -> tuple[float, float]:
    """Percentile interval of one ratio of sums, one resample and one document at a time; `draw` yields a resample."""
    values = []
    for _ in range(resamples):
        sample = draw()
        bottom = sum(denominator[d] for d in sample)
        if bottom:
            values.append(sum(numerator[d] for d in sample) / bottom)
    values.sort()

    def quantile(q: float) -> float:
        position = q * (len(values) - 1)
        low = int(position)
        high = min(low + 1, len(values) - 1)
        return values[low] + (position - low) * (values[high] - values[low])

    return quantile(0.025), quantile(0.975)


def tables(documents: Sequence[NaiveDocument]) -> tuple[TokenTable, MentionTable, Bool, list[str]]:
    """The same documents as the columnar tables of the product: tokens, mentions, flagged tokens, languages."""
    token_indptr, mention_indptr = [0], [0]
    token_rows: list[tuple[int, int]] = []
    mention_rows: list[tuple[int, int, int, int, int]] = []
    flagged: list[bool] = []
    entities: dict[str, int] = {}
    for document in documents:
        token_rows += document.tokens
        flagged += [i in document.flagged for i in range(len(document.tokens))]
        for m in sorted(document.mentions, key=lambda m: (m.start, m.end)):
            entity = entities.setdefault(m.entity, len(entities))
            mention_rows.append((m.start, m.end, TYPE_CODE[m.type], entity, IDENTIFIER_CLASSES.index(m.identifier)))
        token_indptr.append(len(token_rows))
        mention_indptr.append(len(mention_rows))
    t = np.asarray(token_rows, dtype=np.int32).reshape(-1, 2)
    g = np.asarray(mention_rows, dtype=np.int64).reshape(-1, 5)
    return (
        TokenTable(np.asarray(token_indptr), t[:, 0], t[:, 1], "naive"),
        MentionTable(
            np.asarray(mention_indptr),
            g[:, 0].astype(np.int32),
            g[:, 1].astype(np.int32),
            g[:, 2].astype(np.uint8),
            g[:, 3],
            g[:, 4].astype(np.uint8),
            tuple(entities),
        ),
        np.asarray(flagged, dtype=np.bool_),
        [document.language for document in documents],
    )
