"""demo-clinical: gold by construction, identity across letters, variants, sections and medication."""

from __future__ import annotations

import re
import subprocess
import sys
import tracemalloc
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.core.errors import UsageError
from bench.core.model import Document, Mention
from bench.core.taxonomy import TYPES
from corpora.demo.article import read_book
from corpora.demo.clinical import BOOK, HEADINGS, ClinicalDemo, write_document
from corpora.demo.clinical_scene import ClinicalScene
from corpora.demo.clinical_world import BLOCK, LETTERS_PER_PATIENT, locate, patient
from corpora.demo.grammar import Slot, slots
from corpora.demo.names_de import WORD_SURNAMES, first_names, genitive, misspell, sample_surname, surnames
from corpora.demo.seeding import stream

Record = tuple[Document, list[Mention]]


def records(**options: str) -> list[Record]:
    return [(document, list(mentions)) for document, mentions in ClinicalDemo().open(None, options).records()]


@pytest.fixture(scope="module")
def corpus() -> list[Record]:
    return records()


def surfaces(record: Record, type_: str = "PERSON") -> dict[str, set[str]]:
    document, mentions = record
    found: dict[str, set[str]] = defaultdict(set)
    for mention in mentions:
        if mention.type == type_:
            found[mention.entity_id].add(document.text[mention.start : mention.end])
    return found


def without_gold(record: Record) -> str:
    document, mentions = record
    text = document.text
    for mention in reversed(mentions):
        text = text[: mention.start] + "\x00" * (mention.end - mention.start) + text[mention.end :]
    return text


def test_counts_ids_and_info(corpus: list[Record]) -> None:
    source = ClinicalDemo().open(None, {})
    assert len(corpus) == 60
    assert len({document.doc_id for document, _ in corpus}) == 60
    assert {document.language for document, _ in corpus} == {"de"}
    assert source.info.name == "demo-clinical" and source.info.identity_scope == "corpus"
    assert source.info.options == {"seed": 1, "documents": 60}
    words = [len(document.text.split()) for document, _ in corpus]
    assert min(words) > 300 and max(words) < 700


def test_every_mention_is_a_clean_slice(corpus: list[Record]) -> None:
    for document, mentions in corpus:
        end = 0
        for mention in mentions:
            surface = document.text[mention.start : mention.end]
            assert surface and surface == surface.strip() and "\n" not in surface
            assert mention.doc_id == document.doc_id and mention.start >= end
            assert mention.type in TYPES and mention.label == mention.type and mention.entity_id
            end = mention.end


def test_all_expected_types_occur(corpus: list[Record]) -> None:
    types = Counter(mention.type for _, mentions in corpus for mention in mentions)
    expected = {"PERSON", "LOCATION", "ORGANISATION", "DATE", "AGE", "ID", "CONTACT", "PROFESSION", "DEMOGRAPHIC"}
    assert set(types) == expected and types["PERSON"] > 600


def test_no_name_is_left_without_gold(corpus: list[Record]) -> None:
    """Surnames that are no words occur nowhere outside the gold: a template that spells a name out would show here."""
    for record in corpus:
        rest = without_gold(record)
        for names in surfaces(record).values():
            for name in names:
                if len(name) > 3 and name.split()[-1] not in WORD_SURNAMES and name.title() not in WORD_SURNAMES:
                    assert not re.search(rf"\b{re.escape(name)}\b", rest), name


def test_titles_and_salutations_stay_outside(corpus: list[Record]) -> None:
    for record in corpus:
        for names in surfaces(record).values():
            assert not any(re.match(r"(Dr|Prof|PD|OA|OÄ|Herrn?|Frau|Schwester)\b", name) for name in names)


