"""The vote lattice on tokens, mentions and entities, against a recount of every (subset, k) from the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import UsageError
from bench.core.tables import MentionTable
from bench.core.taxonomy import TYPE_CODE, Policy
from bench.lattice import CLASSES, TokenLattice, distinct_masks, histogram, subset_counts, token_classes, vote_dp
from bench.unit_lattice import antichains, unit_antichains, unit_counts, unit_lattice
from bench.votes import vote_masks
from tests.reference import lattice_naive
from tests.reference.lattice_naive import Gold, mention_table
from tests.reference.votes_naive import Spans, Tokens, span_table, token_table

POLICY = Policy.default()
PERSON, LOCATION, DATE = (TYPE_CODE[n] for n in ("PERSON", "LOCATION", "DATE"))
SHOWN = ("gold", "non_gold", "PERSON")


@st.composite
def scored_corpora(draw: st.DrawFn) -> tuple[Tokens, Gold, list[Spans]]:
    """Documents of five tokens with white space after each, gold with shared entities, one to four detectors."""
    docs: Tokens = [[(3 * i, 3 * i + 2) for i in range(5)] for _ in range(draw(st.integers(1, 2)))]
    kind = st.sampled_from([PERSON, LOCATION, DATE])
    start, length = st.integers(0, 13), st.integers(1, 7)
    gold = st.lists(st.tuples(start, length, kind, st.integers(0, 3)).map(lambda t: (t[0], t[0] + t[1], t[2], t[3])), max_size=4)
    span = st.lists(st.tuples(start, length, kind).map(lambda t: (t[0], t[0] + t[1], t[2])), max_size=4)
    detectors: list[Spans] = [[draw(span) for _ in docs] for _ in range(draw(st.integers(1, 4)))]
    return docs, [draw(gold) for _ in docs], detectors


@given(scored_corpora())
@settings(max_examples=150, deadline=None)
def test_every_subset_and_k_equals_the_recount(corpus: tuple[Tokens, Gold, list[Spans]]) -> None:
    docs, gold_docs, detectors = corpus
    n = len(detectors)
    tokens, gold = token_table(docs), mention_table(gold_docs)
    masks, words = vote_masks(tokens, [span_table(d) for d in detectors], POLICY), token_classes(tokens, gold, POLICY)
    lattice = TokenLattice.of(masks, words, n)
    families = unit_antichains(masks, tokens, gold, POLICY)
    mentions, entities = (unit_lattice(f, n) for f in families)
    for subset in range(1, 1 << n):
        members = {i for i in range(n) if subset >> i & 1}
        for k in range(1, len(members) + 1):
            c = lattice_naive.score(docs, gold_docs, detectors, POLICY.codes, members, k)
            assert (lattice.flagged("gold", subset, k), lattice.total("gold")) == (c.tp, c.gold)
            assert (lattice.total("non_gold") - lattice.flagged("non_gold", subset, k), lattice.total("non_gold")) == (
                c.tn,
                c.non_gold,
            )
            assert (lattice.flagged("PERSON", subset, k), lattice.total("PERSON")) == (c.person_tp, c.person_gold)
            assert (int(mentions[subset, k]), families[0].units) == (c.mentions_replaced, c.mentions)
            assert (int(entities[subset, k]), families[1].units) == (c.entities_protected, c.entities)


@given(scored_corpora())
@settings(max_examples=60, deadline=None)
def test_a_list_of_subsets_equals_the_full_lattice(corpus: tuple[Tokens, Gold, list[Spans]]) -> None:
    docs, gold_docs, detectors = corpus
    n = len(detectors)
    tokens, gold = token_table(docs), mention_table(gold_docs)
    masks, words = vote_masks(tokens, [span_table(d) for d in detectors], POLICY), token_classes(tokens, gold, POLICY)
    subsets = np.arange(1 << n, dtype=np.uint64)
    assert (
        subset_counts(*distinct_masks(masks, words, SHOWN), subsets, n) == TokenLattice.of(masks, words, n, SHOWN).at_least
    ).all()
    for families in unit_antichains(masks, tokens, gold, POLICY):
        assert (unit_counts(families, subsets, n) == unit_lattice(families, n)).all()


@pytest.mark.parametrize("n", [1, 8, 9, 11])
def test_wide_lattices_equal_a_popcount(n: int) -> None:
    rng = np.random.default_rng(n)
    masks = rng.integers(0, 1 << n, 400).astype(np.uint64)
    unit = np.sort(rng.integers(0, 90, 400))
    h = np.bincount(masks.astype(np.int64), minlength=1 << n)[None, :].astype(np.int64)
    tokens, units = vote_dp(h)[0], unit_lattice(antichains(unit, masks, 90), n)
    for subset in rng.integers(0, 1 << n, 60).tolist():
        votes = np.bitwise_count(masks & np.uint64(subset))
        for k in range(n + 1):
            assert tokens[subset, k] == (votes >= k).sum()
            assert units[subset, k] == sum((votes[unit == u] >= k).all() for u in np.unique(unit))


def test_hand_counted_antichains() -> None:
    # Unit 0: {011, 001, 111} -> {001}. Unit 1: the same by way of repeats. Unit 2: {011, 110} stays. Unit 3 has no parts.
    found = antichains(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([3, 1, 7, 1, 1, 6, 3], dtype=np.uint64), 4)
    families = {
        tuple(found.masks[a:b].tolist()): w for a, b, w in zip(found.indptr[:-1], found.indptr[1:], found.weight, strict=True)
    }
    assert families == {(1,): 2, (3, 6): 1}
    assert found.units == 3


def test_antichains_of_long_units_and_64_bit_masks_equal_set_inclusion() -> None:
    rng = np.random.default_rng(7)
    for bits, parts in ((6, 200), (64, 60)):
        masks = [
            int(rng.integers(0, 1 << 62)) << 2 | int(rng.integers(0, 4)) if bits == 64 else int(rng.integers(1, 64))
            for _ in range(parts)
        ]
        masks[1] = masks[0] | 1 << (bits - 1)
        minimal = {m for m in masks if not any(o != m and o & m == o for o in masks)}
        found = antichains(np.zeros(parts, dtype=np.int64), np.array(masks, dtype=np.uint64), 1)
        assert set(found.masks.tolist()) == minimal
        assert found.masks.tolist() == sorted(minimal, key=lambda m: (m.bit_count(), m))


def test_a_mention_without_tokens_is_never_replaced_and_its_entity_never_protected() -> None:
    tokens, gold = token_table([[(0, 2), (4, 6)]]), mention_table([[(0, 2, PERSON, 0), (2, 4, PERSON, 0), (4, 6, PERSON, 1)]])
    everything = span_table([[(0, 6, PERSON)]])
    mentions, entities = unit_antichains(vote_masks(tokens, [everything], POLICY), tokens, gold, POLICY)
    assert unit_lattice(mentions, 1).tolist() == [[3, 0], [3, 2]]
    assert unit_lattice(entities, 1).tolist() == [[2, 0], [2, 1]]


def test_class_words_carry_types_and_identifier_classes() -> None:
    tokens = token_table([[(0, 2), (3, 5), (6, 8)]])
    table = mention_table([[(0, 5, PERSON, 0), (3, 5, LOCATION, 1), (6, 8, DATE, 2)]])
    gold = MentionTable(
        table.indptr, table.start, table.end, table.type, table.entity, np.array([1, 2, 1], np.uint8), table.entity_ids
    )
    names = [{CLASSES[i] for i in range(16) if word >> i & 1} for word in token_classes(tokens, gold, POLICY).tolist()]
    assert names == [{"gold", "PERSON", "DIRECT"}, {"gold", "PERSON", "DIRECT", "LOCATION", "QUASI"}, {"non_gold"}]


def test_no_gold_and_no_tokens() -> None:
    tokens, gold = token_table([[]]), mention_table([[]])
    masks = vote_masks(tokens, [span_table([[]])], POLICY)
    assert TokenLattice.of(masks, token_classes(tokens, gold, POLICY), 1).at_least.sum() == 0
    for families in unit_antichains(masks, tokens, gold, POLICY):
        assert unit_lattice(families, 1).tolist() == [[0, 0], [0, 0]]


def test_limits_are_named() -> None:
    with pytest.raises(UsageError, match=r"17 detectors is too many; accepted: 1 to 16 .*'triples'"):
        histogram(np.zeros(1, np.uint64), np.ones(1, np.uint16), 17)
    with pytest.raises(UsageError, match="bit 3, beyond 3 detectors"):
        histogram(np.array([8], np.uint64), np.ones(1, np.uint16), 3)
