"""ROUGE-L by hand, and without its library."""

import runpy
import sys

import pytest
from hypothesis import given, strategies as st

from rarr import SetupError
from rarr.evals.metrics import rouge, rouge_l

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "?"]), max_size=6).map(" ".join)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output", "reference", "f1"),
    [
        ("police killed the gunman", "police kill the gunman", 3 / 4),  # three of four, both ways
        ("the gunman kill police", "police kill the gunman", 2 / 4),  # "the gunman": order counts
        ("a b", "a b c d", 2 * (2 / 2) * (2 / 4) / (2 / 2 + 2 / 4)),
        ("A, b!", "a b", 1.0),
        ("été", "ete", 0.0),  # letters of every script are words
        ("a", "", 0.0),
        ("", "a", 0.0),
        ("", "", 1.0),
        ("?", "?", 1.0),
    ],
)
def test_rouge_l(output: str, reference: str, f1: float) -> None:
    assert rouge_l(output, reference) == pytest.approx(f1)


def test_missing_library_is_named_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    monkeypatch.delitem(sys.modules, "rouge_score.rouge_scorer", raising=False)
    loaded = runpy.run_path(rouge.__file__)  # needs no library
    with pytest.raises(SetupError, match=r'pip install "rarr\[eval\]"'):
        loaded["rouge_l"]("a", "a")


@given(TEXTS, TEXTS)
def test_lies_between_0_and_1_and_is_symmetric(first: str, second: str) -> None:
    value = rouge_l(first, second)
    assert 0 <= value <= 1
    assert value == pytest.approx(rouge_l(second, first))


@given(TEXTS)
def test_equal_texts_have_1(text: str) -> None:
    assert rouge_l(text, text) == 1
