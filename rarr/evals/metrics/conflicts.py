"""Computes the memorisation ratio: how often a model repeats its memory against its evidence."""

from rarr.evals.metrics.statistics import Measured, share


def memorisation_ratio(original: int, substitute: int) -> Measured:
    """Computes the share of answers from memory among those that give one of two conflicting values.

    `original` counts the answers of before the substitution, `substitute` those of the changed passage. From
    0 to 1, with its Wilson interval; the value is None if nothing was answered in either way (Longpre et al.
    2021; Chen 2023, section 5.3).
    """
    return share([True] * original + [False] * substitute)
