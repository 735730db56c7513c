"""A small template language: natural sentences with slots whose gold is written with the text, never searched for.

======================  =========================================================================================
``[one|two]``           one of the alternatives, chosen at random; may nest
``{key}``               the value that the scene gives for ``key``
``{key:argument}``      the same with a literal argument: ``{LOCATION:Europe}``, ``{num:3-25}``
``{role?masc:fem}``     the first branch for a male person, the second for a female one: agreement in German and Arabic
======================  =========================================================================================
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bench.core.errors import DataError
from corpora.demo.builder import TextBuilder


@dataclass(frozen=True, slots=True)
class Gold:
    """A piece of text that is a gold mention."""

    surface: str
    type: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class Note:
    """A piece of text that is annotated in ``document.meta[layer]`` as ``[start, end, kind]`` and is no mention."""

    surface: str
    layer: str
    kind: str


Piece: TypeAlias = "str | Gold | Note"
Value: TypeAlias = "Piece | tuple[Piece, ...]"


class Scene(Protocol):
    """What the templates of one document speak about."""

    def value(self, key: str, argument: str) -> Value:
        """Return the value of a slot; `argument` is empty for ``{key}``."""
        ...

    def is_female(self, role: str) -> bool:
        """Tell which branch of ``{role?masc:fem}`` applies."""
        ...


@dataclass(frozen=True, slots=True)
class Slot:
    """``{key}`` or ``{key:argument}``."""

    key: str
    argument: str


@dataclass(frozen=True, slots=True)
class Choice:
    """``[one|two]``."""

    options: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """``{role?masc:fem}``."""

    role: str
    masculine: Template
    feminine: Template


Template: TypeAlias = "tuple[str | Slot | Choice | Agreement, ...]"


class _Parser:
    """Recursive descent over one template string."""

    def __init__(self, source: str, where: str) -> None:
        self.source, self.where, self.at = source, where, 0

    def fail(self, what: str) -> DataError:
        return DataError(f"{self.where}: {what} at character {self.at} of {self.source[:60]!r}")

    def sequence(self, stop: str) -> Template:
        """Read up to, not including, one of the characters in `stop`."""
        nodes: list[str | Slot | Choice | Agreement] = []
        start = self.at
        while self.at < len(self.source):
            char = self.source[self.at]
            if char in stop:
                break
            if char in "{[":
                if self.at > start:
                    nodes.append(self.source[start : self.at])
                self.at += 1
                nodes.append(self.braces() if char == "{" else self.brackets())
                start = self.at
            elif char in "}]":
                raise self.fail(f"unexpected {char!r}")
            else:
                self.at += 1
        if self.at > start:
            nodes.append(self.source[start : self.at])
        return tuple(nodes)

    def expect(self, char: str) -> None:
        if self.source[self.at : self.at + 1] != char:
            raise self.fail(f"expected {char!r}")
        self.at += 1

    def brackets(self) -> Choice:
        options = [self.sequence("|]")]
        while self.source[self.at : self.at + 1] == "|":
            self.at += 1
            options.append(self.sequence("|]"))
        self.expect("]")
        return Choice(tuple(options))

    def braces(self) -> Slot | Agreement:
        start = self.at
        while self.at < len(self.source) and self.source[self.at] not in "?:}":
            self.at += 1
        key = self.source[start : self.at]
        mark = self.source[self.at : self.at + 1]
        if not key or not mark:
            raise self.fail("a slot without a name or an end")
        self.at += 1
        if mark == "}":
            return Slot(key, "")
        if mark == "?":
            masculine = self.sequence(":")
            self.expect(":")
            feminine = self.sequence("}")
            self.expect("}")
            return Agreement(key, masculine, feminine)
        end = self.source.find("}", self.at)
        if end <= self.at:
            raise self.fail("a slot with an empty argument or without an end")
        argument, self.at = self.source[self.at : end], end + 1
        return Slot(key, argument)


def parse(source: str, where: str) -> Template:
    """Parse one template; `where` names it in the error.

    Raises
    ------
    DataError
        Unbalanced brackets or braces.
    """
    return _Parser(source, where).sequence("")


def write_value(builder: TextBuilder, value: Value) -> None:
    """Append a value with its gold and notes."""
    for piece in value if isinstance(value, tuple) else (value,):
        if isinstance(piece, str):
            builder.text(piece)
        elif isinstance(piece, Gold):
            builder.mention(piece.surface, piece.type, piece.entity_id)
        else:
            start = builder.position
            builder.text(piece.surface)
            layer = builder.meta.setdefault(piece.layer, [])
            if not isinstance(layer, list):
                raise TypeError(f"meta {piece.layer!r} of {builder.doc_id!r} is no list")
            layer.append([start, builder.position, piece.kind])


def write(builder: TextBuilder, template: Template, scene: Scene, rng: random.Random) -> None:
    """Append a template to `builder`, filled from `scene`, with the alternatives drawn from `rng`."""
    for node in template:
        if isinstance(node, str):
            builder.text(node)
        elif isinstance(node, Slot):
            write_value(builder, scene.value(node.key, node.argument))
        elif isinstance(node, Choice):
            write(builder, rng.choice(node.options), scene, rng)
        else:
            write(builder, node.feminine if scene.is_female(node.role) else node.masculine, scene, rng)


def slots(template: Template) -> Sequence[Slot | Agreement]:
    """All slots and agreements of a template, nested ones included, in order."""
    found: list[Slot | Agreement] = []
    for node in template:
        if isinstance(node, Slot):
            found.append(node)
        elif isinstance(node, Choice):
            for option in node.options:
                found.extend(slots(option))
        elif isinstance(node, Agreement):
            found.append(node)
            found.extend(slots(node.masculine))
            found.extend(slots(node.feminine))
    return found
