"""Intervals and comparisons, where they can be worked out, and what holds for all of them."""

import math
import time
from collections.abc import Sequence
from itertools import product
from operator import mul
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings, strategies as st

from rarr import InputError
from rarr.evals.metrics import Measured, bootstrap, detection, mean, paired, share

VALUES = st.lists(st.floats(0, 1), min_size=2, max_size=12)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)
QUICK = settings(max_examples=40)


def split(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_mean_of_two_rows_reaches_from_one_to_the_other() -> None:
    """A quarter of the resamples is 0, 0 and another 1, 1: more than is cut off."""
    assert mean([0.0, 1.0]) == Measured(value=0.5, low=0.0, high=1.0, n=2)


@pytest.mark.slow
def test_interval_of_a_large_sample_is_that_of_the_normal_distribution() -> None:
    values = [float(i % 2) for i in range(1000)]
    measured = mean(values)
    half = 1.96 * math.sqrt(0.25 / 1000)
    assert measured.low == pytest.approx(0.5 - half, abs=0.002)
    assert measured.high == pytest.approx(0.5 + half, abs=0.002)


def test_a_lower_level_has_a_narrower_interval() -> None:
    values = [i / 50 for i in range(50)]
    wide, narrow = mean(values), mean(values, level=0.5)
    assert (wide.low or 1) < (narrow.low or 0) < (narrow.high or 0) < (wide.high or 0)


@pytest.mark.parametrize(
    ("values", "measured"),
    [
        ([], Measured()),
        ([None, None], Measured(unjudged=2)),
        ([0.7, None], Measured(value=0.7, n=1, unjudged=1)),  # one row says nothing about others
        ([0.5, 0.5, 0.5, None], Measured(value=0.5, low=0.5, high=0.5, n=3, unjudged=1)),
    ],
)
def test_mean_counts_unjudged_values(values: list[float | None], measured: Measured) -> None:
    assert mean(values) == measured


@pytest.mark.slow
def test_bootstrap_of_another_statistic() -> None:
    rows = [(True, True)] * 30 + [(True, False)] * 10 + [(False, True)] * 10
    measured = bootstrap(rows, lambda drawn: detection(*zip(*drawn, strict=True)).f1, unjudged=3)
    assert measured.value == 2 * 30 / (40 + 40)
    assert 0.6 < (measured.low or 0) < 0.75 < (measured.high or 0) < 0.9
    assert (measured.n, measured.unjudged) == (50, 3)


def test_resamples_without_the_statistic_are_left_out() -> None:
    def one_sided(rows: Sequence[float]) -> float | None:
        return 1.0 if 1.0 in rows else None

    assert bootstrap([0.0, 1.0], one_sided) == Measured(value=1.0, low=1.0, high=1.0, n=2)
    assert bootstrap([0.0, 0.0], one_sided) == Measured(n=2)


def test_interval_of_few_resamples_is_their_whole_range() -> None:
    seen = list[float]()

    def average(rows: Sequence[int]) -> float:
        seen.append(fmean(rows))
        return seen[-1]

    measured = bootstrap(range(10), average, resamples=5)
    value, *drawn = seen
    assert (measured.value, measured.low, measured.high) == (value, min(drawn), max(drawn))


def test_statistic_that_no_resample_has_is_without_an_interval() -> None:
    def of_distinct_rows(rows: Sequence[int]) -> float | None:
        return 1.0 if len(set(rows)) == len(rows) else None

    assert bootstrap(range(12), of_distinct_rows, resamples=5) == Measured(value=1.0, n=12)


def test_wilson_interval() -> None:
    """Nine of ten, by the formula of Wilson 1927."""
    z = 1.959964
    centre, spread = (0.9 + z**2 / 20) / (1 + z**2 / 10), math.sqrt(0.9 * 0.1 / 10 + z**2 / 400)
    measured = share([True] * 9 + [False, None])
    assert measured.value == 0.9
    assert measured.low == pytest.approx(centre - z * spread / (1 + z**2 / 10), abs=1e-6)
    assert measured.high == pytest.approx(centre + z * spread / (1 + z**2 / 10), abs=1e-6)
    assert (measured.n, measured.unjudged) == (10, 1)


def test_share_has_a_width_where_all_agree() -> None:
    z2 = 1.959964**2
    none, every = share([False] * 10), share([True] * 10)
    assert none.low == 0
    assert none.high == pytest.approx(z2 / (10 + z2), abs=1e-6)
    assert every.low == pytest.approx(10 / (10 + z2), abs=1e-6)
    assert every.high == 1
    assert share([None]) == Measured(unjudged=1)


def test_paired_difference_is_b_less_a_over_rows_judged_for_both() -> None:
    result = paired([0.5, None, 0.25, 0.0], [1.0, 1.0, None, 1.0])
    assert (result.difference.value, result.difference.n, result.difference.unjudged) == (0.75, 2, 2)


def test_paired_p_is_the_share_of_sign_flips_that_reach_as_far() -> None:
    differences = [0.1, 0.2, 0.4, 0.4, -0.1]
    signs = product((-1, 1), repeat=5)
    flipped = [sum(map(mul, differences, flips)) for flips in signs]
    exact = sum(abs(total) >= sum(differences) - 1e-9 for total in flipped) / 32
    assert paired([0.0] * 5, differences).p == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([0.1, 0.2], [0.1, 0.2], 1.0),
        ([0.5], [0.7], 1.0),  # one row: both signs reach as far
        ([None], [0.7], None),
        ([], [], None),
    ],
)
def test_paired_without_a_difference_to_find(
    a: list[float | None], b: list[float | None], p: float | None
) -> None:
    assert paired(a, b).p == p


