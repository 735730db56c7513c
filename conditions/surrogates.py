"""Surrogates: pool[type, locale][HMAC-SHA256(key, type || 0x1f || normalised [|| 0x1f || counter]) mod pool size].

Source: docs/measures.md, Release conditions, [T] section 2.2. A whole span becomes one surrogate, whatever its length; equal keys
become equal surrogates over the whole corpus, whatever their spelling, case or document (but for the punctuation of the types
that keep a shape, see `conditions.shapes`). A surrogate whose key is that of a mention of the corpus, or of a replaced
segment, is drawn again with the counter raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.core.errors import IntegrityError
from bench.core.tables import I64
from bench.core.taxonomy import TYPES
from conditions.keys import SecretKey
from conditions.normalise import normalise
from conditions.pools import language_pools, pool_language
from conditions.product import Pool, expected_collisions
from conditions.shapes import age_pool, contact_pool, date_pool, is_postcode, quantity_pool, shape_pool
from conditions.surfaces import Surfaces

#: Draws before giving up: even where half of a pool is taken, 256 misses have a chance of 2**-256.
MOST_DRAWS: Final[int] = 256
#: Draws after which a pool that keeps a shape is widened by one step, and by another.
_WIDEN_AFTER: Final[tuple[int, ...]] = (32, 96, 160)
#: A shape is kept up to this length; a longer span is a detector's mistake and gets a surrogate of this length.
_LONGEST_SHAPE: Final[int] = 256


def _location_kind(key: str) -> str:
    if not any(char.isdigit() for char in key):
        return "LOCATION"
    if is_postcode(key):
        return "postcode"
    numbers = [word for word in key.split() if word.isdigit()]
    return "ADDRESS" if len(numbers) > 1 and any(len(word) > 3 for word in numbers) else "STREET"


def pool_for(type_name: str, key: str, surface: str, language: str, wider: int = 0) -> tuple[str, Pool]:
    """Pool that a surface draws from, and the name of its kind.

    Parameters
    ----------
    type_name, key, surface
        Taxonomy type, normalised key and raw surface.
    language
        ISO 639-1 code from `conditions.pools.pool_language`; unused where the shape decides.
    wider
        Steps by which a pool that keeps a shape is widened.
    """
    surface = surface[:_LONGEST_SHAPE]
    match type_name:
        case "ID":
            return "shape", shape_pool(surface, wider)
        case "CONTACT":
            return contact_pool(surface, wider)
        case "AGE":
            return "age", age_pool(surface, wider)
        case "QUANTITY":
            return "quantity", quantity_pool(surface, wider)
        case "DATE":
            pool = date_pool(surface, wider)
            if pool is not None:
                return "date", pool
        case "LOCATION":
            kind = _location_kind(key)
            if kind == "postcode":
                return kind, shape_pool(surface, wider)
            if kind != "LOCATION":
                return f"{language}:{kind}", language_pools(language).pool(kind)
    pools = language_pools(language)
    kind = pools.kind_of(type_name, key)
    return f"{language}:{kind}", pools.pool(kind)


@dataclass(frozen=True, slots=True)
class PoolUse:
    """How crowded one pool is.

    Parameters
    ----------
    type, kind
        Taxonomy type; kind of pool (``de:PERSON``, ``shape`` ...).
    size
        Surrogates in the pool.
    keys
        Distinct keys that drew from it.
    collisions
        Expected pairs of them that share a surrogate by chance: keys (keys - 1) / (2 size).
    """

    type: str
    kind: str
    size: int
    keys: int
    collisions: float

    @property
    def crowded(self) -> bool:
        """Whether chance alone makes more than one key in a hundred share its surrogate."""
        return self.collisions > 0.005 * self.keys


@dataclass(frozen=True)
class SurrogateMap:
    """The surrogate of every distinct surface of a corpus.

    Parameters
    ----------
    surfaces
        What was replaced.
    surrogate
        Surrogate of each surface, shape (surfaces,).
    identity
        Code of each surface's surrogate, equal for equal (type, key of the surrogate); shape (surfaces,).
    pool_uses
        The pools drawn from, the most crowded first.
    pools_fingerprint
        Fingerprint of the language pools by language: what Faker's lists held.
    digest
        Mapping digest (see `mapping_digest`).
    """

    surfaces: Surfaces
    surrogate: Sequence[str]
    identity: I64
    pool_uses: Sequence[PoolUse]
    pools_fingerprint: Mapping[str, str]
    digest: str

    @cached_property
    def surrogate_array(self) -> npt.NDArray[np.object_]:
        """`surrogate` as an array of objects, for lookups of many at once."""
        array = np.empty(len(self.surrogate), dtype=object)
        array[:] = self.surrogate
        return array

    @property
    def codes(self) -> I64:
        """Surrogate code of every segment, shape (segments,): what `conditions.stability` counts."""
        return self.identity[self.surfaces.of_segment]

    def mapping(self) -> Iterator[dict[str, str]]:
        """Every distinct surface with its surrogate, sorted: the secret that only ``--write-mapping`` writes."""
        known = self.surfaces
        for code, key, surface, surrogate in sorted(zip(known.type.tolist(), known.key, known.text, self.surrogate, strict=True)):
            yield {"type": TYPES[code], "surface": surface, "key": key, "surrogate": surrogate}


def build_surrogates(surfaces: Surfaces, key: SecretKey) -> SurrogateMap:
    """Choose the surrogate of every distinct surface.

    Raises
    ------
    bench.core.errors.IntegrityError
        A surface has no surrogate after 256 draws: every one drawn is a mention of the corpus. The message gives type and
        kind of the pool, never the surface.
    """
    chosen: list[str] = []
    identities: dict[tuple[int, str], int] = {}
    identity = np.empty(len(surfaces), np.int64)
    uses: dict[tuple[str, str, int], set[str]] = {}
    # Surrogates of keys whose pool depends on the key alone: further spellings need not be drawn again.
    drawn: dict[tuple[int, str], tuple[str, int]] = {}
    spoken: set[str] = set()
    for i, (code, surface, normalised) in enumerate(zip(surfaces.type.tolist(), surfaces.text, surfaces.key, strict=True)):
        pair = (code, normalised)
        known = drawn.get(pair)
        if known is None:
            language = pool_language(normalised, surfaces.languages.get(pair, frozenset()))
            surrogate, its_key, kind, size = _draw(TYPES[code], normalised, surface, language, surfaces.forbidden, key)
            known = surrogate, identities.setdefault((code, its_key), len(identities))
            uses.setdefault((TYPES[code], kind, size), set()).add(normalised)
            if ":" in kind:
                spoken.add(language)
                drawn[pair] = known
        chosen.append(known[0])
        identity[i] = known[1]
    pool_uses = [
        PoolUse(t, kind, size, len(keys), expected_collisions(len(keys), size)) for (t, kind, size), keys in uses.items()
    ]
    pool_uses.sort(key=lambda use: (-use.collisions, use.type, use.kind, use.size))
    return SurrogateMap(
        surfaces,
        chosen,
        identity,
        pool_uses,
        {language: language_pools(language).fingerprint for language in sorted(spoken)},
        mapping_digest(surfaces, chosen, key),
    )


def _draw(
    type_name: str, normalised: str, surface: str, language: str, forbidden: frozenset[str], key: SecretKey
) -> tuple[str, str, str, int]:
    wider = 0
    kind, pool = pool_for(type_name, normalised, surface, language)
    for counter in range(MOST_DRAWS):
        if counter in _WIDEN_AFTER:
            wider += 1
            kind, pool = pool_for(type_name, normalised, surface, language, wider)
        surrogate = " ".join(pool.pick(key.draw(type_name, normalised, counter)).split())
        if not surrogate:
            continue
        its_key = normalise(surrogate, titles=type_name == "PERSON")
        if its_key not in forbidden:
            return surrogate, its_key, kind, pool.size
    raise IntegrityError(
        f"no surrogate for a {type_name} after {MOST_DRAWS} draws from pool {kind!r} ({pool.size}): all stand in the corpus"
    )


def mapping_digest(surfaces: Surfaces, surrogate: Sequence[str], key: SecretKey) -> str:
    """HMAC-SHA256 over the sorted distinct (type, key, surrogate) triples, 64 hexadecimal digits.

    Equal for equal mappings under one key; keyed, so that it confirms no guess to anybody without the key.
    """
    triples = {(TYPES[code], k, s) for code, k, s in zip(surfaces.type.tolist(), surfaces.key, surrogate, strict=True)}
    lines = [field.encode("utf-8", "surrogatepass") for triple in sorted(triples) for field in triple]
    return key.mac(b"deidbench mapping", *lines).hex()
