"""Pools that keep the shape of a surface: identifiers, phone numbers, addresses of the net, ages, numeric dates, quantities.

Every letter and digit of the original is replaced, by one of its own class; what stands between them stays. Two spellings of
one key (``030/12 34`` and ``030 12-34``) have equal classes in equal order, hence the same pool size and the same index: their
surrogates differ in nothing but that punctuation and have one key again.

A shape with few characters has few surrogates. Collisions between such keys are inherent, and counted
(`conditions.surrogates.SurrogateMap.pool_uses`); where every surrogate of the shape is taken by the corpus the shape is
*widened* by further digits.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from conditions.pools import language_pools, script_of
from conditions.product import Numbers, Pool, Product

_DIGITS: Final[str] = "0123456789"
_UPPER: Final[str] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER: Final[str] = "abcdefghijklmnopqrstuvwxyz"
#: Replacement alphabets of the scripts without case that stand in identifiers (licence plates, case numbers).
_CASELESS: Final[dict[str, str]] = {
    "ARABIC": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "CJK": "东南西北春夏秋冬山水云雨日月星光江河湖海松竹梅兰龙凤鹤虎金木土石天地风雪",
    "HIRAGANA": "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほ",
    "KATAKANA": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホ",
    "HANGUL": "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허",
    "HEBREW": "אבגדהוזחטיכלמנסעפצקרשת",
}
#: Digits that each step of widening adds.
_WIDER: Final[int] = 3
#: Country calling codes of two digits (ITU-T E.164); +1 and +7 have one, all others three.
_TWO_DIGIT_CODES: Final[frozenset[int]] = frozenset(
    (
        20,
        27,
        *range(30, 35),
        36,
        *range(39, 42),
        *range(43, 50),
        *range(51, 59),
        *range(60, 67),
        81,
        82,
        84,
        86,
        *range(90, 96),
        98,
    )
)
_CALLING_CODE: Final[re.Pattern[str]] = re.compile(r"\(?(?:\+|00)[ (]*(\d{1,3})")
_EMAIL: Final[re.Pattern[str]] = re.compile(r"^\S+@\S+$|@\S+\.\w")
_URL: Final[re.Pattern[str]] = re.compile(
    r"^(?P<head>(?:[a-z][a-z0-9+.-]*://)?(?:www\d?\.)?)(?P<host>[^\s/?#:]+)(?P<tail>.*)$", re.I | re.S
)
_DOMAIN: Final[re.Pattern[str]] = re.compile(r"^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(?:[/?#:]|$)", re.I)
_WORD: Final[re.Pattern[str]] = re.compile(r"[^\W\d_]+")
_NUMBER: Final[re.Pattern[str]] = re.compile(r"\d+")
#: Words that may stay in a phone number: they say what the number is, not whose.
_PHONE_WORDS: Final[re.Pattern[str]] = re.compile(
    r"(?:tel|telefon|telephone|phone|fax|telefax|mobil|mobile|mob|cell|handy|ext|extension|durchwahl|dw|x|t|f|m|p|هاتف|فاكس|电话|传真|手机)",
    re.I,
)
_AGE_WORDS: Final[re.Pattern[str]] = re.compile(
    r"(?:years?|yrs?|yo|y|o|olds?|aged?|months?|mos?|weeks?|wks?|days?|of|the|a|an|and|in|her|his|their|early|mid|late|s|"
    r"jahren?|jahres?|j|jährig\w*|alter|alte[rsn]?|alt|monaten?|monats?|monatig\w*|wochen?|tagen?|tage|lebensjahr\w*|von|im|und|"
    r"ans?|âgée?s?|mois|jours?|de|años?|edad|meses|anni|anno|mesi|di|età|jaar|jarige|oud|år|årig\w*|gammel|anos?|idade|"
    r"岁|周岁|歲|个月|月|天|多岁|余岁|سنة|سنوات|عام|عاما|عامًا|عاماً|أعوام|شهر|شهرا|أشهر|من|العمر|عمره|عمرها)",
    re.I,
)
_UNITS: Final[re.Pattern[str]] = re.compile(
    r"(?:k?g|mg|µg|mcg|c?m|mm|km|m?l|dl|mmol|mol|mmhg|bpm|hz|kcal|j|w|kw|kwh|v|eur|euros?|usd|dollars?|gbp|pounds?|chf|dkk|kr|million(?:en|s)?|"
    r"billion(?:en|s)?|mio|mrd|percent|prozent|pour|cent|per|times|mal|uhr|hours?|stunden?|minutes?|minuten?|seconds?|元|万|亿|个|年|米|公里|دولار|مليون)",
    re.I,
)
#: Reserved for documentation (RFC 2606), so that no surrogate can reach anybody.
_RESERVED: Final[tuple[str, ...]] = (".example.com", ".example.net", ".example.org")


def _alphabet(char: str) -> str | None:
    """Characters that may stand for `char`, equally many for both cases of a letter; None if it is no letter or digit."""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return _DIGITS if char.isascii() else "".join(chr(ord(char) - digit + i) for i in range(10))
    if char.isascii():
        return _UPPER if char.isupper() else _LOWER if char.islower() else None
    if not char.isalnum():
        return None
    if char.isupper():
        return _UPPER
    return _LOWER if char.islower() else _CASELESS.get(script_of(char), _UPPER)


def _kept(char: str) -> str:
    """What stays of a character between letters and digits: white space as a plain space, marks and controls not at all."""
    if char.isspace():
        return " "
    return "" if unicodedata.category(char)[0] in "MC" else char


def _parts(surface: str, keep: re.Pattern[str] | None = None) -> list[Sequence[str]]:
    """One part per character of `surface`; words that match `keep` stay."""
    kept = [False] * len(surface)
    if keep is not None:
        for match in _WORD.finditer(surface):
            if keep.fullmatch(match.group()):
                kept[match.start() : match.end()] = [True] * (match.end() - match.start())
    return [(char,) if stays else (_alphabet(char) or (_kept(char),)) for char, stays in zip(surface, kept, strict=True)]


def shape_pool(surface: str, wider: int = 0) -> Pool:
    """Identifiers: digits to digits, upper to upper case, lower to lower case; `wider` steps of more digits at the end."""
    return Product([*_parts(surface.strip()), *[_DIGITS] * (_WIDER * wider)])


def phone_pool(surface: str, wider: int = 0) -> Pool:
    """Phone numbers: plus sign, country calling code, leading zeros and punctuation stay, so that the number looks valid."""
    surface = surface.strip()
    parts = _parts(surface, _PHONE_WORDS)
    digits = [i for i, char in enumerate(surface) if char.isascii() and char.isdigit()]
    position = 0
    match = _CALLING_CODE.search(surface)
    if match and (not digits or match.start() <= digits[0]):
        code = match.group(1)
        length = 1 if code[0] in "17" else 2 if int(code[:2]) in _TWO_DIGIT_CODES else 3
        position = sum(i < match.start(1) for i in digits) + length
    while position < len(digits) and surface[digits[position]] == "0":
        position += 1
    # A number that is all prefix (a bare country code) is replaced like any identifier.
    if position < len(digits):
        for i in digits[:position]:
            parts[i] = (surface[i],)
        parts[digits[position]] = "123456789"
    return Product([*parts, *[_DIGITS] * (_WIDER * wider)])


@lru_cache(maxsize=1)
def _net_names() -> tuple[list[str], list[str]]:
    """Given and family names in ASCII lower case, for addresses of the net."""
    pools = language_pools("en")
    given = {name.lower() for slot in ("female", "male") for name in pools.list_of(slot)}
    family = {name.lower() for name in pools.list_of("family")}
    return sorted(n for n in given if n.isascii() and n.isalpha()), sorted(n for n in family if n.isascii() and n.isalpha())


@lru_cache(maxsize=1)
def email_pool() -> Pool:
    """``given.family@family.example.com``: reserved domains (RFC 2606)."""
    given, family = _net_names()
    return Product([given, (".",), family, ("@",), family, _RESERVED])


@lru_cache(maxsize=1)
def handle_pool() -> Pool:
    """User names: ``given_family42``."""
    given, family = _net_names()
    return Product([given, ("_",), family, Numbers(10, 99)])


def url_pool(surface: str) -> Pool:
    """Addresses on the web: scheme and ``www.`` stay, the host is a reserved domain, the rest keeps its shape."""
    match = _URL.match(surface.strip())
    if match is None:
        return shape_pool(surface)
    _, family = _net_names()
    return Product([(match["head"].lower(),), family, ("-",), family, _RESERVED, *_parts(match["tail"])])


def ip_pool(version: int) -> Pool:
    """IP addresses that are routed nowhere: 10.0.0.0/8 (RFC 1918), 2001:db8::/32 (RFC 3849)."""
    if version == 4:
        byte = Numbers(0, 255)
        return Product([("10.",), byte, (".",), byte, (".",), byte])
    group: list[Sequence[str]] = [_DIGITS + "abcdef"] * 4
    return Product([("2001:db8",), *[part for _ in range(6) for part in ((":",), *group)]])


def _ip_version(text: str) -> int:
    """4 or 6; 0 where `text` is no IP address."""
    try:
        return ipaddress.ip_address(text).version
    except ValueError:
        return 0


def contact_pool(surface: str, wider: int = 0) -> tuple[str, Pool]:
    """Kind and pool of a contact: e-mail, IP address, web address, phone number, or user name."""
    text = surface.strip()
    if _EMAIL.search(text):
        return "email", email_pool()
    version = _ip_version(text)
    if version:
        return f"ip{version}", ip_pool(version)
    if "://" in text or text.lower().startswith("www.") or _DOMAIN.match(text):
        return "url", url_pool(text)
    letters = sum(len(word) for word in _WORD.findall(text) if not _PHONE_WORDS.fullmatch(word))
    if sum(char.isdigit() for char in text) >= max(3, letters):
        return "phone", phone_pool(text, wider)
    return "handle", handle_pool()


def _only_known_words(surface: str, words: re.Pattern[str]) -> bool:
    """Whether `surface` holds a number, and beside it nothing but known words: then they say nothing about anybody."""
    found = _WORD.findall(surface)
    return any(char.isdecimal() for char in surface) and all(words.fullmatch(word) for word in found)


def _between(surface: str) -> list[Sequence[str]]:
    """`surface` as literals, with its numbers at the odd places; marks stay, because the letters they belong to do."""
    pieces: list[Sequence[str]] = []
    position = 0
    for match in _NUMBER.finditer(surface):
        pieces += [(surface[position : match.start()],), (match.group(),)]
        position = match.end()
    rest: list[Sequence[str]] = [*pieces, (surface[position:],)]
    return [("".join(" " if c.isspace() else c for c in part[0] if c.isprintable() or c.isspace()),) for part in rest]


@lru_cache(maxsize=256)
def _other_ages(age: int) -> tuple[str, ...]:
    return tuple(str(other) for other in range(1, 100) if other != age)


def age_pool(surface: str, wider: int = 0) -> Pool:
    """Ages: another number, from 1 to 99, in the same words (``72-jährig`` to ``58-jährig``); bare where the words are unknown.

    There are only so many ages: where the corpus holds them all, the widened pools add decimals (``58.4-jährig``).
    """
    surface = surface.strip()
    parts: list[Sequence[str]] = _between(surface) if _only_known_words(surface, _AGE_WORDS) else [("",), ("0",), ("",)]
    for i in range(1, len(parts), 2):
        number = int(parts[i][0])
        # Never the age itself: in other digits (٥٠) it would have another key, and pass for another age.
        parts[i] = _other_ages(number) if number <= 120 else Numbers(121, 10 ** len(parts[i][0]) - 1)
    if wider:
        parts[2:2] = [(".",), *[_DIGITS] * wider]
    return Product(parts)


def date_pool(surface: str, wider: int = 0) -> Pool | None:
    """Dates in digits alone, each number within what a date may hold; None for a date that has words."""
    surface = surface.strip()
    if not re.fullmatch(r"[\d\s./:年月日号,-]+", surface) or not _NUMBER.search(surface):
        return None
    parts = _between(surface)
    for i in range(1, len(parts), 2):
        digits = len(parts[i][0])
        if digits <= 2:
            # Valid as day, month and hour alike, whatever their order.
            parts[i] = Numbers(1, 9 if digits == 1 else 12, digits)
        else:
            parts[i] = Numbers(1850, 2049) if digits == 4 else Numbers(0, 10**digits - 1, digits)
    if wider:
        parts += [(" ",), Numbers(0, 23, 2), (":",), Numbers(0, 59, 2), *[_DIGITS] * (wider - 1)]
    return Product(parts)


def quantity_pool(surface: str, wider: int = 0) -> Pool:
    """Quantities: other digits before the same unit; a bare number where the words are not units."""
    surface = surface.strip()
    if _only_known_words(surface, _UNITS):
        return Product([*_parts(surface, _UNITS), *([_DIGITS] * wider)])
    return Product([Numbers(10, 9999), *([_DIGITS] * wider)])


def is_postcode(key: str) -> bool:
    """Whether a location's key is a bare code (``10115``, ``sw1a 1aa``): every word is short and has a digit."""
    coded = all(len(word) <= 8 and any(char.isdigit() for char in word) for word in key.split())
    return coded and sum(char.isalpha() for char in key) <= 6
