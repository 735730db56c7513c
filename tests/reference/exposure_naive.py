"""Exposure counted one mention at a time, straight from docs/measures.md, Exposure."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.detection_naive import NaiveDocument, NaiveMention, Restriction, touched


def kind(document: NaiveDocument, mention: NaiveMention) -> str:
    """``clear`` if no token of the mention was replaced, ``partial`` if some, ``replaced`` if all."""
    tokens = touched(document, mention)
    hit = [token for token in tokens if token in document.flagged]
    if not hit:
        return "clear"
    return "replaced" if len(hit) == len(tokens) else "partial"


def exposure_figures(
    documents: Sequence[NaiveDocument], replaced: frozenset[str], part: Restriction
) -> dict[str, tuple[int, int]]:
    """Exposed and total of every denominator; ``clear`` and ``partial`` split the mentions."""
    mentions: list[str] = []
    exposed: dict[str, set[object]] = {"entity_documents": set(), "documents": set(), "cases": set(), "entities": set()}
    every: dict[str, set[object]] = {"entity_documents": set(), "documents": set(), "cases": set(), "entities": set()}
    for number, document in enumerate(documents):
        case = document.case or f"document {number}"
        if part.language in ("", document.language):
            every["documents"].add(number)
            every["cases"].add(case)
        for mention in document.mentions:
            if mention.type not in replaced or not part.holds(document, mention):
                continue
            state = kind(document, mention)
            mentions.append(state)
            every["entity_documents"].add((mention.entity, number))
            every["entities"].add(mention.entity)
            if state != "replaced":
                exposed["entity_documents"].add((mention.entity, number))
                exposed["entities"].add(mention.entity)
                exposed["documents"].add(number)
                exposed["cases"].add(case)
    clear, partial = mentions.count("clear"), mentions.count("partial")
    return {
        "mentions": (clear + partial, len(mentions)),
        "clear": (clear, len(mentions)),
        "partial": (partial, len(mentions)),
        **{name: (len(exposed[name]), len(every[name])) for name in every},
    }
