"""The fit of a judge: figures that can be counted by hand, and no threshold where none is good enough."""

import pytest

from rarr.backends.logistic import NEVER
from rarr.training.judge_calibration import AskedPair, judgement_report
from rarr.training.labelled_pairs import LabelledPair


def asked(number: int, label: bool, probability: float) -> AskedPair:
    pair = LabelledPair("support", {"text": str(number)}, label, f"evidence {number}", None)
    return AskedPair(pair, probability >= 0.5, probability)


def pairs(right: float, wrong: float, count: int = 20) -> list[AskedPair]:
    """As many right pairs with one probability as wrong pairs with the other."""
    return [
        asked(number, label, right if label else wrong) for number in range(count) for label in (True, False)
    ]


def test_pairs_that_the_probability_separates_get_a_threshold_between_them() -> None:
    fit = pairs(0.9, 0.7)  # the word is "yes" for all
    report = judgement_report("support", fit, fit, prompt="hash", precision=0.9)
    assert report.calibration is not None
    assert report.calibration.probability(0.9) >= report.calibration.regression.threshold
    assert report.calibration.probability(0.7) < report.calibration.regression.threshold
    assert (report.calibration.pairs, report.calibration.prompt) == (40, "hash")


def test_figures_are_counted_on_the_other_half() -> None:
    measured = [*pairs(0.9, 0.7, count=3), asked(9, False, 0.95), asked(10, True, 0.2)]
    report = judgement_report("support", pairs(0.9, 0.7), measured, prompt="hash", precision=0.9)
    figures, word = report.other_half, report.by_word
    assert (figures.pairs, figures.right, figures.called, figures.true) == (8, 3, 4, 4)
    assert (word.right, word.called) == (3, 7)
    assert word.brier == pytest.approx((3 * 0.1**2 + 3 * 0.7**2 + 0.95**2 + 0.8**2) / 8)
    # Of 16 couples of a right and a wrong pair, the right one scores higher in 3 * 3: not .2, nor below .95.
    assert figures.auc == pytest.approx(9 / 16)


def test_no_threshold_is_kept_where_none_reaches_the_precision() -> None:
    report = judgement_report("support", pairs(0.8, 0.8), pairs(0.8, 0.8), prompt="hash", precision=0.9)
    assert report.calibration is None
    assert report.other_half.called == 0


def test_a_lower_precision_can_be_asked_for() -> None:
    fit = [*pairs(0.9, 0.2), *(asked(number, False, 0.9) for number in range(100, 110))]
    for precision, is_kept in ((0.9, False), (0.6, True)):
        report = judgement_report("support", fit, fit, prompt="hash", precision=precision)
        assert (report.calibration is not None) is is_kept


def test_a_threshold_lies_within_0_and_1() -> None:
    fit = pairs(1.0, 0.0, count=200)
    report = judgement_report("support", fit, fit, prompt="hash", precision=1.0)
    assert report.calibration is not None
    assert 0 < report.calibration.regression.threshold < 1 < NEVER
    assert report.other_half.right == report.other_half.true == 200
