"""Surrogate pools by language: products of Faker's lists and of the lists in ``conditions/locales/*.toml``.

Format of a language file: ``locales`` (Faker locales whose lists are merged), ``[lists]`` (a slot's strings; a plain string
stands for its characters), ``[patterns]`` (type to alternatives; ``{slot}`` is a list, ``{1..99}`` a number, ``{01..12}`` one
with leading zeros), ``[kinds.<TYPE>.<kind>]`` (words of a key, or ends of words, that keep a surface's kind: a court stays a
court) and ``[legal]`` (legal forms that a company keeps). Slots that Faker fills: ``female``, ``male``, ``family``, ``job``,
``country``, ``city``, ``word``.

Lists are sorted and free of duplicates, so that the order inside Faker cannot matter; what they hold does, and is covered by
`LanguagePools.fingerprint`.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import faker.providers.person

from bench.core.errors import ConfigError
from bench.core.jsonio import digest
from conditions.normalise import normalise
from conditions.product import Numbers, Pool, Product, Union

#: Slot to Faker's provider and the attributes that may hold it (the first that a locale has is taken).
_FAKER_SLOTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "female": ("person", ("first_names_female", "first_names")),
    "male": ("person", ("first_names_male", "first_names")),
    "family": ("person", ("unisex_last_names", "last_names")),
    "job": ("job", ("jobs",)),
    "country": ("address", ("countries",)),
    "city": ("address", ("cities", "city_names")),
    "word": ("lorem", ("word_list",)),
}
#: Slots whose strings are names: list entries with brackets, alternatives or digits in them are left out.
_NAME_SLOTS: Final[frozenset[str]] = frozenset({"female", "male", "family", "city", "country"})
_SLOT: Final[re.Pattern[str]] = re.compile(r"\{([a-z]+|\d+\.\.\d+)\}")
#: First word of a letter's Unicode name to the language that stands for its script where no document language fits.
_SCRIPT_DEFAULT: Final[Mapping[str, str]] = {
    "LATIN": "en",
    "CJK": "zh",
    "ARABIC": "ar",
    "CYRILLIC": "ru",
    "GREEK": "el",
    "HEBREW": "he",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "TAMIL": "ta",
    "THAI": "th",
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "GEORGIAN": "ka",
    "ARMENIAN": "hy",
}
#: Languages that are not written in Latin letters, and the scripts they are written in.
_SCRIPTS: Final[Mapping[str, frozenset[str]]] = {
    "zh": frozenset({"CJK"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL"}),
    **{code: frozenset({"ARABIC"}) for code in ("ar", "fa", "ur", "ps")},
    **{code: frozenset({"CYRILLIC"}) for code in ("ru", "uk", "bg", "mk", "sr", "be", "kk")},
    **{code: frozenset({"DEVANAGARI"}) for code in ("hi", "mr", "ne")},
    "el": frozenset({"GREEK"}),
    "he": frozenset({"HEBREW"}),
    "bn": frozenset({"BENGALI"}),
    "ta": frozenset({"TAMIL"}),
    "th": frozenset({"THAI"}),
    "ka": frozenset({"GEORGIAN"}),
    "hy": frozenset({"ARMENIAN"}),
}
_LATIN: Final[frozenset[str]] = frozenset({"LATIN"})


def script_of(text: str) -> str:
    """Script of most letters of `text` (``LATIN``, ``CJK``, ``ARABIC`` ...); ``LATIN`` where it has no letter."""
    counts: dict[str, int] = {}
    if text.isascii():
        return "LATIN"
    for char in text:
        if char.isalpha():
            script = unicodedata.name(char, "LATIN").split()[0]
            counts[script] = counts.get(script, 0) + 1
    return max(counts, key=lambda script: (counts[script], script), default="LATIN")


def pool_language(key: str, languages: Iterable[str]) -> str:
    """Language whose pools a key draws from.

    *Our reading* of "locale": one key must give one surrogate over the whole corpus, so the locale may not follow the single
    document. It is the alphabetically first language among the documents that hold the key whose script is the key's own
    (``Weber`` in a Chinese text is not given a Chinese name); where none fits, the script's default.
    """
    script = script_of(key)
    codes = {language[:2].lower() for language in languages}
    fitting = sorted(code for code in codes if script in _SCRIPTS.get(code, _LATIN) and has_names(code))
    return fitting[0] if fitting else _SCRIPT_DEFAULT.get(script, "en")


@lru_cache(maxsize=1)
def _person_locales() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(faker.providers.person.__path__)))


def _faker_locales(language: str) -> list[str]:
    return [name for name in _person_locales() if name == language or name.startswith(f"{language}_")]


@lru_cache(maxsize=1024)
def has_names(language: str) -> bool:
    """Whether Faker has names for an ISO 639-1 code."""
    return bool(_faker_locales(language))


def _clean(values: Iterable[str], slot: str) -> list[str]:
    """Sorted distinct strings in NFC that fit on one line; short function words are no surrogates, so words need 4 letters."""
    kept = set()
    for value in values:
        text = unicodedata.normalize("NFC", " ".join(value.split()))
        # Latin-script fillers that some Faker lists inherit are short; ideographs are complete in one or two characters.
        too_short = slot == "word" and len(text) < 4 and script_of(text) not in {"CJK", "HANGUL"}
        unclean = slot in _NAME_SLOTS and any(char in "()[],/" or char.isdigit() for char in text)
        if text and text.isprintable() and not too_short and not unclean:
            kept.add(text)
    return sorted(kept)


def _faker_list(locales: Sequence[str], slot: str) -> list[str]:
    provider, attributes = _FAKER_SLOTS[slot]
    values: list[str] = []
    for locale in locales:
        name = f"faker.providers.{provider}.{locale}"
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            continue  # Faker has no such list for this locale; another locale of the language may
        for attribute in attributes:
            # Only what the locale itself defines: inherited lists are those of another language.
            classes = [c for c in module.Provider.__mro__ if _is_own(c, locale)]
            found = next((vars(c)[attribute] for c in classes if attribute in vars(c)), None)
            if isinstance(found, Mapping | Sequence) and found:
                values += list(found)
                break
    return _clean(values, slot)


def _is_own(provider: type, locale: str) -> bool:
    """Whether a provider class belongs to the locale's language (``de_AT`` may inherit from ``de``)."""
    return provider.__module__.split(".")[-1][:2] == locale[:2]


