"""What the recount reads: a second tokeniser, gold from the corpus's Parquet files, spans from their export."""

from __future__ import annotations

import json
import statistics
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet as pq

STATUSES = ["ok", "truncated", "failed", "missing", "unsupported"]
RAN = {"ok", "truncated", "failed"}
#: A span of text: start, end, type.
Span: TypeAlias = tuple[int, int, str]

# -- tokens ------------------------------------------------------------------------------------------------------------------

_SPACES = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
#: Marks that stand for the ideograph before them (Script=Han, category Lm or Mc).
_ITERATION = "\u3005\u303b\U00016fe3\U00016ff0\U00016ff1"


@cache
def character_class(char: str) -> str:
    """``space``, ``ideograph``, ``word`` (letter, mark or decimal digit) or ``other``; spaces are Unicode's White_Space."""
    if ord(char) in _SPACES:
        return "space"
    if char in _ITERATION or unicodedata.name(char, "").startswith(("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH")):
        return "ideograph"
    category = unicodedata.category(char)
    return "word" if category[0] in "LM" or category == "Nd" else "other"


def tokenise(text: str) -> list[tuple[int, int]]:
    """A run of letters, marks and digits, or one other non-space character; an ideograph is one token."""
    tokens: list[tuple[int, int]] = []
    running = False
    for at, char in enumerate(text):
        kind = character_class(char)
        if kind == "word" and running:
            tokens[-1] = (tokens[-1][0], at + 1)
        elif kind != "space":
            tokens.append((at, at + 1))
        running = kind == "word"
    return tokens


# -- what lies on disk -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mention:
    """One gold mention; `row` is its place in ``mentions.parquet``, `entity` is unique over the corpus."""

    row: int
    doc: int
    start: int
    end: int
    type: str
    entity: tuple[str, ...]
    identifier: str


@dataclass(frozen=True)
class Gold:
    """A prepared corpus, read from its Parquet files; `case` is unique to the document where it has none."""

    doc_ids: list[str]
    texts: list[str]
    languages: list[str]
    cases: list[tuple[str, str]]
    tokens: list[list[tuple[int, int]]]
    mentions: list[Mention]
    scope: str
    own_tokens: bool


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    """All rows of a Parquet file."""
    with pq.ParquetFile(path) as file:
        rows: list[dict[str, Any]] = file.read().to_pylist()
    return rows


def read_gold(folder: Path) -> Gold:
    """Read a prepared corpus."""
    about = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    documents = parquet_rows(folder / "documents.parquet")
    tokens: list[list[tuple[int, int]]] = [[] for _ in documents]
    for row in parquet_rows(folder / "tokens.parquet"):
        tokens[row["doc"]].append((row["start"], row["start"] + row["length"]))
    mentions = []
    for number, row in enumerate(parquet_rows(folder / "mentions.parquet")):
        # Scope "document": equal ids in two documents are two entities.
        entity = (row["entity_id"],) if about["identity_scope"] == "corpus" else (str(row["doc"]), row["entity_id"])
        end = row["start"] + row["length"]
        mentions.append(Mention(number, row["doc"], row["start"], end, row["type"], entity, row["identifier"]))
    return Gold(
        [d["doc_id"] for d in documents],
        [d["text"] for d in documents],
        [d["language"] for d in documents],
        [("case", d["case_id"]) if d["case_id"] else ("document", d["doc_id"]) for d in documents],
        tokens,
        mentions,
        about["identity_scope"],
        about["tokeniser"] == "corpus",
    )


@dataclass(frozen=True)
class Member:
    """A detector's answers per document; a document that its export lacks is ``missing`` and empty."""

    name: str
    spans: list[list[Span]]
    status: list[str]
    seconds: list[float | None]

    @property
    def ran(self) -> bool:
        """Whether it was given any document."""
        return any(status in RAN for status in self.status)

    @property
    def timed(self) -> list[float]:
        """Seconds of the documents that it ran on, where they were measured."""
        return [s for s, status in zip(self.seconds, self.status, strict=True) if status in RAN and s is not None]

    @property
    def cost(self) -> float | None:
        """Mean seconds per document."""
        return statistics.fmean(self.timed) if self.timed else None


def read_member(name: str, path: Path, gold: Gold) -> Member:
    """Read ``bench detectors spans export``."""
    answers = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        answers[record["doc_id"]] = record
    missing: dict[str, Any] = {"spans": [], "status": "missing"}
    found = [answers.get(doc_id, missing) for doc_id in gold.doc_ids]
    return Member(
        name,
        [[(s["start"], s["end"], s["type"]) for s in record["spans"]] for record in found],
        [record["status"] for record in found],
        [record.get("seconds") for record in found],
    )
