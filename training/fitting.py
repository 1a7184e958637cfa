"""Logistic regressions of a few features, and the thresholds on them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarr.encoder.weights import Logistic

RIDGE = 1.0  # on the weights of features of unit spread
ROUNDS = 50  # of Newton's method, which needs about ten


def fitted(told: Sequence[Mapping[str, float]], so: Sequence[bool], weights: Sequence[float]) -> Logistic:
    """The regression that makes `so` likeliest; each case counts its weight."""
    names = list(told[0])
    table = np.array([[one[name] for name in names] for one in told])
    middle, spread = table.mean(0), table.std(0)
    spread[spread == 0] = 1.0
    coefficients = _newton((table - middle) / spread, np.array(so, float), np.array(weights, float))
    scaled = coefficients[1:] / spread
    return Logistic(
        bias=round(float(coefficients[0] - scaled @ middle), 4),
        weights={name: round(float(weight), 4) for name, weight in zip(names, scaled, strict=True)},
    )


def folds(groups: Sequence[str], count: int = 5) -> list[list[int]]:
    """The numbers of the cases in `count` parts; no group is in two."""
    order = {group: n for n, group in enumerate(sorted(set(groups)))}
    return [[n for n, group in enumerate(groups) if order[group] % count == part] for part in range(count)]


def held_out(
    told: Sequence[Mapping[str, float]], so: Sequence[bool], weights: Sequence[float], groups: Sequence[str]
) -> list[float]:
    """The probability of each case by a regression that saw none of its group's part."""
    found = [0.0] * len(told)
    for part in folds(groups):
        out = set(part)
        kept = [n for n in range(len(told)) if n not in out]
        made = fitted([told[n] for n in kept], [so[n] for n in kept], [weights[n] for n in kept])
        for n in part:
            found[n] = made.probability(told[n])
    return found


def most_right(likely: Sequence[float], right: Sequence[bool], least: float) -> float:
    """The lowest threshold from which on the share that is right stays at least `least`; above 1 for none."""
    order = np.argsort(-np.array(likely))
    shares = np.cumsum(np.array(right, float)[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= least)
    return float(np.array(likely)[order][enough[-1]]) if len(enough) else 1.01


def _newton(
    table: NDArray[np.float64], so: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    inputs = np.hstack([np.ones((len(table), 1)), table])
    ridge = np.diag([0.0, *[RIDGE] * table.shape[1]])
    found = np.zeros(inputs.shape[1])
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        gradient = inputs.T @ (weights * (so - likely)) - ridge @ found
        curve = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(found)), gradient)
        found += step
        if np.abs(step).max() < 1e-6:
            break
    return found
