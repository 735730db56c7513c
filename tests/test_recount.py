"""Every number of a run, counted a second time from the files alone (`tests.reference.recount`), and the promises of a release.

The corpora are slices of the embedded ones, small random ones that are built to be awkward, and the real TAB samples where they
lie beside this checkout. A row without a recount fails, so that no measure can enter unaudited.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bench.cli.main import invoke
from bench.core.tokens import tokenise
from tests.reference import recount, recount_data
from tests.reference.recount import TYPES, Recount, Settings
from tests.reference.recount_data import Gold, parquet_rows, read_gold, read_member

EMBEDDED = {"demo-clinical": 8, "demo-legal": 8, "demo-mail": 12, "demo-news": 9}
DETECTORS = ("hanta-de", "lac-zh", "presidio-patterns", "rampart", "spacy-en-sm")
DEFAULT = frozenset(TYPES) - {"DATE", "QUANTITY"}
#: Labels that are types.
IDENTITY = [part for kind in TYPES for part in ("--label", f"{kind}={kind}")]
KEY, OTHER_KEY = "0f" * 32, "f0" * 32


@dataclass(frozen=True)
class Workspace:
    """A workspace of this module and its key files."""

    home: Path

    def call(self, *arguments: str, code: int = 0) -> None:
        """Run one command."""
        assert invoke([*arguments, "--home", str(self.home)]) == code

    def key(self, digits: str = KEY) -> str:
        """Path of a key file."""
        path = self.home / f"key-{digits[:4]}"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(digits, encoding="ascii")
            path.chmod(0o600)
        return str(path)

    def run(self, corpora: Sequence[str], settings: Settings, name: str, code: int = 0) -> Path:
        """Run the whole chain; the run's folder."""
        options = [part for corpus in corpora for part in ("--corpus", corpus)]
        options += ["--ensemble", settings.expression, "--replace", ",".join(sorted(settings.replaced)), "--name", name]
        options += [
            "--seed",
            str(settings.seed),
            "--resamples",
            str(settings.resamples),
            "--candidates",
            f"upto{settings.largest}",
        ]
        self.call("run", *options, "--key-file", self.key(), code=code)
        return self.home / "runs" / name

    def release(
        self, corpus: str, settings: Settings, name: str, key: str = KEY, code: int = 0
    ) -> dict[str, list[dict[str, Any]]]:
        """Write the releases of a corpus; the lines of A, B and C."""
        folder = self.home / "written" / name
        options = ["--corpus", corpus, "--ensemble", settings.expression, "--replace", ",".join(sorted(settings.replaced))]
        self.call("release", *options, "--no-texts", "--output", str(folder), "--key-file", self.key(key), code=code)
        return {condition: lines(folder / f"{condition}.jsonl") for condition in "ABC"}

    def count(self, corpus: str, members: Sequence[str], settings: Settings, released: list[dict[str, Any]]) -> Recount:
        """The recount of one corpus from exported spans."""
        gold = read_gold(self.home / "corpora" / corpus)
        found = []
        for member in members:
            path = self.home / f"{corpus}-{member}.jsonl"
            self.call("detectors", "spans", "export", member, str(path), "--corpus", corpus)
            found.append(read_member(member, path, gold))
        return Recount(gold, found, settings, released)

    def audit(self, corpus: str, members: Sequence[str], settings: Settings, folder: Path, code: int = 0) -> int:
        """Compare everything a run wrote of a corpus with its recount; the number of rows."""
        written = self.release(corpus, settings, f"{folder.name}-{corpus}", code=code)
        counted = self.count(corpus, members, settings, written["B"])
        check_tokens(counted.gold)
        check_segments(counted)
        check_release(counted, written)
        check_digests(folder, corpus, written)
        check_results(folder, corpus, counted)
        check_documents(folder, corpus, counted)
        check_front(folder, corpus, counted)
        assert parquet_rows(folder / f"survivors-{corpus}.parquet") == counted.survivors()
        return len(counted.rows)