def test_same_seed_gives_the_same_letters_in_another_process(corpus: list[Record]) -> None:
    program = (
        "import hashlib\nfrom corpora.demo.clinical import ClinicalDemo\nh = hashlib.sha256()\n"
        "for d, m in ClinicalDemo().open(None, {'documents': '12'}).records():\n"
        "    h.update(repr((d, m)).encode())\nprint(h.hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1
    assert records(documents="60") == corpus
    assert [d.text for d, _ in records(seed="2")] != [d.text for d, _ in corpus]


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(corpus: list[Record]) -> None:
    assert records(documents="10") == corpus[:10]


@given(seed=st.integers(0, 5), block=st.integers(0, 5000))
@settings(max_examples=40, deadline=None)
def test_every_block_has_its_patients_with_their_letters_in_order(seed: int, block: int) -> None:
    seen: dict[int, list[int]] = defaultdict(list)
    for index in range(block * BLOCK, (block + 1) * BLOCK):
        number, letter = locate(seed, index)
        seen[number].append(letter)
    first = block * len(LETTERS_PER_PATIENT)
    assert {number: len(letters) for number, letters in seen.items()} == {
        first + place: letters for place, letters in enumerate(LETTERS_PER_PATIENT)
    }
    assert all(letters == list(range(len(letters))) for letters in seen.values())


def test_identity_crosses_letters(corpus: list[Record]) -> None:
    letters = Counter(document.case_id for document, _ in corpus)
    assert set(letters.values()) == {1, 2, 3, 4}
    documents: dict[str, set[str]] = defaultdict(set)
    for record in corpus:
        for entity in surfaces(record):
            documents[entity].add(record[0].doc_id)
    staff = [entity for entity, where in documents.items() if entity.startswith(("staff:", "practice:")) and len(where) >= 3]
    assert len(staff) >= 10
    for case, count in letters.items():
        assert len(documents[case]) == count


def test_a_patient_keeps_birthday_insurance_and_order_of_stays(corpus: list[Record]) -> None:
    for number in {locate(1, index)[0] for index in range(60)}:
        who = patient(1, number, BOOK)
        assert all(start < end for start, end in who.stays)
        assert all(left[1] < right[0] for left, right in zip(who.stays, who.stays[1:], strict=False))
    digits: dict[str, set[str]] = defaultdict(set)
    spellings: dict[str, set[str]] = defaultdict(set)
    for document, mentions in corpus:
        for mention in mentions:
            if mention.entity_id.endswith(":ins"):
                surface = document.text[mention.start : mention.end]
                digits[mention.entity_id].add(re.sub(r"[ -]", "", surface))
                spellings[mention.entity_id].add(surface)
    assert all(len(found) == 1 for found in digits.values())
    assert max(len(found) for found in spellings.values()) >= 2


def test_variants_of_one_patient_within_a_letter(corpus: list[Record]) -> None:
    by_letter = [surfaces(record)[record[0].case_id] for record in corpus]
    assert sum(len(names) >= 3 for names in by_letter) > 50
    shapes = {
        "upper": lambda name, who: name == who.inverted.replace("ß", "SS").upper(),
        "inverted": lambda name, who: name == who.inverted,
        "initials": lambda name, who: name == who.initials,
        "genitive": lambda name, who: name == genitive(who.last),
        "typing error": lambda name, who: (
            name not in {who.last, who.first, who.maiden} and name.isalpha() and name != genitive(who.last)
        ),
    }
    who_is = {document.case_id: patient(1, int(document.case_id.split(":")[1]), BOOK).person.name for document, _ in corpus}
    for shape, test in shapes.items():
        found = [
            name
            for (document, _), names in zip(corpus, by_letter, strict=True)
            for name in names
            if test(name, who_is[document.case_id])
        ]
        assert found, shape


def test_names_that_are_words_also_occur_as_words(corpus: list[Record]) -> None:
    as_name = {name for record in corpus for names in surfaces(record).values() for name in names if name in WORD_SURNAMES}
    words = {word.lower() for record in corpus for word in re.findall(r"\w+", without_gold(record))}
    assert {name for name in as_name if name.lower() in words} & {
        "Lang",
        "Klein",
        "Groß",
        "Sommer",
        "Kurz",
        "Winter",
        "Weiß",
        "Schwarz",
        "Stark",
    }


def test_sections_cover_the_letter_and_start_with_their_heading(corpus: list[Record]) -> None:
    for document, _ in corpus:
        sections = document.meta["sections"]
        assert isinstance(sections, list)
        names, position = [], 0
        for start, end, name in sections:
            assert document.text[position:start].strip() == "" and start < end
            heading = document.text[start:end].split("\n", 1)[0]
            assert any(heading.startswith(known.rstrip(":")) for known in HEADINGS[name])
            names.append(name)
            position = end
        assert position == len(document.text)
        assert names == [name for name in HEADINGS if name in names]
        required = set(HEADINGS) - {"EchoBefunde", "RisikofaktorenAllergien"}
        assert required <= set(names)


def test_medication_notes_are_slices_of_their_kind(corpus: list[Record]) -> None:
    shape = {
        "STRENGTH": re.compile(r"[\d.,/]+ ?(mg|µg|g|IE|E|E/ml)"),
        "FREQUENCY": re.compile(r"[\d,]+( ?- ?[\d,]+){2,3}|bei Bedarf|1x wöchentlich"),
        "FORM": re.compile(r"[A-Z][A-Za-z.-]+"),
        "DRUG": re.compile(r"[A-Z][A-Za-zäöü()/ -]+"),
    }
    for document, mentions in corpus:
        notes = document.meta["medications"]
        assert isinstance(notes, list)
        kinds = Counter(kind for _, _, kind in notes)
        assert kinds["DRUG"] >= 4 and kinds["FORM"] == kinds["FREQUENCY"]
        gold = {place for mention in mentions for place in range(mention.start, mention.end)}
        for start, end, kind in notes:
            assert shape[kind].fullmatch(document.text[start:end]), document.text[start:end]
            assert not gold & set(range(start, end))


def test_every_drug_in_the_text_is_noted(corpus: list[Record]) -> None:
    drugs = {
        document.text[start:end] for document, _ in corpus for start, end, kind in document.meta["medications"] if kind == "DRUG"
    }
    for document, _ in corpus:
        noted = {start for start, _, kind in document.meta["medications"] if kind == "DRUG"}
        ends = {end for _, end, kind in document.meta["medications"] if kind == "DRUG"}
        for drug in drugs:
            for match in re.finditer(rf"(?<![\w/]){re.escape(drug)}(?![\w/])", document.text):
                assert match.start() in noted or match.end() in ends, (document.doc_id, drug)


def test_every_slot_of_every_template_has_a_value() -> None:
    book = read_book(BOOK)
    who = patient(1, 0, BOOK)
    scene = ClinicalScene(1, who, 0, stream("slots"), book)
    for article in book.articles:
        for paragraph in article.paragraphs:
            assert paragraph.options and paragraph.section in HEADINGS
            for option in paragraph.options:
                for slot in slots(option):
                    if isinstance(slot, Slot):
                        scene.value(slot.key, slot.argument)
                    else:
                        scene.is_female(slot.role)


def test_memory_does_not_grow_with_the_number_of_documents() -> None:
    source = ClinicalDemo().open(None, {"documents": "1000"}).records()
    for _ in range(400):
        next(source)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in source:
        pass
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    # The bounded caches may still fill up; 600 kept letters would take more than 3 MB.
    assert grown < 1_500_000


def test_a_far_document_is_reached_directly() -> None:
    document, mentions = write_document(1, 99_999)
    assert document.doc_id == "clinical-099999" and mentions


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": "3"}, ["'size'", "documents, seed"]),
        ({"documents": "0"}, ["'documents'", "at least 1"]),
        ({"documents": "-4"}, ["at least 1"]),
        ({"documents": "many"}, ["'many'", "whole number"]),
        ({"documents": "2.5"}, ["'2.5'", "whole number"]),
        ({"seed": "x"}, ["'seed'", "whole number"]),
    ],
)
def test_wrong_options_say_what_is_accepted(options: dict[str, str], words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        ClinicalDemo().open(None, options)
    for word in words:
        assert word in str(caught.value)


def test_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="reads no file"):
        ClinicalDemo().open(tmp_path, {})


