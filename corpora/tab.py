"""Corpus ``tab``: the Text Anonymization Benchmark, 1,268 English judgments of the European Court of Human Rights.

Gold is every mention, NO_MASK included, as a union over annotators unless one is chosen (docs/measures.md, Units).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.core.errors import DataError, UnknownNameError
from bench.core.model import Document, Json, Mention
from bench.core.source import CorpusInfo, CorpusLoader, CorpusSource
from bench.core.taxonomy import TYPE_CODE
from corpora.options import SPLITS, check_options, choice, required_source
from corpora.tab_format import LABELS, STRENGTH, TabDocument, TabMention, natural, tab_documents, tab_files

_LOG: Final = logging.getLogger(__name__)


class _Entities:
    """Union-find over the entities of one document; of a joined set the first key in natural order stands for it."""

    def __init__(self) -> None:
        self._parent: dict[tuple[str, str], tuple[str, str]] = {}

    def find(self, key: tuple[str, str]) -> tuple[str, str]:
        parent = self._parent.setdefault(key, key)
        while parent != key:
            self._parent[key] = self._parent[parent]
            key, parent = parent, self._parent[parent]
        return key

    def join(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        first, second = sorted((self.find(one), self.find(other)), key=lambda key: (natural(key[0]), natural(key[1])))
        self._parent[second] = first

    def names(self) -> dict[tuple[str, str], str]:
        """Entity id of every key: the representative's own, with its annotator where another entity has the same."""
        root_of = {key: self.find(key) for key in list(self._parent)}
        taken = Counter(entity_id for _, entity_id in set(root_of.values()))
        return {key: root[1] if taken[root[1]] == 1 else f"{root[0]}:{root[1]}" for key, root in root_of.items()}


def merged_mentions(doc_id: str, layers: Mapping[str, Sequence[TabMention]]) -> list[Mention]:
    """Union of annotator layers of one document (our reading of docs/measures.md, Units).

    Mentions of equal (start, end, type) are one mention with the strongest identifier class, DIRECT over QUASI over NO_MASK.
    Entities with such a mention in common are one entity, also through a third; its id is the smallest in natural order
    (``annotator2`` before ``annotator10``). Spans that differ in a single character or in type stay apart.

    Parameters
    ----------
    doc_id
        Document the layers belong to.
    layers
        Annotator to mentions; the order does not matter.

    Returns
    -------
    list of Mention
        Sorted by (start, end, type), types in the order of the taxonomy.
    """
    entities = _Entities()
    found: dict[tuple[int, int, str], tuple[TabMention, tuple[str, str]]] = {}
    for annotator in sorted(layers, key=natural):
        for mention in layers[annotator]:
            key = (annotator, mention.entity_id)
            entities.find(key)
            span = (mention.start, mention.end, mention.type)
            if span not in found:
                found[span] = (mention, key)
                continue
            earlier, earlier_key = found[span]
            entities.join(key, earlier_key)
            if STRENGTH[mention.identifier] > STRENGTH[earlier.identifier]:
                found[span] = (mention, earlier_key)
    names = entities.names()
    return [
        Mention(doc_id, m.start, m.end, m.type, names[key], m.identifier, m.label)
        for _, (m, key) in sorted(found.items(), key=lambda item: (*item[0][:2], TYPE_CODE[item[0][2]]))
    ]


class TabSource(CorpusSource):
    """TAB files opened with one reading of their annotator layers.

    Parameters
    ----------
    files
        Files to read in this order.
    annotator
        ``union``, ``first`` (each document's first annotator in numeric order) or the name of one.
    split
        ``train``, ``dev`` or ``test`` to keep only that split, empty for all.
    """

    def __init__(self, files: Sequence[Path], annotator: str, split: str) -> None:
        self._files, self._annotator, self._split = list(files), annotator, split
        #: Documents left out by the last pass because the chosen annotator did not annotate them.
        self.left_out = 0
        options: dict[str, Json] = {"annotator": annotator}
        if split:
            options["split"] = split
        self.info = CorpusInfo(
            name="tab",
            version="2022",
            identity_scope="document",
            labels=LABELS,
            source="Text Anonymization Benchmark, github.com/NorskRegnesentral/text-anonymization-benchmark",
            licence="MIT",
            reference="manual",
            options=options,
        )

    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield judgments with the merged or chosen layer; documents a named annotator did not see are left out and counted."""
        self.left_out, kept = 0, 0
        annotators: set[str] = set()
        splits: set[str] = set()
        for document in tab_documents(self._files):
            splits.add(document.split)
            if self._split and document.split != self._split:
                continue
            annotators.update(document.layers)
            layers = self._chosen(document)
            if layers is None:
                self.left_out += 1
                continue
            kept += 1
            yield (
                Document(document.doc_id, document.text, "en", document.split, document.doc_id, None, document.meta),
                merged_mentions(document.doc_id, layers),
            )
        self._finish(kept, annotators, splits)

    def _chosen(self, document: TabDocument) -> Mapping[str, Sequence[TabMention]] | None:
        if self._annotator == "union":
            return document.layers
        name = min(document.layers, key=natural) if self._annotator == "first" else self._annotator
        return {name: document.layers[name]} if name in document.layers else None

    def _finish(self, kept: int, annotators: set[str], splits: set[str]) -> None:
        where = f"corpus tab ({', '.join(map(str, self._files))})"
        if not splits:
            raise DataError(f"{where} has no documents")
        if self._split and self._split not in splits:
            raise DataError(f"{where} has no document of split {self._split!r}; splits present: {', '.join(sorted(splits))}")
        if not kept:
            raise UnknownNameError("annotator", self._annotator, [*annotators, "union", "first"], where)
        if self.left_out:
            total = kept + self.left_out
            _LOG.warning("corpus tab: %d of %d documents left out: not annotated by %s", self.left_out, total, self._annotator)
            self.info = replace(self.info, options={**self.info.options, "documents_left_out": self.left_out})


class TabLoader(CorpusLoader):
    """Opens TAB as published (one file or the folder of its splits) and in the reshaped one-annotator layout."""

    name = "tab"
    summary = "Text Anonymization Benchmark: English court judgments, manual annotation (JSON file or folder of splits)"
    needs_source = True
    options: Mapping[str, str] = {
        "annotator": "union (default), first, or the name of one annotator such as annotator1",
        "split": "train, dev or test: keep only these documents (default: all)",
    }

    def open(self, source: Path | None, options: Mapping[str, str]) -> CorpusSource:
        """Open a TAB file or folder."""
        check_options(self, options)
        path = required_source(self, source, "a TAB file (echr_test.json) or the folder that holds its splits")
        split = options.get("split", "")
        if split:
            choice(self, "split", split, SPLITS)
        annotator = options.get("annotator", "union")
        return TabSource(tab_files(path), annotator, split)
