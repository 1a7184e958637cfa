"""Intervals and comparisons, where they can be worked out, and what holds for all of them."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from rarr.evals.metrics.statistics import (
    Measured,
    bootstrap,
    f1_ap_of_set,
    mean,
    measured_f1_ap,
    share,
)  # fmt: skip

VALUES = st.lists(st.floats(0, 1), min_size=2, max_size=12)
QUICK = settings(max_examples=40)


def test_mean_of_two_rows_reaches_from_one_to_the_other() -> None:
    """A quarter of the resamples is 0, 0 and another 1, 1: more than is cut off."""
    assert mean([0.0, 1.0]) == Measured(value=0.5, low=0.0, high=1.0, n=2)


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


def test_resamples_without_the_statistic_are_left_out() -> None:
    def one_sided(rows: Sequence[float]) -> float | None:
        return 1.0 if 1.0 in rows else None

    assert bootstrap([0.0, 1.0], one_sided) == Measured(value=1.0, low=1.0, high=1.0, n=2)
    assert bootstrap([0.0, 0.0], one_sided) == Measured(n=2)


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


@QUICK
@given(VALUES)
def test_interval_contains_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    measured = mean(values, resamples=500)
    assert measured.value is not None and measured.low is not None and measured.high is not None
    assert measured.low <= measured.value <= measured.high
    assert min(values) - 1e-12 <= measured.low and measured.high <= max(values) + 1e-12


@given(st.lists(st.sampled_from([True, False, None])))
def test_share_lies_in_its_interval(hits: list[bool | None]) -> None:
    measured = share(hits)
    assert measured.n + measured.unjudged == len(hits)
    if measured.n:
        assert measured.value is not None and measured.low is not None and measured.high is not None
        assert 0 <= measured.low <= measured.value <= measured.high <= 1


TEXTS = [(0.2, 1.0), (1.0, 0.2), (0.9, 0.9)]


@pytest.mark.parametrize(
    ("attribution", "preservation", "f1"),
    [(54.9, 89.6, 68.1), (59.8, 91.0, 72.2), (58.2, 31.0, 40.4), (28.7, 80.1, 42.2)],
)
def test_published_f1_ap_of_rarr_and_purr(attribution: float, preservation: float, f1: float) -> None:
    """The averages are themselves rounded, which moves the last digit by one at most."""
    texts = [(attribution / 100, preservation / 100)]
    assert 100 * (f1_ap_of_set(texts) or 0) == pytest.approx(f1, abs=0.1)


def test_f1_ap_of_three_texts_is_that_of_their_averages() -> None:
    """Both averages are 0.7. The mean of the texts' own F1_AP, 1/3, 1/3 and 0.9, would be 0.522."""
    measured = measured_f1_ap([*TEXTS, None])
    assert measured.value == pytest.approx(0.7)
    assert (measured.n, measured.unjudged, f1_ap_of_set([]), f1_ap_of_set([(0.0, 0.0)])) == (3, 1, None, 0.0)
