"""Regressions of a few features, and the thresholds on them."""

from itertools import combinations

import pytest

from rarr.backends.encoder.support import SentenceFeatures
from rarr.backends.logistic import NEVER, Logistic
from rarr.training.logistic_regression import (
    FEWEST,
    fitted,
    fitted_without,
    folds,
    held_out,
    threshold_at_balance,
    threshold_at_precision,
)
from recipes.calibrate import Support

FEATURES = [{"size": float(n), "noise": float(n % 3)} for n in range(40)]
LARGE = [n >= 20 for n in range(40)]
EVEN = [1.0] * 40


def test_fitted_model_separates_the_labels() -> None:
    made = fitted(FEATURES, LARGE, EVEN)
    assert [made.probability(features) > 0.5 for features in FEATURES] == LARGE
    assert made.weights["size"] > abs(made.weights["noise"])


def test_a_case_counts_by_its_weight() -> None:
    labels = [n % 2 == 0 for n in range(40)]
    heavy = [9.0 if label else 1.0 for label in labels]
    same = [{"size": 1.0} for _ in labels]
    assert fitted(same, labels, heavy).probability(same[0]) == pytest.approx(0.9, abs=0.01)


def test_no_group_is_in_two_parts() -> None:
    groups = [f"page {n % 7}" for n in range(40)]
    parts = folds(groups)
    assert sorted(n for part in parts for n in part) == list(range(40))
    there = [{groups[n] for n in part} for part in parts]
    assert all(part.isdisjoint(other) for part, other in combinations(there, 2))


def test_a_held_out_case_is_judged_without_its_group() -> None:
    groups = ["odd" if n == 39 else f"page {n}" for n in range(40)]
    labels = [*LARGE[:39], False]  # what the group says is against all others
    probabilities = held_out(FEATURES, labels, EVEN, groups)
    [without] = [made for part, made in fitted_without(FEATURES, labels, EVEN, groups) if 39 in part]
    assert probabilities[39] == without.probability(FEATURES[39])
    assert probabilities[39] > fitted(FEATURES, labels, EVEN).probability(FEATURES[39])


def test_threshold_is_the_lowest_with_the_precision() -> None:
    probabilities = [n / 100 for n in range(100)]
    right = [n >= 50 for n in range(100)]
    assert threshold_at_precision(probabilities, right, 1.0) == 0.5
    assert threshold_at_precision(probabilities, right, 0.5) == 0.0


def test_cases_of_equal_probability_are_on_one_side_of_a_threshold() -> None:
    probabilities = [0.9] * 30 + [0.60004, 0.60001] * 15 + [0.1] * 10
    right = [True] * 30 + [True, False] * 15 + [False] * 10
    assert threshold_at_precision(probabilities, right, 0.7) == 0.6
    assert threshold_at_precision(probabilities, right, 0.8) == 0.9
    assert threshold_at_precision([0.9] * 40, [True] * 30 + [False] * 10, 0.9) == NEVER


def test_few_cases_give_no_precision() -> None:
    probabilities = [n / 100 for n in range(100)]
    right = [n > 100 - FEWEST for n in range(100)]
    assert threshold_at_precision(probabilities, right, 1.0) == NEVER


def test_a_claim_scores_as_its_weakest_sentence_with_its_best_passage() -> None:
    def seen(attributable: float) -> SentenceFeatures:
        return SentenceFeatures({"attributable": attributable}, None, denied=False)

    claim = Support("s", "g", supported=True, seen=[[seen(0.1), seen(0.8)], [seen(0.6), seen(0.2)]])
    linear = Logistic(bias=0.0, weights={"attributable": 1.0})
    assert claim.features == {"attributable": 0.6}
    assert claim.likelihood(linear) == linear.probability({"attributable": 0.6})


def test_a_prior_pulls_the_weights_and_fixes_undetermined_ones() -> None:
    prior = Logistic(bias=0.0, weights={"size": 0.5, "same": 0.7})
    features = [{"size": case["size"], "same": 1.0} for case in FEATURES]
    against = [not large for large in LARGE]
    with_prior, without = fitted(features, against, EVEN, prior), fitted(features, against, EVEN)
    assert without.weights["size"] < with_prior.weights["size"] < 0.5
    assert (without.weights["same"], with_prior.weights["same"]) == (0.0, 0.7)


def test_balanced_threshold_separates_true_from_false() -> None:
    probabilities = [n / 100 for n in range(100)]
    assert threshold_at_balance(probabilities, [n >= 70 for n in range(100)]) == 0.7
    assert threshold_at_balance(probabilities, [n >= 70 or n == 3 for n in range(100)]) == 0.7
