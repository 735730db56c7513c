"""Pools: sizes, determinism, what may stand in a surrogate, and which language a key draws from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conditions.keys import SecretKey
from conditions.normalise import normalise
from conditions.pools import language_pools, pool_language, script_of
from conditions.product import Numbers, Product, Union, expected_collisions

LANGUAGES = ["en", "de", "zh", "ar", "fr", "es", "da"]
KINDS = ["PERSON", "ORGANISATION", "LOCATION", "STREET", "ADDRESS", "PROFESSION", "DEMOGRAPHIC", "DATE", "OTHER"]
KEY = SecretKey(b"a key for tests only, 32 bytes..")


@given(st.lists(st.lists(st.text(max_size=2), min_size=1, max_size=4, unique=True), max_size=4), st.data())
def test_product_is_the_list_of_all_combinations(parts: list[list[str]], data: st.DataObject) -> None:
    combinations = [""]
    for part in parts:
        combinations = [left + right for left in combinations for right in part]
    product = Product(parts)
    assert product.size == len(combinations)
    assert [product.at(i) for i in range(product.size)] == combinations
    number = data.draw(st.integers(0, 2**256 - 1))
    assert product.pick(number) == combinations[number % len(combinations)]


def test_union_is_the_concatenation() -> None:
    union = Union([Product([["a", "b"]]), Product([["c"]]), Product([["d", "e"], ["f", "g"]])])
    assert [union.at(i) for i in range(union.size)] == ["a", "b", "c", "df", "dg", "ef", "eg"]


def test_numbers() -> None:
    assert list(Numbers(8, 11)) == ["8", "9", "10", "11"]
    assert list(Numbers(8, 11, 3)) == ["008", "009", "010", "011"]
    assert Numbers(0, 9)[2:4] == ["2", "3"]
    with pytest.raises(IndexError):
        Numbers(1, 2)[2]


def test_a_pool_larger_than_the_hash_is_still_filled() -> None:
    pool = Product(["0123456789"] * 200)
    drawn = [pool.pick(KEY.draw("ID", str(i))) for i in range(40)]
    # Without stretching, the first 122 of 200 digits would always be 0.
    assert all(any(text[place] != "0" for text in drawn) for place in range(60))


def test_expected_collisions_of_the_birthday_problem() -> None:
    assert expected_collisions(23, 365) == pytest.approx(253 / 365)
    assert expected_collisions(1, 10) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_many_times_the_keys_of_a_corpus(language: str) -> None:
    for kind, least in (("PERSON", 10**7), ("ORGANISATION", 10**7), ("LOCATION", 10**7), ("STREET", 10**7), ("ADDRESS", 10**9)):
        assert language_pools(language).pool(kind).size >= least, kind


@pytest.mark.parametrize("language", [*LANGUAGES, "it", "nl", "ja", "ru", "pl", "sv", "he", "hi", "th", "ko"])
def test_surrogates_are_clean_and_distinct(language: str) -> None:
    pools = language_pools(language)
    for kind in KINDS:
        pool = pools.pool(kind)
        texts = [pool.pick(KEY.draw(kind, str(i))) for i in range(400)]
        for text in texts:
            assert text.isprintable() and text.strip() and unicodedata.is_normalized("NFC", text), text
        keys = {normalise(text, titles=kind == "PERSON") for text in texts}
        # Chance collisions have the birthday bound; five more would be a pool with repeated entries.
        assert len(keys) >= 400 - 5 - 10 * expected_collisions(400, pool.size), kind


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_is_made_of_titles(language: str) -> None:
    pool = language_pools(language).pool("PERSON")
    for i in range(400):
        text = pool.pick(KEY.draw("PERSON", str(i)))
        assert normalise(text) == normalise(text, titles=False), text


@pytest.mark.parametrize(
    ("language", "script"), [("en", "LATIN"), ("de", "LATIN"), ("zh", "CJK"), ("ar", "ARABIC"), ("ru", "CYRILLIC")]
)
def test_names_are_written_in_the_script_of_the_language(language: str, script: str) -> None:
    pool = language_pools(language).pool("PERSON")
    assert {script_of(pool.pick(KEY.draw("PERSON", str(i)))) for i in range(50)} == {script}


def test_both_ends_of_every_pool_exist() -> None:
    for language in LANGUAGES:
        for kind in KINDS:
            pool = language_pools(language).pool(kind)
            assert pool.at(0) != pool.at(pool.size - 1)


@pytest.mark.parametrize(
    ("key", "languages", "expected"),
    [
        ("weber", {"de"}, "de"),
        ("weber", {"en", "de"}, "de"),
        ("weber", {"zh"}, "en"),
        ("weber", {"zh", "en"}, "en"),
        ("王伟", {"zh", "en"}, "zh"),
        ("王伟", {"en"}, "zh"),
        ("أحمد", {"ar", "en"}, "ar"),
        ("أحمد", set(), "ar"),
        ("иванов", {"en"}, "ru"),
        ("weber", {"de-AT"}, "de"),
        ("weber", {"xx"}, "en"),
        ("42", {"de"}, "de"),
        ("42", {"zh"}, "en"),
    ],
)
def test_the_language_of_a_key(key: str, languages: set[str], expected: str) -> None:
    assert pool_language(key, languages) == expected
    assert pool_language(key, sorted(languages, reverse=True)) == expected


@pytest.mark.parametrize(
    ("language", "key", "word"),
    [
        ("en", "memorial hospital", "Hospital"),
        ("en", "enron corp", "Corp."),
        ("en", "supreme court", "Court"),
        ("de", "universitätsklinikum jena", "Klinikum"),
        ("de", "siemens ag", "AG"),
        ("de", "amtsgericht köln", "Amtsgericht"),
        ("zh", "北京大学", "大学"),
        ("ar", "جامعة القاهرة", "جامعة"),
    ],
)
def test_an_organisation_keeps_its_kind(language: str, key: str, word: str) -> None:
    pools = language_pools(language)
    pool = pools.pool(pools.kind_of("ORGANISATION", key))
    assert all(word in pool.pick(KEY.draw("ORGANISATION", str(i))) for i in range(20))


def test_the_fingerprint_covers_the_lists() -> None:
    assert len({language_pools(language).fingerprint for language in LANGUAGES}) == len(LANGUAGES)
