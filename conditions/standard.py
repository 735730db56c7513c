"""The three conditions of [T] section 2.2: A unmodified, B surrogates, C typed placeholders."""

from __future__ import annotations

from collections.abc import Iterable

import faker
import numpy as np

from bench.core.errors import ConfigError, IntegrityError
from bench.core.model import Json
from bench.core.tables import MentionTable, SegmentTable
from conditions.base import Condition, Edits, ReleaseSettings
from conditions.keys import SecretKey
from conditions.placeholders import placeholders
from conditions.surfaces import Batch, Stream, collect_surfaces
from conditions.surrogates import SurrogateMap, build_surrogates


class Unmodified(Condition):
    """Condition A: every text as it is."""

    name = "A"
    summary = "unmodified text"

    @classmethod
    def create(cls, settings: ReleaseSettings) -> Unmodified:
        """A needs nothing."""
        del settings
        return cls()

    def render(self, batch: Batch) -> Edits:
        """No replacement."""
        return Edits.none(len(batch.documents))


class Surrogates(Condition):
    """Condition B: each segment becomes a realistic surrogate, stable over the corpus, chosen by a keyed hash.

    Parameters
    ----------
    key
        Secret key.
    mentions, forbidden
        What no surrogate may equal, beside the replaced segments themselves.
    """

    name = "B"
    summary = "realistic surrogates, stable over the corpus, keyed with HMAC-SHA256"
    needs_key = True

    def __init__(self, key: SecretKey, mentions: MentionTable | None = None, forbidden: Iterable[str] = ()) -> None:
        self._key = key
        self._mentions = mentions
        self._forbidden = frozenset(forbidden)
        self._map: SurrogateMap | None = None

    @classmethod
    def create(cls, settings: ReleaseSettings) -> Surrogates:
        """B needs the key."""
        if settings.key is None:
            raise ConfigError("condition 'B' needs a secret key: give a key file, or set DEIDBENCH_KEY or DEIDBENCH_KEY_FILE")
        return cls(settings.key, settings.mentions, settings.forbidden)

    def prepare(self, documents: Stream, segments: SegmentTable, batch_size: int) -> None:
        """Collect the distinct surfaces and choose the surrogate of each."""
        surfaces = collect_surfaces(documents, segments, self._mentions, self._forbidden, batch_size)
        self._map = build_surrogates(surfaces, self._key)

    @property
    def surrogates(self) -> SurrogateMap:
        """The mapping; its `SurrogateMap.codes` are what stability is measured on."""
        if self._map is None:
            raise IntegrityError("condition B is rendered before it has read the corpus; call prepare first")
        return self._map

    def render(self, batch: Batch) -> Edits:
        """Look up the surrogate of each segment."""
        table = self.surrogates
        lengths = table.surfaces.lengths[batch.first : batch.first + len(batch.documents)].tolist()
        for document, length in zip(batch.documents, lengths, strict=True):
            if len(document.text) != length:
                raise IntegrityError(
                    f"document {document.doc_id!r} changed from {length} to {len(document.text)} characters between two passes"
                )
        chosen: list[str] = table.surrogate_array[table.surfaces.of_segment[batch.rows]].tolist()
        return Edits.of_segments(batch, chosen)

    def describe(self) -> dict[str, Json]:
        """Fingerprint of the key, digest of the mapping, and what the pools were."""
        table = self.surrogates
        crowded = [f"{use.type} {use.kind} ({use.keys} keys, {use.size} surrogates)" for use in table.pool_uses if use.crowded]
        return {
            "key_fingerprint": self._key.fingerprint,
            "mapping_digest": table.digest,
            "surfaces": len(table.surfaces),
            "surrogates": int(np.unique(table.identity).size),
            "expected_chance_collisions": round(sum(use.collisions for use in table.pool_uses), 6),
            "crowded_pools": list[Json](crowded),
            "pools": dict(table.pools_fingerprint),
            "faker": faker.VERSION,
        }


class Placeholders(Condition):
    """Condition C: each segment becomes an unindexed placeholder of its type, such as ``[PERSON]``."""

    name = "C"
    summary = "typed placeholders such as [PERSON]"

    @classmethod
    def create(cls, settings: ReleaseSettings) -> Placeholders:
        """C needs nothing."""
        del settings
        return cls()

    def render(self, batch: Batch) -> Edits:
        """The placeholder of each segment's type."""
        return Edits.of_segments(batch, placeholders(batch.segments.type[batch.rows]))
