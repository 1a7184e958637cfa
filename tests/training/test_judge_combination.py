"""The fit of several judges: the judge that knows gets the weight, and unjudged pairs are left out."""

import pytest

from rarr.errors import InputError
from rarr.training.judge_combination import FittedJudges, JudgedPair, fitted_judges
from rarr.training.labelled_pairs import LabelledPair

NAME = "vllm:knows+vllm:guesses"


def pairs(unjudged: int = 0, count: int = 40) -> list[JudgedPair]:
    """Right and wrong pairs. One judge errs about every eighth; the other says yes to every second."""
    judged = []
    for number in range(count):
        label = number % 2 == 0
        knows = 0.9 if label != (number % 16 in (1, 7)) else 0.1
        guesses = None if number < unjudged else (0.9 if number % 4 < 2 else 0.1)
        pair = LabelledPair("support", {"text": str(number)}, label, f"evidence {number}", None)
        judged.append(JudgedPair(pair, {"vllm:knows": knows, "vllm:guesses": guesses}))
    return judged


def fitted(fit: list[JudgedPair], measure: list[JudgedPair]) -> FittedJudges:
    return fitted_judges(NAME, fit, measure, "v", 0.55)


def test_the_judge_that_knows_has_the_weight() -> None:
    made = fitted(pairs(), pairs())
    knows, guesses = made.weights.regression.weights.values()
    assert list(made.weights.regression.weights) == ["vllm:knows", "vllm:guesses"]
    assert knows > 0.5 > 10 * abs(guesses)
    assert (made.weights.judge, made.weights.versions, made.weights.pairs) == (NAME, "v", 40)


def test_figures_name_each_judge_and_are_counted_on_the_other_half() -> None:
    made = fitted(pairs(), pairs(count=24))
    assert list(made.alone) == ["vllm:knows", "vllm:guesses"]
    # Of 24 pairs 12 are right; the judge that knows errs about 1, 7, 17 and 23, which are wrong pairs.
    alone = made.alone["vllm:knows"]
    assert (alone.pairs, alone.right, alone.called, alone.true) == (24, 12, 16, 12)
    assert (made.alone["vllm:guesses"].right, made.alone["vllm:guesses"].called) == (6, 12)
    assert (made.other_half.right, made.other_half.called, made.other_half.true) == (12, 16, 12)
    assert (made.folds.pairs, made.folds.called) == (40, 26)


def test_pairs_that_a_judge_could_not_judge_are_left_out() -> None:
    made = fitted(pairs(unjudged=6), pairs(unjudged=2))
    assert (made.weights.pairs, made.folds.pairs, made.other_half.pairs) == (34, 34, 38)


def test_too_few_pairs_that_all_could_judge_are_an_error() -> None:
    with pytest.raises(
        InputError, match=r"all judges of vllm:knows.vllm:guesses could judge \(5 true, 5 fal"
    ):
        fitted(pairs(), pairs(unjudged=30))
