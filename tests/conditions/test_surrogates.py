"""Surrogates: the formula, stability over the corpus, keys, and what they may never equal."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pytest

from bench.core.errors import IntegrityError
from bench.core.model import Document
from bench.core.taxonomy import PERSON, TYPE_CODE
from conditions.keys import SecretKey
from conditions.normalise import normalise
from conditions.pools import language_pools
from conditions.surfaces import Surfaces, collect_surfaces
from conditions.surrogates import SurrogateMap, build_surrogates, pool_for
from tests.reference.release_data import mention_table, rows_by_surface, segment_table

RAW = b"a key for tests only, 32 bytes.."
KEY = SecretKey(RAW)


def _surfaces(names: list[tuple[str, str]], language: str = "en", forbidden: list[str] | None = None) -> Surfaces:
    """One document that holds each (type, surface) on a line of its own."""
    text, rows = "", []
    for type_name, surface in names:
        rows.append((len(text), len(text) + len(surface), TYPE_CODE[type_name]))
        text += surface + "\n"
    return collect_surfaces(lambda: [Document("d", text, language)], segment_table([rows]), forbidden=forbidden or [])


def _map(names: list[tuple[str, str]], language: str = "en", key: SecretKey = KEY) -> SurrogateMap:
    return build_surrogates(_surfaces(names, language), key)


def test_the_formula_by_hand() -> None:
    pool = language_pools("de").pool("PERSON")
    number = int.from_bytes(hmac.new(RAW, b"PERSON\x1fweber", hashlib.sha256).digest(), "big")
    assert list(_map([("PERSON", "Dr. Weber")], "de").surrogate) == [pool.at(number % pool.size)]


def test_spellings_of_one_key_are_one_surrogate_and_other_keys_are_others() -> None:
    result = _map([("PERSON", s) for s in ("Weber", "WEBER", "Dr. Weber", "Frau Weber", "Kay Weber", "Webers")], "de")
    assert len(set(result.surrogate[:4])) == 1
    assert len(set(result.surrogate)) == 3
    assert result.identity.tolist() == [0, 0, 0, 0, 1, 2]


def test_titles_count_in_types_other_than_person() -> None:
    result = _map([("ORGANISATION", "Dr. Oetker"), ("ORGANISATION", "Oetker")], "de")
    assert result.surrogate[0] != result.surrogate[1]


def test_types_do_not_share_surrogates() -> None:
    result = _map([("PERSON", "Paris"), ("LOCATION", "Paris")])
    assert result.surrogate[0] != result.surrogate[1]
    assert result.identity.tolist() == [0, 1]


def test_same_key_same_surrogates_other_key_unrelated() -> None:
    names = [("PERSON", f"Person {i}") for i in range(300)]
    first, again, other = _map(names), _map(names), _map(names, key=SecretKey(RAW[::-1]))
    assert list(first.surrogate) == list(again.surrogate)
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert not set(first.surrogate) & set(other.surrogate)


def test_neither_order_nor_batches_matter() -> None:
    names = [("PERSON", f"Person {i}") for i in range(50)]
    forward = dict(zip(_surfaces(names).text, _map(names).surrogate, strict=True))
    backward = dict(zip(_surfaces(names[::-1]).text, _map(names[::-1]).surrogate, strict=True))
    assert forward == backward
    documents = [Document(str(i), surface, "en") for i, (_, surface) in enumerate(names)]
    table = segment_table([[(0, len(d.text), PERSON)] for d in documents])
    for size in (1, 7, 512):
        surfaces = collect_surfaces(lambda: documents, table, batch_size=size)
        assert dict(zip(surfaces.text, build_surrogates(surfaces, KEY).surrogate, strict=True)) == forward


def test_one_key_is_one_surrogate_in_documents_of_two_languages() -> None:
    documents = [Document("a", "Weber", "en"), Document("b", "Weber", "de"), Document("c", "WEBER", "zh")]
    table = segment_table([[(0, 5, PERSON)]] * 3)
    result = build_surrogates(collect_surfaces(lambda: documents, table), KEY)
    assert len(set(result.surrogate)) == 1
    assert set(result.pools_fingerprint) == {"de"}


def test_kinds_stay_kinds() -> None:
    result = _map([("CONTACT", "kay.weber@enron.com"), ("ID", "AB-1234"), ("LOCATION", "12 Main Street"), ("LOCATION", "10115")])
    of = dict(zip(result.surfaces.text, result.surrogate, strict=True))
    email, identifier, street, postcode = (of[name] for name in ("kay.weber@enron.com", "AB-1234", "12 Main Street", "10115"))
    assert "@" in email
    assert identifier[2] == "-" and identifier[:2].isupper() and identifier[3:].isdigit()
    assert street.split()[0].isdigit()
    assert len(postcode) == 5 and postcode.isdigit()


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("hauptstr 12", "de:STREET"),
        ("hauptstr 12 10115 berlin", "de:ADDRESS"),
        ("10115", "postcode"),
        ("berlin", "de:LOCATION"),
        ("hauptstrasse", "de:LOCATION.street"),
    ],
)
def test_kinds_of_places(key: str, kind: str) -> None:
    assert pool_for("LOCATION", key, key, "de")[0] == kind


def test_an_endless_span_gets_a_surrogate_of_bounded_length() -> None:
    (text,) = _map([("ID", "7" * 100_000)]).surrogate
    assert len(text) == 256


def test_surrogates_never_equal_a_replaced_surface() -> None:
    """Every identifier of one digit but 3 stands in the corpus: all become 3 or are widened; none stands for another."""
    names = [("ID", digit) for digit in "012456789"]
    result = _map(names)
    assert not set(result.surrogate) & set("012456789")


def test_a_taken_shape_is_widened() -> None:
    names = [("AGE", f"{age} years") for age in range(1, 121)]
    result = _map(names)
    assert not {normalise(s, titles=False) for s in result.surrogate} & {f"{age} years" for age in range(1, 121)}
    assert all(s.endswith(" years") for s in result.surrogate)


def test_surrogates_never_equal_a_gold_mention() -> None:
    """The surrogate that the formula gives first is made a gold mention elsewhere in the corpus: the counter goes up."""
    pool = language_pools("en").pool("PERSON")
    first = pool.pick(KEY.draw("PERSON", "weber"))
    second = pool.pick(KEY.draw("PERSON", "weber", 1))
    third = pool.pick(KEY.draw("PERSON", "weber", 2))
    documents = [Document("a", "Weber", "en"), Document("b", f"Mr {first.upper()} left.", "en")]
    table = segment_table([[(0, 5, PERSON)], []])
    gold = mention_table([[], rows_by_surface(documents[1].text, {first.upper(): "ORGANISATION"})], [[], ["e"]])
    assert list(build_surrogates(collect_surfaces(lambda: documents, table), KEY).surrogate) == [first]
    assert list(build_surrogates(collect_surfaces(lambda: documents, table, gold), KEY).surrogate) == [second]
    surfaces = collect_surfaces(lambda: documents, table, gold, forbidden=[second])
    assert list(build_surrogates(surfaces, KEY).surrogate) == [third]


def test_giving_up_is_an_error_that_shows_no_surface() -> None:
    surfaces = _surfaces([("DATE", "Christmas")])
    pool = language_pools("en").pool("DATE")
    everything = frozenset(normalise(pool.at(i), titles=False) for i in range(pool.size))
    full = Surfaces(
        surfaces.text, surfaces.type, surfaces.key, surfaces.languages, surfaces.of_segment, surfaces.lengths, everything
    )
    with pytest.raises(IntegrityError, match="DATE after 256 draws") as caught:
        build_surrogates(full, KEY)
    assert "hristmas" not in str(caught.value)


def test_ten_thousand_names_collide_no_more_than_chance() -> None:
    result = _map([("PERSON", f"Person {i}") for i in range(10_000)], "de")
    (use,) = result.pool_uses
    assert (use.keys, use.size, use.crowded) == (10_000, language_pools("de").pool("PERSON").size, False)
    assert use.collisions == pytest.approx(10_000 * 9_999 / 2 / use.size)
    # Expected 0.008 pairs; three would have a chance below 10**-7.
    assert 10_000 - np.unique(result.identity).size <= 2


def test_crowded_pools_are_reported() -> None:
    result = _map([("ID", f"{i:02d}") for i in range(50)])
    (use,) = result.pool_uses[:1]
    assert use.crowded
    assert use.type == "ID"


def test_the_mapping_is_sorted_and_complete() -> None:
    result = _map([("PERSON", "Weber"), ("PERSON", "Dr. Weber"), ("ID", "7x")])
    entries = list(result.mapping())
    assert [(e["type"], e["surface"], e["key"]) for e in entries] == [
        ("PERSON", "Dr. Weber", "weber"),
        ("PERSON", "Weber", "weber"),
        ("ID", "7x", "7x"),
    ]
    assert entries[0]["surrogate"] == entries[1]["surrogate"]


def test_the_digest_ignores_spelling_but_not_the_mapping() -> None:
    one = _map([("PERSON", "Weber")])
    assert one.digest == _map([("PERSON", "Dr. Weber"), ("PERSON", "WEBER")]).digest
    assert one.digest != _map([("PERSON", "Weber"), ("PERSON", "Kay")]).digest
