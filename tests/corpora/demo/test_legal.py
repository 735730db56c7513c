"""demo-legal: gold, identifier classes, determinism and the shapes that it promises."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from bench.core.errors import UsageError
from bench.core.model import Document, Mention
from bench.core.taxonomy import TYPES
from corpora.demo.grammar import Agreement, parse, slots
from corpora.demo.legal import LegalDemo
from corpora.demo.legal_cases import themes
from corpora.demo.legal_judgment import _ADMISSIBLE, _DOMESTIC_LAW
from corpora.demo.legal_people import countries, sample_party
from corpora.demo.legal_text import LegalWriter
from corpora.demo.seeding import stream

Record = tuple[Document, Sequence[Mention]]


def records(**options: object) -> list[Record]:
    return list(LegalDemo().open(None, {name: str(value) for name, value in options.items()}).records())


def fingerprint(documents: list[Record]) -> str:
    return json.dumps(
        [
            [d.doc_id, d.text, d.case_id, dict(d.meta), [(m.start, m.end, m.type, m.entity_id, m.identifier) for m in gold]]
            for d, gold in documents
        ]
    )


@pytest.fixture(scope="module")
def corpus() -> list[Record]:
    return records()


def test_sixty_judgments_of_the_right_length(corpus: list[Record]) -> None:
    assert len(corpus) == 60
    for document, _ in corpus:
        assert 500 <= len(document.text.split()) <= 1100
        assert document.case_id == document.doc_id
        headings = [document.text.index(f"{part}\n") for part in ("PROCEDURE", "THE FACTS", "THE LAW")]
        assert headings == sorted(headings)
        assert document.text.index("FOR THESE REASONS") > headings[-1]
    assert {d.meta["theme"] for d, _ in corpus} == {theme.name for theme in themes()}
    assert {d.meta["court"] for d, _ in corpus} == {"international", "national"}


def test_paragraphs_are_numbered_without_a_gap(corpus: list[Record]) -> None:
    for document, _ in corpus:
        body = document.text[: document.text.index("FOR THESE REASONS")]
        numbers = [int(number) for number in re.findall(r"^(\d+)\.  ", body, re.M)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= 15


def test_every_mention_is_a_clean_slice(corpus: list[Record]) -> None:
    for document, gold in corpus:
        end = 0
        for mention in gold:
            surface = document.text[mention.start : mention.end]
            assert surface
            assert surface == surface.strip()
            assert mention.start >= end
            assert mention.type in TYPES
            assert mention.label == mention.type
            assert mention.identifier in {"DIRECT", "QUASI", "NO_MASK"}
            assert mention.entity_id.startswith(f"{document.doc_id}/")
            end = mention.end
        assert not re.search(r"[{}\[\]|]", document.text)


def test_an_entity_has_one_type_and_one_class(corpus: list[Record]) -> None:
    kinds: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for _, gold in corpus:
        for mention in gold:
            if mention.type != "DATE":  # the day of an earlier judgment may be cited as NO_MASK and be a fact too
                kinds[mention.entity_id].add((mention.type, mention.identifier))
    assert all(len(found) == 1 for found in kinds.values())


def test_direct_are_the_applicants_and_their_files(corpus: list[Record]) -> None:
    for _, gold in corpus:
        direct = {(m.type, m.entity_id.split("/")[1].rstrip("0123456789-")) for m in gold if m.identifier == "DIRECT"}
        assert direct == {("PERSON", "app"), ("ID", "file")}
        officials = [m for m in gold if re.search(r"/(judge|registrar|agent)", m.entity_id)]
        assert officials
        assert {m.identifier for m in officials} == {"NO_MASK"}


def test_titles_and_roles_are_not_gold(corpus: list[Record]) -> None:
    titles = roles = 0
    for document, gold in corpus:
        for mention in gold:
            if mention.type == "PERSON":
                assert not re.match(r"(Mr|Ms|Dr|Judge|Professor|Father) ", document.text[mention.start : mention.end])
                titles += document.text[: mention.start].endswith(("Mr ", "Ms ", "Dr ", "Judge ", "Professor ", "Father "))
        for match in re.finditer(r"[Tt]he (?:first |second |third )?(?:applicant|claimant)\b|the Government\b", document.text):
            roles += 1
            assert not any(m.start < match.end() and match.start() < m.end for m in gold)
    assert titles > 500
    assert roles > 500


def test_the_applicant_is_named_in_full_once_then_by_role_or_surname(corpus: list[Record]) -> None:
    for document, gold in corpus:
        surfaces = [document.text[m.start : m.end] for m in gold if m.entity_id.endswith("/app")]
        words = [len(surface.split()) for surface in surfaces]
        assert 2 <= len(surfaces) <= 12
        # A full name has more words than the surname; it stands in the procedure, and in the title of a national judgment.
        assert 1 <= words.count(max(words)) <= 2


def test_application_numbers_in_odd_spellings() -> None:
    forms: Counter[str] = Counter()
    plural = 0
    for document, gold in records(documents=300):
        plural += bool(re.search(r"nos\. \d[\d ]*/", document.text))
        for mention in gold:
            if mention.type == "ID" and mention.identifier == "DIRECT":
                forms[re.sub(r"\d+", "9", document.text[mention.start : mention.end])] += 1
    assert set(forms) == {"9/9", "9 9/9", "9 / 9", "9 9 / 9"} or set(forms) == {"9/9", "9 9/9", "9 / 9"}
    assert forms["9/9"] > forms["9 9/9"] > 10
    assert plural >= 10


def test_every_type_but_contact_occurs_and_names_come_from_many_languages(corpus: list[Record]) -> None:
    found = Counter(mention.type for _, gold in corpus for mention in gold)
    assert set(found) == set(TYPES) - {"CONTACT", "OTHER"}
    assert len({document.meta["state"] for document, _ in corpus}) >= 8
    letters = {
        char
        for document, gold in corpus
        for mention in gold
        if mention.type == "PERSON"
        for char in document.text[mention.start : mention.end]
    }
    assert {"ö", "ł"} <= {char.lower() for char in letters}
    initials = [
        document.text[m.start : m.end]
        for document, gold in corpus
        for m in gold
        if m.type == "PERSON" and re.fullmatch(r"\w\. ?\w\.", document.text[m.start : m.end])
    ]
    assert len(initials) >= 10


def test_citations_are_gold_of_the_class_that_need_not_be_masked(corpus: list[Record]) -> None:
    cited = [mention for _, gold in corpus for mention in gold if "/cited" in mention.entity_id]
    assert len(cited) >= 150
    assert {mention.identifier for mention in cited} == {"NO_MASK"}
    assert {mention.type for mention in cited} == {"PERSON", "LOCATION", "ID"}


def test_slavic_and_greek_surnames_agree_with_the_bearer() -> None:
    poland = next(country for country in countries() if country.name == "Poland")
    rng = stream(1, "test")
    assert sample_party(rng, poland, sex="F", last="Zieliński").last == "Zielińska"
    assert sample_party(rng, poland, sex="M", last="Zielińska").last == "Zieliński"
    assert sample_party(rng, poland, sex="F", last="Mazur").last == "Mazur"
    for country in countries():
        drawn = {sample_party(rng, country).last for _ in range(300)}
        assert not any("/" in surname for surname in drawn)
        assert len(country.cities) >= 8


def test_same_seed_same_bytes_and_another_seed_another_corpus(corpus: list[Record]) -> None:
    assert fingerprint(records()) == fingerprint(corpus)
    assert fingerprint(records(seed=2, documents=5)) != fingerprint(records(seed=1, documents=5))


def test_ten_judgments_are_the_first_ten_of_sixty(corpus: list[Record]) -> None:
    assert fingerprint(records(documents=10)) == fingerprint(corpus[:10])


def test_info_says_what_it_is() -> None:
    info = LegalDemo().open(None, {"seed": "-3", "documents": "5"}).info
    assert (info.name, info.version, info.identity_scope, info.reference) == ("demo-legal", "1", "document", "constructed")
    assert info.options == {"seed": -3, "documents": 5}


@pytest.mark.parametrize("options", [{"annotator": "first"}, {"document": "1"}])
def test_an_unknown_option_names_the_accepted_ones(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="documents, seed"):
        LegalDemo().open(None, options)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.0"])
def test_documents_must_be_a_whole_number_of_at_least_one(value: str) -> None:
    with pytest.raises(UsageError, match="documents"):
        LegalDemo().open(None, {"documents": value})


def test_every_slot_of_every_template_exists() -> None:
    for theme in themes():
        for source in (theme.complaint, *theme.facts, *theme.law, *_ADMISSIBLE, *_DOMESTIC_LAW):
            for slot in slots(parse(source, source)):
                assert isinstance(slot, Agreement) or hasattr(LegalWriter, f"slot_{slot.key}"), source
