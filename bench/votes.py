"""Votes of detectors on tokens, and the merged spans of an ensemble.

A detector *flags* a token that shares at least one character with a span of a replaced type (docs/measures.md); spans of
retained types are ignored entirely. A token with at least ``k`` flags belongs to the ensemble's output.

How flagged tokens join into segments is *our reading*, the papers give the votes only: two neighbouring flagged tokens of a
document belong to one segment if and only if at least one member's span of a replaced type covers both. So spans that overlap
merge, spans that only touch stay two, and no end of a span that lies on a flagged token can leak: an edge that cuts a token is
widened to the token. The type of a segment is the plurality over its (detector, token) votes; a detector that gives a token
two types votes once for each; ties go to the first in `TYPES` (PERSON first).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from bench.core.errors import IntegrityError, UsageError
from bench.core.tables import I32, U8, U64, Bool, SegmentTable, SpanTable, TokenTable
from bench.core.taxonomy import TYPES, Policy
from bench.ensembles import MAX_MEMBERS


@njit(cache=True)  # type: ignore[untyped-decorator]
def _flag(
    t_indptr: Any, t_start: Any, t_end: Any, s_indptr: Any, s_start: Any, s_end: Any, s_type: Any, replaced: Any,
    bit: Any, masks: Any, links: Any,
) -> None:  # fmt: skip
    """OR `bit` into the mask of every token the spans touch; ``links[i]``: one span covers both token i - 1 and token i.

    Spans come sorted by start, so the farthest end among those that begin before a token's end decides both questions.
    """
    want_links = len(links) > 0
    for doc in range(len(t_indptr) - 1):
        span, last = s_indptr[doc], s_indptr[doc + 1]
        if span == last:
            continue
        reach = np.int32(-1)
        first = t_indptr[doc]
        for token in range(first, t_indptr[doc + 1]):
            start = t_start[token]
            # Before this token's own spans are read, `reach` is over those that begin before the previous token's end.
            if want_links and token > first and reach > start:
                links[token] = True
            end = t_end[token]
            while span < last and s_start[span] < end:
                if replaced[s_type[span]] and s_end[span] > s_start[span] and s_end[span] > reach:
                    reach = s_end[span]
                span += 1
            if reach > start:
                masks[token] |= bit
            elif span == last:
                break


@njit(cache=True)  # type: ignore[untyped-decorator]
def _count_types(
    t_indptr: Any, t_start: Any, t_end: Any, s_indptr: Any, s_start: Any, s_end: Any, s_type: Any, replaced: Any,
    segment: Any, counts: Any,
) -> None:  # fmt: skip
    """Add one detector's votes: ``counts[segment[i], type]`` for every type it gives to token i of a segment."""
    n_types = counts.shape[1]
    reach = np.empty(n_types, dtype=np.int32)
    for doc in range(len(t_indptr) - 1):
        span, last = s_indptr[doc], s_indptr[doc + 1]
        if span == last:
            continue
        reach[:] = -1
        farthest = np.int32(-1)
        for token in range(t_indptr[doc], t_indptr[doc + 1]):
            start, end = t_start[token], t_end[token]
            while span < last and s_start[span] < end:
                kind = s_type[span]
                if replaced[kind] and s_end[span] > s_start[span] and s_end[span] > reach[kind]:
                    reach[kind] = s_end[span]
                    farthest = max(farthest, s_end[span])
                span += 1
            if farthest <= start:
                if span == last:
                    break
                continue
            if segment[token] >= 0:
                for kind in range(n_types):
                    if reach[kind] > start:
                        counts[segment[token], kind] += 1


def _read_only(array: Any) -> Any:
    """A read-only plain view: memory-mapped and ordinary arrays then share one compiled kernel."""
    view = np.asarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


def _token_columns(tokens: TokenTable) -> tuple[Any, Any, Any]:
    return _read_only(tokens.indptr), _read_only(tokens.start), _read_only(tokens.end)


def _span_columns(spans: SpanTable) -> tuple[Any, Any, Any, Any]:
    return _read_only(spans.indptr), _read_only(spans.start), _read_only(spans.end), _read_only(spans.type)


