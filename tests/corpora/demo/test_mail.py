"""demo-mail: gold, determinism, recurrence and the shapes that it promises."""

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
from corpora.demo.mail import MailDemo
from corpora.demo.mail_body import _FORWARDS, _GENERAL, _OPENERS
from corpora.demo.mail_people import WORK_NOUNS, Cast
from corpora.demo.mail_text import MailWriter
from corpora.demo.mail_topics import CATEGORIES, LEXICON, TOPICS
from corpora.demo.names_en import NICKNAMES

Record = tuple[Document, Sequence[Mention]]


def records(**options: object) -> list[Record]:
    return list(MailDemo().open(None, {name: str(value) for name, value in options.items()}).records())


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


def test_four_hundred_messages_in_threads(corpus: list[Record]) -> None:
    assert len(corpus) == 400
    assert len({d.doc_id for d, _ in corpus}) == 400
    sizes = Counter(d.case_id for d, _ in corpus)
    assert 1 in sizes.values()
    assert max(sizes.values()) >= 4
    assert all(d.language == "en" and d.meta["category"] in CATEGORIES for d, _ in corpus)
    assert {d.meta["category"] for d, _ in corpus} == set(CATEGORIES)


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
            assert mention.entity_id
            end = mention.end
        assert end <= len(document.text)


def test_info_says_what_it_is() -> None:
    info = MailDemo().open(None, {"seed": "3", "documents": "5"}).info
    assert (info.name, info.version, info.identity_scope, info.licence) == ("demo-mail", "1", "corpus", "Apache-2.0")
    assert info.options == {"seed": 3, "documents": 5}
    assert set(info.labels) == set(TYPES)


def test_same_seed_same_bytes_and_another_seed_another_corpus(corpus: list[Record]) -> None:
    assert fingerprint(records()) == fingerprint(corpus)
    assert fingerprint(records(seed=2, documents=20)) != fingerprint(records(seed=1, documents=20))


@pytest.mark.parametrize("count", [1, 10, 137])
def test_fewer_messages_are_the_first_of_more(corpus: list[Record], count: int) -> None:
    assert fingerprint(records(documents=count)) == fingerprint(corpus[:count])


def people(corpus: list[Record]) -> dict[str, set[str]]:
    seen: dict[str, set[str]] = defaultdict(set)
    for document, gold in corpus:
        for mention in gold:
            if mention.type == "PERSON":
                seen[mention.entity_id].add(document.doc_id)
    return seen


def test_people_recur_with_a_long_tail(corpus: list[Record]) -> None:
    counts = Counter({person: len(documents) for person, documents in people(corpus).items()})
    assert sum(number >= 10 for number in counts.values()) >= 30
    assert sum(number == 1 for number in counts.values()) >= 50
    assert counts.most_common(1)[0][1] >= 60


def test_a_person_goes_by_many_names(corpus: list[Record]) -> None:
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    for document, gold in corpus:
        for mention in gold:
            if mention.type == "PERSON":
                surfaces[mention.entity_id][document.text[mention.start : mention.end]] += 1
    assert sum(len(forms) >= 3 for forms in surfaces.values()) >= 50
    cast = Cast(1, "demo-mail")
    forms = dict.fromkeys(("nickname", "initials", "inverted", "lower"), 0)
    for key, seen in surfaces.items():
        if not key.startswith("p") or "/" in key:
            continue
        person = cast[int(key[1:])]
        forms["nickname"] += any(short in seen for short in NICKNAMES.get(person.name.first, ()))
        forms["initials"] += person.name.initials in seen
        forms["inverted"] += person.name.inverted in seen
        forms["lower"] += person.name.first.lower() in seen
    assert all(number >= 5 for number in forms.values()), forms


def test_first_names_and_surnames_are_shared() -> None:
    cast = Cast(1, "demo-mail")
    everybody = [cast[index] for index in range(180)]
    assert max(Counter(person.name.first for person in everybody).values()) >= 4
    assert max(Counter(person.name.last for person in everybody).values()) >= 2
    assert len({person.address for person in everybody}) == len({person.login for person in everybody}) == 180


def test_forwarded_and_quoted_blocks_keep_the_gold_of_the_original(corpus: list[Record]) -> None:
    texts = [document.text for document, _ in corpus]
    assert (
        sum(
            bool(re.search(r"^-{5,} Forwarded by .+/[A-Z]{3}/CALDERWEST on \d\d/\d\d/\d{4} \d\d:\d\d [AP]M -{5,}$", t, re.M))
            for t in texts
        )
        >= 3
    )
    assert sum("-----Original Message-----" in text for text in texts) >= 20
    assert sum(bool(re.search(r"^On .+ wrote:$", text, re.M)) for text in texts) >= 5
    previous: dict[str, Record] = {}
    checked = 0
    for document, gold in corpus:
        before = previous.get(document.case_id)
        if before is not None and "-----Original Message-----" in document.text:
            at = document.text.index("-----Original Message-----")
            body = before[0].text.split("\n\n", 1)[1][:200]
            start = document.text.find(body, at)
            if start >= 0:
                offset = start - (len(before[0].text.split("\n\n", 1)[0]) + 2)
                here = {(m.start, m.end, m.type, m.entity_id) for m in gold}
                inside = [m for m in before[1] if offset + m.start >= start and offset + m.end <= start + len(body)]
                assert all((m.start + offset, m.end + offset, m.type, m.entity_id) in here for m in inside)
                checked += 1
        previous[document.case_id] = (document, gold)
    assert checked >= 20


