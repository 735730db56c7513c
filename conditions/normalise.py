"""The key normaliser: which surfaces count as the same name (docs/measures.md, Release conditions, [T] section 2.2).

*Our reading*, where the definition leaves room:

- Compatibility forms are composed first (NFKC), so that composed and decomposed letters and full-width forms are equal.
- An apostrophe vanishes (``O'Brien`` = ``obrien``); any other punctuation separates words (``Weber,Kay`` = ``weber kay``),
  so that it never glues two words into a third.
- Invisible format characters (soft hyphen, zero-width joiners, direction marks) and variation selectors vanish.
- Titles (``titles.toml``, multilingual) go from the two ends of a name, never its middle, and only from names of persons.
- A key is never empty: a surface that is nothing but titles keeps them, one that is nothing but punctuation stays as it is.
"""

from __future__ import annotations

import tomllib
import unicodedata
from importlib import resources
from typing import Final

_APOSTROPHES: Final[frozenset[str]] = frozenset("'\u2018\u2019\u201b\u02bc\uff07")
_LONGEST_TITLE: Final[int] = 4
#: Rounds until the folds agree; real text needs one or two, and every round is applied to the result of the one before.
_ROUNDS: Final[int] = 8


class _Folding(dict[int, str]):
    """Translation table filled on demand: what each code point becomes after case folding."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if char in _APOSTROPHES or category == "Cf" or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
            folded = ""
        elif category[0] == "P" or category == "Cc" or char.isspace():
            folded = " "
        else:
            folded = char
        self[code] = folded
        return folded


_FOLDING: Final[_Folding] = _Folding()


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.casefold().translate(_FOLDING).split()
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return composed.translate(_FOLDING).split()


_TITLES: Final = tomllib.loads(resources.files("conditions").joinpath("titles.toml").read_text(encoding="utf-8"))
_LEADING: Final[frozenset[str]] = frozenset(" ".join(_words(title)) for title in _TITLES["leading"])
_TRAILING: Final[frozenset[str]] = frozenset(" ".join(_words(title)) for title in _TITLES["trailing"])
_ATTACHED: Final[tuple[str, ...]] = tuple(_TITLES["attached"])
_FIRST_WORDS: Final[frozenset[str]] = frozenset(title.split()[0] for title in _LEADING)
_LAST_WORDS: Final[frozenset[str]] = frozenset(title.split()[-1] for title in _TRAILING)


def _without_titles(words: list[str]) -> list[str]:
    """Strip titles from both ends; all words are kept where nothing but titles is there."""
    first, last = 0, len(words)
    changed = True
    while changed and first < last:
        changed = False
        if words[first] in _FIRST_WORDS:
            for n in range(min(_LONGEST_TITLE, last - first), 0, -1):
                if " ".join(words[first : first + n]) in _LEADING:
                    first, changed = first + n, True
                    break
        if first < last and words[last - 1] in _LAST_WORDS:
            for n in range(min(_LONGEST_TITLE, last - first), 0, -1):
                if " ".join(words[last - n : last]) in _TRAILING:
                    last, changed = last - n, True
                    break
    if first >= last:
        return words
    kept = words[first:last]
    if not kept[-1].isascii():
        for title in _ATTACHED:
            if kept[-1].endswith(title) and len(kept[-1]) > len(title):
                kept[-1] = kept[-1][: -len(title)]
                break
    return kept


def _once(text: str, titles: bool) -> str:
    words = _words(text)
    if titles:
        words = _without_titles(words)
    return " ".join(words) or " ".join(text.casefold().split()) or " "


def normalise(surface: str, *, titles: bool = True) -> str:
    """Key of a surface: casefolded, white space collapsed, titles and punctuation removed.

    Parameters
    ----------
    surface
        What the text holds between two offsets; not empty.
    titles
        Remove titles. True for names of persons; False for every other type, where ``Dr`` may be part of the name
        (``Dr. Oetker GmbH``) or of an identifier.

    Returns
    -------
    str
        Never empty; ``normalise(normalise(s)) == normalise(s)``; the separator 0x1f of the surrogate formula counts as
        white space and never occurs in it.

    Raises
    ------
    ValueError
        The surface is empty.
    """
    if not surface:
        raise ValueError("an empty surface has no key")
    key = _once(surface, titles)
    if surface.isascii():
        return key
    for _ in range(_ROUNDS):
        # Unicode has letters that fold in two steps, and an attached title can uncover another.
        again = _once(key, titles)
        if again == key:
            break
        key = again
    return key
