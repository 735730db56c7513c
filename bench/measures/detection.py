"""Detection: token sensitivity, specificity and precision, mentions replaced, entities protected (docs/measures.md, Detection).

Source: [T] sections 2.3, 2.4 and 3.1. What every row is:

============================  =====================================================================  ===================
metric                        numerator / denominator                                                interval
============================  =====================================================================  ===================
``sensitivity``               flagged gold tokens / gold tokens                                      document bootstrap
``specificity``               unflagged non-gold tokens / non-gold tokens                            document bootstrap
``precision``                 flagged gold tokens / flagged tokens                                   document bootstrap
``mention_replaced``          mentions with all their tokens flagged / mentions                      Wilson
``entity_protected``          entities with all their mentions replaced / entities                   Wilson
============================  =====================================================================  ===================

Tokens of a document are not independent, hence the document bootstrap for ratios of token counts and its name in `method`;
a second interval is not reported beside it. `sd` is the standard deviation over documents that have the denominator (for
entities: none, since an entity may span documents).

Subsets restrict the gold first: under ``type=PERSON`` a token is gold if a PERSON mention touches it, whatever replaced type
the detector gave it, and an entity counts if it has a PERSON mention and is protected if all its PERSON mentions are
replaced. A token in mentions of two types counts under both, once in the whole. "Every other token" does not depend on the
type, so specificity by type is only defined for a detector that types its spans: with `segments` given,
``specificity type=T`` treats T as the only replaced type on both sides (*our reading*): of the tokens outside T gold, the
share that was not replaced as T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.core.errors import IntegrityError
from bench.core.results import Measure, subset_key
from bench.core.tables import I32, I64, Bool, SegmentTable, TokenTable, doc_of_row, token_ranges
from bench.core.taxonomy import PERSON, TYPE_CODE, TYPES
from bench.measures.gold import REPLACED, GoldIndex, Replacement, Subset, groups
from bench.measures.intervals import RESAMPLES, Ratios, Shares


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Token counts per document, shape (documents,) each: flagged gold, gold, unflagged non-gold, non-gold."""

    tp: I64
    gold: I64
    tn: I64
    nongold: I64

    @property
    def flagged(self) -> I64:
        """Flagged tokens per document."""
        return self.tp + self.nongold - self.tn


def _sum_by_doc(doc: I32, values: I64, n_docs: int) -> I64:
    # Whole numbers below 2**53 survive the float weights of bincount exactly.
    return np.bincount(doc, weights=values, minlength=n_docs).astype(np.int64)


def _gold_counts(index: GoldIndex, replacement: Replacement, select: Bool | None) -> tuple[I64, I64]:
    doc, first, last = index.pieces(select)
    gold = _sum_by_doc(doc, last - first, index.n_docs)
    return _sum_by_doc(doc, replacement.flagged(first, last), index.n_docs), gold


def _token_counts(index: GoldIndex, replacement: Replacement, select: Bool | None) -> TokenCounts:
    tp, gold = _gold_counts(index, replacement, select)
    edges = index.token_indptr
    nongold = np.diff(edges) - gold
    false_positives = replacement.flagged(edges[:-1], edges[1:]) - tp
    return TokenCounts(tp, gold, nongold - false_positives, nongold)


def token_counts(index: GoldIndex, flagged: Bool, select: Bool | None = None) -> TokenCounts:
    """Token counts per document.

    Parameters
    ----------
    index
        Gold of the corpus.
    flagged
        Tokens that are replaced, shape (tokens,).
    select
        Mentions that make a token gold, shape (len(index),); default all of replaced types.
    """
    return _token_counts(index, index.replacement(flagged), select)


def _typed_specificity(index: GoldIndex, tokens: TokenTable, segments: SegmentTable, ratios: Ratios) -> None:
    if len(segments.indptr) - 1 != index.n_docs:
        raise IntegrityError(f"segments of {len(segments.indptr) - 1} documents, gold of {index.n_docs}")
    doc = doc_of_row(segments.indptr)
    first, last = token_ranges(tokens, segments.indptr, segments.start, segments.end)
    size = np.diff(index.token_indptr)
    for name in (name for name in TYPES if name in index.policy.replaced):
        own = segments.type == TYPE_CODE[name]
        prefix = np.zeros(index.n_tokens + 1, dtype=np.int64)
        np.add.at(prefix, first[own], 1)
        np.add.at(prefix, last[own], -1)
        # From +1/-1 edges to "covered" to its prefix sums: segments never overlap, so coverage is 0 or 1.
        prefix = np.concatenate([[0], np.cumsum(np.cumsum(prefix[:-1]))])
        gold_doc, gold_first, gold_last = index.pieces(index.type == TYPE_CODE[name])
        gold = _sum_by_doc(gold_doc, gold_last - gold_first, index.n_docs)
        hit = _sum_by_doc(gold_doc, prefix[gold_last] - prefix[gold_first], index.n_docs)
        false_positives = _sum_by_doc(doc[own], (last - first)[own], index.n_docs) - hit
        nongold = size - gold
        key = subset_key(type=name)
        ratios.add("specificity", key, nongold - false_positives, nongold, empty=f"token outside {name} gold")


