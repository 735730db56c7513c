"""What bad input gets: one clear line with its exit code, or a recorded status; never a trace or other figures."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.cli.main import invoke
from bench.core.results import read_results

TEXT = "Ann Lee was here."


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def document(doc_id: str = "d", text: str = TEXT, *mentions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"doc_id": doc_id, "text": text, "language": "en", "mentions": list(mentions), **more}


def mention(start: Any, end: Any, type_: str = "PERSON", **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "type": type_, **more}


def header(**fields: Any) -> dict[str, Any]:
    return {"deidbench": {"format": 1, **fields}}


RUN = ("run", "--corpus", "mini", "--ensemble", "union(first,second)", "--resamples", "5", "--name", "r")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a corpus, two imported detectors and a run; tests work on copies."""
    folder = tmp_path_factory.mktemp("made")
    home = folder / "home"
    (folder / "mini.jsonl").write_bytes(
        lines(*(document(name, TEXT, mention(0, 7, entity_id="ann"), mention(12, 16, "LOCATION")) for name in "abc"))
    )
    assert invoke(["corpora", "prepare", "mini", "--source", str(folder / "mini.jsonl"), "--home", str(home)]) == 0
    for name, end in (("first", 7), ("second", 3)):
        file = folder / f"{name}.jsonl"
        file.write_bytes(
            lines(*({"doc_id": d, "spans": [{"start": 0, "end": end, "label": "PERSON"}], "seconds": 1.0} for d in "abc"))
        )
        assert invoke(["detectors", "spans", "import", str(file), "--corpus", "mini", "--name", name, "--home", str(home)]) == 0
    assert invoke([*RUN, "--home", str(home)]) == 0
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "home", tmp_path / "home"))


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str) -> None:
    """Refused with this exit code and one line of error that holds `message`."""
    capsys.readouterr()
    assert invoke(arguments) == code
    captured = capsys.readouterr()
    errors = [line for line in captured.err.splitlines() if line.lower().startswith("error: ")]
    assert len(errors) == 1, captured.err
    assert message in errors[0]
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", 1, "has no documents"),
        (b"\n \n", 1, "has no documents"),
        (lines(header()), 1, "has no documents"),
        (b"{oops\n", 1, "x.jsonl:1: not valid JSON at column 2"),
        (b'{"doc_id":"caf\xe9"}\n', 1, "not UTF-8 at byte 15"),
        (b"\x1f\x8b\x08bad", 1, "damaged or incomplete gzip"),
        (b"[" * 200_000, 1, "nested too deeply"),
        (lines({**header(), "x": 1}), 1, "unknown key 'x'"),
        (b'{"deidbench": {"format": 1, "source": "\\udc00"}}\n' + lines(document()), 1, "lone surrogate U+DC00"),
        (b'{"deidbench": {"format": 1, "options": {"a": NaN}}}\n' + lines(document()), 1, "'options': meta cannot be stored"),
        (lines(header(labels={"X": "PERSN"}), document()), 2, "did you mean 'PERSON'"),
        (lines(document(text="")), 1, "document 'd' has no text"),
        (lines(document(text=" \r\n\u2028")), 1, "has no text but white space"),
        (lines(document(), document()), 1, "x.jsonl:2: document id 'd' is taken by"),
        (lines(document("d", TEXT, mention(0, 99))), 1, "offsets 0:99 lie outside the text of 17 characters"),
        (lines(document("d", TEXT, mention(5, 3))), 1, "offsets 5:3 are reversed"),
        (lines(document("d", TEXT, mention(True, 3))), 1, "'start' is True, expected a whole number"),
        (lines(document("d", TEXT, mention(0, 3, text="Bob"))), 1, "text is 'Bob' but the document has 'Ann' at 0:3"),
        (lines(document("d", "\U0001f600 Ann", mention(3, 6, text="Ann"))), 1, "outside the text of 5 characters"),
        (lines(document("d", TEXT, mention(0, 3, "PERSN"))), 2, "unknown type 'PERSN' in"),
        (lines(document(txt="x")), 1, "unknown key 'txt'; did you mean 'text'?"),
        (b'{"doc_id":"d","text":"a\\ud83d","language":"en","mentions":[]}', 1, "lone surrogate U+D83D at offset 1"),
        (lines(document(tokens=[[0, 3], [2, 5]])), 1, "tokens must be sorted"),
    ],
)
def test_corpora(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, code: int, message: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(content)
    arguments = ["corpora", "prepare", "x", "--source", str(tmp_path / "x.jsonl"), "--home", str(tmp_path / "home")]
    refused(capsys, arguments, code, message)
    assert not list(tmp_path.glob("home/corpora/*"))


def spans(*found: dict[str, Any], doc_id: str = "a", **more: Any) -> bytes:
    return lines({"doc_id": doc_id, "spans": list(found), **more})


@pytest.mark.parametrize(
    ("name", "content", "code", "message"),
    [
        ("x.jsonl", b"", 1, "has no documents"),
        ("x.json", b'{"a": [[1]]}', 1, "[1] is not a list of [start, end]"),
        ("x.json", b'{"a": [], "a": []}', 1, "duplicate key 'a'"),
        ("x.json", b"[" * 100_000, 1, "nested too deeply"),
        ("x.jsonl.gz", b"plain", 1, "Not a gzipped file"),
        ("x.jsonl", spans({"start": 0, "end": 99}), 1, "[0, 99) is empty, reversed or outside the text of 17 characters"),
        ("x.jsonl", spans({"start": 0.0, "end": 3}), 1, "start 0.0 is not an integer"),
        ("x.jsonl", spans({"start": 0, "end": 3, "text": "Bob"}), 1, "text 'Bob' differs from the corpus's 'Ann'"),
        ("x.jsonl", spans({"start": 0, "end": 3, "label": "XX"}), 2, "give one with `--label XX=TYPE`"),
        ("x.jsonl", spans({"start": 0, "end": 3, "score": 10**400}), 1, "is not a finite number"),
        ("x.jsonl", spans({"start": 0, "end": 3}, status="failed"), 1, "status 'failed' cannot have spans"),
        ("x.jsonl", spans(status="fine"), 1, "unknown status 'fine'; accepted: ok, truncated"),
        ("x.jsonl", spans(doc_id="zz"), 1, "has no such document"),
        ("x.jsonl", spans() + spans(), 1, "stands in the file twice"),
    ],
)
def test_spans_files(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, code: int, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    arguments = ["detectors", "spans", "import", str(tmp_path / name), "--corpus", "mini", "--name", "x", "--home", str(home)]
    refused(capsys, arguments, code, message)


@pytest.mark.parametrize("name", ["union", "majority", "atleast2", "embedded", "presidio-patterns", "own", "../x", "", "x" * 101])
def test_names_that_a_detector_cannot_have(home: Path, made: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (home / "ensembles.toml").write_text("[sets.own]\nrule = 'union'\nmembers = ['first']")
    file = str(made / "first.jsonl")
    arguments = ["detectors", "spans", "import", file, "--corpus", "mini", "--name", name, "--home", str(home)]
    refused(capsys, arguments, 2, f"detector name {name!r}"[:100])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"oops", "is not valid TOML"),
        (b"\xff", "is not valid TOML"),
        (b"run = 3", "'run' is 3, expected a table of options"),
        (b"[rum]", "unknown table 'rum'"),
        (b"[corpora.prepar]", "unknown table 'corpora.prepar'"),
        (b"[run]\nworker = 2", "did you mean 'workers'"),
        (b"[run]\nconfig = 'other.toml'", "unknown option 'config'"),
        (b"[run]\nworkers = [1, 2]", "'workers' is [1, 2], expected a string or a number"),
        (b"[run]\nseed = 2024-01-01", "'seed' is datetime.date(2024, 1, 1)"),
        (b"[run]\nseed = true", "'seed' is True, expected"),
        (b"[run]\nseed = 1.5", "'1.5' is not a valid integer"),
        (b"[run]\ndata = {a = 1}", "'data' is {'a': 1}, expected"),
        (b"[run]\nretry-failed = 3", "'retry-failed' is 3, expected true or false"),
    ],
)
def test_configs(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str) -> None:
    config = tmp_path / "c.toml"
    config.write_bytes(content)
    group = ["corpora", "prepare", "demo-mail"] if b"corpora" in content else list(RUN)
    refused(capsys, [*group, "--config", str(config), "--home", str(home)], 2, message)


