from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from bench.core.errors import IntegrityError
from bench.core.results import Measure, parse_subset
from bench.core.tables import SegmentTable
from bench.core.taxonomy import TYPE_CODE, Policy
from bench.measures.detection import detection_measures, document_measures, token_counts
from bench.measures.gold import GoldIndex
from bench.measures.intervals import BOOTSTRAP, DEGENERATE, SINGLE
from tests.reference.detection_naive import (
    NaiveDocument,
    NaiveMention,
    Restriction,
    tables,
    token_figures,
    touched,
    unit_figures,
)

POLICY = Policy.of(["PERSON", "LOCATION", "ID"])
WORDS = tuple((4 * i, 4 * i + 3) for i in range(10))


def measures_of(documents: list[NaiveDocument], policy: Policy = POLICY, **options: int) -> dict[tuple[str, str], Measure]:
    tokens, mentions, flagged, languages = tables(documents)
    index = GoldIndex.build(tokens, mentions, policy, languages)
    rows = detection_measures(index, flagged, **options)
    assert len({(row.metric, row.subset) for row in rows}) == len(rows)
    return {(row.metric, row.subset): row for row in rows}


def counts(row: Measure) -> tuple[float | None, float | None]:
    return row.numerator, row.denominator


@st.composite
def corpora(draw: st.DrawFn) -> list[NaiveDocument]:
    documents = []
    for _ in range(draw(st.integers(1, 4))):
        cuts = sorted(draw(st.sets(st.integers(0, 24), max_size=10)))
        tokens = tuple((a, b) for a, b in itertools.pairwise(cuts) if draw(st.integers(0, 3)))
        mention = st.builds(
            lambda start, size, kind, entity, identifier: NaiveMention(start, start + size, kind, entity, identifier),
            st.integers(0, 22),
            st.integers(1, 8),
            st.sampled_from(["PERSON", "LOCATION", "DATE"]),
            st.sampled_from(["e1", "e2", "e3"]),
            st.sampled_from(["", "DIRECT", "QUASI", "NO_MASK"]),
        )
        documents.append(
            NaiveDocument(
                tokens,
                tuple(draw(st.lists(mention, max_size=5))),
                frozenset(i for i in range(len(tokens)) if draw(st.booleans())),
                draw(st.sampled_from(["en", "ar"])),
                draw(st.sampled_from(["", "c1", "c2"])),
            )
        )
    return documents


@settings(deadline=None)
@given(corpora())
def test_every_row_equals_the_naive_count(documents: list[NaiveDocument]) -> None:
    rows = measures_of(documents, resamples=10)
    for (metric, subset), row in rows.items():
        part = Restriction(**parse_subset(subset))
        expected = {**token_figures(documents, POLICY.replaced, part), **unit_figures(documents, POLICY.replaced, part)}[metric]
        assert counts(row) == expected, (metric, subset)
        assert row.value == (expected[0] / expected[1] if expected[1] else None)
        if not expected[1]:
            assert row.method.startswith("not measurable: no ")
    tells = any(m.identifier in ("DIRECT", "QUASI") and m.type != "DATE" for d in documents for m in d.mentions)
    assert (("sensitivity", "identifier=DIRECT") in rows) == tells


def test_hand_count_with_nested_gold_partial_tokens_retained_types_and_a_token_in_two_types() -> None:
    document = NaiveDocument(
        WORDS,
        (
            NaiveMention(0, 11, "PERSON", "a"),  # tokens 0, 1, 2
            NaiveMention(4, 7, "LOCATION", "b"),  # token 1, nested in the person
            NaiveMention(14, 17, "ID", "c"),  # second half of token 3 to the first character of token 4
            NaiveMention(24, 31, "DATE", "d"),  # tokens 6, 7: retained, so not gold
        ),
        frozenset({0, 1, 3, 6, 9}),
    )
    rows = measures_of([document])
    assert counts(rows["sensitivity", ""]) == (3, 5)
    assert counts(rows["specificity", ""]) == (3, 5)
    assert counts(rows["precision", ""]) == (3, 5)
    assert counts(rows["sensitivity", "type=PERSON"]) == (2, 3)
    assert counts(rows["sensitivity", "type=LOCATION"]) == (1, 1)
    assert counts(rows["sensitivity", "type=ID"]) == (1, 2)
    assert counts(rows["mention_replaced", ""]) == (1, 3)
    assert counts(rows["entity_protected", ""]) == (1, 3)
    assert not any("DATE" in subset for _, subset in rows)
    assert rows["sensitivity", ""].method == SINGLE
    assert rows["sensitivity", ""].ci_low is None


