"""Collision, fragmentation and drift of surrogates (docs/measures.md, Release conditions; *our reading* of all three).

A mention counts where it was replaced whole: every token of it lies in a segment, as in the exposure measures. Its surrogate is
that of the segment that holds it; a mention cut into several segments has the sequence of their surrogates as its own, so that
``[Anna][Weber]`` and ``[Anna Weber]`` differ. Two spellings of one surrogate (upper case, punctuation of a phone number) are one.

- *Collision*: share of entities that share a surrogate with another entity. Denominator: entities with a surrogate. Where
  entity ids reach no further than a document, two entities of different documents cannot be told to be different people, so
  only entities of one document are compared.
- *Fragmentation*: share of (entity, document) pairs with at least two replaced mentions that got at least two surrogates.
- *Drift*: share of entities replaced in at least two documents whose most frequent surrogate differs between documents. Where
  several are equally frequent in a document any of them will do: an entity drifts if no one surrogate is a most frequent one in
  all its documents. The outcome so depends on no order.

A line for one type counts the mentions of that type alone; the line for all types counts an entity once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.core.model import IdentityScope
from bench.core.results import Measure, subset_key
from bench.core.tables import I64, Bool, MentionTable, SegmentTable, TokenTable, covered, doc_of_row, token_ranges
from bench.core.taxonomy import IDENTIFIER_CLASSES, REPORTED_CLASSES, TYPE_CODE, TYPES, Policy


@dataclass(frozen=True, slots=True)
class MentionSurrogates:
    """Mentions of replaced types that were replaced whole, shape (replaced mentions,) each.

    Parameters
    ----------
    entity, document, type
        Entity code, document index and type code.
    identifier
        Position in `IDENTIFIER_CLASSES`.
    surrogate
        Code of the surrogate, or of the sequence of surrogates; equal codes for equal surrogates.
    """

    entity: I64
    document: I64
    type: I64
    identifier: I64
    surrogate: I64

    def where(self, rows: Bool) -> MentionSurrogates:
        """The mentions that `rows` selects."""
        return MentionSurrogates(
            self.entity[rows], self.document[rows], self.type[rows], self.identifier[rows], self.surrogate[rows]
        )


def mention_surrogates(
    mentions: MentionTable, tokens: TokenTable, segments: SegmentTable, codes: I64, policy: Policy
) -> MentionSurrogates:
    """Surrogate of every mention that was replaced whole.

    Parameters
    ----------
    mentions, tokens
        Gold mentions and tokens of the corpus.
    segments, codes
        What was replaced, and the surrogate code of each segment (`conditions.surrogates.SurrogateMap.codes`).
    policy
        Mentions of retained types are left out.
    """
    if len(codes) != len(segments):
        raise ValueError(f"{len(codes)} surrogate codes for {len(segments)} segments")
    first, last = token_ranges(tokens, mentions.indptr, mentions.start, mentions.end)
    replaced_tokens = covered(len(tokens), *token_ranges(tokens, segments.indptr, segments.start, segments.end))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(replaced_tokens)])
    whole = (last > first) & (before[last] - before[first] == last - first) & np.isin(mentions.type, list(policy.codes))

    # One coordinate for all documents, as in `token_ranges`: every segment that shares a character with the mention.
    longest = max(int(mentions.end.max(initial=0)), int(segments.end.max(initial=0))) + 1
    document = doc_of_row(mentions.indptr).astype(np.int64)
    base = doc_of_row(segments.indptr).astype(np.int64) * longest
    first_segment = np.searchsorted(segments.end + base, mentions.start + document * longest, side="right")
    last_segment = np.searchsorted(segments.start + base, mentions.end + document * longest, side="left")

    rows = np.flatnonzero(whole)
    surrogate = _sequence_codes(codes, first_segment[rows], last_segment[rows])
    type_, identifier = mentions.type[rows].astype(np.int64), mentions.identifier[rows].astype(np.int64)
    return MentionSurrogates(mentions.entity[rows], document[rows], type_, identifier, surrogate)


def _sequence_codes(codes: I64, first: I64, last: I64) -> I64:
    """One code for each distinct sequence ``codes[first:last]``; a sequence of one keeps its code."""
    lengths = last - first
    result = np.full(len(first), -1, np.int64)
    single = np.flatnonzero(lengths == 1)
    result[single] = codes[first[single]]
    following = int(codes.max(initial=-1)) + 1
    for length in np.unique(lengths[lengths > 1]).tolist():
        rows = np.flatnonzero(lengths == length)
        sequences = codes[first[rows, None] + np.arange(length)]
        distinct, inverse = np.unique(sequences, axis=0, return_inverse=True)
        result[rows] = following + inverse.ravel()
        following += len(distinct)
    return result


def _groups(*columns: I64) -> tuple[list[I64], I64]:
    """Distinct rows of several columns, sorted, and how often each occurs."""
    if not len(columns[0]):
        return [column[:0] for column in columns], np.empty(0, np.int64)
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    new: Bool = np.ones(len(order), np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    starts = np.flatnonzero(new)
    return [column[starts] for column in ordered], np.diff(np.append(starts, len(order)))


def collision(replaced: MentionSurrogates, scope: IdentityScope) -> tuple[int, int]:
    """Entities that share a surrogate with another entity, of all entities with a surrogate."""
    place = replaced.document if scope == "document" else np.zeros_like(replaced.document)
    (places, surrogates, entities), _ = _groups(place, replaced.surrogate, replaced.entity)
    # Rows are sorted by (place, surrogate), one per entity: a group of two rows is a shared surrogate.
    same = (places[1:] == places[:-1]) & (surrogates[1:] == surrogates[:-1])
    shared: Bool = np.zeros(len(entities), np.bool_)
    shared[1:] |= same
    shared[:-1] |= same
    return len(np.unique(entities[shared])), len(np.unique(entities))


def fragmentation(replaced: MentionSurrogates) -> tuple[int, int]:
    """(Entity, document) pairs with several surrogates, of those with several replaced mentions."""
    (entities, documents, _), counts = _groups(replaced.entity, replaced.document, replaced.surrogate)
    _, surrogates = _groups(entities, documents)
    if not len(counts):
        return 0, 0
    starts = np.cumsum(surrogates) - surrogates
    mentions = np.add.reduceat(counts, starts)
    return int(((mentions >= 2) & (surrogates >= 2)).sum()), int((mentions >= 2).sum())


def drift(replaced: MentionSurrogates) -> tuple[int, int]:
    """Entities without one surrogate that is most frequent in all their documents, of those replaced in several documents."""
    (entities, documents, surrogates), counts = _groups(replaced.entity, replaced.document, replaced.surrogate)
    if not len(counts):
        return 0, 0
    (owners, _), sizes = _groups(entities, documents)
    starts = np.cumsum(sizes) - sizes
    most = np.repeat(np.maximum.reduceat(counts, starts), sizes)
    modal = counts == most
    # Documents of each entity, and for each (entity, surrogate) the documents in which it is a most frequent one.
    (entity,), documents_of = _groups(owners)
    (candidates, _), agreeing = _groups(entities[modal], surrogates[modal])
    best = np.zeros(len(entity), np.int64)
    np.maximum.at(best, np.searchsorted(entity, candidates), agreeing)
    several = documents_of >= 2
    return int((several & (best < documents_of)).sum()), int(several.sum())


def _measure(metric: str, counts: tuple[int, int], subset: str, empty: str) -> Measure:
    numerator, denominator = counts
    value = numerator / denominator if denominator else None
    return Measure("stability", metric, value, subset, numerator, denominator, method="exact" if denominator else empty)


def _measures(replaced: MentionSurrogates, scope: IdentityScope, subset: str) -> Iterator[Measure]:
    yield _measure("collision", collision(replaced, scope), subset, "no entity was replaced")
    yield _measure("fragmentation", fragmentation(replaced), subset, "no entity has two replaced mentions in one document")
    yield _measure("drift", drift(replaced), subset, "no entity was replaced in two documents")


def stability(
    mentions: MentionTable,
    tokens: TokenTable,
    segments: SegmentTable,
    codes: I64 | None,
    policy: Policy,
    scope: IdentityScope,
) -> list[Measure]:
    """Collision, fragmentation and drift over all replaced types, for each, and for DIRECT and QUASI mentions.

    Parameters
    ----------
    mentions, tokens, segments, codes, policy
        See `mention_surrogates`; codes None for a condition without a mapping (placeholders, unmodified text), which has none
        of the three: the list is empty.
    scope
        How far entity ids reach in the corpus.

    Returns
    -------
    list of Measure
        ``stability/collision``, ``/fragmentation``, ``/drift``; subset empty, then ``type=...`` for every replaced type that has
        gold mentions, then ``identifier=...`` where the corpus tells. Value None with the reason in `method` where the
        denominator is 0.
    """
    if codes is None:
        return []
    replaced = mention_surrogates(mentions, tokens, segments, codes, policy)
    result = list(_measures(replaced, scope, ""))
    present = np.unique(mentions.type)
    for name in TYPES:
        if name in policy.replaced and TYPE_CODE[name] in present:
            result += _measures(replaced.where(replaced.type == TYPE_CODE[name]), scope, subset_key(type=name))
    of_replaced_types = np.isin(mentions.type, list(policy.codes))
    classes = {name: IDENTIFIER_CLASSES.index(name) for name in REPORTED_CLASSES}
    if np.isin(mentions.identifier[of_replaced_types], list(classes.values())).any():
        for name, code in classes.items():
            result += _measures(replaced.where(replaced.identifier == code), scope, subset_key(identifier=name))
    return result
