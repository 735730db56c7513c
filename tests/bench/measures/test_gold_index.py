from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import IntegrityError
from bench.core.tables import MentionTable
from bench.core.taxonomy import Policy
from bench.measures.gold import CLEAR, PARTIAL, REPLACED, GoldIndex, groups
from tests.reference.detection_naive import NaiveDocument, NaiveMention, tables, touched

WORDS = tuple((2 * i, 2 * i + 1) for i in range(12))


def index_of(document: NaiveDocument, policy: Policy) -> GoldIndex:
    tokens, mentions, _, languages = tables([document])
    return GoldIndex.build(tokens, mentions, policy, languages)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12), st.booleans()), max_size=8),
)
def test_pieces_are_disjoint_and_cover_exactly_the_selected_mentions(drawn: list[tuple[int, int, bool]]) -> None:
    drawn = sorted(drawn, key=lambda row: (row[0], row[0] + row[1]))
    mentions = tuple(NaiveMention(start, start + size, "PERSON", str(i)) for i, (start, size, _) in enumerate(drawn))
    document = NaiveDocument(WORDS, mentions, frozenset())
    index = index_of(document, Policy.default())
    select = np.array([keep for _, _, keep in drawn], dtype=np.bool_)
    _, first, last = index.pieces(select)
    listed = [token for a, b in zip(first.tolist(), last.tolist(), strict=True) for token in range(a, b)]
    expected = {token for m, keep in zip(mentions, select.tolist(), strict=True) if keep for token in touched(document, m)}
    assert sorted(listed) == sorted(expected)
    assert set(np.flatnonzero(index.token_mask(select)).tolist()) == expected


def test_states_of_mentions_and_pairs() -> None:
    document = NaiveDocument(
        WORDS,
        (
            NaiveMention(0, 3, "PERSON", "a"),
            NaiveMention(1, 2, "PERSON", "b"),  # white space only
            NaiveMention(4, 7, "PERSON", "a"),
            NaiveMention(8, 9, "DATE", "c"),
            NaiveMention(10, 13, "ID", "d"),
        ),
        frozenset({0, 1, 2}),
    )
    tokens, mentions, flagged, languages = tables([document])
    index = GoldIndex.build(tokens, mentions, Policy.default(), languages)
    assert index.rows.tolist() == [0, 1, 2, 4]
    assert index.replacement(flagged).kind.tolist() == [REPLACED, CLEAR, PARTIAL, CLEAR]
    codes, number = index.pairs()
    assert number == 3
    assert codes[0] == codes[2] and len(set(codes.tolist())) == 3


def test_groups_counts_present_and_spoiled() -> None:
    codes = np.array([0, 0, 1, 2, 2])
    select = np.array([True, True, True, True, False])
    bad = np.array([False, True, False, False, True])
    assert groups(codes, 4, select, bad) == (1, 3)


def test_unsorted_mentions_are_refused() -> None:
    tokens, mentions, _, languages = tables([NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"),) * 2, frozenset())])
    shuffled = MentionTable(
        mentions.indptr,
        np.array([8, 0], dtype=np.int32),
        np.array([9, 3], dtype=np.int32),
        mentions.type,
        mentions.entity,
        mentions.identifier,
        mentions.entity_ids,
    )
    with pytest.raises(IntegrityError, match="mention 1 stands before mention 0"):
        GoldIndex.build(tokens, shuffled, Policy.default(), languages)


def test_no_mask_mentions_alone_bring_no_identifier_rows() -> None:
    plain = index_of(NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a", "NO_MASK"),), frozenset()), Policy.default())
    assert not any(subset.identifier for subset in plain.subsets())
    told = index_of(NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a", "QUASI"),), frozenset()), Policy.default())
    assert [subset.key for subset in told.subsets() if subset.identifier] == ["identifier=DIRECT", "identifier=QUASI"]