def lines(path: Path) -> list[dict[str, Any]]:
    """Objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


# -- comparisons -------------------------------------------------------------------------------------------------------------


def same(found: float | None, expected: float | None) -> bool:
    """Equal but for the last bits of a float; a missing figure equals only a missing figure."""
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


def check_results(folder: Path, corpus: str, counted: Recount) -> None:
    """Every row of ``results.parquet`` has its recount, and every recount its row."""
    rows = [row for row in parquet_rows(folder / "results.parquet") if row["corpus"] == corpus]
    found = {(row["measurement"], row["metric"], row["subset"]): row for row in rows}
    assert len(found) == len(rows), "a figure is given twice"
    expected = counted.count_all()
    assert set(found) == set(expected)
    wrong = []
    for key, row in found.items():
        right = expected[key]
        figures = {
            "value": right.value,
            "numerator": right.numerator,
            "denominator": right.denominator,
            "ci_low": right.low,
            "ci_high": right.high,
            "sd": right.sd,
            "seed": right.seed,
        }
        wrong += [
            f"{key} {name}: {row[name]}, recounted {figure}" for name, figure in figures.items() if not same(row[name], figure)
        ]
        wrong += [
            f"{key} {n}: {row[n]!r}, not {getattr(right, n)!r}" for n in ("ensemble", "condition") if row[n] != getattr(right, n)
        ]
        # Why a share of stability has no denominator is said in its own words.
        if not (row["method"] or "-").startswith(right.method):
            wrong.append(f"{key} method: {row['method']!r}, not {right.method!r}")
        if row["ci_low"] is not None and not row["ci_low"] <= row["value"] <= row["ci_high"]:
            wrong.append(f"{key}: {row['value']} lies outside {row['ci_low']} to {row['ci_high']}")
    assert not wrong, "\n".join([f"{len(wrong)} figures of {corpus} differ", *wrong[:40]])


def check_documents(folder: Path, corpus: str, counted: Recount) -> None:
    """``documents-<corpus>.parquet``."""
    rows = parquet_rows(folder / f"documents-{corpus}.parquet")
    found = {(row["metric"], row["subset"]): (row["value"], row["numerator"], row["denominator"]) for row in rows}
    assert len(rows) == len(found)
    assert found == counted.documents()


def check_front(folder: Path, corpus: str, counted: Recount) -> None:
    """``front-<corpus>.parquet``: counts, rates, costs and the front, candidate by candidate."""
    path = folder / f"front-{corpus}.parquet"
    if not counted.candidates:
        assert not path.exists()
        return
    rates = {
        "sensitivity": ("tp", "gold_tokens"),
        "specificity": ("tn", "non_gold_tokens"),
        "person_sensitivity": ("person_tp", "person_gold"),
        "mention_replaced": ("mentions_replaced", "mentions"),
        "entity_protected": ("entities_protected", "entities"),
    }
    costs = ("cost_parallel", "cost_serial")
    rows = parquet_rows(path)
    assert [row["ensemble"] for row in rows] == [one["ensemble"] for one in counted.candidates]
    for row, one in zip(rows, counted.candidates, strict=True):
        exact = {name: value for name, value in one.items() if name not in (*costs, "mask")}
        assert {name: row[name] for name in exact} == exact
        assert all(same(row[name], one[name]) for name in costs)
        for name, (top, bottom) in rates.items():
            assert row[name] == (one[top] / one[bottom] if one[bottom] else None)


def check_tokens(gold: Gold) -> None:
    """The stored tokens are those of the definition."""
    if not gold.own_tokens:
        for text, tokens in zip(gold.texts, gold.tokens, strict=True):
            assert recount_data.tokenise(text) == tokens


def check_segments(counted: Recount) -> None:
    """What B replaces are the merged spans, typed by plurality, and it covers exactly the flagged tokens."""
    covered: set[recount.Token] = set()
    for doc, (line, segments) in enumerate(zip(counted.released, counted.segments, strict=True)):
        assert [(start, end, kind) for start, end, _, _, kind in line["offsets"]] == segments
        covered.update(token for start, end, _ in segments for token in counted.touched(doc, start, end))
    assert covered == counted.hit


def check_digests(folder: Path, corpus: str, written: dict[str, list[dict[str, Any]]]) -> None:
    """A run releases the same bytes as ``bench release`` under the same key."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))["corpora"][corpus]["conditions"]
    for condition, released in written.items():
        digest = hashlib.sha256()
        for line in released:
            data = line["text"].encode()
            digest.update(len(data).to_bytes(8, "big") + data)
        assert record[condition]["texts_sha256"] == digest.hexdigest()


