"""Fits logistic regressions of a few features, and chooses thresholds on their probabilities."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarr.backends.logistic import NEVER, Logistic

RIDGE = 1.0  # on the weights of features of unit spread
FEWEST = 20  # cases above a threshold
ROUNDS = 50  # of Newton's method, which needs about ten


def fitted(
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    prior: Logistic | None = None,
) -> Logistic:
    """Fits a ridge logistic regression to the labels; each case counts by its weight.

    Few cases leave the weights of the features near those of `prior`, or near 0 without it.
    """
    names = list(features[0])
    table = np.array([[case[name] for name in names] for case in features])
    middle, spread = table.mean(0), table.std(0)
    spread[spread == 0] = 1.0
    expected = np.array([0.0 if prior is None else prior.weights.get(name, 0.0) for name in names]) * spread
    coefficients = _newton(
        (table - middle) / spread, np.array(labels, float), np.array(weights, float), expected
    )
    scaled = coefficients[1:] / spread
    return Logistic(
        bias=round(float(coefficients[0] - scaled @ middle), 4),
        weights={name: round(float(weight), 4) for name, weight in zip(names, scaled, strict=True)},
    )


def folds(groups: Sequence[str], count: int = 5) -> list[list[int]]:
    """Splits the numbers of the cases into `count` parts, so that no group is in two parts."""
    order = {group: n for n, group in enumerate(sorted(set(groups)))}
    return [[n for n, group in enumerate(groups) if order[group] % count == part] for part in range(count)]


def fitted_without(
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    groups: Sequence[str],
    prior: Logistic | None = None,
) -> Iterator[tuple[list[int], Logistic]]:
    """Yields each of five parts of the cases, as numbers, with a regression fitted on the other parts."""
    for part in folds(groups):
        out = set(part)
        kept = [n for n in range(len(features)) if n not in out]
        yield (
            part,
            fitted([features[n] for n in kept], [labels[n] for n in kept], [weights[n] for n in kept], prior),
        )


def held_out(
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    groups: Sequence[str],
    prior: Logistic | None = None,
) -> list[float]:
    """Computes the probability of each case by a regression that was fitted without its part (`folds`)."""
    probabilities = [0.0] * len(features)
    for part, regression in fitted_without(features, labels, weights, groups, prior):
        for n in part:
            probabilities[n] = regression.probability(features[n])
    return probabilities


def threshold_at_precision(
    probabilities: Sequence[float], right: Sequence[bool], least: float, fewest: int = FEWEST
) -> float:
    """Finds the lowest threshold at which a share of at least `least` of the cases above it is right.

    Returns `NEVER` if there is none. At least `fewest` cases must lie above the threshold.
    """
    order = np.argsort(-np.array(probabilities))
    reached = np.array([_rounded(probabilities[n]) for n in order])
    counts = np.arange(1, len(order) + 1)
    shares = np.cumsum(np.array(right, float)[order]) / counts
    # A threshold that one case reaches is reached by all cases of the same rounded probability.
    is_last = np.append(reached[1:] < reached[:-1], True)
    enough = np.flatnonzero((shares >= least) & (counts >= fewest) & is_last)
    return float(reached[enough[-1]]) if len(enough) else NEVER


def threshold_at_balance(probabilities: Sequence[float], labels: Sequence[bool]) -> float:
    """Finds the threshold with the highest balanced accuracy: the mean of the accuracies per label."""
    order = np.argsort(-np.array(probabilities), kind="stable")
    truths = np.array(labels, float)[order]
    gain = np.cumsum(truths) / truths.sum() - np.cumsum(1 - truths) / (1 - truths).sum()
    return _rounded(np.array(probabilities)[order][int(np.argmax(gain))])


def _rounded(probability: float) -> float:
    """Rounds down to four digits, so that the case with this probability reaches the threshold."""
    return math.floor(float(probability) * 1e4) / 1e4


def _newton(
    table: NDArray[np.float64],
    labels: NDArray[np.float64],
    weights: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> NDArray[np.float64]:
    inputs = np.hstack([np.ones((len(table), 1)), table])
    ridge = np.diag([0.0, *[RIDGE] * table.shape[1]])
    center = np.concatenate([[0.0], expected])
    coefficients = np.zeros(inputs.shape[1])

    def cost(at: NDArray[np.float64]) -> float:
        logits, away = inputs @ at, at - center
        return float(weights @ (np.logaddexp(0, logits) - labels * logits) + away @ ridge @ away / 2)

    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ coefficients, -30, 30)))
        gradient = inputs.T @ (weights * (labels - likely)) - ridge @ (coefficients - center)
        curve = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(coefficients)), gradient)
        while cost(coefficients + step) > cost(coefficients) and np.abs(step).max() >= 1e-6:
            step = step / 2  # far from the solution, a whole step can lead further away
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-6:
            break
    return coefficients