class LanguagePools:
    """All pools of one language; built once per process (see `language_pools`)."""

    def __init__(self, language: str, settings: Mapping[str, Any], generic: Mapping[str, Any]) -> None:
        self.language = language
        locales = settings["locales"] or _faker_locales(language)
        self._lists: dict[str, Sequence[str]] = {slot: list(values) for slot, values in settings.get("lists", {}).items()}
        for slot in _FAKER_SLOTS:
            if slot not in self._lists:
                self._lists[slot] = _faker_list(locales, slot)
        self._patterns: dict[str, list[str]] = {**generic["patterns"], **settings["patterns"]}
        self._kinds: dict[str, list[tuple[str, frozenset[str], tuple[str, ...]]]] = {}
        for type_name, kinds in settings.get("kinds", {}).items():
            for kind, rule in kinds.items():
                words = frozenset(normalise(word, titles=False) for word in rule.get("words", ()))
                ends = tuple(normalise(end, titles=False) for end in rule.get("ends", ()))
                self._kinds.setdefault(type_name, []).append((kind, words, ends))
                self._patterns[f"{type_name}.{kind}"] = rule["patterns"]
        legal = settings.get("legal", {})
        self._forms: Mapping[str, str] = legal.get("form", {})
        self._legal_patterns: Sequence[str] = legal.get("patterns", ())
        self._pools: dict[str, Pool] = {}
        #: 32 hexadecimal digits over every list and pattern: another Faker version with other lists is another fingerprint.
        self.fingerprint = digest({"lists": self._lists, "patterns": self._patterns, "forms": dict(self._forms)})

    def list_of(self, slot: str) -> Sequence[str]:
        """The strings of one slot."""
        return self._lists[slot]

    def _product(self, pattern: str, form: str) -> Product | None:
        parts: list[Sequence[str]] = []
        for i, piece in enumerate(_SLOT.split(pattern)):
            if i % 2 == 0:
                if piece:
                    parts.append((piece,))
            elif ".." in piece:
                first, last = piece.split("..")
                parts.append(Numbers(int(first), int(last), len(last) if first.startswith("0") else 0))
            elif piece == "form":
                parts.append((form,))
            elif piece not in self._lists:
                raise ConfigError(f"pools of language {self.language!r}: no list for slot {piece!r} of pattern {pattern!r}")
            elif not self._lists[piece]:
                return None
            else:
                parts.append(self._lists[piece])
        return Product(parts)

    def _pool(self, name: str, patterns: Sequence[str], form: str = "") -> Pool | None:
        if name not in self._pools:
            products = [p for p in (self._product(pattern, form) for pattern in patterns) if p is not None]
            if not products:
                return None
            self._pools[name] = products[0] if len(products) == 1 else Union(products)
        return self._pools[name]

    def kind_of(self, type_name: str, key: str) -> str:
        """Kind of a normalised key: ``TYPE``, ``TYPE.kind`` or ``TYPE.legal:form``; equal for equal keys."""
        words = key.split()
        if type_name == "ORGANISATION" and words[-1:] and words[-1] in self._forms:
            return f"{type_name}.legal:{words[-1]}"
        for kind, whole, ends in self._kinds.get(type_name, ()):
            if any(word in whole or (ends and word.endswith(ends)) for word in words):
                return f"{type_name}.{kind}"
        return type_name

    def pool(self, name: str) -> Pool:
        """Pool of a type or kind; English where this language has no list for it."""
        base, _, form = name.partition(".legal:")
        patterns = self._legal_patterns if form else self._patterns.get(base, ())
        pool = self._pool(name, patterns, self._forms.get(form, ""))
        if pool is None:
            if self.language == "en":
                raise ConfigError(f"there is no pool for {name!r}")
            pool = self._pools[name] = language_pools("en").pool(name)
        return pool


def _read(language: str) -> Mapping[str, Any] | None:
    file = resources.files("conditions.locales").joinpath(f"{language}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


@lru_cache(maxsize=64)
def language_pools(language: str) -> LanguagePools:
    """Pools of an ISO 639-1 code that Faker has names for (`pool_language` gives only such codes)."""
    generic = _read("generic")
    if generic is None:
        raise ConfigError("the installation lacks conditions/locales/generic.toml")
    if not has_names(language):
        raise ConfigError(f"there are no surrogate names for language {language!r}")
    return LanguagePools(language, _read(language) or generic, generic)
