"""Exposure: what is still readable after replacement, at every denominator (docs/measures.md, Exposure).

Source: [T] sections 2.4 and 3.3. A mention is exposed if not all its tokens were replaced: *clear* if none was,
*partial* if some were. A mention without a token of its own cannot be replaced and is clear.

======================  ================================================  ===============================================
metric                  numerator (exposed)                               denominator
======================  ================================================  ===============================================
``mentions``            exposed mentions                                  mentions
``entity_documents``    (entity, document) pairs with an exposed mention  pairs with a mention: Table 3's ``Exp.``
``documents``           documents with an exposed mention                 **all** documents, with identifiers or without
``cases``               cases with an exposed mention                     **all** cases
``entities``            entities with an exposed mention, corpus-wide     entities with a mention
======================  ================================================  ===============================================

All documents are the denominator because the paper counts so (47 of 1,268 judgments, 790 of 5,994 documents, messages of
Enron without any identifier included) and because a releaser asks it of the release. A subset restricts the mentions first
(``type=PERSON``: only PERSON mentions expose); ``language=…`` restricts documents and cases too, a case belonging to every
language that it has a document in. Intervals are Wilson's.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from bench.core.errors import IntegrityError
from bench.core.results import Measure, subset_key
from bench.core.tables import I64, Bool
from bench.core.taxonomy import TYPES
from bench.measures.gold import CLEAR, KINDS, PARTIAL, REPLACED, GoldIndex, groups
from bench.measures.intervals import Shares


def exposure_measures(index: GoldIndex, flagged: Bool, *, case_codes: I64) -> list[Measure]:
    """All rows of measurement ``exposure``, over every subset of `GoldIndex.subsets`.

    Mentions are also split into ``exposure=clear`` and ``exposure=partial``, over the same denominator.

    Parameters
    ----------
    index
        Gold of the corpus.
    flagged
        Tokens that the ensemble replaces, shape (tokens,).
    case_codes
        Case of every document, shape (documents,), non-negative.
    """
    if case_codes.shape != (index.n_docs,):
        raise IntegrityError(f"case codes of shape {case_codes.shape} for {index.n_docs} documents")
    kind = index.replacement(flagged).kind
    exposed = kind != REPLACED
    pair, n_pairs = index.pairs()
    cases = np.unique(case_codes, return_inverse=True)[1].astype(np.int64)
    n_cases = int(cases.max(initial=-1)) + 1
    mention_case = cases[index.doc]
    shares = Shares("exposure")
    for subset in index.subsets():
        select, key, noun = subset.mentions, subset.key, subset.noun
        total = int(np.count_nonzero(select))
        shares.add("mentions", key, int(np.count_nonzero(exposed & select)), total, empty=noun)
        for code in (CLEAR, PARTIAL):
            split = f"{key};" * bool(key) + subset_key(exposure=KINDS[code])
            shares.add("mentions", split, int(np.count_nonzero(select & (kind == code))), total, empty=noun)
        shares.add("entity_documents", key, *groups(pair, n_pairs, select, exposed), empty=noun)
        place = f" in language {subset.language}" if subset.language else ""
        bad, _ = groups(index.doc, index.n_docs, select, exposed)
        shares.add("documents", key, bad, int(np.count_nonzero(subset.documents)), empty=f"document{place}")
        bad, _ = groups(mention_case, n_cases, select, exposed)
        shares.add("cases", key, bad, len(np.unique(cases[subset.documents])), empty=f"case{place}")
        shares.add("entities", key, *groups(index.entity, index.n_entities, select, exposed), empty=noun)
    return shares.measures()


def survivors(index: GoldIndex, flagged: Bool) -> pl.DataFrame:
    """Every exposed mention, without its text.

    Returns
    -------
    polars.DataFrame
        ``doc`` (document index), ``mention`` (row of the `MentionTable`), ``type``, ``kind`` (``clear`` or ``partial``),
        ``tokens`` and ``left`` (tokens of the mention, and those of them not replaced), in table order.
    """
    replacement = index.replacement(flagged)
    rows = np.flatnonzero(replacement.kind != REPLACED)
    first, last = index.first[rows], index.last[rows]
    size = last - first
    return pl.DataFrame(
        {
            "doc": index.doc[rows],
            "mention": index.rows[rows],
            "type": np.asarray(TYPES, dtype=object)[index.type[rows]],
            "kind": np.asarray(KINDS, dtype=object)[replacement.kind[rows]],
            "tokens": size,
            "left": size - replacement.flagged(first, last),
        },
        schema={"doc": pl.Int32, "mention": pl.Int64, "type": pl.String, "kind": pl.String, "tokens": pl.Int64, "left": pl.Int64},
    )
