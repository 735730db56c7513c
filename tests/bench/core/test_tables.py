from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bench.core.tables import TokenTable, covered, doc_of_row, token_ranges

Intervals = list[list[tuple[int, int]]]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Intervals, Intervals]:
    """Documents with sorted, disjoint tokens, and any intervals over them."""
    n_docs = draw(st.integers(0, 4))
    tokens, spans = [], []
    for _ in range(n_docs):
        edges = sorted(draw(st.sets(st.integers(0, 30), max_size=12)))
        tokens.append(list(zip(edges[::2], edges[1::2], strict=False)))
        spans.append(
            sorted(
                draw(st.lists(st.tuples(st.integers(0, 29), st.integers(1, 9)).map(lambda p: (p[0], p[0] + p[1])), max_size=6))
            )
        )
    return tokens, spans


def flat(rows: Intervals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows], dtype=np.int64)]).astype(np.int64)
    start = np.asarray([s for r in rows for s, _ in r], dtype=np.int32)
    end = np.asarray([e for r in rows for _, e in r], dtype=np.int32)
    return indptr, start, end


@given(corpora())
def test_token_ranges_are_all_tokens_that_share_a_character(case: tuple[Intervals, Intervals]) -> None:
    tokens, spans = case
    table = TokenTable(*flat(tokens), "test")
    first, last = token_ranges(table, *flat(spans))
    row = 0
    expected_flags = np.zeros(len(table), dtype=bool)
    for doc, intervals in enumerate(spans):
        base = int(table.indptr[doc])
        for start, end in intervals:
            touching = [base + i for i, (s, e) in enumerate(tokens[doc]) if s < end and start < e]
            assert list(range(first[row], last[row])) == touching
            expected_flags[touching] = True
            row += 1
    assert covered(len(table), first, last).tolist() == expected_flags.tolist()


def test_doc_of_row() -> None:
    assert doc_of_row(np.asarray([0, 2, 2, 5], dtype=np.int64)).tolist() == [0, 0, 2, 2, 2]