def check_release(counted: Recount, written: dict[str, list[dict[str, Any]]]) -> None:
    """The promises of docs/measures.md, Release conditions, document by document and over the corpus."""
    gold = counted.gold
    surfaces = {gold.texts[m.doc][m.start : m.end].casefold() for m in gold.mentions}
    surrogate_of: dict[tuple[str, str], set[str]] = {}
    for doc, (a, b, c) in enumerate(zip(written["A"], written["B"], written["C"], strict=True)):
        text = gold.texts[doc]
        assert a == {"doc_id": gold.doc_ids[doc], "text": text, "language": gold.languages[doc], "offsets": []}
        assert [o[:2] + o[4:] for o in b["offsets"]] == [o[:2] + o[4:] for o in c["offsets"]]
        # Outside the replaced spans nothing changes, and B rewritten into C is C.
        rewritten, old, new = "", 0, 0
        for old_start, old_end, new_start, new_end, kind in b["offsets"]:
            assert text[old:old_start] == b["text"][new:new_start]
            rewritten += b["text"][new:new_start] + f"[{kind}]"
            surrogate, surface = b["text"][new_start:new_end], text[old_start:old_end]
            assert surrogate.strip()
            assert surrogate.casefold() not in surfaces
            assert surrogate.casefold() != surface.casefold()
            surrogate_of.setdefault((kind, " ".join(surface.casefold().split())), set()).add(surrogate.casefold())
            old, new = old_end, new_end
        assert text[old:] == b["text"][new:]
        assert rewritten + b["text"][new:] == c["text"]
    unstable = {key: names for key, names in surrogate_of.items() if len(names) > 1}
    assert not unstable, "one surface, several surrogates"


# -- the embedded corpora ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Slices of the embedded corpora; the spans of one run serve the others."""
    workspace = Workspace(tmp_path_factory.mktemp("embedded"))
    for corpus, documents in EMBEDDED.items():
        workspace.call("corpora", "prepare", corpus, "--option", f"documents={documents}")
    return workspace


def embedded_settings(k: int) -> Settings:
    """An ensemble over all embedded detectors."""
    return Settings(recount.expression(DETECTORS, k), k, DEFAULT, resamples=400)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2])
def test_embedded_corpora(embedded: Workspace, k: int) -> None:
    settings = embedded_settings(k)
    folder = embedded.run(list(EMBEDDED), settings, f"votes-{k}")
    for corpus in EMBEDDED:
        assert embedded.audit(corpus, DETECTORS, settings, folder) > 300


def test_another_policy_and_seed(embedded: Workspace) -> None:
    """With dates replaced and people retained, everything moves; with another seed, only bootstrap intervals do."""
    settings = replace(embedded_settings(1), replaced=frozenset({"DATE", "LOCATION", "ID"}), largest=5, resamples=200)
    folder = embedded.run(["demo-clinical"], settings, "policy")
    assert embedded.audit("demo-clinical", DETECTORS, settings, folder)
    again = embedded.run(["demo-clinical"], settings, "policy-again")
    other = embedded.run(["demo-clinical"], replace(settings, seed=1), "policy-seed")
    first, second, third = (
        [{**row, "run": ""} for row in parquet_rows(path / "results.parquet")] for path in (folder, again, other)
    )
    assert first == second
    moved = {row["method"] for row, seeded in zip(first, third, strict=True) if row != seeded}
    assert moved == {"bootstrap-documents"}


