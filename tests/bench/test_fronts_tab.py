"""The front of three published anonymisation systems on real judgments, every (subset, k) recounted from the raw files.

Gold: 31 TAB test judgments of one annotator each; spans: Presidio, Stanford NER and spaCy as published for the same texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from bench.core.taxonomy import TYPE_CODE, Policy
from bench.core.tokens import tokenise
from bench.fronts import compute_front
from bench.votes import segments
from tests.reference import lattice_naive, votes_naive
from tests.reference.lattice_naive import Gold, mention_table
from tests.reference.votes_naive import Spans, Tokens, span_table, token_table

GOLD: Final = {
    "PERSON": "PERSON", "CODE": "ID", "LOC": "LOCATION", "ORG": "ORGANISATION", "DEM": "DEMOGRAPHIC", "DATETIME": "DATE",
    "QUANTITY": "QUANTITY", "MISC": "OTHER",
}  # fmt: skip
LABELS: Final = {
    "PERSON": "PERSON", "LOCATION": "LOCATION", "GPE": "LOCATION", "ORGANIZATION": "ORGANISATION", "ORG": "ORGANISATION",
    "DATE": "DATE", "DATE_TIME": "DATE", "TIME": "DATE", "NRP": "DEMOGRAPHIC", "NORP": "DEMOGRAPHIC", "PERCENT": "QUANTITY",
    "CARDINAL": "QUANTITY", "ORDINAL": "QUANTITY", "MONEY": "QUANTITY", "QUANTITY": "QUANTITY",
}  # fmt: skip
SYSTEMS: Final = {"presidio": "Presidio", "spacy": "spaCy", "stanford": "St.NER7"}


Judgments: TypeAlias = tuple[Tokens, Gold, dict[str, Spans]]


@pytest.fixture(scope="module")
def judgments(request: pytest.FixtureRequest) -> Judgments:
    """Tokens, gold and the spans of each system over the same 31 judgments."""
    find: Callable[[str], Path] = request.getfixturevalue("shared_data")
    records = [json.loads(line) for line in find("tab/spia/entity_tab_144.jsonl").read_text(encoding="utf-8").splitlines()]
    records = [r for r in records if r["metadata"]["provenance"]["dataset_type"] == "test"]
    ids = [r["metadata"]["provenance"]["doc_id"] for r in records]
    entities: dict[tuple[str, str], int] = {}
    gold = [
        [
            (
                m["start_offset"],
                m["end_offset"],
                TYPE_CODE[GOLD[m["entity_type"]]],
                entities.setdefault((doc, m["entity_id"]), len(entities)),
            )
            for m in r["entities"]
        ]
        for doc, r in zip(ids, records, strict=True)
    ]
    spans: dict[str, Spans] = {}
    for name, file in SYSTEMS.items():
        found = json.loads(find(f"tab/tae/TAB_test_{file}_Entity.json").read_text(encoding="utf-8"))
        spans[name] = [[(s, e, TYPE_CODE[LABELS.get(label, "OTHER")]) for s, e, label in found[doc]] for doc in ids]
    return [tokenise(r["text"]) for r in records], gold, spans


def test_every_ensemble_equals_the_recount(
    judgments: Judgments,
) -> None:
    tokens, gold, spans = judgments
    policy, names = Policy.default(), sorted(spans)
    result = compute_front(
        token_table(tokens), mention_table(gold), [span_table(spans[n]) for n in names], names, policy, {}, candidates="all"
    )
    assert len(result.candidates) == 3 + 3 * 2 + 3
    rows = list(result.candidates.iter_rows(named=True))
    for row in rows:
        members = {names.index(name) for name in row["members"]}
        c = lattice_naive.score(tokens, gold, [spans[n] for n in names], policy.codes, members, row["k"])
        assert (row["tp"], row["gold_tokens"], row["tn"], row["non_gold_tokens"]) == (c.tp, c.gold, c.tn, c.non_gold)
        assert (row["person_tp"], row["person_gold"]) == (c.person_tp, c.person_gold)
        assert (row["mentions_replaced"], row["mentions"]) == (c.mentions_replaced, c.mentions)
        assert (row["entities_protected"], row["entities"]) == (c.entities_protected, c.entities)
    # Presidio's names and places here are spaCy's own, so it adds no gold token to the union of the other two.
    best = max(rows, key=lambda r: (r["tp"], r["tn"], -r["size"]))
    assert result.points[0].candidate == best
    assert best["ensemble"] == "union(spacy,stanford)"
    keys = [(0.0, r["tp"], r["tn"], r["size"], sum(1 << names.index(m) for m in r["members"]), r["k"]) for r in rows]
    assert {i for i, r in enumerate(rows) if r["on_front"]} == lattice_naive.front(keys)


def test_merged_spans_equal_the_reference(
    judgments: Judgments,
) -> None:
    tokens, _, spans = judgments
    # One judgment is enough for the slow reference; overlaps between the three systems are many in each.
    detectors = [spans[name][:1] for name in sorted(spans)]
    for k in (1, 2, 3):
        found = segments(token_table(tokens[:1]), [span_table(d) for d in detectors], Policy.default(), k)
        rows = list(zip(found.start.tolist(), found.end.tolist(), found.type.tolist(), strict=True))
        assert rows == votes_naive.segments(tokens[:1], detectors, Policy.default().codes, k)[0]
        assert len(rows) > 5
