"""Ensembles: a voting rule over detectors, the expression language that names one, and named sets.

The language, in full::

    expression = rule "(" name { "," name } ")" | name
    rule       = "union" | "intersection" | "majority" | "atleastN"
    name       = a detector, or a named set

A bare detector is that detector alone; a bare set name is the set's own rule over its members; a set name inside a rule stands
for its members (``atleast2(embedded)``). Votes are counted per detector, so rules do not nest and no detector may be named twice.
``union`` needs one vote, ``intersection`` all of them, ``atleastN`` N, ``majority`` more than half: floor(n / 2) + 1, which
is 8 of 15 ([T] section 2.3). Rules: docs/measures.md, Detection.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.core.errors import ConfigError, NotAvailableError, UnknownNameError, UsageError

T = TypeVar("T")

#: One bit of a 64-bit mask per detector.
MAX_MEMBERS: Final[int] = 64
RULES: Final[str] = "union(a,b,…), intersection(a,b,…), atleastN(a,b,…), majority(a,b,…)"
#: Rule to its symbol in Table 2 of [T].
SYMBOLS: Final[Mapping[str, str]] = {"single": "s", "union": "∪", "intersection": "∩", "atleast": "v"}
_WORDS: Final = ("union", "intersection", "majority")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ATLEAST: Final = re.compile(r"atleast([0-9]*)")
_SPACE: Final = re.compile(r"\s*")


def rule_of(n_members: int, k: int) -> str:
    """``single``, ``union``, ``intersection`` or ``atleast``: the one name of a rule, however it was written."""
    if n_members == 1:
        return "single"
    return "union" if k == 1 else "intersection" if k == n_members else "atleast"


def expression_of(members: Sequence[str], k: int) -> str:
    """Canonical expression of at least `k` votes among `members`, which must be sorted."""
    rule = rule_of(len(members), k)
    if rule == "single":
        return members[0]
    return f"{rule}{k if rule == 'atleast' else ''}({','.join(members)})"


@dataclass(frozen=True, slots=True)
class Ensemble:
    """At least `k` votes among `members`.

    Parameters
    ----------
    name
        The set it was called by, else its expression.
    rule
        ``single``, ``union``, ``intersection`` or ``atleast``; follows from `k` and the number of members, so that
        ``atleast1(a,b)`` is a union and ``majority(a,b,c)`` an ``atleast``.
    k
        Votes a token needs, 1 <= k <= len(members).
    members
        Detector names, sorted: two spellings of one ensemble are equal but for `name`.
    """

    name: str
    rule: str
    k: int
    members: tuple[str, ...]

    @classmethod
    def of(cls, members: Iterable[str], k: int, name: str = "") -> Ensemble:
        """Build an ensemble; `UsageError` for no or repeated members or an impossible `k`."""
        ordered = tuple(sorted(members))
        if not ordered:
            raise UsageError("an ensemble needs at least one detector")
        for left, right in pairwise(ordered):
            if left == right:
                raise UsageError(f"detector {left!r} is named twice in one ensemble; each detector has one vote")
        if not 1 <= k <= len(ordered):
            raise UsageError(f"{k} votes among {len(ordered)} detectors is impossible; accepted: 1 to {len(ordered)}")
        if len(ordered) > MAX_MEMBERS:
            raise UsageError(f"an ensemble of {len(ordered)} detectors; accepted: at most {MAX_MEMBERS}")
        return cls(name or expression_of(ordered, k), rule_of(len(ordered), k), k, ordered)

    @property
    def expression(self) -> str:
        """Canonical spelling: what `parse` turns into an equal ensemble, and what stands in results."""
        return expression_of(self.members, self.k)

    @property
    def symbol(self) -> str:
        """Symbol of the rule in Table 2 of [T]."""
        return SYMBOLS[self.rule]


class NamedSet(BaseModel):
    """One ``[sets.NAME]`` table: a rule over detectors, with a note for `bench detectors list`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    members: tuple[str, ...] = Field(min_length=1)
    note: str = ""

    def ensemble(self, name: str) -> Ensemble:
        """The set's own rule over its members."""
        k = _votes(self.rule, len(self.members))
        if k is None:
            raise ConfigError(f"rule {self.rule!r} is unknown; accepted: union, intersection, majority, atleastN")
        return Ensemble.of(self.members, k, name)


def is_rule(name: str) -> bool:
    """Whether `name` is a word of the language, which neither a detector nor a set may be called by."""
    return name in _WORDS or _ATLEAST.fullmatch(name) is not None