def test_a_config_may_give_one_value_for_a_repeatable_option(home: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(
        "[run]\ncorpus = 'mini'\nensemble = 'first'\nresamples = 5\njson = true\n[corpora.prepare]\nsplit = 'dev'\n"
    )
    assert invoke(["run", "--config", str(config), "--home", str(home)]) == 0


def remove(path: Path) -> None:
    path.unlink()


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def put(content: bytes, path: Path) -> None:
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "removed": remove,
    "a folder": make_folder,
    "one bit": flip,
    "cut off": halve,
    "a list": partial(put, b"[]"),
    "an object": partial(put, b"{}"),
    "schema alone": partial(put, b'{"schema":1}'),
}
FILES = (
    "key",
    "corpora/mini/corpus.json",
    "corpora/mini/documents.parquet",
    "corpora/mini/arrays/mention_end.npy",
    "spans/imported/first.json",
    "spans/*/*/part-00000.json",
    "spans/*/*/part-00000.spans.parquet",
    "spans/*/*/part-00000.docs.parquet",
    "spans/*/*/csr-*/arrays.json",
    "spans/*/*/csr-*/labels.json",
    "spans/*/*/csr-*/end.npy",
    "runs/r/run.json",
    "runs/r/results.parquet",
)
COMMANDS = (
    RUN,
    ("front", "--corpus", "mini", "--detectors", "first,second"),
    ("release", "--corpus", "mini", "--ensemble", "union(first,second)"),
    ("report", "latex", "r"),
)


