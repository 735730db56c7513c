"""Surrogates that keep a shape: an e-mail address stays one, a number keeps its punctuation, and nothing else is left."""

from __future__ import annotations

import ipaddress
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conditions.keys import SecretKey
from conditions.normalise import normalise
from conditions.shapes import age_pool, contact_pool, date_pool, is_postcode, quantity_pool, shape_pool

KEY = SecretKey(b"a key for tests only, 32 bytes..")


def _picks(pool: object, n: int = 50) -> list[str]:
    return [pool.pick(KEY.draw("ID", str(i))) for i in range(n)]  # type: ignore[attr-defined]


def _classes(text: str) -> str:
    return re.sub("[0-9]", "0", re.sub("[a-z]", "a", re.sub("[A-Z]", "A", text)))


@given(st.text("abzAZ019 -/.()_#", min_size=1, max_size=20))
def test_identifiers_keep_their_classes(surface: str) -> None:
    surface = surface.strip() or "x"
    pool = shape_pool(surface)
    assert all(_classes(text) == _classes(surface) for text in _picks(pool, 5))
    assert pool.size == 10 ** sum(c.isdigit() for c in surface) * 26 ** sum(c.isalpha() for c in surface)


def test_every_identifier_of_a_shape_is_reached_once() -> None:
    pool = shape_pool("a-7")
    assert len({pool.at(i) for i in range(pool.size)}) == pool.size == 260


@given(st.text("abc019", min_size=1, max_size=10), st.text(" -/.,", min_size=1, max_size=3), st.integers(0, 2**256 - 1))
def test_two_spellings_of_a_key_have_surrogates_of_one_key(word: str, between: str, number: int) -> None:
    """Punctuation and case of a surface come back in its surrogate, but the key of the surrogate is the same."""
    half = len(word) // 2
    first = f"{word[:half]} {word[half:]}".strip()
    second = f"{word[:half]}{between}{word[half:]}".upper().strip()
    if half and normalise(first, titles=False) == normalise(second, titles=False):
        a, b = shape_pool(first).pick(number), shape_pool(second).pick(number)
        assert normalise(a, titles=False) == normalise(b, titles=False)


def test_other_scripts_keep_their_digits_and_letters() -> None:
    assert all(re.fullmatch(r"[٠-٩]{3}", text) for text in _picks(shape_pool("٣٤٥")))
    assert all(re.fullmatch(r"[\u4e00-\u9fff][A-Z]·[A-Z]\d{4}", text) for text in _picks(shape_pool("京A·B1234")))


def test_line_breaks_marks_and_invisible_characters_do_not_survive() -> None:
    assert all(re.fullmatch(r"\d\d \d[a-z]", text) for text in _picks(shape_pool("12\n3\u200de\u0301")))


@pytest.mark.parametrize(
    ("surface", "pattern"),
    [
        ("+49 (30) 123-4567", r"\+49 \([1-9]\d\) \d{3}-\d{4}"),
        ("0049 30 1234567", r"0049 [1-9]\d \d{7}"),
        ("030 / 123 45 67", r"0[1-9]\d / \d{3} \d\d \d\d"),
        ("+1 713-853-1411", r"\+1 [1-9]\d\d-\d{3}-\d{4}"),
        ("+353 1 234 5678", r"\+353 [1-9] \d{3} \d{4}"),
        ("Tel. 713/853-1411 ext. 22", r"Tel\. [1-9]\d\d/\d{3}-\d{4} ext\. \d\d"),
    ],
)
def test_phone_numbers_keep_prefix_and_punctuation(surface: str, pattern: str) -> None:
    kind, pool = contact_pool(surface)
    assert kind == "phone"
    for text in _picks(pool):
        assert re.fullmatch(pattern, text), text
    assert len(set(_picks(pool))) > 45


def test_a_name_before_a_phone_number_is_replaced() -> None:
    kind, pool = contact_pool("Kay 0301234567")
    assert kind == "phone"
    assert not any("Kay" in text for text in _picks(pool))


def test_email_addresses() -> None:
    for surface in ("kay.weber@enron.com", "Kay Weber <kw@x.org>", "<kw@uni-jena.de>"):
        kind, pool = contact_pool(surface)
        assert kind == "email"
        assert pool.size > 10**9
        assert all(re.fullmatch(r"[a-z]+\.[a-z]+@[a-z]+\.example\.(com|net|org)", text) for text in _picks(pool))


