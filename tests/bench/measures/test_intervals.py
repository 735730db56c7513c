from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from bench.core.errors import IntegrityError
from bench.core.results import Measure
from bench.measures.intervals import Ratios, Shares, bootstrap_ratios, spread, wilson, with_wilson
from tests.reference.detection_naive import bootstrap_loop


@settings(deadline=None)
@given(st.lists(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=6))
def test_wilson_equals_scipy_and_statsmodels(rows: list[tuple[int, int]]) -> None:
    low, high = wilson([k for k, _ in rows], [n for _, n in rows])
    for i, (k, n) in enumerate(rows):
        exact = binomtest(k, n).proportion_ci(0.95, method="wilson")
        assert (low[i], high[i]) == pytest.approx((exact.low, exact.high), abs=1e-12)
        assert (low[i], high[i]) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)


def test_wilson_at_the_edges_tells_five_from_many() -> None:
    low, high = wilson([0, 0, 5, 0], [5, 25677, 5, 0])
    z2 = 1.959963984540054**2
    assert high[:2] == pytest.approx([z2 / (5 + z2), z2 / (25677 + z2)])
    assert low[0] == low[1] == 0.0 and high[2] == 1.0
    assert np.isnan(low[3]) and np.isnan(high[3])
    with pytest.raises(IntegrityError, match="share 6 of 5 in row 0"):
        wilson([6], [5])


def draws(seed: int, documents: int) -> Callable[[], Sequence[int]]:
    rng = np.random.default_rng(seed)
    return lambda: rng.integers(0, documents, size=documents).tolist()


@pytest.mark.parametrize("documents", [2, 7, 40])
def test_bootstrap_equals_a_plain_loop_over_the_same_draws(documents: int) -> None:
    rng = np.random.default_rng(documents)
    bottom = rng.integers(0, 30, size=(documents, 3)).astype(np.float64)
    bottom[:2] += 1
    top = np.floor(bottom * rng.random(bottom.shape))
    low, high = bootstrap_ratios(top, bottom, seed=11, resamples=300)
    for column in range(3):
        expected = bootstrap_loop(top[:, column].tolist(), bottom[:, column].tolist(), 300, draws(11, documents))
        assert (low[column], high[column]) == pytest.approx(expected, abs=1e-12)


def test_chunks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    bottom = rng.integers(1, 9, size=(50, 2)).astype(np.float64)
    top = np.floor(bottom * rng.random(bottom.shape))
    whole = bootstrap_ratios(top, bottom, seed=1, resamples=101)
    monkeypatch.setattr("bench.measures.intervals._CHUNK_CELLS", 350)
    parts = bootstrap_ratios(top, bottom, seed=1, resamples=101)
    assert np.array_equal(whole, parts)
    assert not np.array_equal(whole, bootstrap_ratios(top, bottom, seed=2, resamples=101))


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    # Documents of unequal size and their own rates: expected sensitivity is the size-weighted mean, 0.7.
    rng = np.random.default_rng(17)
    hits = naive_hits = 0
    trials = 200
    for trial in range(trials):
        size = rng.integers(5, 60, size=60)
        rate = rng.beta(3.5, 1.5, size=60)
        top = rng.binomial(size, rate).astype(np.float64)
        low, high = bootstrap_ratios(top[:, None], size[:, None].astype(np.float64), seed=trial, resamples=400)
        hits += int(low[0] <= 0.7 <= high[0])
        token_low, token_high = wilson([top.sum()], [size.sum()])
        naive_hits += int(token_low[0] <= 0.7 <= token_high[0])
    assert 0.90 <= hits / trials <= 0.99
    # Why tokens are not taken for independent trials.
    assert naive_hits / trials < 0.75


def test_a_ratio_needs_two_documents_that_carry_it() -> None:
    top, bottom = np.array([[1.0, 1.0], [0.0, 3.0], [0.0, 0.0]]), np.array([[2.0, 2.0], [0.0, 4.0], [0.0, 1.0]])
    low, high = bootstrap_ratios(top, bottom, seed=0, resamples=50)
    assert np.isnan(low[0]) and np.isnan(high[0])
    assert low[1] < 4 / 7 < high[1]
    assert np.isnan(spread(top, bottom)[0])
    assert spread(top, bottom)[1] == pytest.approx(np.std([0.5, 0.75, 0.0], ddof=1))


def test_rows_keep_order_counts_and_seed() -> None:
    ratios = Ratios("detection", 3)
    ratios.add("sensitivity", "", np.array([1, 2, 0]), np.array([2, 2, 2]), empty="gold")
    ratios.add("sensitivity", "type=AGE", np.zeros(3), np.zeros(3), empty="AGE gold")
    first, second = ratios.measures(seed=9, resamples=50)
    assert (first.value, first.numerator, first.denominator, first.seed) == (0.5, 3.0, 6.0, 9)
    assert (second.value, second.denominator, second.ci_low, second.sd, second.seed) == (None, 0.0, None, None, None)
    assert second.method == "not measurable: no AGE gold"
    assert Ratios("detection", 0).measures(seed=0) == []
    assert Shares("exposure").measures() == []


def test_with_wilson_keeps_what_is_not_measurable() -> None:
    shares = [
        Measure("stability", "drift", 0.25, numerator=5, denominator=20, method="exact"),
        Measure("stability", "drift", None, numerator=0, denominator=0, method="not measurable"),
    ]
    first, second = with_wilson(shares)
    low, high = proportion_confint(5, 20, method="wilson")
    assert first.ci_low == pytest.approx(low)
    assert first.ci_high == pytest.approx(high)
    assert (first.value, first.method) == (0.25, "wilson")
    assert second == shares[1]