def released(home: Path) -> str:
    """Condition C does not depend on the key."""
    return "".join(path.read_text() for path in sorted(home.glob("releases/*/C.jsonl")))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", FILES)
def test_damaged_workspaces_give_the_same_figures_or_one_line(
    home: Path, made: Path, capsys: pytest.CaptureFixture[str], file: str, damage: str
) -> None:
    victim = sorted(home.glob(file))[0]
    DAMAGES[damage](victim)
    for command in COMMANDS:
        capsys.readouterr()
        code = invoke([*command, "--home", str(home)])
        error = capsys.readouterr().err
        assert "Traceback" not in error
        if code:
            assert code in (1, 2)
            assert error.splitlines()[-1].startswith("error: ")
            assert victim.name.removesuffix(".json") in error or "import" in error or "prepare" in error or "--corpus" in error
        elif command is RUN:
            before, after = (read_results(place / "runs" / "r" / "results.parquet") for place in (made / "home", home))
            assert before.drop("run").equals(after.drop("run"))
        elif command[0] == "release":
            assert released(home).count("[PERSON]") == 3


@pytest.mark.parametrize("file", ["part-00000.json", "part-00000.spans.parquet", "part-00000.docs.parquet"])
def test_damaged_imports_are_said_and_healed_by_importing_again(
    home: Path, made: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    for victim in home.glob(f"spans/*/*/{file}"):
        flip(victim)
    for command in COMMANDS[:3]:
        refused(capsys, [*command, "--home", str(home)], 1, "import them again with `bench detectors spans import`")
    for name in ("first", "second"):
        source = str(made / f"{name}.jsonl")
        assert invoke(["detectors", "spans", "import", source, "--corpus", "mini", "--name", name, "--home", str(home)]) == 0
    assert invoke([*RUN, "--home", str(home)]) == 0


def test_a_detection_that_is_not_finished_is_not_released(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = [document(str(i), f"mail {i} to a{i}@example.org") for i in range(300)]  # two parts of the cache
    (home / "long.jsonl").write_bytes(lines(*long))
    at_home = ["--home", str(home)]
    detect = ["detect", "--corpus", "long", "--data", str(home / "long.jsonl"), "--ensemble", "presidio-patterns", *at_home]
    assert invoke(detect) == 0
    sorted(home.glob("spans/*/*/part-00001.json"))[0].unlink()
    for command in ("front", "release"):
        option = "--detectors" if command == "front" else "--ensemble"
        arguments = [command, "--corpus", "long", option, "presidio-patterns", *at_home]
        refused(capsys, arguments, 2, "or not of all its documents; `bench detect --corpus long --ensemble presidio-patterns`")
    assert invoke(detect) == 0
    assert invoke(["release", "--corpus", "long", "--ensemble", "presidio-patterns", *at_home]) == 0


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ODD = {
    "emoji": (FAMILY, " write ", "@", " call +1 212-555-0199 ", FAMILY),
    "combining": ("Zoe\u0308 Mu\u0308ller, me\u0301l: ", "@", " \u0301\u0301"),
    "crlf": ("\r\n\r\n  To: ", "@", "\r\n"),
    "spaces": ("      ", "@", "   "),
    "right-to-left": ("\u202b\u0645\u0631\u062d\u0628\u0627 ", "@", " \u202c \u05e9\u05dc\u05d5\u05dd"),
    "nul": ("a\x00b ", "@", " \x00"),
    "line ends": ("a\u2028b\u2029c\x85d\x0b\x0c ", "@", " \u2028"),
    "marks": ("\ufeff", "@", "\u00ad \uffff"),
    "a/../b\\c:d*?\n\x00": ("x ", "@"),
    "..": ("y ", "@"),
    "x" * 500: ("z ", "@"),
    "million": ("mostly harmless words. \U0001f600 " * 40_000, "@"),
    "no space": ("a" * 1_000_000, " ", "@"),
}


def test_odd_texts_keep_every_character_and_every_offset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = "ann.lee@example.org"
    texts = {name: "".join(address if part == "@" else part for part in parts) for name, parts in ODD.items()}
    assert len(texts["million"]) >= 1_000_000
    gold = {name: mention(text.index(address), text.index(address) + len(address), "CONTACT") for name, text in texts.items()}
    (tmp_path / "odd.jsonl").write_bytes(lines(*(document(name, text, gold[name]) for name, text in texts.items())))
    at_home = ["--home", str(tmp_path / 'a home\'s "漢"')]
    run = ["run", "--corpus", "odd", "--data", str(tmp_path / "odd.jsonl"), "--ensemble", "presidio-patterns", *at_home]
    capsys.readouterr()
    assert invoke([*run, "--resamples", "5", "--json"]) == 0
    (corpus,) = json.loads(capsys.readouterr().out)["corpora"]
    assert corpus["sensitivity"] == 1.0
    exported = str(tmp_path / "spans.jsonl")
    assert invoke(["detectors", "spans", "export", "presidio-patterns", exported, "--corpus", "odd", *at_home]) == 0
    for line in Path(exported).read_bytes().splitlines():
        answer = json.loads(line)
        assert (gold[answer["doc_id"]]["start"], gold[answer["doc_id"]]["end"]) in {
            (s["start"], s["end"]) for s in answer["spans"]
        }
    release = ["release", "--corpus", "odd", "--ensemble", "presidio-patterns", "--output", str(tmp_path / "out"), *at_home]
    assert invoke(release) == 0
    read = {
        condition: {r["doc_id"]: r["text"] for r in map(json.loads, (tmp_path / "out" / f"{condition}.jsonl").open(newline="\n"))}
        for condition in "AC"
    }
    assert read["A"] == texts
    assert all(address not in text and "[CONTACT]" in text for text in read["C"].values())
    assert len(list((tmp_path / "out" / "A").iterdir())) == len(texts)


def bench(*arguments: str, home: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *arguments, "--home", str(home)]
    return subprocess.run(command, text=True, check=False, **({"capture_output": True} | more))


@pytest.mark.parametrize("limit", [100, 6_000])
@pytest.mark.parametrize("command", [(*RUN[:-1], "full"), COMMANDS[2], ("corpora", "prepare", "mini", "--source", "mini.jsonl")])
def test_a_full_disk_is_one_line_and_costs_nothing(home: Path, made: Path, command: tuple[str, ...], limit: int) -> None:
    """No file may grow beyond the limit, as on a disk that is full; afterwards the same command succeeds."""
    set_limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit))
    arguments = [str(made / part) if part == "mini.jsonl" else part for part in command]
    done = bench(*arguments, home=home, preexec_fn=set_limit)
    assert done.returncode in (0, 1), done.stderr
    assert done.returncode == 1 or limit > 100
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.stderr.splitlines()[-1].startswith("error: cannot write")
        assert "File too large" in done.stderr.splitlines()[-1]
    assert not [path for path in home.rglob("*") if ".tmp-" in path.name or "preparing" in path.name or "building" in path.name]
    assert invoke([*arguments, "--home", str(home)]) == 0


