"""English texts are composed as *pieces* before they are written, so that a later message can quote an earlier one with its gold.

Templates are those of `corpora.demo.grammar`: ``{name:argument}`` calls the writer's ``slot_name``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeVar

from corpora.demo.builder import TextBuilder
from corpora.demo.grammar import Agreement, Choice, Slot, Template, parse

_T = TypeVar("_T")

#: Not from the C library: the text must not depend on a locale.
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Piece(NamedTuple):
    """A stretch of text: plain where `type` is empty, else one gold mention."""

    surface: str
    type: str = ""
    entity: str = ""
    identifier: str = ""


@cache
def _parsed(source: str) -> Template:
    return parse(source, "English template")


class Writer:
    """Expands templates into `pieces`; a subclass defines ``slot_<name>(argument)`` for every slot of its templates."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pieces: list[Piece] = []

    def pick(self, items: Sequence[_T]) -> _T:
        """One item, even odds."""
        return items[int(self.rng.random() * len(items))]

    def chance(self, share: float) -> bool:
        """True in `share` of the cases."""
        return self.rng.random() < share

    def text(self, plain: str) -> None:
        """Append plain text; the full stop after an abbreviation that ends in one is left out."""
        if plain.startswith(".") and self.pieces and self.pieces[-1].surface.endswith("."):
            plain = plain[1:]
        if plain:
            self.pieces.append(Piece(plain))

    def mention(self, surface: str, type_: str, entity: str, identifier: str = "") -> None:
        """Append a gold mention."""
        self.pieces.append(Piece(surface, type_, entity, identifier))

    def say(self, source: str) -> None:
        """Expand a template."""
        self._expand(_parsed(source))

    def is_female(self, role: str) -> bool:
        """Which branch of ``{role?masc:fem}`` applies; a subclass with such templates knows its people."""
        raise NotImplementedError(role)

    def _expand(self, template: Template) -> None:
        for node in template:
            if isinstance(node, str):
                self.text(node)
            elif isinstance(node, Slot):
                getattr(self, f"slot_{node.key}")(node.argument)
            elif isinstance(node, Choice):
                self._expand(self.pick(node.options))
            elif isinstance(node, Agreement):
                self._expand(node.feminine if self.is_female(node.role) else node.masculine)


def write(pieces: Iterable[Piece], builder: TextBuilder) -> None:
    """Hand the pieces to a builder."""
    for piece in pieces:
        if piece.type:
            builder.mention(piece.surface, piece.type, piece.entity, identifier=piece.identifier)
        else:
            builder.text(piece.surface)


def mistype(word: str, rng: random.Random) -> str:
    """Swap two neighbouring letters inside a word, or drop one; shorter than five letters, the surface comes back unchanged."""
    places = [i for i in range(1, len(word) - 2) if word[i - 1 : i + 2].isalpha() and word[i] != word[i + 1]]
    if len(word) < 5 or not places:
        return word
    at = places[int(rng.random() * len(places))]
    if rng.random() < 0.7:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at + 1 :]


def with_typo(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """The same pieces with one word of the plain text mistyped."""
    places = [at for at, piece in enumerate(pieces) if not piece.type and len(piece.surface) > 12]
    if not places:
        return pieces
    at = places[int(rng.random() * len(places))]
    words = pieces[at].surface.split(" ")
    chosen = int(rng.random() * len(words))
    if words[chosen].isalpha():
        words[chosen] = mistype(words[chosen], rng)
    return [*pieces[:at], pieces[at]._replace(surface=" ".join(words)), *pieces[at + 1 :]]


def lowered(pieces: list[Piece]) -> list[Piece]:
    """The same pieces as somebody types who never uses capitals."""
    return [piece._replace(surface=piece.surface.lower()) for piece in pieces]


def wrapped(pieces: list[Piece], width: int) -> list[Piece]:
    """The same pieces with lines broken at `width`, as old mail programs do: a space becomes a line feed, even inside a name."""
    text = list("".join(piece.surface for piece in pieces))
    column, space = 0, -1
    for at, char in enumerate(text):
        if char == "\n":
            column, space = 0, -1
            continue
        if char == " ":
            space = at
        column += 1
        if column > width and space >= 0:
            text[space] = "\n"
            column, space = at - space, -1
    whole, start, done = "".join(text), 0, []
    for piece in pieces:
        end = start + len(piece.surface)
        done.append(piece._replace(surface=whole[start:end]))
        start = end
    return done


def quoted(pieces: list[Piece]) -> list[Piece]:
    """The same pieces with ``> `` before every line; a name that was broken over two lines is joined again first."""
    done = [Piece("> ")]
    for piece in pieces:
        surface = piece.surface.replace("\n", " ") if piece.type else piece.surface.replace("\n", "\n> ")
        done.append(piece._replace(surface=surface))
    return done
