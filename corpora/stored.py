"""A prepared corpus seen as records again: what checks and the export read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.core.corpus import Corpus
from bench.core.model import Document, Mention
from bench.core.taxonomy import IDENTIFIER_CLASSES, TYPES


def stored_records(corpus: Corpus) -> Iterator[tuple[Document, Sequence[Mention]]]:
    """Yield every document with its mentions as the source gave them (plain entity ids, raw labels), streaming texts.

    Parameters
    ----------
    corpus
        An opened prepared corpus.
    """
    table = corpus.mentions()
    labels, entity_ids = corpus.mention_labels()
    for index, document in enumerate(corpus.documents()):
        low, high = int(table.indptr[index]), int(table.indptr[index + 1])
        rows = zip(
            table.start[low:high].tolist(),
            table.end[low:high].tolist(),
            table.type[low:high].tolist(),
            entity_ids[low:high],
            table.identifier[low:high].tolist(),
            labels[low:high],
            strict=True,
        )
        yield (
            document,
            [
                Mention(document.doc_id, start, end, TYPES[kind], entity, IDENTIFIER_CLASSES[identifier], label)
                for start, end, kind, entity, identifier, label in rows
            ],
        )
