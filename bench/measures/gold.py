"""Gold mentions as token ranges: what detection and exposure both count on (docs/measures.md).

Mentions of retained types are left out here, once, so that no measure downstream can count them. Nothing is materialised
per token and subset: mentions stand in token order, so the union of any subset of them is a set of disjoint pieces that
costs one running maximum over mentions, and flagged tokens inside a piece are one difference of prefix sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.results import subset_key
from bench.core.tables import I32, I64, U8, Bool, MentionTable, TokenTable, covered, doc_of_row, token_ranges
from bench.core.taxonomy import IDENTIFIER_CLASSES, REPORTED_CLASSES, TYPE_CODE, TYPES, Policy

#: `Replacement.kind`: every token of the mention replaced, some, none.
REPLACED, PARTIAL, CLEAR = 0, 1, 2
KINDS: Final[tuple[str, ...]] = ("replaced", "partial", "clear")


@dataclass(frozen=True, slots=True)
class Subset:
    """A part of the gold that is reported apart.

    Parameters
    ----------
    key
        As in the results table, empty for everything.
    type, identifier, language
        What it is restricted to, empty where it is not.
    mentions
        Which of the index's mentions belong to it, shape (mentions of replaced types,).
    documents
        Which documents it looks at, shape (documents,).
    """

    key: str
    type: str
    identifier: str
    language: str
    mentions: Bool
    documents: Bool

    @property
    def noun(self) -> str:
        """The gold it holds, in words: ``DIRECT gold``, ``PERSON gold in language ar``."""
        kind = self.type or self.identifier
        return f"{kind + ' ' if kind else ''}gold{f' in language {self.language}' if self.language else ''}"


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a set of flagged tokens does to every mention of an index.

    Parameters
    ----------
    prefix
        Flagged tokens before each position, shape (tokens + 1,).
    kind
        `REPLACED`, `PARTIAL` or `CLEAR` per mention, shape (mentions of replaced types,).
    """

    prefix: I64
    kind: U8

    def flagged(self, first: I64, last: I64) -> I64:
        """Flagged tokens in each range ``[first, last)``, shape (ranges,)."""
        return self.prefix[last] - self.prefix[first]


