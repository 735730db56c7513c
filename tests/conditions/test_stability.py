"""Collision, fragmentation and drift: hand counts, then a naive recount of random corpora."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.model import Document
from bench.core.results import Measure
from bench.core.taxonomy import PERSON, TYPE_CODE, TYPES, Policy
from conditions.keys import SecretKey
from conditions.release import build_release
from conditions.stability import mention_surrogates, stability
from conditions.standard import Surrogates
from tests.reference import release_naive
from tests.reference.release_data import mention_table, segment_table, word_tokens

LOCATION = TYPE_CODE["LOCATION"]
Scope = Literal["document", "corpus"]
#: (entity, surrogate) of one-word mentions per document.
Written = list[list[tuple[str, int]]]


def _measure(written: Written, scope: Scope = "corpus", types: list[list[int]] | None = None) -> dict[str, Measure]:
    """Documents of one word per mention, each replaced whole."""
    texts = [" ".join("x" for _ in document) for document in written]
    kinds = types or [[PERSON] * len(document) for document in written]
    rows = [[(2 * i, 2 * i + 1, kind) for i, kind in enumerate(document)] for document in kinds]
    mentions = mention_table(rows, [[entity for entity, _ in document] for document in written])
    codes = np.array([code for document in written for _, code in document], np.int64)
    measures = stability(mentions, word_tokens(texts), segment_table(rows), codes, Policy.default(), scope)
    return {f"{m.metric} {m.subset}".strip(): m for m in measures}


def _counts(measures: dict[str, Measure], suffix: str = "") -> dict[str, tuple[float | None, float | None]]:
    names = ("collision", "fragmentation", "drift")
    return {name: (measures[name + suffix].numerator, measures[name + suffix].denominator) for name in names}


def test_by_hand() -> None:
    written: Written = [
        [("anna", 1), ("anna", 1), ("ben", 2), ("ben", 3), ("cleo", 4)],
        [("anna", 1), ("ben", 2), ("dora", 4)],
        [("anna", 5), ("anna", 5), ("anna", 1), ("emil", 6)],
    ]
    measures = _measure(written)
    # cleo and dora share 4, of five people.
    assert (measures["collision"].value, measures["collision"].numerator, measures["collision"].denominator) == (0.4, 2, 5)
    # Pairs with two mentions: anna/0, ben/0, anna/2; two surrogates: ben/0, anna/2.
    assert (measures["fragmentation"].numerator, measures["fragmentation"].denominator) == (2, 3)
    # In several documents: anna (mostly 1, 1, 5: drifts) and ben (2 or 3 in the first, 2 in the second: 2 is modal in both).
    assert (measures["drift"].numerator, measures["drift"].denominator) == (1, 2)
    assert _counts(measures, " type=PERSON") == _counts(measures)


def test_a_tie_is_no_drift_if_one_surrogate_is_modal_everywhere_and_is_if_none_is() -> None:
    assert _measure([[("a", 1), ("a", 2)], [("a", 2)], [("a", 3), ("a", 2)]])["drift"].numerator == 0
    assert _measure([[("a", 1), ("a", 2)], [("a", 2)], [("a", 1)]])["drift"].numerator == 1


def test_identity_that_ends_with_the_document_is_compared_within_it() -> None:
    written: Written = [[("d0 anna", 1), ("d0 ben", 2), ("d0 carl", 2)], [("d1 anna", 1)]]
    assert _counts(_measure(written, "document"))["collision"] == (2, 4)
    assert _counts(_measure(written, "corpus"))["collision"] == (4, 4)
    drift = _measure(written, "document")["drift"]
    assert (drift.value, drift.denominator, drift.method) == (None, 0, "no entity was replaced in two documents")


def test_types_are_counted_apart_and_an_entity_of_two_types_once_in_all() -> None:
    written: Written = [[("paris", 1), ("paris", 2), ("rome", 2)]]
    measures = _measure(written, types=[[PERSON, LOCATION, LOCATION]])
    assert _counts(measures)["collision"] == (2, 2)
    assert _counts(measures)["fragmentation"] == (1, 1)
    assert _counts(measures, " type=PERSON")["collision"] == (0, 1)
    assert _counts(measures, " type=LOCATION")["collision"] == (2, 2)
    assert _counts(measures, " type=PERSON")["fragmentation"] == (0, 0)


def test_only_mentions_replaced_whole_of_replaced_types_count() -> None:
    text = "Anna Weber met Kay on Monday"
    gold = [(0, 10, PERSON), (15, 18, PERSON), (22, 28, TYPE_CODE["DATE"])]
    mentions = mention_table([gold], [["a", "k", "m"]])
    tokens = word_tokens([text])
    partial = segment_table([[(0, 4, PERSON), (22, 28, TYPE_CODE["DATE"])]])
    found = mention_surrogates(mentions, tokens, partial, np.array([7, 8]), Policy.default())
    assert len(found.entity) == 0
    wide = segment_table([[(0, 28, PERSON)]])
    found = mention_surrogates(mentions, tokens, wide, np.array([7]), Policy.default())
    assert (found.entity.tolist(), found.surrogate.tolist()) == ([0, 1], [7, 7])


def test_a_mention_in_several_segments_has_their_sequence_as_surrogate() -> None:
    """``[Anna] [Weber]`` twice is one surrogate, ``[Anna Weber]`` another, and ``[Weber]`` alone a third."""
    text = "Anna Weber Anna Weber Anna Weber Weber"
    gold = [(0, 10, PERSON), (11, 21, PERSON), (22, 32, PERSON), (33, 38, PERSON)]
    segments = [(0, 4), (5, 10), (11, 15), (16, 21), (22, 32), (33, 38)]
    mentions = mention_table([gold], [["a"] * 4])
    table = segment_table([[(s, e, PERSON) for s, e in segments]])
    found = mention_surrogates(mentions, word_tokens([text]), table, np.array([1, 2, 1, 2, 3, 2]), Policy.default())
    first, second, third, fourth = found.surrogate.tolist()
    assert first == second
    assert len({first, third, fourth}) == 3
    assert (third, fourth) == (3, 2)


def test_nothing_replaced_and_conditions_without_a_mapping() -> None:
    measures = _measure([[]])
    assert [m.value for m in measures.values()] == [None] * 3
    mentions, tokens, table = mention_table([[]], [[]]), word_tokens([""]), segment_table([[]])
    assert stability(mentions, tokens, table, None, Policy.default(), "corpus") == []
    with pytest.raises(ValueError, match="1 surrogate codes for 0 segments"):
        stability(mentions, tokens, table, np.array([1]), Policy.default(), "corpus")


@given(
    st.lists(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4), st.sampled_from([0, 1, 5])), max_size=8), max_size=5),
    st.sampled_from(["document", "corpus"]),
)
def test_equal_to_the_naive_recount(corpus: list[list[tuple[str, int, int]]], scope: Scope) -> None:
    written = [[(entity, code) for entity, code, _ in document] for document in corpus]
    types = [[kind for _, _, kind in document] for document in corpus]
    measures = _measure(written, scope, types)
    for kind in (None, 0, 1, 5):
        rows = [(e, d, str(c)) for d, document in enumerate(corpus) for e, c, k in document if kind is None or k == kind]
        expected = release_naive.stability(rows, scope)
        suffix = "" if kind is None else f" type={TYPES[kind]}"
        if kind is None or rows:
            assert _counts(measures, suffix) == expected


def test_the_normaliser_alone_makes_collision_fragmentation_and_drift() -> None:
    """Two Webers share a key (collision); one person is Weber and Kay Weber in one letter, and K. Weber in the next."""
    texts = ["Weber Kay Weber", "K. Weber", "Weber"]
    rows = [[(0, 5, PERSON), (6, 15, PERSON)], [(0, 8, PERSON)], [(0, 5, PERSON)]]
    documents = [Document(str(i), text, "de") for i, text in enumerate(texts)]
    mentions, segments = mention_table(rows, [["kay", "kay"], ["kay"], ["other"]]), segment_table(rows)
    condition = Surrogates(SecretKey(b"a key for tests only, 32 bytes.."), mentions)
    list(build_release(lambda: documents, segments, condition))
    measures = stability(mentions, word_tokens(texts), segments, condition.surrogates.codes, Policy.default(), "corpus")
    assert [(m.metric, m.numerator, m.denominator) for m in measures if not m.subset] == [
        ("collision", 2, 2),
        ("fragmentation", 1, 1),
        ("drift", 1, 1),
    ]
