"""Intervals beside the exact figures: Wilson for shares of units, a document bootstrap for ratios of sums.

Figures over a whole corpus are exact; the interval says how far another sample of documents of the same kind could lie
(docs/measures.md, Detection). Which one a figure gets:

- **Wilson** where the unit counted is the unit that is exposed or protected (mention, entity, case, document).
- **Document bootstrap** where the figure is a ratio of token or span counts: tokens of one document are anything but
  independent, and a binomial interval over 23 million of them would be absurdly narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Final

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.results import Measure
from bench.core.tables import F64, I64

#: Two-sided error of every interval.
ALPHA: Final[float] = 0.05
_Z: Final[float] = NormalDist().inv_cdf(1 - ALPHA / 2)
#: Bootstrap resamples: the Monte Carlo error of a 2.5 % percentile is then about 0.5 percentage points of coverage.
RESAMPLES: Final[int] = 1000
#: Resampled documents held at once, as multiplicities: 16 MiB of float64.
_CHUNK_CELLS: Final[int] = 1 << 21

WILSON: Final[str] = "wilson"
BOOTSTRAP: Final[str] = "bootstrap-documents"
#: Every document agrees (share 0 or 1): no resample can differ, so the interval is Wilson's over documents.
DEGENERATE: Final[str] = "wilson-documents (no variation to resample)"
SINGLE: Final[str] = "exact (fewer than two documents, no interval)"


def with_wilson(measures: Sequence[Measure]) -> list[Measure]:
    """The same shares with Wilson intervals: for stages that count but know no statistics."""
    known = [m for m in measures if m.numerator is not None and m.denominator]
    low, high = wilson([m.numerator or 0.0 for m in known], [m.denominator or 0.0 for m in known])
    bounds = {id(m): (float(a), float(b)) for m, a, b in zip(known, low, high, strict=True)}
    return [
        replace(m, ci_low=bounds[id(m)][0], ci_high=bounds[id(m)][1], method=WILSON) if id(m) in bounds else m for m in measures
    ]


def wilson(count: Sequence[float] | F64 | I64, total: Sequence[float] | F64 | I64) -> tuple[F64, F64]:
    """Wilson score intervals at 95 % for many shares at once.

    Written out, since statsmodels, whose values these are, takes longer to import than most corpora take to score.

    Parameters
    ----------
    count, total
        Successes and trials, shape (rows,).

    Returns
    -------
    low, high
        Bounds within [0, 1], shape (rows,); NaN where `total` is 0.

    Raises
    ------
    IntegrityError
        A count that is negative or exceeds its total.
    """
    counts, totals = np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64)
    wrong = np.flatnonzero((counts < 0) | (counts > totals))
    if len(wrong):
        raise IntegrityError(
            f"share {counts[wrong[0]]:g} of {totals[wrong[0]]:g} in row {wrong[0]}: the count must lie in [0, total]"
        )
    low, high = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    some = totals > 0
    k, n = counts[some], totals[some]
    share, z2 = k / n, _Z * _Z
    centre, half = share + z2 / (2 * n), _Z * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At none and at all the exact bound is 0 or 1; floating point leaves 1e-17 of either.
    low[some] = np.where(k == 0, 0.0, (centre - half) / (1 + z2 / n))
    high[some] = np.where(k == n, 1.0, (centre + half) / (1 + z2 / n))
    return low, high


def bootstrap_ratios(numerator: F64, denominator: F64, *, seed: int, resamples: int = RESAMPLES) -> tuple[F64, F64]:
    """Percentile intervals at 95 % of ratios of sums under resampling of documents.

    All ratios share the same resamples, so that differences between them are paired. Counts are multiplied as float64: sums
    of whole numbers below 2**53 are exact in any order, hence the same bytes on every machine.

    Parameters
    ----------
    numerator, denominator
        Per-document sums, shape (documents, ratios).
    seed
        Seed of the resamples.
    resamples
        Number of resamples.

    Returns
    -------
    low, high
        Shape (ratios,). Resamples whose denominator is 0 are left out; NaN where fewer than two documents have a
        denominator above 0.
    """
    documents, ratios = numerator.shape
    carrying = (denominator > 0).sum(axis=0)
    low, high = np.full(ratios, np.nan), np.full(ratios, np.nan)
    usable = np.flatnonzero(carrying >= 2)
    if not len(usable):
        return low, high
    # Documents that add to no sum still take part in the draw, but not in the product.
    live = np.flatnonzero((numerator != 0).any(axis=1) | (denominator != 0).any(axis=1))
    columns = np.ascontiguousarray(np.concatenate([numerator[np.ix_(live, usable)], denominator[np.ix_(live, usable)]], axis=1))
    rng = np.random.default_rng(seed)
    chunk = max(1, _CHUNK_CELLS // max(1, len(live)))
    sums = np.empty((resamples, columns.shape[1]))
    for first in range(0, resamples, chunk):
        size = min(chunk, resamples - first)
        times = np.empty((size, len(live)))
        for row in range(size):
            # One draw per resample keeps the stream independent of the chunk size; counting n uniform draws is a
            # multinomial sample at a fifth of the time of Generator.multinomial.
            times[row] = np.bincount(rng.integers(0, documents, size=documents), minlength=documents)[live]
        sums[first : first + size] = times @ columns
    top, bottom = sums[:, : len(usable)], sums[:, len(usable) :]
    values = np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)
    for position, column in enumerate(usable):
        kept = values[:, position]
        kept = kept[~np.isnan(kept)]
        low[column], high[column] = np.quantile(kept, [ALPHA / 2, 1 - ALPHA / 2])
    return low, high


def spread(numerator: F64, denominator: F64) -> F64:
    """Sample standard deviation (ddof 1) of per-document ratios, shape (ratios,).

    Only documents with a denominator above 0 count; NaN where there are fewer than two.
    """
    out = np.full(numerator.shape[1], np.nan)
    for column in range(numerator.shape[1]):
        some = denominator[:, column] > 0
        if np.count_nonzero(some) >= 2:
            out[column] = np.std(numerator[some, column] / denominator[some, column], ddof=1)
    return out


def _none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class Shares:
    """Collects shares of units and turns them into measures with one call of `wilson` for all rows."""

    def __init__(self, measurement: str) -> None:
        self._measurement = measurement
        self._rows: list[tuple[str, str, int, int, float | None, str]] = []

    def add(self, metric: str, subset: str, count: int, total: int, *, empty: str, sd: float = np.nan) -> None:
        """One row: `count` of `total` units; `empty` completes "not measurable: no …" where `total` is 0."""
        self._rows.append((metric, subset, count, total, _none(sd), empty))

    def measures(self) -> list[Measure]:
        """All rows, in the order added."""
        low, high = wilson([row[2] for row in self._rows], [row[3] for row in self._rows])
        return [
            Measure(
                self._measurement,
                metric,
                count / total if total else None,
                subset,
                float(count),
                float(total),
                _none(low[i]),
                _none(high[i]),
                sd,
                WILSON if total else f"not measurable: no {empty}",
            )
            for i, (metric, subset, count, total, sd, empty) in enumerate(self._rows)
        ]


class Ratios:
    """Collects ratios of per-document sums and turns them into measures with one bootstrap for all rows."""

    def __init__(self, measurement: str, n_documents: int) -> None:
        self._measurement = measurement
        self._n = n_documents
        self._labels: list[tuple[str, str, str]] = []
        self._top: list[F64] = []
        self._bottom: list[F64] = []

    def add(self, metric: str, subset: str, numerator: F64 | I64, denominator: F64 | I64, *, empty: str) -> None:
        """One row from per-document sums, shape (documents,) each; `empty` completes "not measurable: no …"."""
        self._labels.append((metric, subset, empty))
        self._top.append(np.asarray(numerator, dtype=np.float64))
        self._bottom.append(np.asarray(denominator, dtype=np.float64))

    def measures(self, *, seed: int, resamples: int = RESAMPLES) -> list[Measure]:
        """All rows, in the order added.

        Every row carries the standard deviation over documents. Where all documents agree on 0 or on 1, resampling shows
        nothing, although 0 of 5 and 0 of 25,677 differ: the interval is then Wilson's with documents as the trials, which
        is right if a document's tokens fail together and wide otherwise.
        """
        if not self._labels:
            return []
        top, bottom = np.stack(self._top, axis=1), np.stack(self._bottom, axis=1)
        low, high = bootstrap_ratios(top, bottom, seed=seed, resamples=resamples)
        sd = spread(top, bottom)
        sums, totals, carrying = top.sum(axis=0), bottom.sum(axis=0), (bottom > 0).sum(axis=0)
        extreme = ((sums == 0) | (sums == totals)) & (carrying >= 2)
        trials = np.where(extreme, carrying, 0)
        wilson_low, wilson_high = wilson(np.where(sums == 0, 0, trials), trials)
        out = []
        for i, (metric, subset, empty) in enumerate(self._labels):
            bounds, method, used_seed = (low[i], high[i]), BOOTSTRAP, seed
            if not totals[i]:
                method = f"not measurable: no {empty}"
            elif extreme[i]:
                bounds, method = (wilson_low[i], wilson_high[i]), DEGENERATE
            elif carrying[i] < 2:
                method = SINGLE
            out.append(
                Measure(
                    self._measurement,
                    metric,
                    float(sums[i] / totals[i]) if totals[i] else None,
                    subset,
                    float(sums[i]),
                    float(totals[i]),
                    _none(bounds[0]),
                    _none(bounds[1]),
                    _none(sd[i]),
                    method,
                    used_seed if method == BOOTSTRAP else None,
                )
            )
        return out
