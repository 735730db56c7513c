"""The key normaliser: the definition's own examples, titles of many languages, and what must hold for any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conditions.normalise import normalise

#: Text as corpora hold it: any code point but lone surrogates, with titles, joiners and punctuation more often than by chance.
TEXT = (
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "Dr.",
                    "dr",
                    " ",
                    "Prof. ",
                    "m.",
                    "ph",
                    ".",
                    "d",
                    "-",
                    "'",
                    "先生",
                    "教授",
                    "王",
                    "السيد ",
                    "\u00ad",
                    "\u200d",
                    "ß",
                    "İ",
                ]
            ),
            st.characters(exclude_categories=["Cs"]),
            st.text(max_size=4),
        ),
        min_size=1,
        max_size=12,
    )
    .map("".join)
    .filter(bool)
)


def test_the_examples_of_the_definition() -> None:
    assert normalise("Dr. Weber") == normalise("weber") == "weber"
    assert normalise("Weber") != normalise("Kay Weber")


@pytest.mark.parametrize(
    ("surface", "key"),
    [
        ("  KAY\t\n Weber ", "kay weber"),
        ("Prof. Dr. med. Weber", "weber"),
        ("Herrn Dipl.-Ing. Weber", "weber"),
        ("Frau Priv.-Doz. Dr. rer. nat. Weber", "weber"),
        ("Weber, M.D.", "weber"),
        ("Kay Weber, Ph.D.", "kay weber"),
        ("Mr Justice Weber", "weber"),
        ("Mme Weber", "weber"),
        ("Sig.ra Bianchi", "bianchi"),
        ("г-жа Иванова", "иванова"),
        ("王先生", "王"),
        ("王 先生", "王"),
        ("李教授", "李"),
        ("السيد أحمد", "أحمد"),
        ("د. أحمد", "أحمد"),
        ("أ.د. أحمد", "أحمد"),
        ("O\u2019Brien", "obrien"),
        ("Weber,Kay", "weber kay"),
        ("Müller-Lüdenscheidt", "müller lüdenscheidt"),
        ("Mu\u0308ller", "müller"),
        ("\uff37\uff45\uff42\uff45\uff52", "weber"),
        ("We\u00adber", "weber"),
        ("\u200eWeber\u200f", "weber"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
    ],
)
def test_hand_made_keys(surface: str, key: str) -> None:
    assert normalise(surface) == key


def test_titles_go_from_the_ends_only_and_only_if_something_is_left() -> None:
    assert normalise("Maria Frau Holle") == "maria frau holle"
    assert normalise("Frau Dr.") == "frau dr"
    assert normalise("先生") == "先生"


def test_initials_are_no_degree_in_front() -> None:
    assert normalise("M. D. Weber") == "m d weber"


def test_titles_stay_where_they_may_be_part_of_a_name() -> None:
    assert normalise("Dr. Oetker GmbH", titles=False) == "dr oetker gmbh"


def test_a_surface_of_punctuation_alone_keeps_itself() -> None:
    assert normalise("***") == "***"
    assert normalise("\u200d") == "\u200d"
    assert normalise(" \n") == " "


def test_an_empty_surface_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        normalise("")


@given(TEXT, st.booleans())
@example("M.R. Weber", True)
@example("D R Weber M.D. PhD", True)
@example("\u1fb3\u0345\u0390", True)
def test_idempotent_and_never_empty(surface: str, titles: bool) -> None:
    key = normalise(surface, titles=titles)
    assert key
    assert normalise(key, titles=titles) == key
    assert "\x1f" not in key


@given(TEXT, st.sampled_from([" ", ".", "\u00ad", "\n", ","]))
def test_what_stands_around_a_name_does_not_matter(surface: str, extra: str) -> None:
    if any(char.isalnum() for char in surface):
        assert normalise(surface + extra) == normalise(surface)


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=8))
def test_composed_and_decomposed_letters_are_equal(surface: str) -> None:
    assert normalise(unicodedata.normalize("NFD", surface)) == normalise(unicodedata.normalize("NFC", surface))


@given(st.text(st.characters(max_codepoint=0x2FF, categories=["L"]), min_size=1, max_size=8))
def test_case_does_not_matter(surface: str) -> None:
    assert normalise(surface.upper()) == normalise(surface.upper().lower())
