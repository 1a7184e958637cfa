"""Computes probabilities by a logistic regression, and support from them, for the encoder."""

import math
from collections.abc import Mapping

from pydantic import Field, FiniteFloat

from rarr.records import Record

NEVER = 1.01
"""A threshold that no probability reaches."""
AT_THRESHOLD = 0.55  # the support at the calibrated threshold: the default `support_threshold`


class Logistic(Record):
    """A logistic regression: computes the probability of an event from named features."""

    bias: FiniteFloat
    weights: dict[str, FiniteFloat]
    threshold: float = Field(default=0.5, ge=0, le=NEVER)
    """The least probability that counts as true."""

    def probability(self, features: Mapping[str, float]) -> float:
        """Computes the probability, from 0 to 1. Raises KeyError for a missing feature."""
        logit = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))

    def highest(self, features: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> float:
        """Computes the highest probability that is possible if each feature in `ranges` is unknown.

        Such a feature lies between the first and the last number of its range.
        """
        return self.probability(
            {
                name: max(ends, key=lambda end: end * self.weights.get(name, 0.0))
                for name, ends in ranges.items()
            }
            | dict(features)
        )

    def holds(self, features: Mapping[str, float]) -> bool:
        """Does the probability reach the threshold?"""
        return self.probability(features) >= self.threshold


def scaled_support(likely: float, threshold: float) -> float:
    """Scales a likelihood so that `threshold` becomes 0.55, which is the default `support_threshold`."""
    if likely < threshold or threshold >= 1:
        return likely / threshold * AT_THRESHOLD
    return AT_THRESHOLD + (likely - threshold) / (1 - threshold) * (1 - AT_THRESHOLD)
