"""How corpora come in: a loader opens a source, a source yields documents with their gold mentions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.core.model import Document, IdentityScope, Json, Mention


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What a corpus says of itself; stored in ``corpus.json``.

    Parameters
    ----------
    name
        Name it is prepared under.
    version
        Version of the source or of the generator.
    identity_scope
        ``document`` or ``corpus``: how far an entity id reaches.
    labels
        Raw label to taxonomy type (or ``-``).
    source, licence
        Where it comes from and on which terms; never a path of this machine.
    reference
        Provenance of the gold: ``manual``, ``constructed``, ``header-derived`` ... ([T], Table 1).
    options
        The loader options that shaped it (annotator choice, seed), part of the fingerprint.
    """

    name: str
    version: str
    identity_scope: IdentityScope
    labels: Mapping[str, str]
    source: str
    licence: str
    reference: str = ""
    options: Mapping[str, Json] = field(default_factory=dict)


class CorpusSource(ABC):
    """An opened source: `info` plus a single pass over its records."""

    info: CorpusInfo

    @abstractmethod
    def records(self) -> Iterator[tuple[Document, Sequence[Mention]]]:
        """Yield every document with its mentions, in a stable order, streaming.

        Raises
        ------
        bench.core.errors.DataError
            Malformed input; the message names file, record and value.
        bench.core.errors.LabelError
            A raw label without an entry in the label map.
        """


class CorpusLoader(ABC):
    """One corpus format, or one embedded corpus; what the ``corpus`` registry holds."""

    name: str
    #: One line for `bench corpora list`.
    summary: str
    #: Whether `open` needs a path (embedded corpora do not).
    needs_source: bool = True
    #: Loader option to a one-line description.
    options: Mapping[str, str] = {}

    @abstractmethod
    def open(self, source: Path | None, options: Mapping[str, str]) -> CorpusSource:
        """Open a source; unknown options and a missing path are errors that say what would be accepted."""
