"""One registry class for everything that has a name: detectors, corpora, conditions, attacks, utility tasks, reports.

An entry is either an object or a lazy ``"module:attr"`` string, so that listing names imports nothing. Packages outside
this one add entries through the entry-point group ``deidbench.<kind>``; a plug-in that fails to import keeps its error
and raises it when it is used, never before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from bench.core.errors import ConfigError, NotAvailableError, UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to objects of one kind.

    Parameters
    ----------
    kind
        Singular noun that stands in error messages (``corpus``); also the suffix of the entry-point group.
    check
        Returns True for a valid entry: a type check that runs when the entry is first used.
    expected
        What `check` accepts, in words, for the error message.
    """

    def __init__(self, kind: str, check: Callable[[object], bool], expected: str) -> None:
        self.kind = kind
        self._check = check
        self._expected = expected
        self._entries: dict[str, object] = {}
        self._origin: dict[str, str] = {}
        self._resolved: dict[str, T] = {}
        self._scanned = False

    @property
    def group(self) -> str:
        """Entry-point group that is scanned for entries of this kind."""
        return f"deidbench.{self.kind}"

    def add(self, name: str, entry: T | str, origin: str = "deidbench") -> None:
        """Register an object or a lazy ``"module:attr"``; a second entry of the same name is an error."""
        if name in self._entries:
            raise ConfigError(f"{self.kind} {name!r} is registered twice: by {self._origin[name]} and by {origin}")
        self._entries[name] = entry
        self._origin[name] = origin

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        for point in sorted(entry_points(group=self.group), key=lambda p: (p.name, p.value)):
            owner = point.dist.name if point.dist else "an unknown package"
            self.add(point.name, point.value, f"package {owner!r}")

    def names(self) -> list[str]:
        """All names, sorted; imports nothing."""
        self._scan()
        return sorted(self._entries)

    def __contains__(self, name: object) -> bool:
        self._scan()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def origin(self, name: str) -> str:
        """Who registered `name`."""
        self._scan()
        return self._origin[name]

    def get(self, name: str) -> T:
        """Resolve a name.

        Raises
        ------
        UnknownNameError
            No such name; the message proposes the nearest.
        NotAvailableError
            The entry's module cannot be imported or has no such attribute.
        ConfigError
            The entry is not of this registry's type.
        """
        self._scan()
        if name in self._resolved:
            return self._resolved[name]
        if name not in self._entries:
            raise UnknownNameError(self.kind, name, self._entries)
        entry = self._entries[name]
        if isinstance(entry, str):
            entry = load_attribute(entry, f"{self.kind} {name!r} (from {self._origin[name]})")
        if not self._check(entry):
            raise ConfigError(
                f"{self.kind} {name!r} (from {self._origin[name]}) is {type(entry).__name__}, expected {self._expected}"
            )
        self._resolved[name] = entry  # type: ignore[assignment]  # `check` has just established it
        return self._resolved[name]


def load_attribute(reference: str, owner: str) -> object:
    """Import ``module:attr`` (dots allowed in attr); every failure is a `NotAvailableError` that names `owner`."""
    module_name, _, attribute = reference.partition(":")
    if not module_name or not attribute:
        raise ConfigError(f"{owner}: {reference!r} is not of the form 'module:attr'")
    try:
        target: object = importlib.import_module(module_name)
        for part in attribute.split("."):
            target = getattr(target, part)
    except Exception as error:  # a plug-in may fail with anything; the error is kept
        raise NotAvailableError(f"{owner} cannot be loaded from {reference!r}: {type(error).__name__}: {error}") from error
    return target
