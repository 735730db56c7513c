"""The vote lattice: tokens with at least k votes inside every subset of the detectors, from one histogram of vote masks.

(docs/kernels.md.) ``h[class][mask]`` counts the tokens of a class that exactly the detectors of `mask` flag. The vote
recurrence then folds one detector at a time: with ``a0`` the counts without its bit and ``a1`` those with it, a subset without
the detector has ``a0[j] + a1[j]`` tokens at j votes, a subset with it ``a0[j] + a1[j - 1]``. A suffix sum gives "at least k".
All counts are exact int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from bench.core.errors import UsageError
from bench.core.tables import I64, U64, MentionTable, TokenTable, covered, token_ranges
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPES, Policy

U16: TypeAlias = npt.NDArray[np.uint16]

#: Detectors of the full lattice: 65,536 subsets. Beyond it, a list of subsets is scored instead.
MAX_LATTICE: Final[int] = 16
#: Token classes: bit i of a class word is class i. A token can be gold of several types.
CLASSES: Final[tuple[str, ...]] = ("non_gold", "gold", *TYPES, *IDENTIFIER_CLASSES[1:])


def token_classes(tokens: TokenTable, gold: MentionTable, policy: Policy) -> U16:
    """Class word of every token, shape (tokens,): bit i set where the token belongs to ``CLASSES[i]``.

    A token is gold if it shares a character with a gold mention of a replaced type; every other token is non-gold, those of
    retained types too (docs/measures.md, Detection). Types and identifier classes are those of its mentions of replaced types.
    """
    first, last = token_ranges(tokens, gold.indptr, gold.start, gold.end)
    words = np.zeros(len(tokens), dtype=np.uint16)
    replaced = np.isin(gold.type, list(policy.codes))

    def mark(rows: npt.NDArray[np.bool_], name: str) -> None:
        if rows.any():
            words[covered(len(tokens), first[rows], last[rows])] |= np.uint16(1 << CLASSES.index(name))

    mark(replaced, "gold")
    for code, name in enumerate(TYPES):
        mark(replaced & (gold.type == code), name)
    for code, name in enumerate(IDENTIFIER_CLASSES[1:], start=1):
        mark(replaced & (gold.identifier == code), name)
    words[words == 0] = 1
    return words


@njit(cache=True)  # type: ignore[untyped-decorator]
def _survey(masks: Any, words: Any, seen: Any) -> Any:
    """Mark the class words that occur; returns the OR of all masks."""
    union = np.uint64(0)
    for token in range(len(masks)):
        seen[words[token]] = True
        union |= masks[token]
    return union


@njit(cache=True)  # type: ignore[untyped-decorator]
def _histogram(masks: Any, words: Any, row_of_word: Any, out: Any) -> None:
    for token in range(len(masks)):
        out[row_of_word[words[token]], masks[token]] += 1


@njit(cache=True)  # type: ignore[untyped-decorator]
def _vote_dp(g: Any, n: int) -> None:
    """The recurrence in place on ``g[class, subset, votes]``, then the suffix sum over votes."""
    for c in range(g.shape[0]):
        for b in range(n):
            bit = 1 << b
            for base in range(0, 1 << n, 2 * bit):
                for without in range(base, base + bit):
                    with_it = without | bit
                    # Downwards, so that g[with_it, j - 1] is still the old value; at most b votes were possible before.
                    for j in range(b + 1, -1, -1):
                        a0, a1 = g[c, without, j], g[c, with_it, j]
                        g[c, without, j] = a0 + a1
                        g[c, with_it, j] = a0 + (g[c, with_it, j - 1] if j else 0)
        for subset in range(1 << n):
            for j in range(n - 1, -1, -1):
                g[c, subset, j] += g[c, subset, j + 1]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _at_least_of_subsets(masks: Any, weights: Any, subsets: Any, out: Any) -> None:
    """``out[class, subset, k]`` for a list of subsets: one pass over the distinct masks for each."""
    for index in range(len(subsets)):
        for m in range(len(masks)):
            x = masks[m] & subsets[index]
            votes = 0
            while x and votes < out.shape[2] - 1:
                x &= x - np.uint64(1)
                votes += 1
            for c in range(len(weights)):
                out[c, index, votes] += weights[c, m]
        for c in range(len(weights)):
            for k in range(out.shape[2] - 2, -1, -1):
                out[c, index, k] += out[c, index, k + 1]


def check_lattice_size(n_detectors: int) -> None:
    """Refuse a full lattice over more than `MAX_LATTICE` detectors, saying what else there is."""
    if not 1 <= n_detectors <= MAX_LATTICE:
        raise UsageError(
            f"every subset of {n_detectors} detectors is too many; accepted: 1 to {MAX_LATTICE} detectors, "
            "or a limited candidate set such as 'triples'"
        )


def histogram(masks: U64, words: U16, n_detectors: int, classes: Sequence[str] = CLASSES) -> I64:
    """Tokens per class and vote mask.

    Parameters
    ----------
    masks
        Vote masks, shape (tokens,), each below ``2 ** n_detectors``.
    words
        Class words of the same tokens (`token_classes`).
    n_detectors
        At most `MAX_LATTICE`.
    classes
        Which of `CLASSES`, in the order wanted.

    Returns
    -------
    Counts, shape (classes, 2 ** n_detectors).
    """
    check_lattice_size(n_detectors)
    seen = np.zeros(1 << 16, dtype=np.bool_)
    union = int(_survey(masks, words, seen))
    if union >> n_detectors:
        raise UsageError(f"a vote mask has bit {union.bit_length() - 1}, beyond {n_detectors} detectors")
    bits = np.array([1 << CLASSES.index(name) for name in classes], dtype=np.uint16)
    # One counter per token, not one per class: tokens are counted by which of the wanted classes they belong to.
    kinds, rows = np.unique(np.flatnonzero(seen).astype(np.uint16) & np.bitwise_or.reduce(bits), return_inverse=True)
    row_of_word = np.zeros(1 << 16, dtype=np.uint16)
    row_of_word[seen] = rows
    by_kind = np.zeros((len(kinds), 1 << n_detectors), dtype=np.int64)
    _histogram(masks, words, row_of_word, by_kind)
    out = np.zeros((len(classes), 1 << n_detectors), dtype=np.int64)
    for row, bit in enumerate(bits):
        out[row] = by_kind[(kinds & bit) != 0].sum(axis=0)
    return out


def vote_dp(h: I64) -> I64:
    """At-least-k counts of every subset: shape (classes, 2 ** D) to (classes, 2 ** D, D + 1).

    ``result[c, S, k]`` is the number of tokens of class c with at least k votes among the detectors whose bits S has;
    ``result[c, S, 0]`` is the class's size. Memory: ``8 * classes * 2 ** D * (D + 1)`` bytes, 9 MB a class for 16 detectors.
    """
    n = h.shape[1].bit_length() - 1
    check_lattice_size(n)
    if h.shape[1] != 1 << n:
        raise UsageError(f"a histogram over {h.shape[1]} masks; accepted: a power of two")
    g = np.zeros((*h.shape, n + 1), dtype=np.int64)
    g[:, :, 0] = h
    _vote_dp(g, n)
    return g


def subset_counts(masks: U64, weights: I64, subsets: U64, width: int) -> I64:
    """At-least-k counts of listed subsets, for more detectors than the full lattice takes.

    Parameters
    ----------
    masks
        Distinct vote masks, shape (m,).
    weights
        Tokens of each class with that mask, shape (classes, m).
    subsets
        Subsets as masks, shape (s,).
    width
        Largest k wanted; votes beyond it count as `width`.

    Returns
    -------
    Counts, shape (classes, s, width + 1).
    """
    out = np.zeros((len(weights), len(subsets), width + 1), dtype=np.int64)
    _at_least_of_subsets(masks, weights, subsets, out)
    return out


def distinct_masks(masks: U64, words: U16, classes: Sequence[str]) -> tuple[U64, I64]:
    """Distinct vote masks, shape (m,), and the tokens of each class that have them, shape (classes, m)."""
    distinct, inverse = np.unique(masks, return_inverse=True)
    bits = [np.uint16(1 << CLASSES.index(name)) for name in classes]
    counts = [np.bincount(inverse[(words & bit) != 0], minlength=len(distinct)) for bit in bits]
    return distinct, np.asarray(counts, dtype=np.int64).reshape(len(classes), len(distinct))


@dataclass(frozen=True, slots=True)
class TokenLattice:
    """Every (subset, k) of up to `MAX_LATTICE` detectors, scored on tokens.

    Parameters
    ----------
    n_detectors
        Number of detectors; bit i of a subset is detector i.
    classes
        Names of the first axis.
    at_least
        Result of `vote_dp`.
    """

    n_detectors: int
    classes: tuple[str, ...]
    at_least: I64

    @classmethod
    def of(cls, masks: U64, words: U16, n_detectors: int, classes: Sequence[str] = CLASSES) -> TokenLattice:
        """Build it from vote masks and class words (`bench.votes.vote_masks`, `token_classes`)."""
        return cls(n_detectors, tuple(classes), vote_dp(histogram(masks, words, n_detectors, classes)))

    def total(self, name: str) -> int:
        """Tokens of a class."""
        return int(self.at_least[self.classes.index(name), 0, 0])

    def flagged(self, name: str, subset: int, k: int) -> int:
        """Tokens of a class that "at least `k` votes in `subset`" flags: TP for gold classes, FP for ``non_gold``."""
        return int(self.at_least[self.classes.index(name), subset, k])
