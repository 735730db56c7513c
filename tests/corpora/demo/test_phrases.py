"""Pieces and what mail programs do to them: offsets must follow the text."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from corpora.demo.builder import TextBuilder
from corpora.demo.phrases import Piece, Writer, lowered, mistype, quoted, with_typo, wrapped, write

WORDS = st.lists(st.text(alphabet="abXé'-", min_size=1, max_size=9), min_size=1, max_size=4).map(" ".join)
PIECES = st.lists(
    st.one_of(
        st.tuples(WORDS, st.just("PERSON")), st.tuples(st.text(alphabet="ab .\n", min_size=1, max_size=40), st.just(""))
    ).map(lambda pair: Piece(pair[0], pair[1], "p1" if pair[1] else "")),
    max_size=12,
)


@given(PIECES, st.integers(5, 40))
def test_wrapping_only_turns_spaces_into_line_feeds(pieces: list[Piece], width: int) -> None:
    after = wrapped(pieces, width)
    assert [(len(p.surface), p.type) for p in after] == [(len(p.surface), p.type) for p in pieces]
    before_text, after_text = ("".join(p.surface for p in some) for some in (pieces, after))
    assert after_text.replace("\n", " ") == before_text.replace("\n", " ")
    # A line is longer than the width only where it holds no space to break at.
    assert all(len(line) <= width or " " not in line[:width] for line in after_text.split("\n"))


@given(PIECES)
def test_quoting_marks_every_line_and_keeps_names_whole(pieces: list[Piece]) -> None:
    after = quoted(wrapped(pieces, 20))
    text = "".join(piece.surface for piece in after)
    assert all(line.startswith("> ") for line in text.split("\n"))
    assert [p.surface for p in after if p.type] == [p.surface for p in pieces if p.type]


@given(PIECES, st.integers(0, 99))
def test_typos_and_small_letters_leave_the_gold_in_place(pieces: list[Piece], seed: int) -> None:
    rng = random.Random(seed)
    assert [p.surface for p in with_typo(pieces, rng) if p.type] == [p.surface for p in pieces if p.type]
    builder = TextBuilder("d", "en")
    write(lowered(pieces), builder)
    document, mentions = builder.build()
    assert [document.text[m.start : m.end] for m in mentions] == [p.surface.lower() for p in pieces if p.type]


@given(st.text(alphabet="abcdefgh ", min_size=0, max_size=20), st.integers(0, 99))
def test_a_typo_swaps_neighbours_or_drops_one_letter(word: str, seed: int) -> None:
    typed = mistype(word, random.Random(seed))
    if typed == word:
        return
    assert len(word) >= 5
    assert typed[0] == word[0]
    if len(typed) == len(word):
        (first, second) = [at for at in range(len(word)) if typed[at] != word[at]]
        assert (second, typed[first], typed[second]) == (first + 1, word[second], word[first])
    else:
        assert any(typed == word[:at] + word[at + 1 :] for at in range(len(word)))
    assert typed.count(" ") == word.count(" ")


def test_a_typo_is_made_in_nearly_every_long_word() -> None:
    assert sum(mistype("Voorhies", random.Random(seed)) != "Voorhies" for seed in range(50)) == 50
    assert mistype("Hale", random.Random(1)) == "Hale"


def test_no_double_full_stop_after_an_abbreviation() -> None:
    writer = Writer(random.Random(1))
    writer.mention("Veltra S.A.", "ORGANISATION", "o1")
    writer.text(". Then")
    writer.text("...")
    assert "".join(piece.surface for piece in writer.pieces) == "Veltra S.A. Then..."
