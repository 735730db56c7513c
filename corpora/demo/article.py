"""Article skeletons: the text files under ``data/`` that hold name pools, casts and paragraphs, and how one is read.

A file consists of ``@pool NAME TYPE`` blocks (one name a line, short forms after ``|``) and ``@article NAME role=sex:age-age``
blocks. In an article ``@t`` opens the title, ``@p`` a paragraph and ``@p?`` one that half of the documents have; each line
below is one alternative in the language of `corpora.demo.grammar`. ``@common ROLES`` holds paragraphs and people that every
article of the file ends with. A role is ``m``, ``f`` or ``any``; ``kid=f:19-40+victim`` gives the kid the victim's family name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from bench.core.errors import DataError
from bench.core.taxonomy import check_type
from corpora.demo.builder import TextBuilder
from corpora.demo.grammar import Scene, Template, parse, write
from corpora.demo.weighted import DATA

_ROLE: Final = re.compile(r"(?P<role>\w+)=(?P<sex>m|f|any):(?P<low>\d+)-(?P<high>\d+)(?:\+(?P<kin>\w+))?")
_OPTIONAL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Role:
    """One person of the cast: `sex` is ``M``, ``F`` or empty, ages in years, `kin` a role with the same family name."""

    sex: str
    low: int
    high: int
    kin: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Alternatives of one paragraph, and the section it belongs to (empty in news)."""

    section: str
    options: tuple[Template, ...]
    optional: bool


@dataclass(frozen=True, slots=True)
class Article:
    """One skeleton."""

    name: str
    cast: Mapping[str, Role]
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """Names of one kind: each entry is the full name and, where there is one, its short form."""

    type: str
    names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Book:
    """All pools and articles of one file."""

    pools: Mapping[str, Pool]
    articles: tuple[Article, ...]


def _roles(words: list[str], where: str) -> dict[str, Role]:
    cast = {}
    for word in words:
        match = _ROLE.fullmatch(word)
        if match is None:
            raise DataError(f"{where}: {word!r} is no role; expected NAME=m|f|any:LOW-HIGH, optionally followed by +KIN")
        sex = {"m": "M", "f": "F", "any": ""}[match["sex"]]
        cast[match["role"]] = Role(sex, int(match["low"]), int(match["high"]), match["kin"] or "")
    return cast


#: Name, cast and paragraphs (section, optional?, alternatives) while a file is read.
_Draft: TypeAlias = tuple[str, dict[str, Role], list[tuple[str, bool, list[Template]]]]


@lru_cache(maxsize=8)
def read_book(file: str) -> Book:
    """Read and parse one file of ``data/``.

    Raises
    ------
    DataError
        A line that belongs nowhere, or a template that does not parse; the message names file and line.
    """
    pools: dict[str, tuple[str, list[tuple[str, ...]]]] = {}
    articles: list[_Draft] = []
    common: _Draft = ("", {}, [])
    current: _Draft | None = None
    into = ""
    for number, raw in enumerate((DATA / file).read_text(encoding="utf-8").splitlines(), start=1):
        line, where = raw.strip(), f"{file} line {number}"
        if not line or line.startswith("#"):
            continue
        words = line.split()
        if words[0] == "@pool" and len(words) == 3:
            pools[words[1]] = (check_type(words[2], where), [])
            into = words[1]
        elif words[0] == "@article" and len(words) > 1:
            articles.append((words[1], _roles(words[2:], where), []))
            current, into = articles[-1], ""
        elif words[0] == "@common":
            common = ("", _roles(words[1:], where), [])
            current, into = common, ""
        elif words[0] in ("@t", "@p", "@p?") and len(words) <= 2 and current:
            current[2].append((" ".join(words[1:]), words[0] == "@p?", []))
            into = "@"
        elif line.startswith("@") or not into:
            raise DataError(f"{where}: {line[:60]!r} belongs to no pool and no paragraph")
        elif into == "@" and current:
            current[2][-1][2].append(parse(line.replace("\\n", "\n"), where))
        else:
            pools[into][1].append(tuple(part.strip() for part in line.split("|")))
    return Book(
        {name: Pool(type_, tuple(names)) for name, (type_, names) in pools.items()},
        tuple(
            Article(
                name,
                cast | common[1],
                tuple(Paragraph(section, tuple(options), optional) for section, optional, options in paragraphs + common[2]),
            )
            for name, cast, paragraphs in articles
        ),
    )


def write_article(builder: TextBuilder, article: Article, scene: Scene, rng: random.Random) -> None:
    """Append an article: of every paragraph one alternative, title and paragraphs separated by an empty line."""
    first = True
    for paragraph in article.paragraphs:
        if paragraph.optional and rng.random() >= _OPTIONAL_SHARE:
            continue
        if not first:
            builder.text("\n\n")
        write(builder, rng.choice(paragraph.options), scene, rng)
        first = False
