"""The stage after detection: everything measured of one corpus, and when a stored answer may stand for it.

Votes, releases and measures depend on the spans, the settings, the key and the code, and on nothing else. Their answer is kept in
the run folder as ``stage-<corpus>.json`` beside the files it came with; where all of that is the same the next run reads it back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from bench.core.atomic import write_atomic
from bench.core.corpus import Corpus
from bench.core.errors import DataError, StoreError
from bench.core.jsonio import digest, file_sha256, read_json, seal_of
from bench.core.results import read_results
from bench.pipeline.member_spans import MemberSpans
from bench.pipeline.settings import RunSettings
from bench.provenance import versions

#: Kinds of files that a stage writes for its corpus, ``<kind>-<corpus>.parquet``.
KINDS: Final[tuple[str, ...]] = ("front", "documents", "survivors")


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything measured of one corpus.

    Parameters
    ----------
    results
        Its rows of the results table.
    points
        Operating points: ``name``, ``candidate`` (a row of the front's candidates, or None) and ``reason``.
    front
        Candidates on the Pareto front, cheapest first.
    conditions
        Facts of each release: digest of its texts, fingerprint of the key, pools.
    seconds
        Wall seconds of scoring and of the release.
    files
        Name to SHA-256 of the files that were written with it.
    reused
        Whether it was read back rather than computed.
    """

    results: pl.DataFrame
    points: Sequence[Mapping[str, Any]]
    front: Sequence[Mapping[str, Any]]
    conditions: Mapping[str, Mapping[str, Any]]
    seconds: Mapping[str, float]
    files: Mapping[str, str]
    reused: bool = False


def stage_key(corpus: Corpus, members: Sequence[MemberSpans], settings: RunSettings, key_fingerprint: str, run_name: str) -> str:
    """Digest of everything that a stage's answer depends on, the code and the libraries included."""
    return digest(
        {
            "corpus": [corpus.name, corpus.fingerprint],
            "members": [[member.name, member.fingerprint, member.state] for member in members],
            "settings": settings.as_json(),
            "key": key_fingerprint,
            "run": run_name,
            "versions": versions(),
        }
    )


def _path(folder: Path, corpus: str) -> Path:
    return folder / f"stage-{corpus}.json"


def save_stage(folder: Path, corpus: str, key: str, stage: Stage) -> None:
    """Store a stage's answer, once its files and the results table are written."""
    record: dict[str, Any] = {
        "key": key,
        "results": digest(stage.results.rows()),
        "points": [dict(point) for point in stage.points],
        "front": [dict(row) for row in stage.front],
        "conditions": {name: dict(facts) for name, facts in stage.conditions.items()},
        "seconds": dict(stage.seconds),
        "files": dict(stage.files),
    }
    record["seal"] = seal_of(record)
    write_atomic(_path(folder, corpus), json.dumps(record, ensure_ascii=False, allow_nan=False).encode())


def previous_results(folder: Path) -> pl.DataFrame | None:
    """The results table that an earlier run left in the folder, read before anything is written over it."""
    path = folder / "results.parquet"
    if not path.is_file():
        return None
    try:
        return read_results(path)
    except StoreError:
        return None  # damaged: everything is computed again and written whole


def load_stage(folder: Path, corpus: str, key: str, previous: pl.DataFrame | None) -> Stage | None:
    """The stored answer, or None where there is none for this key, or where it or one of its files is not as it was written."""
    path = _path(folder, corpus)
    if previous is None or not path.is_file():
        return None
    try:
        record = read_json(path)
    except DataError:
        return None  # damaged: likewise
    if not isinstance(record, dict) or record.get("seal") != seal_of(record) or record.get("key") != key:
        return None
    results = previous.filter(pl.col("corpus") == corpus)
    whole = all((folder / name).is_file() and file_sha256(folder / name) == sha for name, sha in record["files"].items())
    if not whole or digest(results.rows()) != record["results"]:
        return None
    parts = {name: record[name] for name in ("points", "front", "conditions", "seconds", "files")}
    return Stage(results, **parts, reused=True)