def test_an_entity_is_protected_only_if_all_its_mentions_are_even_across_documents() -> None:
    first = NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"), NaiveMention(8, 11, "PERSON", "b")), frozenset({0, 2}))
    second = NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"), NaiveMention(8, 11, "LOCATION", "b")), frozenset())
    rows = measures_of([first, second])
    assert counts(rows["entity_protected", ""]) == (0, 2)
    # Restricted to PERSON, b has its one mention in the first document.
    assert counts(rows["entity_protected", "type=PERSON"]) == (1, 2)
    assert counts(rows["entity_protected", "type=LOCATION"]) == (0, 1)


def test_a_mention_without_tokens_is_never_replaced() -> None:
    document = NaiveDocument(WORDS, (NaiveMention(3, 4, "PERSON", "a"),), frozenset(range(10)))
    rows = measures_of([document])
    assert counts(rows["mention_replaced", ""]) == (0, 1)
    assert counts(rows["entity_protected", ""]) == (0, 1)
    assert rows["sensitivity", ""].value is None
    assert rows["sensitivity", "type=PERSON"].method == "not measurable: no PERSON gold"


def test_token_figures_equal_scikit_learn_and_unit_intervals_equal_statsmodels() -> None:
    rng = np.random.default_rng(5)
    documents = []
    for d in range(30):
        starts = np.flatnonzero(rng.random(10) < 0.4)
        mentions = tuple(NaiveMention(4 * int(i), 4 * int(i) + 7, "PERSON", f"{d}-{i % 3}") for i in starts)
        documents.append(NaiveDocument(WORDS, mentions, frozenset(np.flatnonzero(rng.random(10) < 0.6).tolist())))
    rows = measures_of(documents)
    gold = np.concatenate([[any(i in touched(d, m) for m in d.mentions) for i in range(10)] for d in documents])
    hit = np.concatenate([[i in d.flagged for i in range(10)] for d in documents])
    assert rows["sensitivity", ""].value == pytest.approx(recall_score(gold, hit), abs=1e-15)
    assert rows["specificity", ""].value == pytest.approx(recall_score(~gold, ~hit), abs=1e-15)
    assert rows["precision", ""].value == pytest.approx(precision_score(gold, hit), abs=1e-15)
    for metric in ("mention_replaced", "entity_protected"):
        row = rows[metric, ""]
        low, high = proportion_confint(row.numerator, row.denominator, method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx((low, high), abs=1e-12)
        assert row.method == "wilson"
    per_document = [
        recall_score([any(i in touched(d, m) for m in d.mentions) for i in range(10)], [i in d.flagged for i in range(10)])
        for d in documents
        if d.mentions
    ]
    assert rows["sensitivity", ""].sd == pytest.approx(np.std(per_document, ddof=1), abs=1e-12)
    row = rows["sensitivity", ""]
    assert row.method == BOOTSTRAP and row.seed == 0
    assert row.ci_low is not None and row.value is not None and row.ci_high is not None
    assert row.ci_low < row.value < row.ci_high


def test_full_detection_still_has_an_interval_over_documents() -> None:
    documents = [NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"),), frozenset({0}))] * 20
    row = measures_of(documents)["sensitivity", ""]
    low, _ = proportion_confint(20, 20, method="wilson")
    assert (row.value, row.ci_low, row.ci_high) == (1.0, pytest.approx(low), 1.0)
    assert row.method == DEGENERATE and row.seed is None


def test_an_empty_detection_in_one_document_lowers_sensitivity() -> None:
    found = NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"),), frozenset({0}))
    missing = NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "b"),), frozenset())
    assert measures_of([found])["sensitivity", ""].value == 1.0
    assert measures_of([found, missing])["sensitivity", ""].value == 0.5


