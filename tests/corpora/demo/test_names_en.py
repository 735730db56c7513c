"""English names: usual spelling, and frequencies that follow the census."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import corpora.demo.names_en as names_en
from corpora.demo.names_en import (
    FIRST_NAMES_THAT_ARE_WORDS,
    NICKNAMES,
    SURNAMES_THAT_ARE_WORDS,
    EnglishName,
    capitalise_first,
    capitalise_surname,
    sample_first,
    sample_person,
    sample_surname,
    surname_counts,
)

#: Sum of the counts of all 162,252 surnames of the 2010 file, residual row left out.
CENSUS_TOTAL = 265_660_058


@pytest.mark.parametrize(
    ("upper", "usual"),
    [
        ("SMITH", "Smith"), ("MCDONALD", "McDonald"), ("MCCOY", "McCoy"), ("OBRIEN", "O'Brien"), ("ODOM", "Odom"),
        ("ODELL", "Odell"), ("DELACRUZ", "De La Cruz"), ("STJOHN", "St. John"), ("MACDONALD", "MacDonald"),
        ("MACIAS", "Macias"), ("VANDYKE", "Van Dyke"), ("VANCE", "Vance"), ("DELGADO", "Delgado"), ("MACK", "Mack"),
        ("DEANGELIS", "DeAngelis"),
    ],
)  # fmt: skip
def test_surnames_are_spelt_as_their_bearers_spell_them(upper: str, usual: str) -> None:
    assert capitalise_surname(upper) == usual


def test_given_names_are_spelt_as_their_bearers_spell_them() -> None:
    assert [capitalise_first(name) for name in ("MARY", "MCKENZIE", "DEANDRE", "JOANN")] == [
        "Mary",
        "McKenzie",
        "DeAndre",
        "JoAnn",
    ]


def test_the_forms_of_a_name() -> None:
    name = EnglishName("Marion", "P", "O'Hale", "F")
    assert (name.full, name.formal, name.inverted, name.initials) == (
        "Marion O'Hale",
        "Marion P. O'Hale",
        "O'Hale, Marion P.",
        "MPO",
    )
    bare = EnglishName("William", "", "Young", "M")
    assert (bare.formal, bare.inverted, bare.initials, bare.nicknames[0]) == ("William Young", "Young, William", "WY", "Bill")


def test_head_and_tail_files_add_up_to_the_census() -> None:
    data = Path(names_en.__file__).parent / "data"
    with (data / "census_surnames_tail.csv").open(encoding="ascii") as handle:
        tail = [(int(row["count"]), row["names"].split()) for row in csv.DictReader(handle)]
    head = surname_counts()
    assert len(head) == 5000
    assert head["Smith"] == 2_442_977
    total = sum(head.values()) + 12 * sum(count * len(names) for count, names in tail)
    assert total == pytest.approx(CENSUS_TOTAL, rel=1e-3)
    assert sum(head.values()) / CENSUS_TOTAL == pytest.approx(0.671, abs=0.001)
    assert max(count for count, _ in tail) <= min(head.values())


def test_surnames_follow_census_counts() -> None:
    rng, draws = random.Random(20), 60_000
    seen = Counter(sample_surname(rng) for _ in range(draws))
    counts = surname_counts()
    top = sorted(counts, key=counts.__getitem__, reverse=True)[:200]
    observed = np.array([seen[name] for name in top] + [draws - sum(seen[name] for name in top)], dtype=float)
    share = np.array([counts[name] / CENSUS_TOTAL for name in top])
    expected = draws * np.append(share, 1 - share.sum())
    # A chi-square test of 201 cells with a fixed seed: a wrong weight (ranks, uniform) gives p = 0.
    assert stats.chisquare(observed, expected, sum_check=False).pvalue > 0.001
    assert stats.spearmanr(observed[:-1], share).statistic > 0.9


def test_head_and_rare_names_both_appear() -> None:
    rng = random.Random(21)
    seen = Counter(sample_surname(rng) for _ in range(20_000))
    head = surname_counts()
    rare = sum(number for name, number in seen.items() if name not in head) / 20_000
    assert rare == pytest.approx(0.329, abs=0.015)
    assert seen["Smith"] > 120
    assert sum(number == 1 for number in seen.values()) > 2000


def test_given_names_follow_census_shares_of_their_sex() -> None:
    rng = random.Random(22)
    women = Counter(sample_first(rng, "F") for _ in range(20_000))
    men = Counter(sample_first(rng, "M") for _ in range(20_000))
    # 1990 census: Mary 2.629 % of 90.024 % listed; James 3.318 % of 90.040 % listed.
    assert women["Mary"] / 20_000 == pytest.approx(0.02629 / 0.90024, abs=0.004)
    assert men["James"] / 20_000 == pytest.approx(0.03318 / 0.90040, abs=0.004)


def test_people_have_middle_initials_double_names_and_both_sexes() -> None:
    rng = random.Random(23)
    people = [sample_person(rng) for _ in range(20_000)]
    assert sum(bool(p.middle_initial) for p in people) / 20_000 == pytest.approx(0.85, abs=0.01)
    assert sum(p.sex == "F" for p in people) / 20_000 == pytest.approx(0.5, abs=0.015)
    double = Counter(p.sex for p in people if "-" in p.last)
    assert double["F"] > 3 * double["M"] > 0
    assert all(p.middle_initial == "" or (len(p.middle_initial) == 1 and p.middle_initial.isupper()) for p in people)
    assert any(" " in p.last for p in people)
    assert any("'" in p.last for p in people)


def test_sex_can_be_asked_for_and_a_seed_gives_the_same_people() -> None:
    assert {sample_person(random.Random(n), "M").sex for n in range(50)} == {"M"}
    first = [sample_person(random.Random(9)) for _ in range(2)]
    assert first[0] == first[1]
    assert sample_person(random.Random(9)) != sample_person(random.Random(10))


def test_names_that_are_words_and_nicknames_are_well_formed() -> None:
    for names in (FIRST_NAMES_THAT_ARE_WORDS, SURNAMES_THAT_ARE_WORDS):
        assert len(set(names)) == len(names)
        assert all(name.istitle() for name in names)
    assert {"Will", "Mark", "May", "Rose", "Grace", "Bill"} <= set(FIRST_NAMES_THAT_ARE_WORDS)
    assert {"Young", "Long", "Page", "Law", "Price", "Rich", "Baker"} <= set(SURNAMES_THAT_ARE_WORDS)
    assert all(short and full not in short for full, short in NICKNAMES.items())
