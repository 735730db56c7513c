"""The release stage of a run: A, B and C are built in one stream and checked against each other; only digests are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from bench.core.corpus import Corpus
from bench.core.model import Json
from bench.core.results import Measure
from bench.core.tables import SegmentTable
from bench.core.taxonomy import Policy
from bench.measures.intervals import with_wilson
from bench.pipeline.members import Progress
from conditions.base import ReleaseSettings
from conditions.keys import SecretKey
from conditions.release import build_releases
from conditions.stability import stability
from conditions.standard import Placeholders, Surrogates, Unmodified


@dataclass(frozen=True, slots=True)
class ReleaseStage:
    """What the release stage tells: stability of B, and per condition a digest and the manifest's facts."""

    measures: list[Measure]
    conditions: Mapping[str, Mapping[str, Json]]


def release_stage(corpus: Corpus, segments: SegmentTable, policy: Policy, key: SecretKey, *, progress: Progress) -> ReleaseStage:
    """Build conditions A, B and C of a corpus in one stream; nothing is written.

    Every document is checked: B rewritten into C must be C character for character. The digest of a condition is the SHA-256
    over its texts, so that two runs can be seen to have released the same bytes.

    Raises
    ------
    IntegrityError
        B rewritten into C differs from C; the message names the document.
    """
    settings = ReleaseSettings(key=key, mentions=corpus.mentions())
    surrogates = Surrogates.create(settings)
    conditions = [Unmodified.create(settings), surrogates, Placeholders.create(settings)]
    digests = {condition.name: hashlib.sha256() for condition in conditions}
    with progress(f"{corpus.name}: releases A, B, C", len(corpus)) as report:
        for done, released in enumerate(build_releases(corpus.documents, segments, conditions), start=1):
            for condition, document in zip(conditions, released, strict=True):
                # A lone surrogate cannot be in a prepared corpus; lengths keep neighbouring texts apart.
                data = document.text.encode()
                digests[condition.name].update(len(data).to_bytes(8, "big") + data)
            report(done)
    codes = surrogates.surrogates.codes
    measures = with_wilson(stability(corpus.mentions(), corpus.tokens(), segments, codes, policy, corpus.info.identity_scope))
    return ReleaseStage(
        measures,
        {c.name: {"texts_sha256": digests[c.name].hexdigest(), **c.describe()} for c in conditions},
    )
