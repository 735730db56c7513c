from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.errors import StoreError
from bench.core.results import SCHEMA, Measure, concat, parse_subset, read_results, rows, subset_key, write_table


def frame() -> pl.DataFrame:
    measures = [Measure("detection", "sensitivity", 0.5, numerator=1, denominator=2), Measure("cost", "x", None, method="why")]
    return rows(measures, run="r", corpus="c", corpus_fingerprint="f", ensemble="union(a)")


def test_rows_have_the_schema_of_the_design() -> None:
    assert frame().schema == dict(SCHEMA)
    assert concat([]).is_empty()
    assert concat([frame(), frame()]).height == 4


def test_round_trip_and_other_schema(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    frame().write_parquet(path)
    assert read_results(path).equals(frame())
    frame().with_columns(schema=pl.lit(0, pl.Int64)).write_parquet(path)
    with pytest.raises(StoreError, match=r"results schema \[0\], this version reads 1"):
        read_results(path)
    path.write_bytes(b"not parquet")
    with pytest.raises(StoreError, match="cannot read results"):
        read_results(path)
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(StoreError, match="not a results table"):
        read_results(path)


def test_no_altered_byte_gives_another_figure(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    many = concat([frame().with_columns(value=pl.lit(i / 7)) for i in range(40)])
    write_table(many, path)
    raw = path.read_bytes()
    for at in range(0, len(raw), 5):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :])
        try:
            assert read_results(path).equals(many), f"byte {at}"
        except StoreError:
            continue


def test_nan_is_not_a_value() -> None:
    with pytest.raises(ValueError, match="value is NaN"):
        Measure("detection", "sensitivity", float("nan"))


@given(st.dictionaries(st.text("abcdefg_", min_size=1), st.text(min_size=1).filter(lambda t: "%3" not in t), max_size=4))
def test_subset_keys_round_trip(pairs: dict[str, str]) -> None:
    assert parse_subset(subset_key(**pairs)) == pairs


def test_subset_leaves_out_none() -> None:
    assert subset_key(type="PERSON", language=None, k=2) == "type=PERSON;k=2"