def test_specificity_by_type_counts_only_tokens_replaced_as_that_type() -> None:
    document = NaiveDocument(WORDS, (NaiveMention(0, 7, "PERSON", "a"), NaiveMention(12, 15, "ID", "b")), frozenset({0, 3, 4, 8}))
    tokens, mentions, flagged, languages = tables([document])
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    segments = SegmentTable(
        np.array([0, 3]),
        np.array([0, 12, 32], dtype=np.int32),
        np.array([3, 19, 35], dtype=np.int32),
        np.array([TYPE_CODE["PERSON"], TYPE_CODE["PERSON"], TYPE_CODE["ID"]], dtype=np.uint8),
    )
    rows = {(r.metric, r.subset): r for r in detection_measures(index, flagged, tokens=tokens, segments=segments)}
    # Outside PERSON gold (tokens 2-9) tokens 3 and 4 were replaced as PERSON.
    assert counts(rows["specificity", "type=PERSON"]) == (6, 8)
    # Outside ID gold (all but token 3) token 8 was replaced as ID.
    assert counts(rows["specificity", "type=ID"]) == (8, 9)
    assert counts(rows["specificity", "type=LOCATION"]) == (10, 10)
    with pytest.raises(IntegrityError, match="only one was given"):
        detection_measures(index, flagged, tokens=tokens)


@settings(deadline=None)
@given(corpora())
def test_document_rows_and_counts_equal_each_document_alone(documents: list[NaiveDocument]) -> None:
    tokens, mentions, flagged, languages = tables(documents)
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    rows = {(r.metric, r.subset): r for r in document_measures(index, flagged, [f"d{i}" for i in range(len(documents))])}
    per_document = token_counts(index, flagged)
    for i, document in enumerate(documents):
        alone = token_figures([document], POLICY.replaced, Restriction())
        person = token_figures([document], POLICY.replaced, Restriction(type="PERSON"))
        assert counts(rows["sensitivity", f"document=d{i}"]) == alone["sensitivity"]
        assert counts(rows["specificity", f"document=d{i}"]) == alone["specificity"]
        assert counts(rows["sensitivity", f"type=PERSON;document=d{i}"]) == person["sensitivity"]
        assert (per_document.tp[i], per_document.gold[i]) == alone["sensitivity"]
        assert (per_document.tn[i], per_document.nongold[i]) == alone["specificity"]
        assert per_document.flagged[i] == alone["precision"][1]


def test_a_corpus_without_gold_is_not_measurable_but_specific() -> None:
    rows = measures_of([NaiveDocument(WORDS, (), frozenset({1})), NaiveDocument((), (), frozenset(), "de")])
    assert rows["sensitivity", ""].value is None
    assert rows["sensitivity", ""].method == "not measurable: no gold"
    assert counts(rows["specificity", ""]) == (9, 10)
    assert rows["specificity", "language=de"].method == "not measurable: no token outside gold in language de"
    assert rows["mention_replaced", "type=PERSON;language=de"].method == "not measurable: no PERSON gold in language de"


def test_tables_that_do_not_belong_together_are_refused() -> None:
    tokens, mentions, flagged, languages = tables([NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "a"),), frozenset())])
    with pytest.raises(IntegrityError, match="1 documents with tokens, 1 with mentions, 2 languages"):
        GoldIndex.build(tokens, mentions, POLICY, [*languages, "de"])
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    with pytest.raises(IntegrityError, match=r"expected bool of shape \(10,\)"):
        detection_measures(index, flagged[:-1])
    with pytest.raises(IntegrityError, match="2 document ids for 1 documents"):
        document_measures(index, flagged, ["a", "b"])
