"""Span scores by trying every one-to-one pairing of gold and predictions; for a handful of spans only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Triple = tuple[int, int, int]
#: correct, incorrect, partial, missed, spurious
Outcome = tuple[int, int, int, int, int]

RULES: dict[str, Callable[[Triple, Triple], bool]] = {
    "strict": lambda g, p: g == p,
    "exact": lambda g, p: g[:2] == p[:2],
    "partial": lambda g, p: g[:2] == p[:2],
    "type": lambda g, p: g[2] == p[2],
}


def overlap(gold: Triple, predicted: Triple) -> bool:
    """Whether they share a character and at least 1 % of the gold span."""
    shared = min(gold[1], predicted[1]) - max(gold[0], predicted[0])
    return shared > 0 and shared / (gold[1] - gold[0]) >= 0.01


def best_pairing(gold: list[Triple], predicted: list[Triple], correct: Callable[[Triple, Triple], bool]) -> tuple[int, int]:
    """Correct and other pairs of the pairing with the most correct pairs and, among those, the most pairs."""
    if not gold:
        return 0, 0
    first, rest = gold[0], gold[1:]
    best = best_pairing(rest, predicted, correct)
    for position, candidate in enumerate(predicted):
        if overlap(first, candidate):
            right, other = best_pairing(rest, predicted[:position] + predicted[position + 1 :], correct)
            best = max(best, (right + 1, other) if correct(first, candidate) else (right, other + 1))
    return best


def document_outcome(gold: Iterable[Triple], predicted: Iterable[Triple], scheme: str) -> Outcome:
    """Outcome counts of one document under one scheme."""
    unique_gold, unique_predicted = sorted(set(gold)), sorted(set(predicted))
    right, other = best_pairing(unique_gold, unique_predicted, RULES[scheme])
    incorrect, partial = (0, other) if scheme == "partial" else (other, 0)
    return right, incorrect, partial, len(unique_gold) - right - other, len(unique_predicted) - right - other


def outcome(documents: Iterable[tuple[Iterable[Triple], Iterable[Triple]]], scheme: str) -> Outcome:
    """Outcome counts added up over documents."""
    rows = [document_outcome(gold, predicted, scheme) for gold, predicted in documents]
    correct, incorrect, partial, missed, spurious = (sum(column) for column in zip((0,) * 5, *rows, strict=True))
    return correct, incorrect, partial, missed, spurious