def test_web_addresses() -> None:
    kind, pool = contact_pool("https://www.enron.com/people/kw42.html")
    assert kind == "url"
    for text in _picks(pool):
        assert re.fullmatch(r"https://www\.[a-z]+-[a-z]+\.example\.(com|net|org)/[a-z]{6}/[a-z]{2}\d\d\.[a-z]{4}", text), text
    kind, pool = contact_pool("enron.com")
    assert kind == "url"
    assert all(re.fullmatch(r"[a-z]+-[a-z]+\.example\.(com|net|org)", text) for text in _picks(pool))


def test_ip_addresses_lead_nowhere() -> None:
    kind, pool = contact_pool("141.35.40.78")
    assert kind == "ip4"
    assert all(ipaddress.IPv4Address(text).is_private for text in _picks(pool))
    kind, pool = contact_pool("2a02:8108::1")
    assert kind == "ip6"
    assert all(ipaddress.IPv6Address(text) in ipaddress.IPv6Network("2001:db8::/32") for text in _picks(pool))


def test_user_names() -> None:
    kind, pool = contact_pool("@kay_weber")
    assert kind == "handle"
    assert all(re.fullmatch(r"[a-z]+_[a-z]+\d\d", text) for text in _picks(pool))


@pytest.mark.parametrize(
    ("surface", "pattern"),
    [
        ("72-jährige", r"[1-9]\d?-jährige"),
        ("72 years old", r"[1-9]\d? years old"),
        ("aged 7", r"aged [1-9]\d?"),
        ("72岁", r"[1-9]\d?岁"),
        ("٤٢ عاما", r"[1-9]\d? عاما"),
        ("72", r"[1-9]\d?"),
        ("seventy-two", r"[1-9]\d?"),
        ("72-year-old Anna", r"[1-9]\d?"),
    ],
)
def test_ages_stay_ages_and_unknown_words_go(surface: str, pattern: str) -> None:
    assert all(re.fullmatch(pattern, text) for text in _picks(age_pool(surface)))


def test_an_age_is_never_itself_in_whatever_digits() -> None:
    for surface in ("50 years", "50 عاماً", "٥٠ عاماً"):
        pool = age_pool(surface)
        assert pool.size == 98
        texts = [pool.at(i) for i in range(pool.size)]
        assert not any(text.startswith("50 ") for text in texts)
        assert {text.split(" ", 1)[1] for text in texts} == {surface.split(" ", 1)[1]}


def test_numbers_beyond_any_age_keep_their_length_or_grow_no_longer() -> None:
    assert all(re.fullmatch(r"[1-9]\d{2,3} days", text) for text in _picks(age_pool("1200 days")))


def test_widened_shapes() -> None:
    assert all(re.fullmatch(r"[1-9]\d?\.\d-jährig", text) for text in _picks(age_pool("72-jährig", 1)))
    assert all(re.fullmatch(r"\d{4}", text) for text in _picks(shape_pool("7", 1)))


def test_dates_in_digits_keep_their_shape_and_stay_valid() -> None:
    for surface, pattern in [
        ("03.04.1990", r"(0[1-9]|1[0-2])\.(0[1-9]|1[0-2])\.(1[89]|20)\d\d"),
        ("1990-4-3", r"\d{4}-[1-9]-[1-9]"),
    ]:
        pool = date_pool(surface)
        assert pool is not None
        assert all(re.fullmatch(pattern, text) for text in _picks(pool))
    assert date_pool("3 April 1990") is None


def test_quantities() -> None:
    assert all(re.fullmatch(r"\d\.\d mg", text) for text in _picks(quantity_pool("2.5 mg")))
    assert all(re.fullmatch(r"\d{2,4}", text) for text in _picks(quantity_pool("a dozen Webers")))


@pytest.mark.parametrize(
    ("key", "expected"), [("10115", True), ("sw1a 1aa", True), ("d 10115", False), ("hauptstr 12", False), ("berlin", False)]
)
def test_postcodes(key: str, expected: bool) -> None:
    assert is_postcode(key) is expected