def test_german_name_lists_are_long_and_ranked() -> None:
    assert len(set(surnames().items)) >= 250 and surnames().weights == tuple(sorted(surnames().weights, reverse=True))
    for sex in "FM":
        assert len({name for era in ("old", "mid", "young") for name in first_names(sex, era).items}) >= 120
    rng = stream("tail")
    drawn = Counter(sample_surname(rng) for _ in range(20_000))
    outside = sum(count for name, count in drawn.items() if name not in surnames().items)
    # Compounds (8 %), double names (4 %) and von (1 %) make up the tail.
    assert 0.11 < outside / 20_000 < 0.15
    assert drawn["Müller"] > 5 * drawn["Knoll"]


@given(name=st.sampled_from(surnames().items), seed=st.integers(0, 1000))
def test_a_misspelt_name_differs_a_little(name: str, seed: int) -> None:
    wrong = misspell(name, stream("typo", seed))
    assert (
        wrong != name and abs(len(wrong) - len(name)) <= 3 and wrong[0] in (name[0], {"Ö": "O", "Ş": "Ş"}.get(name[0], name[0]))
    )


def test_genitive_of_sibilants() -> None:
    assert [genitive(name) for name in ("Weber", "Fuchs", "Weiß", "Lorenz")] == ["Webers", "Fuchs'", "Weiß'", "Lorenz'"]
