from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from bench.core.errors import IntegrityError
from bench.core.results import Measure, parse_subset
from bench.core.taxonomy import Policy
from bench.measures.exposure import exposure_measures, survivors
from bench.measures.gold import GoldIndex
from tests.reference.detection_naive import NaiveDocument, NaiveMention, Restriction, tables
from tests.reference.exposure_naive import exposure_figures, kind

POLICY = Policy.of(["PERSON", "LOCATION", "ID"])
WORDS = tuple((4 * i, 4 * i + 3) for i in range(10))


def case_codes(documents: list[NaiveDocument]) -> np.ndarray:
    names = [document.case or f"document {i}" for i, document in enumerate(documents)]
    return np.array([7 * sorted(set(names)).index(name) for name in names], dtype=np.int64)


def measures_of(documents: list[NaiveDocument]) -> dict[tuple[str, str], Measure]:
    tokens, mentions, flagged, languages = tables(documents)
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    rows = exposure_measures(index, flagged, case_codes=case_codes(documents))
    assert len({(row.metric, row.subset) for row in rows}) == len(rows)
    return {(row.metric, row.subset): row for row in rows}


def counts(row: Measure) -> tuple[float | None, float | None]:
    return row.numerator, row.denominator


@st.composite
def corpora(draw: st.DrawFn) -> list[NaiveDocument]:
    mention = st.builds(
        lambda start, size, kind, entity, identifier: NaiveMention(start, start + size, kind, entity, identifier),
        st.integers(0, 36),
        st.integers(1, 9),
        st.sampled_from(["PERSON", "LOCATION", "DATE"]),
        st.sampled_from(["e1", "e2", "e3"]),
        st.sampled_from(["", "DIRECT", "QUASI"]),
    )
    document = st.builds(
        NaiveDocument,
        st.just(WORDS),
        st.lists(mention, max_size=4).map(tuple),
        st.frozensets(st.integers(0, 9)),
        st.sampled_from(["en", "ar"]),
        st.sampled_from(["", "c1", "c2"]),
    )
    return draw(st.lists(document, min_size=1, max_size=5))


@settings(deadline=None)
@given(corpora())
def test_every_row_equals_the_naive_count(documents: list[NaiveDocument]) -> None:
    for (metric, subset), row in measures_of(documents).items():
        pairs = parse_subset(subset)
        name = pairs.pop("exposure", metric)
        expected = exposure_figures(documents, POLICY.replaced, Restriction(**pairs))[name]
        assert counts(row) == expected, (metric, subset)
        assert row.value == (expected[0] / expected[1] if expected[1] else None)


def test_hand_count_at_every_denominator() -> None:
    documents = [
        # a is named twice and half covered once; b is covered.
        NaiveDocument(
            WORDS,
            (NaiveMention(0, 7, "PERSON", "a"), NaiveMention(12, 15, "PERSON", "a"), NaiveMention(20, 23, "PERSON", "b")),
            frozenset({0, 5}),
            case="one",
        ),
        # The same case: b is covered here too, an identifier number is not.
        NaiveDocument(WORDS, (NaiveMention(0, 3, "PERSON", "b"), NaiveMention(8, 11, "ID", "n")), frozenset({0}), case="one"),
        # No identifier at all, but a document and a case all the same.
        NaiveDocument(WORDS, (), frozenset(), case="two"),
        # Only a date, which passes through by design.
        NaiveDocument(WORDS, (NaiveMention(0, 3, "DATE", "t"),), frozenset()),
    ]
    rows = measures_of(documents)
    assert counts(rows["mentions", "type=PERSON"]) == (2, 4)
    assert counts(rows["mentions", "type=PERSON;exposure=partial"]) == (1, 4)
    assert counts(rows["mentions", "type=PERSON;exposure=clear"]) == (1, 4)
    assert counts(rows["entity_documents", "type=PERSON"]) == (1, 3)
    assert counts(rows["entities", "type=PERSON"]) == (1, 2)
    assert counts(rows["documents", "type=PERSON"]) == (1, 4)
    assert counts(rows["cases", "type=PERSON"]) == (1, 3)
    assert counts(rows["mentions", ""]) == (3, 5)
    assert counts(rows["entity_documents", ""]) == (2, 4)
    assert counts(rows["entities", ""]) == (2, 3)
    assert counts(rows["documents", ""]) == (2, 4)
    assert counts(rows["cases", ""]) == (1, 3)
    assert rows["mentions", "type=LOCATION"].method == "not measurable: no LOCATION gold"
    low, high = proportion_confint(2, 5 - 1, method="wilson")
    assert (rows["entity_documents", ""].ci_low, rows["entity_documents", ""].ci_high) == pytest.approx((low, high), abs=1e-12)


@settings(deadline=None)
@given(corpora())
def test_survivors_are_the_exposed_mentions(documents: list[NaiveDocument]) -> None:
    tokens, mentions, flagged, languages = tables(documents)
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    frame = survivors(index, flagged)
    expected = []
    row = 0
    for d, document in enumerate(documents):
        for mention in sorted(document.mentions, key=lambda m: (m.start, m.end)):
            if mention.type in POLICY.replaced and kind(document, mention) != "replaced":
                expected.append((d, row, mention.type, kind(document, mention)))
            row += 1
    assert frame.select("doc", "mention", "type", "kind").rows() == expected
    assert all(
        (left == tokens_of) if state == "clear" else 0 < left < tokens_of
        for state, tokens_of, left in frame.select("kind", "tokens", "left").rows()
    )
    assert frame.columns == ["doc", "mention", "type", "kind", "tokens", "left"]


def test_case_codes_of_another_corpus_are_refused() -> None:
    tokens, mentions, flagged, languages = tables([NaiveDocument(WORDS, (), frozenset())])
    index = GoldIndex.build(tokens, mentions, POLICY, languages)
    with pytest.raises(IntegrityError, match=r"case codes of shape \(2,\) for 1 documents"):
        exposure_measures(index, flagged, case_codes=np.array([0, 1]))
