"""The expression language: what each spelling means, and where each mistake is pointed at."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.errors import ConfigError, NotAvailableError, UsageError
from bench.ensembles import Ensemble, NamedSet, builtin_sets, load_sets, parse, parse_members, resolve

KNOWN = ("a", "b", "c", "d", "gpt-oss-20b", "llama-3.3", "x_y")
SETS = {"trio": NamedSet(rule="union", members=("c", "a", "b")), "most": NamedSet(rule="majority", members=("a", "b", "c", "d"))}


@pytest.mark.parametrize(
    ("text", "k", "members", "expression"),
    [
        ("a", 1, "a", "a"),
        ("union(a)", 1, "a", "a"),
        ("intersection(a)", 1, "a", "a"),
        ("union(b,a)", 1, "a b", "union(a,b)"),
        ("atleast1(a,b)", 1, "a b", "union(a,b)"),
        ("intersection(a,b)", 2, "a b", "intersection(a,b)"),
        ("atleast2(a,b)", 2, "a b", "intersection(a,b)"),
        ("atleast2(a,b,c)", 2, "a b c", "atleast2(a,b,c)"),
        ("majority(a,b,c)", 2, "a b c", "atleast2(a,b,c)"),
        ("majority(a,b,c,d)", 3, "a b c d", "atleast3(a,b,c,d)"),  # more than half of four is three
        ("majority(a,b)", 2, "a b", "intersection(a,b)"),
        ("  atleast2 ( trio , d ) ", 2, "a b c d", "atleast2(a,b,c,d)"),
        ("union(gpt-oss-20b, llama-3.3, x_y)", 1, "gpt-oss-20b llama-3.3 x_y", "union(gpt-oss-20b,llama-3.3,x_y)"),
        ("trio", 1, "a b c", "union(a,b,c)"),
        ("most", 3, "a b c d", "atleast3(a,b,c,d)"),
        ("atleast2(trio)", 2, "a b c", "atleast2(a,b,c)"),
    ],
)
def test_meaning(text: str, k: int, members: str, expression: str) -> None:
    ensemble = parse(text, KNOWN, SETS)
    assert (ensemble.k, ensemble.members, ensemble.expression) == (k, tuple(members.split()), expression)
    assert ensemble.name == (text if text in SETS else expression)
    assert parse(ensemble.expression, KNOWN, SETS).expression == expression


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "found the end, expected a detector, a set, or a rule: union(a,b,…)"),
        ("   ", 4, "found the end"),
        ("union(a,b", 10, "found the end, expected ',' or ')'"),
        ("union(a b)", 9, "found 'b', expected ',' or ')'"),
        ("union(a,,b)", 9, "found ',', expected a detector or a set"),
        ("union(a,)", 9, "found ')', expected a detector or a set"),
        ("union()", 7, "no detectors between the brackets"),
        ("union( )", 8, "no detectors between the brackets"),
        ("union(a) b", 10, "unexpected 'b' after the end"),
        ("a,b", 2, "unexpected ',b' after the end"),
        ("union", 1, "rule 'union' needs its detectors in brackets: union(a,b,…)"),
        ("atleast2", 1, "rule 'atleast2' needs its detectors in brackets"),
        ("unoin(a,b)", 1, "unknown rule 'unoin'; accepted: union(a,b,…)"),
        ("atleast(a,b)", 1, "'atleast' needs a number of votes"),
        ("atleast3(a,b)", 1, "atleast3 of 2 detectors is impossible; accepted: atleast1 to atleast2"),
        ("atleast0(a,b)", 1, "atleast0 of 2 detectors is impossible"),
        (f"atleast{'9' * 5000}(a,b)", 1, "of 2 detectors is impossible"),
        ("union(a,b,a)", 11, "detector 'a' is named twice: by name, then by name"),
        ("union(trio,b)", 12, "detector 'b' is named twice: through set 'trio', then by name"),
        ("union(trio,most)", 12, "detector 'a' is named twice: through set 'trio', then through set 'most'"),
        ("union(a,union(b,c))", 9, "'union': rules do not nest"),
        ("gpt-oss-20", 1, "unknown detector or set 'gpt-oss-20'; did you mean 'gpt-oss-20b'"),
        ("union(a,trioo)", 9, "unknown detector or set 'trioo'; did you mean 'trio'"),
        ("union(a,ü)", 9, "found 'ü', expected a detector or a set"),
        ("(a)", 1, "found '(', expected a detector, a set, or a rule"),
        ("union[a]", 1, "rule 'union' needs its detectors in brackets"),
    ],
)
def test_errors_point_at_the_column(text: str, column: int, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text, KNOWN, SETS)
    assert f"column {column}: " in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("b,a", "a b"),
        ("trio", "a b c"),
        ("trio, d", "a b c d"),
        ("atleast2(trio,d)", "a b c d"),
        (" a ", "a"),
        ("union(b,a)", "a b"),
    ],
)
def test_members_of_a_list_a_set_or_an_expression(text: str, members: str) -> None:
    assert parse_members(text, KNOWN, SETS) == tuple(members.split())


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "found the end"),
        ("a,", 3, "found the end, expected a detector or a set"),
        ("a b", 3, "found 'b', expected ',' or the end"),
        ("a,b)", 4, "found ')', expected ',' or the end"),
        ("a,union(b,c)", 3, "rules do not nest"),
        ("trio,a", 6, "detector 'a' is named twice: through set 'trio', then by name"),
        ("a,bb", 3, "unknown detector or set 'bb'"),
        ("union", 1, "rule 'union' needs its detectors in brackets"),
    ],
)
def test_errors_in_lists_point_at_the_column(text: str, column: int, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_members(text, KNOWN, SETS)
    assert f"column {column}: " in str(error.value)
    assert message in str(error.value)


@given(st.text(alphabet="ab,() atleastunion12µ\n", max_size=30))
def test_any_text_is_an_ensemble_or_a_usage_error(text: str) -> None:
    try:
        ensemble = parse(text, KNOWN, SETS)
    except UsageError:
        return
    assert 1 <= ensemble.k <= len(ensemble.members)


@given(st.sets(st.sampled_from(KNOWN), min_size=1), st.data())
def test_canonical_expression_is_a_fixed_point(members: set[str], data: st.DataObject) -> None:
    ensemble = Ensemble.of(members, data.draw(st.integers(1, len(members))))
    assert parse(ensemble.expression, KNOWN, {}) == ensemble


def test_too_many_members() -> None:
    names = [f"d{i}" for i in range(65)]
    with pytest.raises(UsageError, match="65 detectors; accepted: at most 64"):
        parse(f"union({','.join(names)})", names, {})
    assert len(parse(f"union({','.join(names[:64])})", names, {}).members) == 64


def test_ensembles_of_impossible_votes_are_refused() -> None:
    for members, k in (((), 1), (("a", "a"), 1), (("a",), 2), (("a",), 0)):
        with pytest.raises(UsageError):
            Ensemble.of(members, k)


def test_the_papers_sets() -> None:
    sets = {name: named.ensemble(name) for name, named in builtin_sets().items()}
    assert {name: (len(e.members), e.k) for name, e in sets.items()} == {
        "embedded": (5, 1),
        "permissive15": (15, 1),
        "precise15": (15, 8),
        "union13": (13, 1),
    }
    assert sets["precise15"].members == sets["permissive15"].members
    assert set(sets["permissive15"].members) - set(sets["union13"].members) == {"gpt-oss-120b", "llama-3.3-70b-instruct"}
    assert set(sets["union13"].members) < set(sets["permissive15"].members)
    assert parse("atleast2(embedded)", (), None).expression == "atleast2(hanta-de,lac-zh,presidio-patterns,rampart,spacy-en-sm)"


def test_resolve_gives_members_in_order_or_lists_all_that_miss() -> None:
    ensemble = parse("union(c,a,b)", KNOWN, SETS)
    assert resolve(ensemble, {"a": 1, "b": 2, "c": 3}) == (1, 2, 3)
    with pytest.raises(NotAvailableError) as error:
        resolve(ensemble, {"a": 1}, {"b": "not installed; run `pip install b`"})
    assert str(error.value).splitlines() == [
        "2 of the 3 detectors of ensemble 'union(a,b,c)' cannot be used here:",
        "  b: not installed; run `pip install b`",
        "  c: no manifest of this name is installed; import its spans with `bench detectors spans import --name c`",
    ]


def test_user_sets(tmp_path: Path) -> None:
    path = tmp_path / "sets.toml"
    path.write_text('[sets.mine]\nrule = "atleast2"\nmembers = ["c", "a", "b"]\nnote = "x"\n')
    assert parse("mine", KNOWN, load_sets(path)).expression == "atleast2(a,b,c)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[sets.mine", "not valid TOML"),
        ('[set.mine]\nrule="union"', "has 'set'; accepted: tables"),
        ("sets = 3", "has 'sets'; accepted: tables"),
        ("[sets]\nmine = 3", "set 'mine' is 3, expected a table"),
        ('[sets.mine]\nrule="union"\nmembers=["a"]\nnotes="x"', "notes: Extra inputs are not permitted"),
        ('[sets.mine]\nrule="union"', "members: Field required"),
        ('[sets.mine]\nrule="union"\nmembers=[]', "members: Tuple should have at least 1 item"),
        ('[sets.mine]\nrule="most"\nmembers=["a"]', "rule 'most' is unknown; accepted: union"),
        ('[sets.mine]\nrule="atleast3"\nmembers=["a","b"]', "3 votes among 2 detectors"),
        ('[sets.mine]\nrule="union"\nmembers=["a","a"]', "'a' is named twice"),
        ('[sets.mine]\nrule="union"\nmembers=["union(a)"]', "member 'union(a)' is not a detector name"),
        ('[sets.union]\nrule="union"\nmembers=["a"]', "'union' is a rule"),
        ('[sets.atleast4]\nrule="union"\nmembers=["a"]', "'atleast4' is a rule"),
        ('[sets."a b"]\nrule="union"\nmembers=["a"]', "a name is letters"),
        ('[sets.a]\nrule="union"\nmembers=["b"]', "the name is taken"),
    ],
)
def test_bad_set_files_name_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "sets.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_sets(path, reserved=KNOWN)
    assert message in str(error.value)
    assert "sets.toml" in str(error.value)


def test_missing_and_binary_set_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read ensembles"):
        load_sets(tmp_path / "none.toml")
    (tmp_path / "bin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 0"):
        load_sets(tmp_path / "bin.toml")


def test_every_rule_over_three_detectors_has_one_spelling() -> None:
    spellings = {
        Ensemble.of(m, k).expression for size in (1, 2, 3) for m in combinations("abc", size) for k in range(1, size + 1)
    }
    assert len(spellings) == 3 + 2 * 3 + 3
