"""What the four embedded corpora share: how they are opened, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from bench.core.model import IdentityScope
from bench.core.source import CorpusInfo, CorpusLoader, CorpusSource
from bench.core.taxonomy import TYPES
from corpora.demo.seeding import OPTION_HELP, DemoOptions, read_options


class DemoSource(CorpusSource):
    """The generated documents of one seed; each corpus adds `records`."""

    name: ClassVar[str]
    scope: ClassVar[IdentityScope]

    def __init__(self, options: DemoOptions) -> None:
        self.seed, self.documents = options.seed, options.documents
        self.info = CorpusInfo(
            name=self.name,
            version="1",
            identity_scope=self.scope,
            labels={name: name for name in TYPES},
            source="written for deidbench, generated from a seed",
            licence="Apache-2.0",
            reference="constructed",
            options={"seed": options.seed, "documents": options.documents},
        )


class DemoLoader(CorpusLoader):
    """An embedded corpus: opened by its options alone."""

    needs_source = False
    options: Mapping[str, str] = OPTION_HELP
    default_documents: ClassVar[int]
    source_class: ClassVar[type[DemoSource]]

    def open(self, source: Path | None, options: Mapping[str, str]) -> DemoSource:
        """Open the generated corpus; options ``seed`` and ``documents``.

        Raises
        ------
        bench.core.errors.UsageError
            A path was given, an option is unknown, or a value is no whole number in range.
        """
        return self.source_class(read_options(self.name, source, options, self.default_documents))
