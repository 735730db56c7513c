"""What a corpus holds: the columns of [T] Table 1 (documents, tokens, mentions a document, languages, reference) and
finer counts by type, identifier class, language and split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from bench.core.corpus import Corpus
from bench.core.tables import I32, I64, MentionTable, TokenTable, covered, doc_of_row, token_ranges
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPES

_GROUPS: Final = {
    "documents": pl.Int64(),
    "cases": pl.Int64(),
    "characters": pl.Int64(),
    "tokens": pl.Int64(),
    "mentions": pl.Int64(),
    "entities": pl.Int64(),
    "mentions_per_document": pl.Float64(),
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Frames of one corpus.

    Parameters
    ----------
    overview
        One row: corpus, documents, cases, characters, tokens, mentions, entities, mentions_per_document, languages, reference,
        tokeniser ([T], Table 1).
    by_type, by_identifier
        One row for each type or identifier class that occurs: mentions, entities, documents with at least one, gold_tokens
        (tokens that share a character with such a mention, each counted once), share_of_gold_tokens (of all gold tokens; types
        can share a token, so the shares may add up to more than one).
    by_language, by_split
        One row for each value: the counts of the overview over its documents.
    """

    overview: pl.DataFrame
    by_type: pl.DataFrame
    by_identifier: pl.DataFrame
    by_language: pl.DataFrame
    by_split: pl.DataFrame


def statistics(corpus: Corpus) -> Statistics:
    """Count everything from the corpus's arrays; no text is read."""
    tokens, mentions = corpus.tokens(), corpus.mentions()
    counts = _Counts(corpus, tokens, mentions)
    whole = counts.of_documents(np.ones(len(corpus), dtype=np.bool_))
    overview = pl.DataFrame(
        [
            {
                "corpus": corpus.name,
                **whole,
                "languages": "/".join(sorted(set(corpus.languages))),
                "reference": corpus.info.reference,
                "tokeniser": corpus.tokeniser,
            }
        ],
        schema={"corpus": pl.String(), **_GROUPS, "languages": pl.String(), "reference": pl.String(), "tokeniser": pl.String()},
    )
    return Statistics(
        overview=overview,
        by_type=counts.by_class("type", mentions.type, TYPES),
        by_identifier=counts.by_class("identifier", mentions.identifier, IDENTIFIER_CLASSES),
        by_language=counts.by_value("language", corpus.languages),
        by_split=counts.by_value("split", corpus.splits),
    )


class _Counts:
    """Arrays of one corpus and the counting over subsets of them."""

    def __init__(self, corpus: Corpus, tokens: TokenTable, mentions: MentionTable) -> None:
        self._cases: I64 = corpus.case_codes
        self._lengths: I32 = corpus.lengths
        self._tokens_of = np.diff(tokens.indptr)
        self._mentions_of = np.diff(mentions.indptr)
        self._doc = doc_of_row(mentions.indptr)
        self._mentions = mentions
        self._n_tokens = len(tokens)
        self._first, self._last = token_ranges(tokens, mentions.indptr, mentions.start, mentions.end)

    def of_documents(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> dict[str, int | float]:
        """Counts over the documents that the mask `chosen`, shape (documents,), selects."""
        documents = int(chosen.sum())
        mentions = int(self._mentions_of[chosen].sum())
        return {
            "documents": documents,
            "cases": len(np.unique(self._cases[chosen])),
            "characters": int(self._lengths[chosen].sum(dtype=np.int64)),
            "tokens": int(self._tokens_of[chosen].sum()),
            "mentions": mentions,
            "entities": len(np.unique(self._mentions.entity[chosen[self._doc]])),
            "mentions_per_document": mentions / documents,
        }

    def by_value(self, name: str, values: Sequence[str]) -> pl.DataFrame:
        """One row for each distinct value of a document property."""
        column = np.asarray(values, dtype=np.str_)
        rows = [{name: str(value), **self.of_documents(column == value)} for value in np.unique(column)]
        return pl.DataFrame(rows, schema={name: pl.String(), **_GROUPS})

    def by_class(self, name: str, codes: np.ndarray[tuple[int], np.dtype[np.uint8]], names: Sequence[str]) -> pl.DataFrame:
        """One row for each class of mentions that occurs, in the order of `names`."""
        gold = int(covered(self._n_tokens, self._first, self._last).sum())
        rows = []
        for code in np.unique(codes).tolist():
            chosen = codes == code
            flagged = int(covered(self._n_tokens, self._first[chosen], self._last[chosen]).sum())
            rows.append(
                {
                    name: names[code],
                    "mentions": int(chosen.sum()),
                    "entities": len(np.unique(self._mentions.entity[chosen])),
                    "documents": len(np.unique(self._doc[chosen])),
                    "gold_tokens": flagged,
                    "share_of_gold_tokens": flagged / gold if gold else None,
                }
            )
        schema = {
            name: pl.String(),
            "mentions": pl.Int64(),
            "entities": pl.Int64(),
            "documents": pl.Int64(),
            "gold_tokens": pl.Int64(),
            "share_of_gold_tokens": pl.Float64(),
        }
        return pl.DataFrame(rows, schema=schema)