def test_odd_spellings_of_one_telephone_number(corpus: list[Record]) -> None:
    spellings: dict[str, set[str]] = defaultdict(set)
    for document, gold in corpus:
        for mention in gold:
            if mention.entity_id.endswith("/phone"):
                assert mention.type == "CONTACT"
                spellings[mention.entity_id].add(document.text[mention.start : mention.end])
    assert max(map(len, spellings.values())) >= 3
    every = set().union(*spellings.values())
    for shape in (r"\(\d+\) \d{3} \d{4}", r"x\d-\d{4}", r"\d{3}\.\d{3}\.\d{4}", r"\d{3}-\d{4}"):
        assert any(re.fullmatch(shape, spelling) for spelling in every), shape


def test_an_address_always_belongs_to_its_person(corpus: list[Record]) -> None:
    cast = Cast(1, "demo-mail")
    seen = 0
    for document, gold in corpus:
        for mention in gold:
            if mention.type == "CONTACT" and re.fullmatch(r"p\d{5}/email", mention.entity_id):
                surface = document.text[mention.start : mention.end]
                assert surface.lower() == cast[int(mention.entity_id[1:6])].address
                seen += 1
    assert seen >= 300


def test_words_that_are_names_stand_there_as_words_too(corpus: list[Record]) -> None:
    plain: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for document, gold in corpus:
        marked = {at for mention in gold for at in range(mention.start, mention.end)}
        persons = {at for mention in gold if mention.type == "PERSON" for at in range(mention.start, mention.end)}
        for match in re.finditer(r"\w+", document.text):
            (plain if match.start() not in marked else named if match.start() in persons else Counter())[match[0].lower()] += 1
    both = {
        word
        for word in ("will", "mark", "bill", "may", "price", "page", "long", "grant", "rich", "good", "law")
        if plain[word] and named[word]
    }
    assert len(both) >= 3, both
    assert sum(plain[word] > 0 for word in ("will", "mark", "bill", "may", "price", "page", "long", "grant", "rich")) == 9


def test_roles_are_not_gold(corpus: list[Record]) -> None:
    found = 0
    for document, gold in corpus:
        for match in re.finditer(r"the guys in legal|the board members|our auditors", document.text):
            found += 1
            assert not any(m.start < match.end() and match.start() < m.end for m in gold)
    assert found >= 10


def test_people_stay_with_their_topics_and_words() -> None:
    documents = records(documents=1500)
    cast = Cast(1, "demo-mail")
    own = [d.meta["topic"] in cast[int(str(d.meta["sender"])[1:])].topics for d, _ in documents if d.meta["position"] == 0]
    assert sum(own) / len(own) > 0.85
    # Near a person's name their own nouns stand far more often than those of others at large.
    near = other = total = 0
    everybody = [cast[index] for index in range(100)]
    for document, gold in documents:
        for mention in gold:
            if mention.type != "PERSON" or not re.fullmatch(r"p\d{5}", mention.entity_id):
                continue
            index = int(mention.entity_id[1:])
            window = document.text[mention.end : mention.end + 80].lower().replace("\n", " ")
            stranger = everybody[(index + 37) % 100]
            near += any(noun.lower() in window for noun in cast[index].nouns[:WORK_NOUNS])
            other += any(noun.lower() in window for noun in stranger.nouns[:WORK_NOUNS])
            total += 1
    assert total > 5000
    assert near > 1.5 * other


def test_the_cast_grows_with_the_square_root() -> None:
    assert [Cast.size_at(thread) for thread in (0, 100, 10_000)] == [60, 140, 860]


@pytest.mark.parametrize("options", [{"folds": "3"}, {"Seed": "1"}])
def test_an_unknown_option_names_the_accepted_ones(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="documents, seed"):
        MailDemo().open(None, options)


@pytest.mark.parametrize("value", ["0", "-4", "ten", "2.5", ""])
def test_documents_must_be_a_whole_number_of_at_least_one(value: str) -> None:
    with pytest.raises(UsageError, match="documents"):
        MailDemo().open(None, {"documents": value})


def test_seed_must_be_a_whole_number_and_a_source_is_refused(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="seed"):
        MailDemo().open(None, {"seed": "x"})
    with pytest.raises(UsageError, match="demo-mail"):
        MailDemo().open(tmp_path, {})  # type: ignore[arg-type]


def test_every_slot_of_every_template_exists() -> None:
    templates = [t for topic in TOPICS.values() for t in (*topic.subjects, *topic.sentences)]
    for source in (*templates, *_OPENERS, *_FORWARDS, *_GENERAL):
        for slot in slots(parse(source, source)):
            assert not isinstance(slot, Agreement)
            assert hasattr(MailWriter, f"slot_{slot.key}"), source
    assert all(len(set(nouns)) == len(nouns) >= 16 for nouns in LEXICON.values())
