"""Votes, releases and measures of one corpus: the part of a run that needs the compiled kernels and the surrogate pools."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from bench.core.atomic import replacing
from bench.core.corpus import Corpus
from bench.core.jsonio import file_sha256
from bench.core.results import Measure, concat, rows, write_table
from bench.measures.detection import document_measures
from bench.measures.exposure import survivors
from bench.pipeline.member_spans import MemberSpans
from bench.pipeline.members import Progress
from bench.pipeline.releasing import release_stage
from bench.pipeline.scoring import front_measures, score
from bench.pipeline.settings import RunSettings
from bench.pipeline.stage import Stage
from conditions.keys import SecretKey


def compute_stage(
    corpus: Corpus,
    members: Sequence[MemberSpans],
    settings: RunSettings,
    key: SecretKey,
    run_name: str,
    folder: Path,
    *,
    progress: Progress,
) -> Stage:
    """Measure everything, and write the corpus's own files into the run folder."""
    began = time.perf_counter()
    scores = score(
        corpus,
        settings.ensemble,
        members,
        settings.policy,
        seed=settings.seed,
        resamples=settings.resamples,
        candidates=settings.candidates,
    )
    scored = time.perf_counter()
    release = release_stage(corpus, scores.segments, settings.policy, key, progress=progress)
    released = time.perf_counter()

    def tied(measures: Sequence[Measure], ensemble: str, condition: str = "") -> pl.DataFrame:
        return rows(
            measures,
            run=run_name,
            corpus=corpus.name,
            corpus_fingerprint=corpus.fingerprint,
            ensemble=ensemble,
            condition=condition,
        )

    expression, front = settings.ensemble.expression, scores.front
    frames = [tied(scores.measures, expression), tied(release.measures, expression, "B")]
    if front is not None:
        frames += [tied([measure], ensemble) for ensemble, measure in front_measures(front)]
    files = {
        "front": front.candidates if front else None,
        "documents": tied(document_measures(scores.gold, scores.flagged, corpus.doc_ids), expression),
        "survivors": survivors(scores.gold, scores.flagged),
    }
    folder.mkdir(parents=True, exist_ok=True)
    digests = {}
    for kind, frame in files.items():
        if frame is not None:
            path = folder / f"{kind}-{corpus.name}.parquet"
            with replacing(path) as temporary:
                write_table(frame, temporary)
            digests[path.name] = file_sha256(path)
    return Stage(
        results=concat(frames),
        points=[
            {"name": point.name, "candidate": dict(point.candidate) if point.candidate else None, "reason": point.reason}
            for point in (front.points if front else ())
        ],
        front=front.front.to_dicts() if front else [],
        conditions=release.conditions,
        seconds={"scoring": scored - began, "release": released - scored},
        files=digests,
    )
