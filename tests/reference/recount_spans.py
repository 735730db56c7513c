"""Span scores of the recount: the best one-to-one pairing of SemEval-2013 task 9, found by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.reference.recount_data import Span


def overlap(gold: Span, found: Span) -> bool:
    """Whether a prediction shares a character, and at least one in a hundred, with a gold span."""
    shared = min(gold[1], found[1]) - max(gold[0], found[0])
    return shared > 0 and 100 * shared >= gold[1] - gold[0]


def is_correct(gold: Span, found: Span, scheme: str) -> bool:
    """Whether a pair is correct under a scheme of SemEval-2013 task 9."""
    bounds, types = gold[:2] == found[:2], gold[2] == found[2]
    return {"strict": bounds and types, "exact": bounds, "partial": bounds, "type": types}[scheme]


def span_score(gold: set[Span], found: set[Span], scheme: str) -> tuple[int, int]:
    """(2 correct + partial, gold + predicted) of one document, over the pairing with most correct, then most pairs."""
    correct = other = 0
    for left, right in components(gold, found):
        good, rest = best_pairing(left, right, scheme)
        correct, other = correct + good, other + rest
    return 2 * correct + (other if scheme == "partial" else 0), len(gold) + len(found)


def components(gold: set[Span], found: set[Span]) -> Iterator[tuple[list[Span], list[Span]]]:
    """Groups of gold spans and predictions that hang together by overlaps."""
    left = set(gold)
    while left:
        group, partners = {min(left)}, set[Span]()
        while True:
            more = {p for p in found for g in group if overlap(g, p)}
            wider = {g for g in gold for p in more if overlap(g, p)} | group
            if wider == group and more == partners:
                break
            group, partners = wider, more
        left -= group
        yield sorted(group), sorted(partners)


def best_pairing(gold: list[Span], found: list[Span], scheme: str) -> tuple[int, int]:
    """Correct and other pairs of the best one-to-one pairing, by trying all of them."""

    @cache
    def best(place: int, used: frozenset[int]) -> tuple[int, int]:
        if place == len(gold):
            return 0, 0
        options = [best(place + 1, used)]
        for number, span in enumerate(found):
            if number not in used and overlap(gold[place], span):
                good, rest = best(place + 1, used | {number})
                options.append((good + 1, rest) if is_correct(gold[place], span, scheme) else (good, rest + 1))
        return max(options, key=lambda pair: (pair[0], pair[0] + pair[1]))

    return best(0, frozenset())
