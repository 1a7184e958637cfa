"""Computes F1_AP over a set of texts: the harmonic mean of its two averages, not an average of texts' F1_AP.

The tables of RARR (Gao et al. 2023) and PURR (Chen et al. 2023) give it this way: an attribution of 54.9 and
a preservation of 89.6 give 68.1.
"""

import math
from collections.abc import Sequence
from itertools import compress

from rarr.errors import InputError
from rarr.evals.metrics.statistics import FLIPS, Measured, Paired, bootstrap, random_masks
from rarr.ledger.scores import f1_ap

Scored = tuple[float, float]
"""Attribution and preservation of one text."""


def f1_ap_of_set(texts: Sequence[Scored]) -> float | None:
    """F1_AP of a set: the harmonic mean of the average attribution and the average preservation.

    With Pres_comb instead of Pres_Lev it is the F1 that the paper also gives. None for no texts.
    """
    if not texts:
        return None
    attribution, preservation = (math.fsum(scores) / len(texts) for scores in zip(*texts, strict=True))
    return f1_ap(attribution, preservation)


def measured_f1_ap(texts: Sequence[Scored | None]) -> Measured:
    """Computes F1_AP of a set with its bootstrap interval over texts; None is a text that was not judged."""
    judged = sorted(text for text in texts if text is not None)
    return bootstrap(judged, f1_ap_of_set, unjudged=len(texts) - len(judged))


def paired_f1_ap(
    a: Sequence[Scored | None], b: Sequence[Scored | None], *, flips: int = FLIPS, seed: int = 0
) -> Paired:
    """Compares F1_AP of two systems on the same texts: `a[i]` and `b[i]` belong to the same text.

    The interval of the difference is a bootstrap interval over texts. `p` is from a two-sided permutation
    test that swaps the systems for random texts (Phipson and Smyth 2010). Texts that were not judged for both
    systems are left out, as `unjudged`. Raises `InputError` for lists of different lengths.
    """
    if len(a) != len(b):
        raise InputError(f"a pair needs the same rows: one system has {len(a)} and the other {len(b)}")
    pairs = sorted((x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None)
    difference = bootstrap(pairs, _difference, unjudged=len(a) - len(pairs))
    return Paired(difference=difference, p=_swapped(pairs, flips, seed) if pairs else None)


def _difference(pairs: Sequence[tuple[Scored, Scored]]) -> float | None:
    a, b = (f1_ap_of_set([pair[side] for pair in pairs]) for side in (0, 1))
    return None if a is None or b is None else b - a


def _swapped(pairs: Sequence[tuple[Scored, Scored]], flips: int, seed: int) -> float:
    """Computes how often random swaps give a difference as far from 0, (hits + 1) / (flips + 1)."""
    sums = [[math.fsum(pair[side][score] for pair in pairs) for score in (0, 1)] for side in (0, 1)]
    moves = [[pair[1][score] - pair[0][score] for pair in pairs] for score in (0, 1)]

    def difference(moved: Sequence[float]) -> float:
        a, b = (
            f1_ap(*((sums[side][score] + sign * moved[score]) / len(pairs) for score in (0, 1))) or 0.0
            for side, sign in ((0, 1), (1, -1))
        )
        return b - a

    observed = abs(difference((0.0, 0.0))) - 1e-9
    masks = random_masks(len(pairs), flips, seed)
    hits = sum(abs(difference([sum(compress(move, mask)) for move in moves])) >= observed for mask in masks)
    return (hits + 1) / (flips + 1)
