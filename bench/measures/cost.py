"""Cost: seconds per document of each detector and of an ensemble, and what became of each document (docs/measures.md, Detection).

A detector's cost is its mean over the documents it ran on: those with status ok, truncated or failed and with measured
seconds. Imported spans bring no seconds; their cost is not measured, which is not zero. The hardware is named in the run's
record, and the method says that the figure was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.model import STATUSES
from bench.core.results import Measure, subset_key
from bench.core.tables import F64, U8, Bool

#: Statuses under which a detector spent its time on the document.
_RAN: Final[tuple[int, ...]] = tuple(STATUSES.index(status) for status in ("ok", "truncated", "failed"))
NOT_MEASURED: Final[str] = "not measured"


def _timed(seconds: F64, statuses: U8, detector: str) -> Bool:
    if seconds.shape != statuses.shape:
        raise IntegrityError(f"detector {detector!r}: seconds of shape {seconds.shape}, statuses of shape {statuses.shape}")
    timed: Bool = np.isin(statuses, _RAN) & np.isfinite(seconds)
    return timed


def cost_measures(seconds: Mapping[str, F64], statuses: Mapping[str, U8]) -> list[Measure]:
    """Rows of measurement ``cost``, metric ``seconds_per_document``.

    Parameters
    ----------
    seconds
        Per detector, wall time per document, shape (documents,); NaN where nobody measured it.
    statuses
        Per detector, codes into `bench.core.model.STATUSES`, shape (documents,).

    Returns
    -------
    list of Measure
        Per detector the mean (``detector=…``; numerator total seconds, denominator documents timed, sd over documents) and
        the median (``detector=…;statistic=median``); for the ensemble of all of them ``mode=parallel``, the mean of the
        slowest member, and ``mode=serial``, the sum of the members' means. A member without measured seconds leaves both
        unmeasured, and is named.
    """
    out: list[Measure] = []
    means: dict[str, float] = {}
    for detector, values in seconds.items():
        timed = values[_timed(values, statuses[detector], detector)]
        key, median_key = subset_key(detector=detector), subset_key(detector=detector, statistic="median")
        if not len(timed):
            out += [Measure("cost", "seconds_per_document", None, k, method=NOT_MEASURED) for k in (key, median_key)]
            continue
        means[detector] = float(np.mean(timed))
        sd = float(np.std(timed, ddof=1)) if len(timed) > 1 else None
        total, count = float(np.sum(timed)), float(len(timed))
        out.append(Measure("cost", "seconds_per_document", means[detector], key, total, count, sd=sd, method="measured: mean"))
        median = float(np.median(timed))
        out.append(Measure("cost", "seconds_per_document", median, median_key, denominator=count, method="measured: median"))
    without = [detector for detector in seconds if detector not in means]
    for mode, figure, words in (
        ("parallel", max(means.values(), default=0.0), "measured: slowest member"),
        ("serial", sum(means.values()), "measured: sum of members"),
    ):
        if not seconds or without:
            reason = f"{NOT_MEASURED}: {', '.join(without)}" if without else f"{NOT_MEASURED}: no detector"
            out.append(Measure("cost", "seconds_per_document", None, subset_key(mode=mode), method=reason))
        else:
            out.append(Measure("cost", "seconds_per_document", figure, subset_key(mode=mode), method=words))
    return out


def status_measures(statuses: Mapping[str, U8]) -> list[Measure]:
    """Rows ``detection``/``status``: documents per detector and status, every status listed.

    A document that failed, is missing or unsupported counts as an empty detection in all measures; these rows say how many
    there were. `value` and numerator are the count, the denominator all documents.
    """
    out = []
    for detector, codes in statuses.items():
        counts = np.bincount(codes, minlength=len(STATUSES))
        if len(counts) > len(STATUSES):
            raise IntegrityError(f"detector {detector!r}: status code {len(counts) - 1}; known: 0 to {len(STATUSES) - 1}")
        for status, count in zip(STATUSES, counts.tolist(), strict=True):
            key = subset_key(detector=detector, status=status)
            out.append(Measure("detection", "status", float(count), key, float(count), float(len(codes)), method="count"))
    return out
