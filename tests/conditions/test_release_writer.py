"""Releases on disk: what is written, byte for byte, and what never is."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from bench.core.errors import DataError, IntegrityError, StoreError, UsageError
from bench.core.model import Document
from bench.core.taxonomy import PERSON
from conditions.base import Condition
from conditions.keys import SecretKey
from conditions.standard import Placeholders, Surrogates, Unmodified
from conditions.writer import file_name, read_release, write_releases
from tests.reference.release_data import segment_table

RAW = b"a key for tests only, 32 bytes.."
TEXT = "Dr. Weber rief Kay Weber an.\r\nWEBER kam 👩‍⚕️ nicht.\u2028"
DOCUMENTS = [Document("train/d 1", TEXT, "de"), Document("d2", "", "en")]
SEGMENTS = segment_table([[(4, 9, PERSON), (15, 24, PERSON), (30, 35, PERSON)], []])


def _abc() -> list[Condition]:
    return [Unmodified(), Surrogates(SecretKey(RAW)), Placeholders()]


def _files(directory: Path) -> dict[str, bytes]:
    files = [path for path in sorted(directory.rglob("*")) if path.is_file() and path.name != ".deidbench-release"]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def test_a_is_byte_identical_and_b_maps_back_to_it(tmp_path: Path) -> None:
    releases = write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, _abc(), origin={"corpus": "c"})
    assert [(r.condition, r.documents, r.replacements) for r in releases] == [("A", 2, 0), ("B", 2, 3), ("C", 2, 3)]
    files = _files(tmp_path)
    assert sorted(files) == sorted([f"{c}{end}" for c in "ABC" for end in (".json", ".jsonl", "/d2.txt", "/train%2Fd 1.txt")])
    assert files["A/train%2Fd 1.txt"] == TEXT.encode()
    assert [d.text for d in read_release(tmp_path / "A.jsonl")] == [TEXT, ""]
    b, empty = read_release(tmp_path / "B.jsonl")
    assert files["B/train%2Fd 1.txt"] == b.text.encode()
    assert (b.doc_id, b.language, empty.text, empty.language) == ("train/d 1", "de", "", "en")
    edges = [0, *(int(e) for pair in zip(b.offsets.new_start, b.offsets.new_end, strict=True) for e in pair), len(b.text)]
    kept = [b.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    back = "".join(piece for pair in zip(kept, ["Weber", "Kay Weber", "WEBER", ""], strict=True) for piece in pair)
    assert back == TEXT
    (c, _) = read_release(tmp_path / "C.jsonl")
    assert c.text == "Dr. [PERSON] rief [PERSON] an.\r\n[PERSON] kam 👩‍⚕️ nicht.\u2028"
    manifest = json.loads(files["B.json"])
    assert manifest["origin"] == {"corpus": "c"}
    assert len(manifest["details"]["mapping_digest"]) == 64


def test_neither_key_nor_names_stand_in_b_and_c(tmp_path: Path) -> None:
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, [Surrogates(SecretKey(RAW)), Placeholders()])
    everything = b"".join(_files(tmp_path).values())
    for secret in (b"eber", b"EBER", RAW, RAW.hex().encode()):
        assert secret not in everything


def test_the_mapping_is_written_on_demand_for_its_owner_only(tmp_path: Path) -> None:
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, _abc(), mapping=True)
    path = tmp_path / "mapping.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(e["surface"], e["key"]) for e in entries] == [("Kay Weber", "kay weber"), ("WEBER", "weber"), ("Weber", "weber")]
    b, _ = read_release(tmp_path / "B.jsonl")
    assert entries[1]["surrogate"] == entries[2]["surrogate"] == b.text[b.offsets.new_start[0] : b.offsets.new_end[0]]


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_releases(tmp_path / name, lambda: DOCUMENTS, SEGMENTS, _abc(), mapping=True, batch_size=1 if name == "one" else 512)
    assert _files(tmp_path / "one") == _files(tmp_path / "two")


def test_a_second_release_replaces_the_first_condition_by_condition(tmp_path: Path) -> None:
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, _abc(), mapping=True)
    (tmp_path / "notes").write_text("mine")
    write_releases(tmp_path, lambda: DOCUMENTS[1:], segment_table([[]]), [Unmodified()])
    assert sorted(p.name for p in (tmp_path / "A").iterdir()) == ["d2.txt"]
    assert len(list((tmp_path / "C").iterdir())) == 2
    assert (tmp_path / "mapping.jsonl").exists()
    # A mapping that was not asked for again would be taken for the new release's.
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, _abc())
    assert not (tmp_path / "mapping.jsonl").exists()
    assert (tmp_path / "notes").read_text() == "mine"


@pytest.mark.parametrize("name", ["A.json", "A/notes", "other"])
def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match="holds files that no release wrote"):
        write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, [Unmodified()])
    assert _files(tmp_path) == {name: b"mine"}


def test_a_failed_release_leaves_no_manifest_and_no_half_file(tmp_path: Path) -> None:
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, [Placeholders()])
    with pytest.raises(IntegrityError):
        write_releases(tmp_path, lambda: DOCUMENTS, segment_table([[], [(0, 5, PERSON)]]), [Placeholders()], batch_size=1)
    assert not (tmp_path / "C.json").exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == [".deidbench-release"]


def test_without_texts(tmp_path: Path) -> None:
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, [Placeholders()], texts=False)
    assert sorted(_files(tmp_path)) == ["C.json", "C.jsonl"]


def test_progress_counts_documents(tmp_path: Path) -> None:
    seen: list[int] = []
    write_releases(tmp_path, lambda: DOCUMENTS, SEGMENTS, _abc(), progress=seen.append)
    assert seen == [1, 2]


def test_a_lone_surrogate_is_an_error_that_names_the_document(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'broken'"):
        write_releases(tmp_path, lambda: [Document("broken", "a\ud800", "en")], segment_table([[]]), [Unmodified()])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        write_releases(tmp_path / "file", lambda: DOCUMENTS, SEGMENTS, [Unmodified()])


def test_file_names() -> None:
    assert file_name("001-61807") == "001-61807.txt"
    assert file_name("../../etc/passwd") == "%2E.%2F..%2Fetc%2Fpasswd.txt"
    assert file_name(".") == "%2E.txt"
    assert file_name("a/b") != file_name("a%2Fb")
    long = [file_name("x" * 300 + end) for end in "ab"]
    assert len(set(long)) == 2
    assert all(len(name.encode()) <= 255 for name in [*long, file_name("ü" * 300)])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1.*not valid JSON"),
        ("[]", "line 1: expected an object"),
        ('{"doc_id": "d", "text": 3, "language": "en"}', "line 1: expected an object"),
        ('{"doc_id": "d", "text": "", "language": "en", "offsets": {}}', "line 1: offsets"),
        ('{"doc_id": "d", "text": "", "language": "en", "offsets": [[0, 1]]}', "line 1: .*is not"),
    ],
)
def test_a_malformed_release_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "B.jsonl").write_text(line + "\n")
    with pytest.raises(DataError, match=message):
        list(read_release(tmp_path / "B.jsonl"))


def test_a_release_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"B\.jsonl"):
        list(read_release(tmp_path / "B.jsonl"))
    (tmp_path / "B.jsonl").write_bytes(b'{"doc_id": "\xff"}\n')
    with pytest.raises(DataError, match="not UTF-8"):
        list(read_release(tmp_path / "B.jsonl"))