def test_paired_p_is_never_0() -> None:
    assert paired([0.0] * 100, [1.0] * 100, flips=99).p == 1 / 100


def test_rounding_does_not_separate_equal_sums() -> None:
    """0.3 - 0.2 is less than 0.1 in floating point, and 0.4 - 0.3 more."""
    assert paired([0.3, 0.3], [0.2, 0.4]).p == 1.0
    assert paired([0.3, 0.2], [0.4, 0.3]).p == pytest.approx(0.5, abs=0.03)


def test_paired_needs_the_same_rows() -> None:
    with pytest.raises(InputError, match="one system has 2 and the other 1"):
        paired([0.1, 0.2], [0.1])


@pytest.mark.slow
def test_a_large_set_takes_little_time() -> None:
    values = [Random(0).random() for _ in range(3000)]
    start = time.process_time()
    mean(values)
    assert time.process_time() - start < 2


@QUICK
@given(VALUES)
def test_interval_contains_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    measured = mean(values, resamples=500)
    assert measured.value is not None and measured.low is not None and measured.high is not None
    assert measured.low <= measured.value <= measured.high
    assert min(values) - 1e-12 <= measured.low and measured.high <= max(values) + 1e-12


@QUICK
@given(VALUES, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(values: list[float], random: Random) -> None:
    shuffled = random.sample(values, len(values))
    assert mean(shuffled, resamples=100) == mean(values, resamples=100)


@given(st.lists(st.sampled_from([True, False, None])))
def test_share_lies_in_its_interval(hits: list[bool | None]) -> None:
    measured = share(hits)
    assert measured.n + measured.unjudged == len(hits)
    if measured.n:
        assert measured.value is not None and measured.low is not None and measured.high is not None
        assert 0 <= measured.low <= measured.value <= measured.high <= 1


@QUICK
@given(PAIRS, st.randoms(use_true_random=False))
def test_p_is_the_same_for_swapped_systems_and_permuted_rows(
    pairs: list[tuple[float, float]], random: Random
) -> None:
    a, b = split(pairs)
    p = paired(a, b, resamples=10, flips=200).p
    assert p is not None and 0 < p <= 1
    assert paired(b, a, resamples=10, flips=200).p == p
    assert paired(*split(random.sample(pairs, len(pairs))), resamples=10, flips=200).p == p
