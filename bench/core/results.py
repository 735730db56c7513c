"""The results table: one long row per number, written as Parquet; every view (table, plot, page) is made from these rows.

Names of measurements and metrics: docs/measures.md. Columns: docs/formats.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from bench import __version__
from bench.core.errors import StoreError

#: Raised when a column is added, dropped or changes its meaning.
SCHEMA_VERSION: Final[int] = 1

SCHEMA: Final[Mapping[str, pl.DataType]] = {
    "run": pl.String(),
    "corpus": pl.String(),
    "corpus_fingerprint": pl.String(),
    "ensemble": pl.String(),
    "condition": pl.String(),
    "measurement": pl.String(),
    "metric": pl.String(),
    "subset": pl.String(),
    "value": pl.Float64(),
    "numerator": pl.Float64(),
    "denominator": pl.Float64(),
    "ci_low": pl.Float64(),
    "ci_high": pl.Float64(),
    "sd": pl.Float64(),
    "method": pl.String(),
    "seed": pl.Int64(),
    "version": pl.String(),
    "schema": pl.Int64(),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """One number before it is tied to a run: what a measuring function returns.

    Parameters
    ----------
    measurement, metric
        Names of docs/measures.md.
    value
        The figure; None where it is not measurable (an empty denominator), with the reason in `method`.
    subset
        ``key=value`` pairs (see `subset_key`), empty for everything.
    numerator, denominator
        The counts behind a share; None where the figure is not a ratio of counts.
    ci_low, ci_high, sd
        95 % interval and standard deviation, None where not applicable.
    method
        How value and interval were obtained (``wilson``, ``bootstrap-documents``, ``exact``).
    seed
        Seed of whatever randomness went in, None if none.
    """

    measurement: str
    metric: str
    value: float | None
    subset: str = ""
    numerator: float | None = None
    denominator: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    sd: float | None = None
    method: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("value", "numerator", "denominator", "ci_low", "ci_high", "sd"):
            number = getattr(self, name)
            if number is not None and math.isnan(number):
                raise ValueError(f"{self.measurement}/{self.metric} {self.subset!r}: {name} is NaN; use None for not measurable")


def subset_key(**pairs: object) -> str:
    """Canonical subset string: ``key=value`` pairs in the order given, joined by ``;``; None values are left out."""
    parts = []
    for key, value in pairs.items():
        if value is None:
            continue
        text = str(value)
        if ";" in text or "=" in text:
            text = text.replace(";", "%3B").replace("=", "%3D")
        parts.append(f"{key}={text}")
    return ";".join(parts)


def parse_subset(subset: str) -> dict[str, str]:
    """Inverse of `subset_key`."""
    pairs = (part.split("=", 1) for part in subset.split(";") if part)
    return {key: value.replace("%3B", ";").replace("%3D", "=") for key, value in pairs}


def rows(
    measures: Iterable[Measure], *, run: str, corpus: str, corpus_fingerprint: str, ensemble: str, condition: str = ""
) -> pl.DataFrame:
    """Tie measures to a run: one frame in the results schema."""
    head = {"run": run, "corpus": corpus, "corpus_fingerprint": corpus_fingerprint, "ensemble": ensemble, "condition": condition}
    data = [{**head, **asdict(m), "version": __version__, "schema": SCHEMA_VERSION} for m in measures]
    return pl.DataFrame(data, schema=dict(SCHEMA))


def concat(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All rows of several frames, in order; an empty frame in the results schema if there is none."""
    return pl.concat([pl.DataFrame(schema=dict(SCHEMA)), *frames])


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as Parquet with a checksum in every page, so that an altered file is an error and never a wrong figure."""
    pq.write_table(frame.to_arrow(), path, compression="zstd", write_page_checksum=True)


def read_results(path: Path) -> pl.DataFrame:
    """Read a results table; one that is damaged or of another schema version is refused by name."""
    try:
        # pyarrow compares the checksums of the pages; polars does not, and a page that it cannot decode ends in a panic.
        with pq.ParquetFile(path, page_checksum_verification=True) as parquet:
            frame = pl.DataFrame(pl.from_arrow(parquet.read()))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise StoreError(f"cannot read results {str(path)!r}: {str(error).splitlines()[0]}; run it again") from None
    if "schema" not in frame.columns:
        raise StoreError(f"{str(path)!r} is not a results table: it has no column 'schema'")
    versions = frame["schema"].unique().to_list()
    if any(version != SCHEMA_VERSION for version in versions):
        raise StoreError(f"{str(path)!r} has results schema {versions}, this version reads {SCHEMA_VERSION}; run it again")
    lacking = [name for name, kind in SCHEMA.items() if frame.schema.get(name) != kind]
    if lacking:
        raise StoreError(f"{str(path)!r} is not a results table: column {lacking[0]!r} is missing or of another type")
    return frame.select(list(SCHEMA))
