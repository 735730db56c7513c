"""The members of an ensemble: which detectors exist, which can run here, and what each found in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from bench.core.corpus import Corpus
from bench.core.detector import DetectorSpec
from bench.core.errors import NotAvailableError, StoreError
from bench.core.spancache import SpanCache
from bench.core.workspace import Workspace
from bench.detection import DetectionSummary, detect
from bench.ensembles import Ensemble, NamedSet, builtin_sets, load_sets, parse, parse_members, resolve
from bench.pipeline.member_spans import MemberSpans
from bench.spansfiles import imported_detectors
from detectors import loading

#: Named sets of a workspace, beside those that come with the tool.
SETS_FILE: Final = "ensembles.toml"
#: Opens a progress display: label and total in, a context that gives a setter of the amount done.
Progress: TypeAlias = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]


@dataclass(frozen=True, slots=True)
class Known:
    """One detector that can be named for a corpus: a manifest, or spans that were imported for it."""

    name: str
    spec: DetectorSpec
    fingerprint: str
    imported: bool
    remedy: str | None


def detector_names(workspace: Workspace) -> set[str]:
    """Every name an ensemble expression may use: registered detectors and imported ones."""
    return {*loading.names(), *imported_detectors(workspace.spans)}


def named_sets(workspace: Workspace) -> Mapping[str, NamedSet]:
    """The sets that come with the tool and those of the workspace's own ``ensembles.toml``."""
    sets = dict(builtin_sets())
    own = workspace.home / SETS_FILE
    if own.exists():
        sets |= load_sets(own, reserved={*detector_names(workspace), *sets})
    return sets


def parse_ensemble(workspace: Workspace, text: str) -> Ensemble:
    """Parse an ensemble expression over the detectors and sets of a workspace."""
    return parse(text, detector_names(workspace), named_sets(workspace))


def parse_detectors(workspace: Workspace, text: str) -> tuple[str, ...]:
    """Detectors of a comma-separated list, a set or an expression."""
    return parse_members(text, detector_names(workspace), named_sets(workspace))


def known_members(workspace: Workspace, corpus: Corpus, ensemble: Ensemble) -> list[Known]:
    """The ensemble's members for one corpus, in its order; spans imported for this corpus go before a manifest of that name.

    Raises
    ------
    NotAvailableError
        Lists every member that can neither run here nor was imported for this corpus, with how to get it.
    """
    imported = imported_detectors(workspace.spans, corpus.fingerprint)
    registered = set(loading.names())
    available: dict[str, Known] = {}
    remedies: dict[str, str] = {}
    for name in ensemble.members:
        if name in imported:
            entry = imported[name][0]
            available[name] = Known(name, entry.spec, entry.fingerprint, True, None)
        elif name in registered:
            spec = loading.spec_of(name)
            remedy = loading.remedy(spec)
            if remedy is None:
                available[name] = Known(name, spec, loading.fingerprint(spec), False, None)
            else:
                remedies[name] = remedy
        elif name in imported_detectors(workspace.spans):
            remedies[name] = f"its spans were imported for another corpus; import them for {corpus.name!r} too"
    return list(resolve(ensemble, available, remedies))


def run_members(
    workspace: Workspace,
    corpus: Corpus,
    members: Sequence[Known],
    *,
    workers: int,
    progress: Progress,
    retry_failed: bool = False,
) -> list[DetectionSummary]:
    """Bring the span cache up to date for every member that runs here, one detector after another."""
    summaries = []
    for member in members:
        if member.imported:
            continue
        with progress(f"{corpus.name}: {member.name}", len(corpus)) as report:
            summaries.append(
                detect(
                    corpus,
                    member.spec,
                    workspace.spans,
                    workers=workers,
                    progress=report,
                    retry_failed=retry_failed,
                    fingerprint=member.fingerprint,
                )
            )
    return summaries


def read_members(spans_root: Path, corpus: Corpus, members: Sequence[Known]) -> list[MemberSpans]:
    """What the cache holds of every member; documents that an imported file has no answer for are ``missing``.

    Raises
    ------
    NotAvailableError
        Detection is not finished: a document that nobody has looked at must not pass for one without identifiers.
    StoreError
        Imported spans are damaged or gone.
    """
    found = []
    unfinished = []
    for member in members:
        cache = SpanCache.of(spans_root, corpus, member.fingerprint)
        if not cache.complete and member.imported:
            cause = f" ({cache.damaged[0]})" if cache.damaged else ""
            raise StoreError(
                f"the spans of {member.name!r} over corpus {corpus.name!r} are not whole in the cache any more{cause}; "
                "import them again with `bench detectors spans import`"
            )
        if not cache.complete:
            unfinished.append(member.name)
            continue
        found.append(
            MemberSpans(member.name, member.fingerprint, cache.table(), cache.statuses(), cache.seconds(), cache.hardware())
        )
    if unfinished:
        raise NotAvailableError(
            f"no spans of {', '.join(unfinished)} over corpus {corpus.name!r} yet, or not of all its documents; "
            f"`bench detect --corpus {corpus.name} --ensemble {','.join(unfinished)}` makes them"
        )
    return found


def open_spans(workspace: Workspace, corpus: Corpus, ensemble: Ensemble) -> list[MemberSpans]:
    """Spans of an ensemble's members as the cache has them (see `read_members`)."""
    return read_members(workspace.spans, corpus, known_members(workspace, corpus, ensemble))