def test_keys(embedded: Workspace) -> None:
    """The same key gives the same release, another one an unrelated B and the same A and C."""
    settings = embedded_settings(1)
    embedded.run(["demo-mail"], settings, "keys")
    first, again = (embedded.release("demo-mail", settings, f"key-{turn}") for turn in range(2))
    other = embedded.release("demo-mail", settings, "key-other", OTHER_KEY)
    assert first == again
    assert first["A"] == other["A"]
    texts = [[line["text"] for line in released["C"]] for released in (first, other)]
    assert texts[0] == texts[1]
    pairs = [
        (b["text"][o[2] : o[3]], d["text"][p[2] : p[3]], o[4])
        for b, d in zip(first["B"], other["B"], strict=True)
        for o, p in zip(b["offsets"], d["offsets"], strict=True)
    ]
    people = [one != two for one, two, kind in pairs if kind == "PERSON"]
    assert len(people) > 50
    assert sum(people) > 0.95 * len(people)


# -- awkward corpora ---------------------------------------------------------------------------------------------------------


def awkward_corpus(rng: random.Random, scope: str, own_tokens: bool) -> list[dict[str, Any]]:
    """Random texts of several scripts with mentions that nest and cut tokens, entities of many types, cases over languages.

    The corpus's own tokens, where it brings them, leave gaps, so that some mentions touch no token.
    """
    words = ["Ann", "Lee", "Bob", "O'Neill", "李小龙", "人々の", "王", "السيد", "علي", "Weber-Kay", "𝒳𝒴", "x\u200dy"]
    words += ["a1٣", "—", "...", "(c)", "42", "№7", "½", "İstanbul", "ß", "e\u0301te\u0301"]
    documents = []
    for number in range(12):
        text = "".join(
            rng.choice(words) + rng.choice([" ", " ", "  ", "\n", "\u3000", "", ", "]) for _ in range(rng.randrange(1, 40))
        )
        text = text.rstrip() or "empty"
        mentions: list[dict[str, Any]] = []
        for _ in range(rng.choice([0, 1, 4, 9])):
            start = rng.randrange(len(text))
            end = min(len(text), start + rng.randrange(1, 9))
            if text[start:end].strip() == text[start:end]:
                kind = rng.choice(["PERSON", "PERSON", "ORGANISATION", "LOCATION", "DATE", "ID"])
                entity = f"e{rng.randrange(6)}"
                identifier = rng.choice(["DIRECT", "QUASI", "NO_MASK"])
                mentions.append({"start": start, "end": end, "type": kind, "entity_id": entity, "identifier": identifier})
        distinct = {(m["start"], m["end"], m["type"]): m for m in mentions}
        document: dict[str, Any] = {
            "doc_id": f"d;{number}",
            "text": text,
            "language": rng.choice(["en", "zh", "ar"]),
            "case_id": rng.choice(["", "one", "two"]),
            "mentions": [{**m, "text": text[m["start"] : m["end"]]} for m in distinct.values()],
        }
        if own_tokens:
            document["tokens"] = [list(token) for token in recount_data.tokenise(text) if rng.random() < 0.8]
        documents.append(document)
    return [{"deidbench": {"format": 1, "name": "awkward", "identity_scope": scope}}, *documents]


