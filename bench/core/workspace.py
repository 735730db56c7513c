"""The workspace: where corpora, spans, releases and runs live (docs/formats.md)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from bench.core.corpus import Corpus
from bench.core.errors import StoreError, UnknownNameError, UsageError

#: The limit leaves room for what files of that name begin and end with.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


def default_home() -> Path:
    """``$BENCH_HOME``, else ``deidbench`` in the user's cache folder."""
    named = os.environ.get("BENCH_HOME")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "deidbench"


def check_name(kind: str, name: str) -> str:
    """A name that becomes a folder: at most 100 letters, digits, ``.``, ``_``, ``-``, not starting with a sign."""
    if not _NAME.match(name):
        raise UsageError(f"{kind} name {name!r:.120} cannot be a folder name; use at most 100 letters, digits, '.', '_' and '-'")
    return name


@dataclass(frozen=True, slots=True)
class Workspace:
    """Folders of one workspace; nothing is created before something is written."""

    home: Path

    @classmethod
    def at(cls, home: Path | None) -> Workspace:
        """Workspace at `home`, or at the default place."""
        path = (home or default_home()).expanduser()
        try:
            str(path).encode()
        except UnicodeEncodeError:
            raise StoreError(
                f"the workspace {str(path)!r} is not text in this locale, and columnar files cannot be opened there; "
                "set PYTHONUTF8=1, or choose another --home"
            ) from None
        if path.exists() and not path.is_dir():
            raise StoreError(f"the workspace {str(path)!r} is not a folder")
        return cls(path)

    @property
    def corpora(self) -> Path:
        """Prepared corpora, one folder each."""
        return self.home / "corpora"

    @property
    def spans(self) -> Path:
        """Span cache."""
        return self.home / "spans"

    @property
    def runs(self) -> Path:
        """Run folders."""
        return self.home / "runs"

    def corpus_dir(self, name: str) -> Path:
        """Folder of a prepared corpus."""
        return self.corpora / check_name("corpus", name)

    def run_dir(self, name: str) -> Path:
        """Folder of a run."""
        return self.runs / check_name("run", name)

    def prepared(self) -> list[str]:
        """Names of the prepared corpora, sorted."""
        if not self.corpora.is_dir():
            return []
        return sorted(p.name for p in self.corpora.iterdir() if _NAME.match(p.name) and (p / "corpus.json").is_file())

    def open_corpus(self, name: str, *, verify: bool = True) -> Corpus:
        """Open a prepared corpus by name."""
        directory = self.corpus_dir(name)
        if not (directory / "corpus.json").is_file():
            raise UnknownNameError("prepared corpus", name, self.prepared(), f"workspace {str(self.home)!r}")
        return Corpus.open(directory, verify=verify)
