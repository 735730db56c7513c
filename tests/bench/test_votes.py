"""Votes and merged spans against the character-by-character reference, and cases worked by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import IntegrityError, UsageError
from bench.core.tables import SegmentTable
from bench.core.taxonomy import TYPE_CODE, TYPES, Policy
from bench.core.tokens import tokenise
from bench.votes import flagged, members_mask, segments, vote_masks
from tests.reference import votes_naive
from tests.reference.votes_naive import Spans, Tokens, span_table, token_table

PERSON, LOCATION, DATE, ID, CONTACT = (TYPE_CODE[n] for n in ("PERSON", "LOCATION", "DATE", "ID", "CONTACT"))
POLICY = Policy.default()
LENGTH = 14


def rows(table: SegmentTable) -> list[list[tuple[int, int, int]]]:
    """Segments per document as plain tuples."""
    triples = list(zip(table.start.tolist(), table.end.tolist(), table.type.tolist(), strict=True))
    return [triples[a:b] for a, b in zip(table.indptr[:-1], table.indptr[1:], strict=True)]


@st.composite
def token_documents(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    """One to three documents of disjoint tokens, with or without white space between them."""
    docs = []
    for _ in range(draw(st.integers(1, 3))):
        cuts = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=10)))
        pairs = list(pairwise(cuts))
        docs.append([pair for pair in pairs if draw(st.integers(0, 3))])
    return docs


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Tokens, list[Spans]]:
    """Tokens, and one to four detectors whose spans nest, overlap, touch, repeat, or cover white space only."""
    docs = draw(token_documents())
    span = st.tuples(st.integers(0, LENGTH), st.integers(1, 6), st.sampled_from([PERSON, LOCATION, DATE, CONTACT])).map(
        lambda t: (t[0], t[0] + t[1], t[2])
    )
    spans = st.lists(span, max_size=5)
    return docs, [[draw(spans) for _ in docs] for _ in range(draw(st.integers(1, 4)))]


@given(corpora())
@settings(max_examples=400, deadline=None)
def test_masks_and_segments_equal_the_reference(corpus: tuple[Tokens, list[Spans]]) -> None:
    docs, detectors = corpus
    tokens, tables = token_table(docs), [span_table(d) for d in detectors]
    masks = vote_masks(tokens, tables, POLICY)
    expected = [members_mask(sorted(f)) for doc in votes_naive.votes(docs, detectors, POLICY.codes) for f in doc]
    assert masks.tolist() == expected
    for k in range(1, len(detectors) + 1):
        assert flagged(masks, 2 ** len(detectors) - 1, k).tolist() == [m.bit_count() >= k for m in expected]
        assert rows(segments(tokens, tables, POLICY, k)) == votes_naive.segments(docs, detectors, POLICY.codes, k)


@given(corpora())
@settings(max_examples=100, deadline=None)
def test_segments_cover_exactly_the_flagged_tokens_and_do_not_depend_on_detector_order(
    corpus: tuple[Tokens, list[Spans]],
) -> None:
    docs, detectors = corpus
    tokens, tables = token_table(docs), [span_table(d) for d in detectors]
    for k in range(1, len(detectors) + 1):
        merged = rows(segments(tokens, tables, POLICY, k))
        assert merged == rows(segments(tokens, tables[::-1], POLICY, k))
        hit = flagged(vote_masks(tokens, tables, POLICY), 2 ** len(detectors) - 1, k)
        inside = [any(s <= start and end <= e for s, e, _ in merged[d]) for d, doc in enumerate(docs) for start, end in doc]
        assert inside == hit.tolist()
        assert all(a[1] <= b[0] for doc in merged for a, b in pairwise(doc))


def one(text: str, *detectors: list[tuple[int, int, int]], k: int = 1) -> list[tuple[str, str]]:
    """Segments of one text as (surface, type name)."""
    table = segments(token_table([tokenise(text)]), [span_table([d]) for d in detectors], POLICY, k)
    return [(text[s:e], TYPES[t]) for s, e, t in rows(table)[0]]


def test_card_and_url_that_overlap_are_one_segment() -> None:
    text = "card 4151 3217.com"
    assert one(text, [(5, 14, ID)], [(10, 18, CONTACT)]) == [("4151 3217.com", "CONTACT")]  # 3 url tokens, 2 card tokens


def test_spans_that_share_one_character_leave_no_tail() -> None:
    text = "Anna-Maria Weber"
    assert one(text, [(0, 6, PERSON)], [(5, 16, PERSON)]) == [("Anna-Maria Weber", "PERSON")]
    # With two votes only the shared token is flagged; it is widened to its edges, never cut inside.
    assert one(text, [(0, 6, PERSON)], [(5, 16, PERSON)], k=2) == [("Maria", "PERSON")]


def test_touching_spans_stay_two_until_a_member_covers_both() -> None:
    text = "Weber,Berlin"
    assert one(text, [(0, 5, PERSON), (5, 12, LOCATION)]) == [("Weber", "PERSON"), (",Berlin", "LOCATION")]
    assert one("Anna Weber", [(0, 4, PERSON), (5, 10, PERSON)], [(0, 10, PERSON)], k=2) == [("Anna Weber", "PERSON")]


def test_touching_spans_in_one_token_are_one_segment() -> None:
    assert one("AnnaWeber", [(0, 4, PERSON), (4, 9, LOCATION)]) == [("AnnaWeber", "PERSON")]  # 1 : 1, PERSON is first


def test_retained_types_neither_flag_nor_join_nor_vote() -> None:
    text = "Weber 3 May"
    assert one(text, [(0, 5, PERSON), (6, 11, DATE)]) == [("Weber", "PERSON")]
    assert one(text, [(0, 5, PERSON), (6, 7, ID)], [(0, 11, DATE)]) == [("Weber", "PERSON"), ("3", "ID")]


def test_plurality_counts_detector_token_pairs() -> None:
    text = "Paris Hilton here"
    # LOCATION: one detector, two tokens; PERSON: two detectors, one token each on the same token: 2 : 2, PERSON is first.
    assert one(text, [(0, 12, LOCATION)], [(6, 12, PERSON)], [(6, 12, PERSON)]) == [("Paris Hilton", "PERSON")]
    # A repeated span is still one vote: 2 LOCATION against 1 PERSON.
    assert one(text, [(0, 12, LOCATION)], [(6, 12, PERSON), (6, 12, PERSON)]) == [("Paris Hilton", "LOCATION")]


def test_white_space_and_empty_spans_flag_nothing() -> None:
    assert one("a  b", [(1, 3, PERSON)]) == []
    assert one("abc", [(1, 1, PERSON)]) == []


def test_a_span_never_reaches_the_next_document() -> None:
    tokens = token_table([[(0, 3)], [(0, 3), (4, 6)]])
    spans = span_table([[(0, 3, PERSON)], [(4, 6, PERSON)]])
    assert rows(segments(tokens, [spans], POLICY, 1)) == [[(0, 3, PERSON)], [(4, 6, PERSON)]]


def test_sixty_four_detectors_use_every_bit() -> None:
    tokens = token_table([[(0, 2)]])
    masks = vote_masks(tokens, [span_table([[(0, 2, PERSON)]])] * 64, POLICY)
    assert int(masks[0]) == 2**64 - 1
    assert flagged(masks, 2**64 - 1, 64).tolist() == [True]


def test_corpus_without_tokens() -> None:
    tokens, spans = token_table([[]]), span_table([[(0, 2, PERSON)]])
    assert vote_masks(tokens, [spans], POLICY).shape == (0,)
    assert rows(segments(tokens, [spans], POLICY, 1)) == [[]]


@pytest.mark.parametrize(
    ("n", "k", "message"), [(65, 1, "65 detectors"), (0, 1, "0 detectors"), (2, 3, "3 votes"), (2, 0, "0 votes")]
)
def test_impossible_votes_are_refused(n: int, k: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        segments(token_table([[(0, 2)]]), [span_table([[]])] * n, POLICY, k)


def test_spans_over_other_documents_are_refused() -> None:
    with pytest.raises(IntegrityError, match="span table 1 has 2 documents, the token table 1"):
        vote_masks(token_table([[(0, 2)]]), [span_table([[]]), span_table([[], []])], POLICY)


def test_memory_mapped_read_only_arrays_are_accepted() -> None:
    tokens, spans = token_table([[(0, 2)]]), span_table([[(0, 2, PERSON)]])
    for table in (tokens, spans):
        table.start.flags.writeable = False
    assert vote_masks(tokens, [spans], POLICY).tolist() == [1]
    assert np.asarray(tokens.start).flags.writeable is False