def perturbed(
    rng: random.Random, text: str, gold: Sequence[tuple[int, int, str]], *, drop: float, false: int
) -> list[dict[str, Any]]:
    """Spans made from gold: dropped, widened, cut, shifted, given another type or twice; and some that nobody asked for."""
    found = []
    for start, end, kind in gold:
        if rng.random() < drop:
            continue
        move = rng.choice(["keep", "keep", "widen", "cut", "shift", "type", "two"])
        if move == "widen":
            start, end = start - rng.randrange(6), end + rng.randrange(6)
        elif move == "cut":
            start, end = (start, start + (end - start + 1) // 2) if rng.random() < 0.5 else (start + (end - start) // 2, end)
        elif move == "shift":
            step = rng.randrange(-4, 5)
            start, end = start + step, end + step
        elif move == "type":
            kind = rng.choice(TYPES)
        elif move == "two":
            found.append((start, end, rng.choice(TYPES)))
        found.append((start, end, kind))
    for _ in range(false):
        start = rng.randrange(len(text))
        found.append((start, start + rng.randrange(1, 15), rng.choice(TYPES)))
    inside = {(max(0, start), min(len(text), end), kind) for start, end, kind in found}
    return [{"start": s, "end": e, "label": kind} for s, e, kind in sorted(inside) if s < e]


def import_noise(
    workspace: Workspace, corpus: str, name: str, rng: random.Random, *, drop: float, false: int, timed: bool = True
) -> None:
    """Import a made-up detector: a few documents missing, failed, cut or unsupported, seconds at random."""
    gold = read_gold(workspace.home / "corpora" / corpus)
    path = workspace.home / f"{corpus}-{name}-made.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for doc, (doc_id, text) in enumerate(zip(gold.doc_ids, gold.texts, strict=True)):
            status = rng.choices(["ok", "truncated", "failed", "unsupported", "missing"], [80, 5, 5, 5, 5])[0]
            if status == "missing":
                continue
            spans = perturbed(
                rng, text, [(m.start, m.end, m.type) for m in gold.mentions if m.doc == doc], drop=drop, false=false
            )
            line: dict[str, Any] = {"doc_id": doc_id, "spans": spans if status in ("ok", "truncated") else [], "status": status}
            if timed:
                line["seconds"] = rng.choice([0.5, 1.25, rng.random()])
            stream.write(json.dumps(line) + "\n")
    workspace.call("detectors", "spans", "import", str(path), "--corpus", corpus, "--name", name, *IDENTITY)


@pytest.mark.parametrize("seed", range(6))
def test_awkward_corpora(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    workspace = Workspace(tmp_path / "home")
    source = tmp_path / "awkward.jsonl"
    documents = awkward_corpus(rng, ["corpus", "document"][seed % 2], seed >= 4)
    source.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in documents), encoding="utf-8")
    workspace.call("corpora", "prepare", "awkward", "--source", str(source))
    members = ["one", "two", "three", "four"]
    for name in members:
        timed = not (name == "four" and seed % 2)
        import_noise(workspace, "awkward", name, rng, drop=rng.choice([0.1, 0.4]), false=rng.choice([0, 2]), timed=timed)
    # A detector and its twin tie in everything, and so do one vote and two among them.
    made = str(workspace.home / "awkward-one-made.jsonl")
    workspace.call("detectors", "spans", "import", made, "--corpus", "awkward", "--name", "twin", *IDENTITY)
    members = sorted([*members, "twin"])
    for k in (1, 2, 5):
        settings = Settings(recount.expression(members, k), k, DEFAULT, seed=seed, resamples=50, largest=4)
        code = 3 if any_failed(workspace, "awkward", ["one", "two", "three", "four"]) else 0
        folder = workspace.run(["awkward"], settings, f"votes-{k}", code)
        workspace.audit("awkward", members, settings, folder, code)


def any_failed(workspace: Workspace, corpus: str, members: Sequence[str]) -> bool:
    """Whether a made-up detector failed on a document: commands then end with code 3."""
    return any(line["status"] == "failed" for name in members for line in lines(workspace.home / f"{corpus}-{name}-made.jsonl"))


# -- the tokeniser -----------------------------------------------------------------------------------------------------------


def test_tokeniser_on_every_character() -> None:
    """Both tokenisers agree on every assigned character between two letters, two ideographs and two signs."""
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) not in ("Cn", "Cs", "Co"):
            text = f"a{char}b人{char}々+{char}"
            assert tokenise(text) == recount_data.tokenise(text), hex(code)


# -- TAB ---------------------------------------------------------------------------------------------------------------------