def test_standard_output_that_cannot_be_written_is_one_line(home: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    for more in ([], ["--json"]):
        with full.open("w") as stream:
            done = bench(
                "corpora", "stats", "mini", *more, home=home, stdout=stream, stderr=subprocess.PIPE, capture_output=False
            )
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == "error: cannot read or write standard output: No space left on device"
    closed = bench("corpora", "stats", "mini", "--json", home=home, preexec_fn=partial(os.close, 1))
    assert (closed.returncode, "Traceback" in closed.stderr) == (0, False)


def test_a_locale_without_characters_costs_only_their_shape(tmp_path: Path, made: Path) -> None:
    (tmp_path / "u.jsonl").write_bytes(lines(document("d\u00e9\u6f22", "\u6f22\U0001f600 Ann", mention(3, 6))))
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    prepare = bench("corpora", "prepare", "u", "--source", str(tmp_path / "u.jsonl"), home=tmp_path / "h", env=plain)
    assert prepare.returncode == 0, prepare.stderr
    check = bench("corpora", "check", "u", "--all", "--json", home=tmp_path / "h", env=plain)
    assert json.loads(check.stdout.splitlines()[-1])["corpus"] == "u"
    place = shutil.copytree(made / "home", tmp_path / "h\u00f6me")
    refused_there = bench("corpora", "stats", "mini", home=place, env=plain)
    assert refused_there.returncode == 1
    assert "set PYTHONUTF8=1, or choose another --home" in refused_there.stderr


def test_outputs_never_take_the_place_of_a_device_or_folder(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    at_home = ["--home", str(home)]
    for target, message in ((tmp_path / "pipe.csv", "it is no regular file"), (tmp_path / "folder.csv", "folder")):
        if "folder" in message:
            target.mkdir()
        commands: list[tuple[list[str], int]] = [
            (["corpora", "export", "mini", str(target)], 1),
            (["detectors", "spans", "export", "first", str(target), "--corpus", "mini"], 1),
            (["front", "--corpus", "mini", "--detectors", "first", "--output", str(target)], 2 if "folder" in message else 1),
        ]
        for command, code in commands:
            capsys.readouterr()
            assert invoke([*command, *at_home]) == code
            assert message in capsys.readouterr().err.splitlines()[-1]
    assert (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.parametrize(
    ("data", "types"), [("Nobody.", ()), ("Ann", ("PERSON",)), ("in Rome", ()), ("on 12 May", ()), ("... !!", ())]
)
def test_corpora_with_next_to_nothing_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: str, types: tuple[str, ...]
) -> None:
    """One document; no mention, gold alone, no person; a language that no detector supports."""
    (tmp_path / "x.jsonl").write_bytes(lines(document("a", data, *(mention(0, 3, name) for name in types), language="zu")))
    home = ["--home", str(tmp_path / "home")]
    run = ["run", "--corpus", "x", "--data", str(tmp_path / "x.jsonl"), "--ensemble", "spacy-en-sm", "--resamples", "5", *home]
    assert invoke(run) == 0
    assert "supports none of the corpus's languages (zu)" in capsys.readouterr().err
    frame = pl.read_parquet(next(tmp_path.glob("home/runs/*/results.parquet")))
    unmeasured = frame.filter((pl.col("metric") == "sensitivity") & (pl.col("subset") == ""))
    assert unmeasured["value"].to_list() == ([0.0] if types else [None])
