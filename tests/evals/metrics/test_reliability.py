"""Probabilities against people: worked examples by hand."""

import pytest

from rarr.evals.metrics import (
    Called,
    best_threshold,
    brier_score,
    called_from,
    expected_calibration_error,
    reliability,
)

ROWS = [(0.95, True), (0.91, True), (0.91, False), (0.42, True), (0.4, False), (0.05, False)]


def test_bins_hold_mean_and_share() -> None:
    bins = [
        (each.low, each.n, round(each.probability, 4), round(each.share, 4)) for each in reliability(ROWS)
    ]
    assert bins == [(0.0, 1, 0.05, 0.0), (0.4, 2, 0.41, 0.5), (0.9, 3, 0.9233, 0.6667)]


def test_error_of_calibration_is_the_weighted_distance() -> None:
    """(1 x .05 + 2 x .09 + 3 x (.92333 - .66667)) / 6 = (.05 + .18 + .77) / 6."""
    assert expected_calibration_error(ROWS) == pytest.approx(1.0 / 6)


def test_probability_of_1_is_in_the_last_bin() -> None:
    assert [(each.low, each.n) for each in reliability([(1.0, True), (0.9, True)])] == [(0.9, 2)]


def test_brier_score_is_the_mean_square() -> None:
    assert brier_score([(0.5, True), (0.8, True), (0.3, False)]) == pytest.approx((0.25 + 0.04 + 0.09) / 3)


def test_scores_of_a_threshold() -> None:
    """From .9 on: 2 of 3 calls are right, and 2 of 3 true rows are called; 2 of 3 false rows are not."""
    called = called_from(ROWS, 0.9)
    assert called == Called(hits=2, called=3, true=3, n=6)
    assert [called.f1, called.balanced_accuracy] == pytest.approx([2 / 3, 2 / 3])


def test_best_threshold_depends_on_the_score() -> None:
    """F1 from .95 on is 2/4, from .91 on 4/6, from .42 on 6/7, from .4 on 6/8, from .05 on 6/9."""
    assert best_threshold(ROWS, lambda called: called.f1) == 0.42
    uneven = [(0.9, True), (0.8, False), (0.7, False), (0.6, True), (0.5, True), (0.4, True)]
    assert best_threshold(uneven, lambda called: called.f1) == 0.4
    assert best_threshold(uneven, lambda called: called.balanced_accuracy) == 0.9


def test_rows_of_one_probability_are_on_one_side() -> None:
    assert best_threshold([(0.5, True), (0.5, False), (0.2, False)], lambda called: called.f1) == 0.5


def test_nothing_is_defined_without_rows() -> None:
    assert expected_calibration_error([]) is None
    assert brier_score([]) is None
    assert best_threshold([], lambda called: called.f1) is None
    assert best_threshold([(0.5, True)], lambda called: called.balanced_accuracy) is None
    assert Called(0, 0, 0, 3).f1 is None
