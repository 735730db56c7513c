from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.core.corpus import Corpus
from bench.core.corpus_writer import write_corpus
from bench.core.errors import DataError, NotAvailableError, StoreError, UnknownNameError
from bench.core.model import Document, IdentityScope, Mention
from bench.core.source import CorpusInfo, CorpusSource
from bench.core.tokens import TOKENISER, tokenise
from bench.core.workspace import Workspace

Record = tuple[Document, list[Mention]]


class ListSource(CorpusSource):
    """Records held in memory."""

    def __init__(self, records: Sequence[Record], scope: IdentityScope = "document") -> None:
        self.info = CorpusInfo("listed", "1", scope, {"PERSON": "PERSON"}, "written in a test", "none", "constructed")
        self._records = records

    def records(self) -> Iterator[Record]:
        return iter(self._records)


NASTY = "Zoe\u0301 👩‍⚕️ met\r\n Dr. Weber \u200d at 9:00"


def two_documents() -> list[Record]:
    return [
        (
            Document("a", NASTY, "en", "train", "case1", meta={"year": 2001, "tags": ["x"]}),
            [Mention("a", 20, 25, "PERSON", "e1"), Mention("a", 0, 4, "PERSON", "e0", "DIRECT", "PER")],
        ),
        (Document("b", "张伟 x", "zh", "test", "case1"), [Mention("b", 0, 2, "PERSON", "e1")]),
    ]


def test_round_trip(tmp_path: Path) -> None:
    records = two_documents()
    corpus = write_corpus(ListSource(records), tmp_path / "c")
    reopened = Corpus.open(tmp_path / "c")
    assert list(reopened.documents()) == [document for document, _ in records]
    assert reopened.counts == {"documents": 2, "mentions": 3, "entities": 3, "tokens": 17, "cases": 1, "characters": 39}
    assert reopened.tokeniser == TOKENISER
    assert reopened.lengths.tolist() == [len(d.text) for d, _ in records]
    assert reopened.fingerprint == corpus.fingerprint
    assert list(reopened.case_codes) == [0, 0]
    mentions = reopened.mentions()
    assert mentions.indptr.tolist() == [0, 2, 3]
    assert mentions.start.tolist() == [0, 20, 0]
    assert mentions.identifier.tolist() == [1, 0, 0]
    # The same id in two documents is two entities where the scope is the document.
    assert [mentions.entity_ids[code] for code in mentions.entity] == ["a\x1fe0", "a\x1fe1", "b\x1fe1"]
    assert reopened.mention_labels() == (["PER", "", ""], ["e0", "e1", "e1"])
    tokens = reopened.tokens()
    for index, (document, _) in enumerate(records):
        low, high = tokens.indptr[index], tokens.indptr[index + 1]
        assert list(zip(tokens.start[low:high], tokens.end[low:high], strict=True)) == tokenise(document.text)


def test_corpus_scope_joins_entities_over_documents(tmp_path: Path) -> None:
    mentions = write_corpus(ListSource(two_documents(), "corpus"), tmp_path / "c").mentions()
    assert [mentions.entity_ids[code] for code in mentions.entity] == ["e0", "e1", "e1"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=600), data=st.data())
def test_any_range_of_documents(tmp_path: Path, texts: list[str], data: st.DataObject) -> None:
    documents = [Document(str(i), text, "en") for i, text in enumerate(texts)]
    corpus = write_corpus(ListSource([(d, []) for d in documents]), tmp_path / "c")
    low = data.draw(st.integers(0, len(texts)))
    high = data.draw(st.integers(0, len(texts) + 3))
    assert list(corpus.documents(low, high)) == documents[low:high]


def test_own_tokens_are_kept(tmp_path: Path) -> None:
    own = Document("a", "New York!", "en", tokens=[(0, 8), (8, 9)])
    corpus = write_corpus(ListSource([(own, [])]), tmp_path / "c")
    assert corpus.tokeniser == "corpus"
    assert next(corpus.documents()).tokens == [(0, 8), (8, 9)]
    assert corpus.tokens().end.tolist() == [8, 9]
    with pytest.raises(DataError, match="document 'b' lacks tokens of its own"):
        write_corpus(ListSource([(own, []), (Document("b", "x", "en"), [])]), tmp_path / "d")


