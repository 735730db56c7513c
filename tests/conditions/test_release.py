"""Releases: equal to the naive ones, untouched outside the segments, and B is C in disguise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.core.errors import ConfigError, IntegrityError, UnknownNameError, UsageError
from bench.core.model import Document
from bench.core.taxonomy import PERSON, TYPES
from conditions.base import Condition, Edits, ReleaseSettings
from conditions.keys import SecretKey
from conditions.registry import conditions, parse_conditions
from conditions.release import ReleasedDocument, apply_edits, build_release, build_releases, check_b_to_c, rewrite_to_placeholders
from conditions.standard import Placeholders, Surrogates, Unmodified
from tests.reference import release_naive
from tests.reference.release_data import corpora, mention_table, segment_table

RAW = b"a key for tests only, 32 bytes.."
KEY = SecretKey(RAW)


def _abc() -> list[Condition]:
    return [Unmodified(), Surrogates(KEY), Placeholders()]


TEXT = "Dr. Weber rief Kay Weber an.\r\nWEBER kam 👩‍⚕️ nicht."
ROWS = [(4, 9, PERSON), (15, 24, PERSON), (30, 35, PERSON)]


def test_by_hand() -> None:
    documents = [Document("d", TEXT, "de")]
    (a, b, c), *rest = build_releases(lambda: documents, segment_table([ROWS]), _abc())
    assert not rest
    assert a.text == TEXT
    assert c.text == "Dr. [PERSON] rief [PERSON] an.\r\n[PERSON] kam 👩‍⚕️ nicht."
    names = [b.text[s:e] for s, e in zip(b.offsets.new_start, b.offsets.new_end, strict=True)]
    assert names[0] == names[2] != names[1]
    assert b.text == f"Dr. {names[0]} rief {names[1]} an.\r\n{names[2]} kam 👩‍⚕️ nicht."


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(corpora(), st.sampled_from([1, 2, 512]))
def test_equal_to_naive_and_identical_outside_the_segments(
    corpus: tuple[list[Document], list[list[tuple[int, int, int]]]], batch_size: int
) -> None:
    documents, rows = corpus
    expected = list(release_naive.release(documents, rows, [[] for _ in documents], RAW))
    released = list(build_releases(lambda: documents, segment_table(rows), _abc(), batch_size))
    assert [(a.text, b.text, c.text, b.offsets.to_json()) for a, b, c in released] == expected
    for document, segments, versions in zip(documents, rows, released, strict=True):
        for version in versions:
            old = [document.text[a:b] for a, b in _gaps([(s, e) for s, e, _ in segments], len(document.text))]
            spans = list(zip(version.offsets.new_start.tolist(), version.offsets.new_end.tolist(), strict=True))
            if version is not versions[0]:
                assert [version.text[a:b] for a, b in _gaps(spans, len(version.text))] == old


def _gaps(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    edges = [0, *[edge for span in spans for edge in span], length]
    return list(zip(edges[::2], edges[1::2], strict=True))


def test_overlapping_spans_were_merged_before_and_are_refused_here() -> None:
    documents = [Document("card", "card 4151 3217.com", "en")]
    with pytest.raises(IntegrityError, match="'card'"):
        list(build_release(lambda: documents, segment_table([[(5, 14, 0), (10, 18, 0)]]), Placeholders()))


@pytest.mark.parametrize("rows", [[(0, 99, 0)], [(3, 3, 0)], [(-1, 2, 0)], [(4, 6, 0), (0, 2, 0)]])
def test_a_segment_that_does_not_fit_is_an_error_that_names_the_document(rows: list[tuple[int, int, int]]) -> None:
    documents = [Document("fine", "text", "en"), Document("bad one", "some text", "en")]
    with pytest.raises(IntegrityError, match="'bad one'"):
        list(build_release(lambda: documents, segment_table([[], rows]), Placeholders()))


def test_documents_and_table_must_agree() -> None:
    documents = [Document("a", "text", "en"), Document("b", "text", "en")]
    with pytest.raises(IntegrityError, match="'b' has no row"):
        list(build_release(lambda: documents, segment_table([[]]), Placeholders()))
    with pytest.raises(IntegrityError, match="covers 3 documents"):
        list(build_release(lambda: documents, segment_table([[], [], []]), Placeholders()))


def test_a_corpus_that_changes_between_the_passes_is_noticed() -> None:
    versions = iter([[Document("a", "Weber", "en")], [Document("a", "Weber.", "en")]])
    with pytest.raises(IntegrityError, match="'a' changed from 5 to 6 characters"):
        list(build_release(lambda: next(versions), segment_table([[(0, 5, PERSON)]]), Surrogates(KEY)))


def test_the_corpus_is_streamed_in_batches() -> None:
    """No more documents are alive at once than a batch holds, and one more for the iterator."""
    alive = 0
    most = 0

    class Text(str):
        def __new__(cls, value: str) -> Text:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            return super().__new__(cls, value)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def stream() -> object:
        return (Document(str(i), Text("Weber kam."), "de") for i in range(100))

    table = segment_table([[(0, 5, PERSON)]] * 100)
    for _ in build_releases(stream, table, [Surrogates(KEY), Placeholders()], batch_size=10):  # type: ignore[arg-type]
        pass
    # Two batches overlap while the next one is read.
    assert most <= 21


def _pair() -> tuple[ReleasedDocument, ReleasedDocument]:
    ((b, c),) = build_releases(lambda: [Document("doc 7", TEXT, "de")], segment_table([ROWS]), [Surrogates(KEY), Placeholders()])
    return b, c


def test_b_rewrites_into_c() -> None:
    b, c = _pair()
    text, length = rewrite_to_placeholders([b, b])
    assert text == c.text * 2
    assert length.tolist() == [len(c.text)] * 2
    check_b_to_c([b, b], [c, c])
    check_b_to_c([], [])


def test_every_difference_between_b_and_c_is_found() -> None:
    b, c = _pair()
    faulty_texts = [c.text[:-1], c.text.replace("rief", "Rief"), c.text.replace("[PERSON]", "[ID]", 1), c.text + " "]
    for text in faulty_texts:
        with pytest.raises(IntegrityError, match="'doc 7'"):
            check_b_to_c([b], [replace(c, text=text)])
    with pytest.raises(IntegrityError, match="'doc 7'"):
        check_b_to_c([replace(b, text=b.text.replace("\r\n", "\n"))], [c])
    moved = replace(c.offsets, old_start=c.offsets.old_start + 1)
    with pytest.raises(IntegrityError, match="identical spans"):
        check_b_to_c([b], [replace(c, offsets=moved)])
    other = replace(c.offsets, type=c.offsets.type + np.uint8(1))
    with pytest.raises(IntegrityError, match="identical spans"):
        check_b_to_c([b], [replace(c, offsets=other)])


def test_a_character_that_moved_into_the_next_document_is_found() -> None:
    """Joined, the texts of both documents are equal; apart, they are not."""
    table = segment_table([[(0, 5, PERSON)]] * 2)
    documents = [Document("first", "Weber x", "de"), Document("second", "Weber y", "de")]
    (b1, c1), (b2, c2) = build_releases(lambda: documents, table, [Surrogates(KEY), Placeholders()])
    check_b_to_c([b1, b2], [c1, c2])
    shifted = [replace(c1, text=c1.text[:-1]), replace(c2, text="x" + c2.text)]
    with pytest.raises(IntegrityError, match=r"'first'.* at character 9"):
        check_b_to_c([b1, b2], shifted)
    with pytest.raises(IntegrityError, match="same documents"):
        check_b_to_c([b1, b2], [c2, c1])


def test_the_check_runs_with_every_release_of_b_and_c() -> None:
    class Wrong(Placeholders):
        def render(self, batch: object) -> Edits:
            edits = super().render(batch)  # type: ignore[arg-type]
            return replace(edits, text=["[PERSON]", "[PERSON]", "[NAME]"])

    with pytest.raises(IntegrityError, match="rewritten into C differs"):
        list(build_releases(lambda: [Document("d", TEXT, "de")], segment_table([ROWS]), [Surrogates(KEY), Wrong()]))


def test_a_million_characters_and_an_empty_text() -> None:
    long = "Weber kam. " * 100_000
    rows = [(11 * i, 11 * i + 5, PERSON) for i in range(100_000)]
    documents = [Document("long", long, "de"), Document("empty", "", "de")]
    (b, c), (empty, _) = build_releases(lambda: documents, segment_table([rows, []]), [Surrogates(KEY), Placeholders()])
    assert c.text == "[PERSON] kam. " * 100_000
    assert b.text.count(b.text[: b.text.index(" kam.")]) == 100_000
    assert empty.text == ""


def test_codes_of_segments_follow_the_surrogates() -> None:
    documents = [Document("a", "Weber und Kay", "de"), Document("b", "Dr. Weber", "de")]
    condition = Surrogates(KEY, mention_table([[], []], [[], []]))
    table = segment_table([[(0, 5, PERSON), (10, 13, PERSON)], [(0, 9, PERSON)]])
    list(build_release(lambda: documents, table, condition))
    first, second, third = condition.surrogates.codes.tolist()
    assert first == third != second


def test_describe_holds_no_secret() -> None:
    condition = Surrogates(KEY)
    list(build_release(lambda: [Document("d", TEXT, "de")], segment_table([ROWS]), condition))
    said = str(condition.describe())
    assert condition.describe()["key_fingerprint"] == KEY.fingerprint
    assert RAW.hex() not in said
    assert "eber" not in said


def test_edits_of_other_conditions_are_checked() -> None:
    documents = [Document("x y", "abc", "en")]
    edits = Edits(np.array([0, 2]), np.array([0, 1], np.int32), np.array([2, 3], np.int32), np.zeros(2, np.uint8), ["", ""])
    with pytest.raises(IntegrityError, match="'x y'"):
        apply_edits(documents, edits)
    good = Edits(np.array([0, 2]), np.array([0, 2], np.int32), np.array([2, 2], np.int32), np.zeros(2, np.uint8), ["", "+"])
    (released,) = apply_edits(documents, good)
    assert released.text == "+c"


def test_the_registry() -> None:
    assert {"A", "B", "C"} <= set(conditions.names())
    assert [c.name for c in parse_conditions(" A, C,B")] == ["A", "C", "B"]
    for text, error in (("A,D", UnknownNameError), ("", UsageError), ("A,A", UsageError)):
        with pytest.raises(error):
            parse_conditions(text)
    settings_without_key = ReleaseSettings()
    assert isinstance(conditions.get("A").create(settings_without_key), Unmodified)
    assert isinstance(conditions.get("C").create(settings_without_key), Placeholders)
    with pytest.raises(ConfigError, match="DEIDBENCH_KEY"):
        conditions.get("B").create(settings_without_key)
    assert isinstance(conditions.get("B").create(ReleaseSettings(KEY)), Surrogates)


def test_placeholders_of_every_type() -> None:
    text = "x" * len(TYPES)
    rows = [(i, i + 1, i) for i in range(len(TYPES))]
    (c,) = build_release(lambda: [Document("d", text, "en")], segment_table([rows]), Placeholders())
    assert c.text == "".join(f"[{name}]" for name in TYPES)