@dataclass(frozen=True, slots=True)
class GoldIndex:
    """Mentions of the replaced types with their token ranges; arrays of shape (mentions of replaced types,).

    Parameters
    ----------
    token_indptr
        Document boundaries in the token table, shape (documents + 1,).
    rows
        Row of every mention in the `MentionTable`.
    doc, first, last
        Document, and token range ``[first, last)``; the range is empty for a mention without tokens (white space only),
        which no detector can replace.
    type, entity, identifier
        As in the `MentionTable`.
    n_entities
        Size of the entity code space.
    policy
        Whose replaced types these are.
    languages, doc_language
        Language names in order, and the index of each document's, shape (documents,).
    """

    token_indptr: I64
    rows: I64
    doc: I32
    first: I64
    last: I64
    type: U8
    entity: I64
    identifier: U8
    n_entities: int
    policy: Policy
    languages: tuple[str, ...]
    doc_language: I32

    @classmethod
    def build(cls, tokens: TokenTable, mentions: MentionTable, policy: Policy, languages: Sequence[str]) -> GoldIndex:
        """Index the gold of one corpus.

        Raises
        ------
        IntegrityError
            Tables of different corpora, or mentions or tokens that are not sorted within their document.
        """
        if len(mentions.indptr) - 1 != tokens.n_docs or len(languages) != tokens.n_docs:
            raise IntegrityError(
                f"{tokens.n_docs} documents with tokens, {len(mentions.indptr) - 1} with mentions, {len(languages)} languages: "
                "the three must come from one corpus"
            )
        first, last = token_ranges(tokens, mentions.indptr, mentions.start, mentions.end)
        if np.any(np.diff(first) < 0):
            row = int(np.flatnonzero(np.diff(first) < 0)[0]) + 1
            raise IntegrityError(
                f"mention {row} stands before mention {row - 1}; mentions and tokens must be sorted by (start, end)"
            )
        rows = np.flatnonzero(np.isin(mentions.type, np.asarray(sorted(policy.codes), dtype=np.uint8)))
        names = tuple(sorted(set(languages)))
        code = {name: position for position, name in enumerate(names)}
        return cls(
            np.asarray(tokens.indptr, dtype=np.int64),
            rows,
            doc_of_row(mentions.indptr)[rows],
            first[rows],
            last[rows],
            np.asarray(mentions.type)[rows],
            np.asarray(mentions.entity, dtype=np.int64)[rows],
            np.asarray(mentions.identifier)[rows],
            len(mentions.entity_ids),
            policy,
            names,
            np.asarray([code[name] for name in languages], dtype=np.int32),
        )

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.token_indptr) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.token_indptr[-1])

    def __len__(self) -> int:
        return len(self.rows)

    def pieces(self, select: Bool | None = None) -> tuple[I32, I64, I64]:
        """Gold tokens of the selected mentions as disjoint ranges, so that nested mentions count no token twice.

        Returns
        -------
        doc, first, last
            Document and range ``[first, last)`` of every non-empty piece.
        """
        chosen = slice(None) if select is None else select
        doc, first, last = self.doc[chosen], self.first[chosen], self.last[chosen]
        # Whatever earlier mentions cover at or after this one's first token, they cover up to their furthest end.
        first = np.maximum(first, np.maximum.accumulate(np.concatenate([[0], last]))[:-1])
        some = first < last
        return doc[some], first[some], last[some]

    def token_mask(self, select: Bool | None = None) -> Bool:
        """Gold tokens of the selected mentions (default: all of replaced types), shape (tokens,)."""
        _, first, last = self.pieces(select)
        return covered(self.n_tokens, first, last)

    def replacement(self, flagged: Bool) -> Replacement:
        """State of every mention when the flagged tokens are replaced.

        Raises
        ------
        IntegrityError
            `flagged` is not one bool per token.
        """
        if flagged.dtype != np.bool_ or flagged.shape != (self.n_tokens,):
            raise IntegrityError(
                f"flagged is {flagged.dtype} of shape {flagged.shape}; expected bool of shape ({self.n_tokens},)"
            )
        prefix = np.zeros(self.n_tokens + 1, dtype=np.int64)
        np.cumsum(flagged, out=prefix[1:])
        hit = prefix[self.last] - prefix[self.first]
        size = self.last - self.first
        kind = np.where(hit == 0, CLEAR, np.where(hit < size, PARTIAL, REPLACED)).astype(np.uint8)
        return Replacement(prefix, kind)

    def pairs(self) -> tuple[I64, int]:
        """Dense code of every mention's (entity, document) pair, shape (mentions of replaced types,), and their number."""
        keys, codes = np.unique(self.doc.astype(np.int64) * max(1, self.n_entities) + self.entity, return_inverse=True)
        return codes.astype(np.int64), len(keys)

    def subsets(self) -> Iterator[Subset]:
        """Everything, then by type, by identifier class where the corpus tells, by language, and by type and language.

        Every replaced type and every language appears, with or without gold, so that a missing row never means zero.
        """
        all_mentions, all_documents = np.ones(len(self), dtype=np.bool_), np.ones(self.n_docs, dtype=np.bool_)
        types = [name for name in TYPES if name in self.policy.replaced]
        of_type = {name: self.type == TYPE_CODE[name] for name in types}
        yield Subset("", "", "", "", all_mentions, all_documents)
        for name in types:
            yield Subset(subset_key(type=name), name, "", "", of_type[name], all_documents)
        classes = [IDENTIFIER_CLASSES.index(name) for name in REPORTED_CLASSES]
        if np.isin(self.identifier, classes).any():
            for name, code in zip(REPORTED_CLASSES, classes, strict=True):
                yield Subset(subset_key(identifier=name), "", name, "", self.identifier == code, all_documents)
        for code, language in enumerate(self.languages):
            documents = self.doc_language == code
            mentions = documents[self.doc]
            yield Subset(subset_key(language=language), "", "", language, mentions, documents)
            for name in types:
                key = subset_key(type=name, language=language)
                yield Subset(key, name, "", language, mentions & of_type[name], documents)


def groups(codes: I64 | I32, n: int, select: Bool, bad: Bool) -> tuple[int, int]:
    """Of the groups with a selected member, how many have a selected member that is bad, and how many there are.

    Parameters
    ----------
    codes
        Group of every mention, shape (mentions,), below `n`.
    n
        Number of groups.
    select, bad
        Masks over mentions.
    """
    present, spoiled = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    present[codes[select]] = True
    spoiled[codes[select & bad]] = True
    return int(np.count_nonzero(spoiled)), int(np.count_nonzero(present))