def _check(tokens: TokenTable, spans: Sequence[SpanTable]) -> None:
    if not 1 <= len(spans) <= MAX_MEMBERS:
        raise UsageError(f"votes of {len(spans)} detectors; accepted: 1 to {MAX_MEMBERS}")
    for index, table in enumerate(spans):
        if len(table.indptr) != len(tokens.indptr):
            raise IntegrityError(f"span table {index} has {len(table.indptr) - 1} documents, the token table {tokens.n_docs}")
        if len(table.type) and int(table.type.max()) >= len(TYPES):
            raise IntegrityError(f"span table {index} has type code {int(table.type.max())}; accepted: 0 to {len(TYPES) - 1}")


def _replaced(policy: Policy) -> Bool:
    replaced = np.zeros(len(TYPES), dtype=np.bool_)
    replaced[list(policy.codes)] = True
    return replaced


def _vote(tokens: TokenTable, spans: Sequence[SpanTable], policy: Policy, links: Bool) -> U64:
    _check(tokens, spans)
    masks = np.zeros(len(tokens), dtype=np.uint64)
    columns, replaced = _token_columns(tokens), _replaced(policy)
    for index, table in enumerate(spans):
        _flag(*columns, *_span_columns(table), replaced, np.uint64(1) << np.uint64(index), masks, links)
    return masks


def vote_masks(tokens: TokenTable, spans: Sequence[SpanTable], policy: Policy) -> U64:
    """Which detectors flag each token.

    Parameters
    ----------
    tokens
        Tokens of a corpus, sorted and disjoint within a document.
    spans
        One table per detector over the same documents, at most 64.
    policy
        Spans of types outside it are ignored.

    Returns
    -------
    Masks, shape (tokens,): bit i is set where detector i flags the token.

    Raises
    ------
    UsageError
        No detectors or more than 64.
    IntegrityError
        A table over other documents.
    """
    return _vote(tokens, spans, policy, np.empty(0, dtype=np.bool_))


def members_mask(indices: Sequence[int]) -> int:
    """Mask with the bits of the given detector positions set."""
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


def flagged(masks: U64, members: int, k: int) -> Bool:
    """Tokens with at least `k` votes among the detectors of the mask `members`, shape (tokens,)."""
    enough: Bool = np.bitwise_count(masks & np.uint64(members)) >= k
    return enough


def segments(tokens: TokenTable, spans: Sequence[SpanTable], policy: Policy, k: int) -> SegmentTable:
    """Merged spans of the ensemble "at least `k` votes among these detectors"; the module's docstring gives the rule.

    Parameters
    ----------
    tokens, spans, policy
        As for `vote_masks`; the members of the ensemble only.
    k
        Votes a token needs, 1 to the number of detectors.

    Returns
    -------
    Segments with both edges on token edges, sorted and disjoint within a document.

    Raises
    ------
    UsageError
        `k` is out of range, or no or too many detectors.
    """
    _check(tokens, spans)
    if not 1 <= k <= len(spans):
        raise UsageError(f"{k} votes among {len(spans)} detectors is impossible; accepted: 1 to {len(spans)}")
    links = np.zeros(len(tokens), dtype=np.bool_)
    inside = np.bitwise_count(_vote(tokens, spans, policy, links)) >= k
    links[1:] &= inside[:-1]
    begins = np.flatnonzero(inside & ~links)
    segment: I32 = np.cumsum(inside & ~links, dtype=np.int32) - np.int32(1)
    segment[~inside] = -1
    # The last token of a segment: inside, and the next one is not linked to it.
    goes_on = np.zeros(len(tokens), dtype=np.bool_)
    goes_on[:-1] = (links & inside)[1:]
    ends = np.flatnonzero(inside & ~goes_on)
    return SegmentTable(
        indptr=np.searchsorted(begins, tokens.indptr).astype(np.int64),
        start=np.asarray(tokens.start)[begins],
        end=np.asarray(tokens.end)[ends],
        type=_plurality(tokens, spans, policy, segment, len(begins)),
    )


def _plurality(tokens: TokenTable, spans: Sequence[SpanTable], policy: Policy, segment: I32, n_segments: int) -> U8:
    """Type code of each segment; `argmax` takes the first of equals, which is the order of `TYPES`."""
    counts = np.zeros((n_segments, len(TYPES)), dtype=np.int32)
    columns, replaced = _token_columns(tokens), _replaced(policy)
    for table in spans:
        _count_types(*columns, *_span_columns(table), replaced, segment, counts)
    types: U8 = counts.argmax(axis=1).astype(np.uint8)
    return types