def test_tab(tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    source = shared_data("tab/original_format/train_100.json")
    workspace = Workspace(tmp_path / "home")
    workspace.call("corpora", "prepare", "tab", "--source", str(source))
    check_union(source, read_gold(workspace.home / "corpora" / "tab"))
    rng = random.Random(2)
    for name, drop in (("first", 0.1), ("second", 0.3), ("third", 0.6)):
        import_noise(workspace, "tab", name, rng, drop=drop, false=10)
    members = ["first", "presidio-patterns", "second", "third"]
    code = 3 if any_failed(workspace, "tab", ("first", "second", "third")) else 0
    for k in (1, 2):
        settings = Settings(recount.expression(members, k), k, DEFAULT, resamples=100)
        folder = workspace.run(["tab"], settings, f"votes-{k}", code)
        workspace.audit("tab", members, settings, folder, code)


def check_union(source: Path, gold: Gold) -> None:
    """The gold of TAB is the union over annotators; one span and type is one mention with the strongest identifier class."""
    order = ["NO_MASK", "QUASI", "DIRECT"]
    upstream = ["PERSON", "CODE", "LOC", "ORG", "DEM", "DATETIME", "QUANTITY", "MISC"]
    ours = ["PERSON", "ID", "LOCATION", "ORGANISATION", "DEMOGRAPHIC", "DATE", "QUANTITY", "OTHER"]
    labels = dict(zip(upstream, ours, strict=True))
    for doc, record in enumerate(json.loads(source.read_text(encoding="utf-8"))):
        strongest: dict[tuple[int, int, str], int] = {}
        groups: list[set[tuple[int, int, str]]] = []
        for annotator in record["annotations"].values():
            entities: dict[str, set[tuple[int, int, str]]] = {}
            for m in annotator["entity_mentions"]:
                span = (m["start_offset"], m["end_offset"], labels[m["entity_type"]])
                strongest[span] = max(strongest.get(span, 0), order.index(m["identifier_type"]))
                entities.setdefault(m["entity_id"], set()).add(span)
            groups += entities.values()
        # Entities with a mention in common are one.
        joined: list[set[tuple[int, int, str]]] = []
        for group in groups:
            touching = [one for one in joined if one & group]
            joined = [one for one in joined if not one & group] + [group.union(*touching)]
        here = [m for m in gold.mentions if m.doc == doc]
        assert record["doc_id"] == gold.doc_ids[doc]
        assert {(m.start, m.end, m.type): m.identifier for m in here} == {s: order[i] for s, i in strongest.items()}
        assert len(here) == len(strongest)
        entities_found: dict[tuple[str, ...], set[tuple[int, int, str]]] = {}
        for m in here:
            entities_found.setdefault(m.entity, set()).add((m.start, m.end, m.type))
        assert sorted(map(sorted, entities_found.values())) == sorted(map(sorted, joined))


def test_tab_with_published_spans(tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    """The 31 test judgments under the spans of four published systems, one of them without types."""
    folder = shared_data("tab/tae")
    workspace = Workspace(tmp_path / "home")
    prepare = ["corpora", "prepare", "tab", "--source", str(shared_data("tab/spia/entity_tab_144.jsonl")), "--split", "test"]
    workspace.call(*prepare)
    maps = {
        "presidio": ("TAB_test_Presidio_Entity.json", "DATE_TIME=DATE PERSON=PERSON LOCATION=LOCATION NRP=DEMOGRAPHIC"),
        "stanford": (
            "TAB_test_St.NER7_Entity.json",
            "ORGANIZATION=ORGANISATION DATE=DATE PERSON=PERSON LOCATION=LOCATION TIME=DATE PERCENT=QUANTITY MONEY=QUANTITY",
        ),
        "manual": (
            "TAB_test_Manual_Entity.json",
            "DATETIME=DATE ORG=ORGANISATION PERSON=PERSON LOC=LOCATION DEM=DEMOGRAPHIC CODE=ID MISC=OTHER QUANTITY=QUANTITY",
        ),
        "untyped": ("TAB_test_spaCy_Entity.json", ""),
    }
    for number, (name, (file, entries)) in enumerate(maps.items(), start=1):
        labels = [part for entry in entries.split() for part in ("--label", entry)]
        options = ["--layout", "tab", "--third", "label" if labels else "ignore", "--seconds", str(number / 8), "--skip-unknown"]
        path = str(folder / file)
        workspace.call("detectors", "spans", "import", path, "--corpus", "tab", "--name", f"tae-{name}", *labels, *options)
    members = sorted(f"tae-{name}" for name in maps)
    for k in (1, 2):
        settings = Settings(recount.expression(members, k), k, DEFAULT, resamples=200, largest=4)
        run = workspace.run(["tab"], settings, f"votes-{k}")
        workspace.audit("tab", members, settings, run)