def test_fingerprint_depends_on_content_and_not_on_name(tmp_path: Path) -> None:
    base = write_corpus(ListSource(two_documents()), tmp_path / "a").fingerprint
    assert write_corpus(ListSource(two_documents()), tmp_path / "b", name="other").fingerprint == base
    changed = two_documents()
    changed[1] = (changed[1][0], [Mention("b", 0, 1, "PERSON", "e1")])
    assert write_corpus(ListSource(changed), tmp_path / "c").fingerprint != base
    assert write_corpus(ListSource(two_documents(), "corpus"), tmp_path / "d").fingerprint != base


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "has no documents"),
        ([(Document("a", "x", "en"), []), (Document("a", "y", "en"), [])], "duplicate document id 'a'"),
        (
            [(Document("a", "x", "en"), [Mention("a", 0, 2, "PERSON", "e")])],
            "document 'a', mention 0:2 is empty, reversed or outside",
        ),
        ([(Document("a", "xy", "en"), [Mention("a", 1, 1, "PERSON", "e")])], "mention 1:1 is empty"),
        (
            [(Document("a", "xy", "en"), [Mention("a", 0, 1, "PERSON", "e", "direct")])],
            "identifier class 'direct'; accepted: DIRECT",
        ),
    ],
)
def test_bad_records_leave_nothing_behind(tmp_path: Path, records: list[Record], message: str) -> None:
    with pytest.raises(DataError, match=message):
        write_corpus(ListSource(records), tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_preparation_keeps_the_earlier_corpus(tmp_path: Path) -> None:
    write_corpus(ListSource(two_documents()), tmp_path / "c")
    with pytest.raises(DataError):
        write_corpus(ListSource([]), tmp_path / "c")
    assert len(Corpus.open(tmp_path / "c")) == 2


def test_corruption_is_found(tmp_path: Path) -> None:
    write_corpus(ListSource(two_documents()), tmp_path / "c")
    victim = tmp_path / "c" / "documents.parquet"
    raw = bytearray(victim.read_bytes())
    raw[len(raw) // 2] ^= 1
    victim.write_bytes(raw)
    with pytest.raises(StoreError, match=r"documents\.parquet' is missing or differs from its recorded checksum"):
        Corpus.open(tmp_path / "c")


def test_no_altered_byte_of_the_record_passes(tmp_path: Path) -> None:
    write_corpus(ListSource(two_documents()), tmp_path / "c")
    record = tmp_path / "c" / "corpus.json"
    raw = record.read_bytes()
    value = json.loads(raw)
    for at in range(len(raw)):
        record.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        try:
            Corpus.open(tmp_path / "c", verify=False)
        except StoreError as error:
            assert "prepare the corpus again" in str(error)
        else:  # white space between the entries says nothing
            assert json.loads(record.read_bytes()) == value, f"byte {at}"


@pytest.mark.parametrize("content", ["", "[]", "null", "{}", '{"schema": 1}', "\x00"])
def test_a_record_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    write_corpus(ListSource(two_documents()), tmp_path / "c")
    (tmp_path / "c" / "corpus.json").write_text(content)
    with pytest.raises(StoreError, match=r"corpus\.json.*prepare the corpus again"):
        Corpus.open(tmp_path / "c")


def test_other_schema_is_refused_by_number(tmp_path: Path) -> None:
    write_corpus(ListSource(two_documents()), tmp_path / "c")
    record = tmp_path / "c" / "corpus.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"schema": 99}))
    with pytest.raises(StoreError, match="corpus schema 99, this version reads 1"):
        Corpus.open(tmp_path / "c")


def test_not_a_corpus(tmp_path: Path) -> None:
    with pytest.raises(NotAvailableError, match=r"has no corpus\.json"):
        Corpus.open(tmp_path)


def test_workspace_names_what_is_prepared(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    write_corpus(ListSource(two_documents()), workspace.corpus_dir("listed"))
    assert workspace.prepared() == ["listed"]
    with pytest.raises(UnknownNameError, match="did you mean 'listed'"):
        workspace.open_corpus("listd")


def test_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    """A real write error: the process may not write files beyond 4 KiB, as on a disk that is full."""
    script = f"""
import random, resource, signal, sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r})
from pathlib import Path
from tests.bench.core.test_corpus_store import ListSource
from bench.core.corpus_writer import write_corpus
from bench.core.errors import StoreError
from bench.core.model import Document
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
text = "".join(random.Random(1).choices("abcdefghijklmnop ", k=40000))
try:
    write_corpus(ListSource([(Document(str(i), text[i:], "en"), []) for i in range(20)]), Path({str(tmp_path)!r}) / "c")
except StoreError as error:
    print("STORE", error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("STORE cannot write corpus to"), done.stderr
    assert list(tmp_path.iterdir()) == []
