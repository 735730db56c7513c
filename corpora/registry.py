"""The ``corpus`` registry: formats that need a source, and the embedded corpora that do not.

Entries are `CorpusLoader` classes; they are imported when used and take no arguments.
"""

from __future__ import annotations

import inspect
from typing import Final

from bench.core.registry import Registry
from bench.core.source import CorpusLoader


def _is_loader(entry: object) -> bool:
    return isinstance(entry, type) and issubclass(entry, CorpusLoader) and not inspect.isabstract(entry)


CORPORA: Final[Registry[type[CorpusLoader]]] = Registry(
    "corpus", _is_loader, "a class derived from bench.core.source.CorpusLoader that implements open()"
)
CORPORA.add("tab", "corpora.tab:TabLoader")
CORPORA.add("jsonl", "corpora.jsonl:JsonlLoader")
CORPORA.add("demo-clinical", "corpora.demo.clinical:ClinicalDemo")
CORPORA.add("demo-news", "corpora.demo.news:NewsDemo")
CORPORA.add("demo-legal", "corpora.demo.legal:LegalDemo")
CORPORA.add("demo-mail", "corpora.demo.mail:MailDemo")


def loader(name: str) -> CorpusLoader:
    """Return the loader of a corpus name; an unknown name is an `UnknownNameError` that proposes the nearest."""
    return CORPORA.get(name)()