def _votes(rule: str, n: int) -> int | None:
    """Votes that `rule` needs among `n` members; None for an unknown rule."""
    if rule in _WORDS:
        return {"union": 1, "intersection": n, "majority": n // 2 + 1}[rule]
    match = _ATLEAST.fullmatch(rule)
    # The cap keeps a number of thousands of digits from reaching int(); anything past MAX_MEMBERS is refused all the same.
    return int(match[1][:9]) if match and match[1] else None


def load_sets(path: Path, *, reserved: Collection[str] = ()) -> Mapping[str, NamedSet]:
    """Read named sets from a TOML file of ``[sets.NAME]`` tables with ``rule``, ``members`` and ``note``.

    Parameters
    ----------
    path
        The file.
    reserved
        Names that a set may not take: those of detectors and of sets defined elsewhere.

    Raises
    ------
    ConfigError
        Not readable, not TOML, an unknown key, a bad rule, a repeated member, or a taken name; the message names file and set.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read ensembles {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{str(path)!r} is not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{str(path)!r} is not valid TOML: {error}") from None
    unknown = sorted(set(table) - {"sets"})
    if unknown or not isinstance(table.get("sets", {}), dict):
        raise ConfigError(f"{str(path)!r} has {unknown[0] if unknown else 'sets'!r}; accepted: tables [sets.NAME]")
    return {
        name: _check_set(name, value, reserved, f"{str(path)!r}, set {name!r}") for name, value in table.get("sets", {}).items()
    }


def _check_set(name: str, value: Any, reserved: Collection[str], where: str) -> NamedSet:
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{where}: a name is letters, digits, '.', '_' and '-', beginning with a letter or digit")
    if is_rule(name):
        raise ConfigError(f"{where}: {name!r} is a rule; choose another name")
    if name in reserved:
        raise ConfigError(f"{where}: the name is taken by a detector or another set; choose another")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} is {value!r}, expected a table with rule, members and note")
    try:
        named = NamedSet.model_validate(value)
        named.ensemble(name)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{where}: {place}: {first['msg']} (accepted: rule, members, note)") from None
    except UsageError as error:
        raise ConfigError(f"{where}: {error}") from None
    for member in named.members:
        if not _NAME.fullmatch(member):
            raise ConfigError(f"{where}: member {member!r} is not a detector name; sets and rules do not nest")
    return named


@cache
def builtin_sets() -> Mapping[str, NamedSet]:
    """The sets that come with the tool (``ensembles.toml`` beside this module)."""
    return load_sets(Path(__file__).with_name("ensembles.toml"))


class _Parser:
    """Recursive descent over one line; every error carries the column (from 1) it stands at."""

    def __init__(self, text: str, known: Collection[str], sets: Mapping[str, NamedSet]) -> None:
        self.text, self.known, self.sets, self.at = text, known, sets, 0

    def fail(self, message: str, at: int | None = None) -> UsageError:
        return UsageError(f"ensemble {self.text!r}, column {(self.at if at is None else at) + 1}: {message}")

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def found(self) -> str:
        return repr(self.text[self.at]) if self.at < len(self.text) else "the end"

    def word(self, expected: str) -> tuple[str, int]:
        self.space()
        at, match = self.at, _NAME.match(self.text, self.at)
        if match is None:
            raise self.fail(f"found {self.found()}, expected {expected}")
        self.at = match.end()
        return match[0], at

    def peek(self, character: str) -> bool:
        self.space()
        return self.text.startswith(character, self.at)

    def parse(self) -> Ensemble:
        word, at = self.word(f"a detector, a set, or a rule: {RULES}")
        if self.peek("("):
            ensemble = self.rule(word, at)
        elif word in self.sets:
            ensemble = self.sets[word].ensemble(word)
        else:
            self.check_detector(word, at)
            ensemble = Ensemble.of((word,), 1)
        self.space()
        if self.at < len(self.text):
            raise self.fail(f"unexpected {self.text[self.at :]!r} after the end of the expression")
        return ensemble

    def check_detector(self, word: str, at: int) -> None:
        if word in self.known:
            return
        if is_rule(word):
            raise self.fail(f"rule {word!r} needs its detectors in brackets: {word}(a,b,…)", at)
        raise self.fail(str(UnknownNameError("detector or set", word, [*self.known, *self.sets])), at)

    def rule(self, word: str, at: int) -> Ensemble:
        match = _ATLEAST.fullmatch(word)
        if match and not match[1]:
            raise self.fail("'atleast' needs a number of votes: atleast2(a,b,c)", at)
        if not match and word not in _WORDS:
            raise self.fail(f"unknown rule {word!r}; accepted: {RULES}", at)
        members = self.members()
        if len(members) > MAX_MEMBERS:
            raise self.fail(f"{len(members)} detectors; accepted: at most {MAX_MEMBERS}", at)
        k = _votes(word, len(members)) or 0
        if not 1 <= k <= len(members):
            raise self.fail(f"{word} of {len(members)} detectors is impossible; accepted: atleast1 to atleast{len(members)}", at)
        return Ensemble.of(members, k)

    def members(self) -> list[str]:
        """The bracketed list."""
        self.at += 1
        if self.peek(")"):
            raise self.fail("no detectors between the brackets; give at least one")
        names = self.names()
        if not self.peek(")"):
            raise self.fail(f"found {self.found()}, expected ',' or ')'")
        self.at += 1
        return names

    def names(self) -> list[str]:
        """Names with commas between them, sets expanded; no detector twice."""
        origin: dict[str, str] = {}
        while True:
            word, at = self.word("a detector or a set")
            if self.peek("("):
                raise self.fail(f"{word!r}: rules do not nest, because votes are counted per detector", at)
            if word not in self.sets:
                self.check_detector(word, at)
            for member in self.sets[word].members if word in self.sets else (word,):
                by = f"through set {word!r}" if word in self.sets else "by name"
                if member in origin:
                    raise self.fail(f"detector {member!r} is named twice: {origin[member]}, then {by}", at)
                origin[member] = by
            if not self.peek(","):
                return list(origin)
            self.at += 1

    def parse_members(self) -> tuple[str, ...]:
        """A list without a rule, to its end; or the members of an expression."""
        self.word("a detector, a set, or a rule")
        is_rule = self.peek("(")
        self.at = 0
        if is_rule:
            return self.parse().members
        names = self.names()
        if self.at < len(self.text):
            raise self.fail(f"found {self.found()}, expected ',' or the end")
        return tuple(sorted(names))


def parse(text: str, known: Collection[str], sets: Mapping[str, NamedSet] | None = None) -> Ensemble:
    """Parse an ensemble expression.

    Parameters
    ----------
    text
        The expression.
    known
        Detectors that exist, whether or not they can run here. Members of a set are not looked up: `resolve` does that.
    sets
        Named sets; default: those that come with the tool. A detector may not share its name with a set.

    Raises
    ------
    UsageError
        The expression is not in the language; the message gives the column and what is accepted there.
    """
    return _Parser(text, known, builtin_sets() if sets is None else sets).parse()


def parse_members(text: str, known: Collection[str], sets: Mapping[str, NamedSet] | None = None) -> tuple[str, ...]:
    """Detectors that `text` names, sorted: a list ``a,b,set``, a set, or the members of an expression whatever its rule.

    Parameters and errors as for `parse`.
    """
    return _Parser(text, known, builtin_sets() if sets is None else sets).parse_members()


def resolve(ensemble: Ensemble, available: Mapping[str, T], remedies: Mapping[str, str] | None = None) -> tuple[T, ...]:
    """What `available` holds for each member, in member order.

    Parameters
    ----------
    ensemble
        A parsed ensemble.
    available
        Detector name to whatever the caller needs of it (spans, a manifest).
    remedies
        For a detector that is not available: what is missing and the command that brings it.

    Raises
    ------
    NotAvailableError
        Lists every missing detector, one line each, with how to get it.
    """
    missing = [name for name in ensemble.members if name not in available]
    if not missing:
        return tuple(available[name] for name in ensemble.members)
    remedies = remedies or {}
    lines = [f"{name}: {remedies.get(name) or _no_remedy(name, available)}" for name in missing]
    head = f"{len(missing)} of the {len(ensemble.members)} detectors of ensemble {ensemble.name!r} cannot be used here:"
    separator = "\n  " if len(lines) > 1 else " "
    raise NotAvailableError(head + separator + separator.join(lines))


def _no_remedy(name: str, available: Collection[str]) -> str:
    close = difflib.get_close_matches(name, available, n=1, cutoff=0.8)
    hint = f"did you mean {close[0]!r}? Else " if close else ""
    return f"{hint}no manifest of this name is installed; import its spans with `bench detectors spans import --name {name}`"