def _ratios(index: GoldIndex, replacement: Replacement, subsets: Sequence[Subset]) -> Ratios:
    ratios = Ratios("detection", index.n_docs)
    whole = _token_counts(index, replacement, None)
    for subset in subsets:
        tp, gold = _gold_counts(index, replacement, subset.mentions)
        ratios.add("sensitivity", subset.key, tp, gold, empty=subset.noun)
        if not subset.type and not subset.identifier:
            here, place = subset.documents, f" in language {subset.language}" if subset.language else ""
            ratios.add("specificity", subset.key, whole.tn * here, whole.nongold * here, empty=f"token outside gold{place}")
            ratios.add("precision", subset.key, whole.tp * here, whole.flagged * here, empty=f"flagged token{place}")
    return ratios


def _shares(index: GoldIndex, replacement: Replacement, subsets: Sequence[Subset]) -> Shares:
    shares = Shares("detection")
    exposed = replacement.kind != REPLACED
    for subset in subsets:
        docs = index.doc[subset.mentions]
        total = np.bincount(docs, minlength=index.n_docs)
        good = total - np.bincount(docs[exposed[subset.mentions]], minlength=index.n_docs)
        some = total > 0
        sd = float(np.std(good[some] / total[some], ddof=1)) if np.count_nonzero(some) >= 2 else np.nan
        shares.add("mention_replaced", subset.key, int(good.sum()), int(total.sum()), empty=subset.noun, sd=sd)
        bad, entities = groups(index.entity, index.n_entities, subset.mentions, exposed)
        shares.add("entity_protected", subset.key, entities - bad, entities, empty=subset.noun)
    return shares


def detection_measures(
    index: GoldIndex,
    flagged: Bool,
    *,
    tokens: TokenTable | None = None,
    segments: SegmentTable | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Measure]:
    """All rows of measurement ``detection`` at token, mention and entity level, over every subset of `GoldIndex.subsets`.

    Parameters
    ----------
    index
        Gold of the corpus.
    flagged
        Tokens that the ensemble replaces, shape (tokens,).
    tokens, segments
        Token table and typed, merged spans of the ensemble: adds specificity by type. Both or neither.
    seed, resamples
        Of the document bootstrap.
    """
    if (tokens is None) != (segments is None):
        raise IntegrityError("specificity by type needs the token table and the segments; only one was given")
    replacement = index.replacement(flagged)
    subsets = list(index.subsets())
    ratios = _ratios(index, replacement, subsets)
    if tokens is not None and segments is not None:
        _typed_specificity(index, tokens, segments, ratios)
    return ratios.measures(seed=seed, resamples=resamples) + _shares(index, replacement, subsets).measures()


def document_measures(index: GoldIndex, flagged: Bool, doc_ids: Sequence[str]) -> list[Measure]:
    """Sensitivity and specificity of every document, and its person sensitivity: exact, without intervals.

    Subsets are ``document=<id>`` and ``type=PERSON;document=<id>``.
    """
    if len(doc_ids) != index.n_docs:
        raise IntegrityError(f"{len(doc_ids)} document ids for {index.n_docs} documents")
    whole = token_counts(index, flagged)
    person = token_counts(index, flagged, index.type == PERSON)
    out = []
    for d, doc_id in enumerate(doc_ids):
        key, person_key = subset_key(document=doc_id), subset_key(type="PERSON", document=doc_id)
        for metric, subset, top, bottom, empty in (
            ("sensitivity", key, whole.tp[d], whole.gold[d], "gold"),
            ("specificity", key, whole.tn[d], whole.nongold[d], "token outside gold"),
            ("sensitivity", person_key, person.tp[d], person.gold[d], "PERSON gold"),
        ):
            value = float(top / bottom) if bottom else None
            method = "exact" if bottom else f"not measurable: no {empty}"
            out.append(Measure("detection", metric, value, subset, float(top), float(bottom), method=method))
    return out
