"""The vote lattice against loops over ensembles, at the sizes of docs/kernels.md, All ensembles.

The corpus is synthetic: 15 detectors of unequal strength that agree more often than chance (a shared difficulty per token), 23
million tokens of which 8 % are gold, 300,000 mentions in 60,000 entities. Both sides start from the same votes: the fast one
from the bit mask of every token, the naive one from a boolean array per detector, which saves it the unpacking. The naive side
would take minutes, so it runs a seeded sample of ensembles over the *whole* corpus and its time is scaled by their number;
`detail` says so. Every ensemble of the sample must agree with the lattice, or there is no ratio but an error.
"""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from bench.core.tables import I64, U64, Bool
from bench.lattice import U16, histogram, vote_dp
from bench.unit_lattice import Antichains, antichains, unit_lattice
from tests.benchmarks.ratio import Ratio, best_of

DETECTORS: Final[int] = 15
TOKENS: Final[int] = 23_000_000
MENTIONS: Final[int] = 300_000
ENTITIES: Final[int] = 60_000
#: Every (subset, k) of 15 detectors: the sum of the subset sizes.
ENSEMBLES: Final[int] = DETECTORS * 2 ** (DETECTORS - 1)
#: The naive loop of docs/kernels.md scores the unions of all singles, pairs and triples, and only those.
UNIONS: Final[tuple[tuple[int, ...], ...]] = tuple(
    subset for size in (1, 2, 3) for subset in itertools.combinations(range(DETECTORS), size)
)
_BLOCK: Final[int] = 1_000_000


def votes(n: int, gold: Bool, rng: np.random.Generator) -> U64:
    """Vote masks of `n` tokens, made block by block so that memory stays small."""
    masks = np.zeros(n, dtype=np.uint64)
    strength = np.linspace(0.55, 0.97, DETECTORS, dtype=np.float32)
    noise = np.linspace(0.002, 0.06, DETECTORS, dtype=np.float32)
    for begin in range(0, n, _BLOCK):
        part = slice(begin, min(n, begin + _BLOCK))
        size = part.stop - begin
        hard = rng.random(size, dtype=np.float32) ** 2
        for i in range(DETECTORS):
            chance = np.where(gold[part], strength[i] * (1 - hard * 0.7), noise[i] * (1 + 4 * hard))
            masks[part] |= (rng.random(size, dtype=np.float32) < chance).astype(np.uint64) << np.uint64(i)
    return masks


def tokens_ratio() -> Ratio:
    """All 245,760 ensembles from the histogram against 575 unions counted one by one."""
    rng = np.random.default_rng(20240601)
    gold = rng.random(TOKENS, dtype=np.float32) < 0.08
    masks = votes(TOKENS, gold, rng)
    words: U16 = np.where(gold, 2, 1).astype(np.uint16)
    flags = [(masks >> np.uint64(i) & np.uint64(1)).astype(np.bool_) for i in range(DETECTORS)]
    n_gold = int(gold.sum())

    def fast() -> I64:
        return vote_dp(histogram(masks, words, DETECTORS, ("gold", "non_gold")))

    def naive(subset: tuple[int, ...]) -> tuple[int, int]:
        hit = flags[subset[0]].copy()
        for i in subset[1:]:
            hit |= flags[i]
        tp = int(np.count_nonzero(hit & gold))
        return tp, TOKENS - n_gold - (int(np.count_nonzero(hit)) - tp)

    lattice = fast()
    sample = [UNIONS[i] for i in rng.choice(len(UNIONS), 60, replace=False)]
    naive_seconds, results = best_of(lambda: [naive(subset) for subset in sample], 1)
    for subset, (tp, tn) in zip(sample, results, strict=True):
        s = sum(1 << i for i in subset)
        if (tp, tn) != (int(lattice[0, s, 1]), int(lattice[1, s, 0] - lattice[1, s, 1])):
            raise ValueError(f"union {subset}: the naive count is tp {tp}, tn {tn}, the lattice differs")
    for s, k in _random_ensembles(rng, 12):
        if int(np.count_nonzero((np.bitwise_count(masks & np.uint64(s)) >= k) & gold)) != int(lattice[0, s, k]):
            raise ValueError(f"subset {s:#x} at {k} votes: the popcount and the lattice differ")
    seconds, _ = best_of(fast, 3)
    extrapolated = naive_seconds * len(UNIONS) / len(sample)
    detail = (
        f"{ENSEMBLES:,} ensembles over {TOKENS:,} tokens in {seconds:.3f} s; "
        f"naive: {len(UNIONS)} unions in {extrapolated:.1f} s, "
        f"extrapolated by number from {len(sample)} of them over all tokens ({naive_seconds:.2f} s)"
    )
    return Ratio("vote-lattice-tokens", extrapolated / seconds, 100, detail)


def entities_ratio() -> Ratio:
    """All 245,760 ensembles at mention and entity level against `logical_and.reduceat` for each."""
    rng = np.random.default_rng(20240602)
    mention_of_token = np.repeat(np.arange(MENTIONS, dtype=np.int64), rng.choice([1, 2, 3], MENTIONS, p=[0.45, 0.4, 0.15]))
    entity_of_mention = np.sort(rng.integers(0, ENTITIES, MENTIONS))
    masks = votes(len(mention_of_token), np.ones(len(mention_of_token), dtype=np.bool_), rng)
    mention_starts = np.flatnonzero(np.diff(mention_of_token, prepend=-1))
    entity_starts = np.flatnonzero(np.diff(entity_of_mention, prepend=-1))

    def fast() -> tuple[I64, I64]:
        families: tuple[Antichains, ...] = (
            antichains(mention_of_token, masks, MENTIONS),
            antichains(entity_of_mention[mention_of_token], masks, ENTITIES),
        )
        mentions, entities = (unit_lattice(f, DETECTORS) for f in families)
        return mentions, entities

    def naive(subset: int, k: int) -> tuple[int, int]:
        hit = np.bitwise_count(masks & np.uint64(subset)) >= k
        replaced = np.logical_and.reduceat(hit, mention_starts)
        return int(replaced.sum()), int(np.logical_and.reduceat(replaced, entity_starts).sum())

    mentions, entities = fast()
    sample = _random_ensembles(rng, 600)
    naive_seconds, results = best_of(lambda: [naive(*ensemble) for ensemble in sample], 1)
    for (subset, k), counted in zip(sample, results, strict=True):
        if counted != (int(mentions[subset, k]), int(entities[subset, k])):
            raise ValueError(f"subset {subset:#x} at {k} votes: the naive count is {counted}, the lattice differs")
    seconds, _ = best_of(fast, 3)
    extrapolated = naive_seconds * ENSEMBLES / len(sample)
    detail = (
        f"{ENSEMBLES:,} ensembles over {MENTIONS:,} mentions and {ENTITIES:,} entities in {seconds:.2f} s; "
        f"naive: {extrapolated:.0f} s, "
        f"extrapolated by number from {len(sample)} of them over all units ({naive_seconds:.2f} s)"
    )
    return Ratio("vote-lattice-entities", extrapolated / seconds, 100, detail)


def _random_ensembles(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    subsets = rng.integers(1, 1 << DETECTORS, count).tolist()
    return [(s, int(rng.integers(1, s.bit_count() + 1))) for s in subsets]


def run() -> list[Ratio]:
    """Both kernels, each after its equality check."""
    return [tokens_ratio(), entities_ratio()]
