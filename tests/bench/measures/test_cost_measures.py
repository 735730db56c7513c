from __future__ import annotations

import numpy as np
import pytest

from bench.core.errors import IntegrityError
from bench.core.model import STATUSES
from bench.core.results import Measure
from bench.measures.cost import cost_measures, status_measures

CODE = {status: code for code, status in enumerate(STATUSES)}


def codes(*names: str) -> np.ndarray:
    return np.array([CODE[name] for name in names], dtype=np.uint8)


def by_subset(rows: list[Measure]) -> dict[str, Measure]:
    return {row.subset: row for row in rows}


def test_mean_median_and_ensemble_over_the_documents_it_ran_on() -> None:
    seconds = {
        # The unsupported document took no time and does not make the detector look faster.
        "slow": np.array([1.0, 2.0, 6.0, 0.0]),
        "fast": np.array([0.1, 0.1, 0.4, 0.2]),
    }
    statuses = {"slow": codes("ok", "truncated", "failed", "unsupported"), "fast": codes("ok", "ok", "ok", "ok")}
    rows = by_subset(cost_measures(seconds, statuses))
    slow = rows["detector=slow"]
    assert (slow.value, slow.numerator, slow.denominator) == (3.0, 9.0, 3.0)
    assert slow.sd == pytest.approx(np.sqrt(7.0))
    assert rows["detector=slow;statistic=median"].value == 2.0
    assert rows["detector=fast"].value == pytest.approx(0.2)
    assert rows["mode=parallel"].value == 3.0
    assert rows["mode=serial"].value == pytest.approx(3.2)


def test_seconds_nobody_measured_are_not_zero() -> None:
    rows = by_subset(
        cost_measures({"mine": np.array([1.0]), "theirs": np.array([np.nan])}, {"mine": codes("ok"), "theirs": codes("ok")})
    )
    assert rows["detector=theirs"].value is None
    assert rows["detector=theirs"].method == "not measured"
    assert rows["mode=parallel"].value is None
    assert rows["mode=serial"].method == "not measured: theirs"
    assert rows["detector=mine"].value == 1.0 and rows["detector=mine"].sd is None


def test_no_detector_has_no_cost() -> None:
    assert all(row.value is None for row in cost_measures({}, {}))


def test_seconds_and_statuses_must_match() -> None:
    with pytest.raises(IntegrityError, match="detector 'a'"):
        cost_measures({"a": np.array([1.0, 2.0])}, {"a": codes("ok")})


def test_every_status_is_counted() -> None:
    rows = by_subset(status_measures({"a": codes("ok", "failed", "ok", "missing")}))
    assert {key: row.value for key, row in rows.items()} == {
        "detector=a;status=ok": 2.0,
        "detector=a;status=truncated": 0.0,
        "detector=a;status=failed": 1.0,
        "detector=a;status=missing": 1.0,
        "detector=a;status=unsupported": 0.0,
    }
    assert all(row.denominator == 4.0 for row in rows.values())
    with pytest.raises(IntegrityError, match="status code 9"):
        status_measures({"a": np.array([9], dtype=np.uint8)})
