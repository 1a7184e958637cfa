"""AIS and auto-AIS, against values computed by hand."""

from random import Random

import pytest
from hypothesis import given, strategies as st

from rarr.evals.metrics import ais, auto_ais, auto_ais_by_evidence, best_support

SUPPORTS = st.one_of(st.none(), st.floats(0, 1))
ROWS = st.lists(SUPPORTS, max_size=5)


@pytest.mark.parametrize(
    ("supports", "mean"),
    [
        ([1.0, 0.0], (1.0 + 0.0) / 2),
        ([0.9, None, 0.3], (0.9 + 0.0 + 0.3) / 3),  # nothing attributes a sentence that nobody judged
        ([0.9, 0.3, None, 0.6], (0.9 + 0.3 + 0.0 + 0.6) / 4),
        ([0.4], 0.4),
        ([0.0], 0.0),
        ([None, None], None),
        ([], None),
    ],
)
def test_auto_ais_is_the_mean_of_all_sentences(supports: list[float | None], mean: float | None) -> None:
    assert auto_ais(supports) == (None if mean is None else pytest.approx(mean))


@pytest.mark.parametrize(
    ("table", "mean"),
    [
        ([[0.2, 0.9], [0.4, 0.1]], (0.9 + 0.4) / 2),  # the best of each row
        ([[0.2, None], [None, None]], 0.2 / 2),  # the second sentence could not be judged
        ([[0.8], []], (0.8 + 0.0) / 2),  # the second has no evidence
        ([[], []], 0.0),
        ([[None]], None),
        ([], None),
    ],
)
def test_auto_ais_from_a_table(table: list[list[float | None]], mean: float | None) -> None:
    assert auto_ais_by_evidence(table) == (None if mean is None else pytest.approx(mean))


def test_no_evidence_counts_as_no_support_and_no_judgement_does_not() -> None:
    assert best_support([]) == 0.0
    assert best_support([None]) is None


@pytest.mark.parametrize(
    ("labels", "share"),
    [([True, False, True, True], 3 / 4), ([True, None], 1.0), ([False], 0.0), ([None], None), ([], None)],
)
def test_ais_is_a_share_of_sentences(labels: list[bool | None], share: float | None) -> None:
    assert ais(labels) == share


@given(st.lists(ROWS))
def test_auto_ais_lies_between_0_and_1(table: list[list[float | None]]) -> None:
    value = auto_ais_by_evidence(table)
    assert value is None or 0 <= value <= 1


@given(ROWS, st.randoms())
def test_order_of_evidence_does_not_matter(row: list[float | None], random: Random) -> None:
    shuffled = random.sample(row, len(row))
    assert best_support(shuffled) == best_support(row)


@given(ROWS.filter(bool), SUPPORTS)
def test_more_evidence_never_lowers_the_best(row: list[float | None], more: float | None) -> None:
    before, after = best_support(row), best_support([*row, more])
    assert before is None or (after is not None and after >= before)
