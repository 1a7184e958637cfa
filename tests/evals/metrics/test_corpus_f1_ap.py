"""F1_AP over a set: by hand, and the worked numbers of the papers."""

import pytest

from rarr.errors import InputError
from rarr.evals.metrics import Scored, f1_ap_of_set, measured_f1_ap, paired_f1_ap

TEXTS = [(0.2, 1.0), (1.0, 0.2), (0.9, 0.9)]


@pytest.mark.parametrize(
    ("attribution", "preservation", "f1"),
    [
        (54.9, 89.6, 68.1),  # RARR on NQ, by people
        (59.8, 91.0, 72.2),  # PURR, table 7.2: NQ
        (53.8, 89.6, 67.2),
        (58.2, 31.0, 40.4),  # SQA: EFEC, RARR, PURR
        (44.6, 89.9, 59.6),
        (47.1, 92.0, 62.3),
        (47.2, 39.0, 42.7),  # QReCC
        (28.7, 80.1, 42.2),
        (33.0, 85.8, 47.7),
    ],
)
def test_published_f1_ap_of_the_papers(attribution: float, preservation: float, f1: float) -> None:
    """The averages are themselves rounded, which moves the last digit by one at most."""
    texts = [(attribution / 100, preservation / 100)]
    assert 100 * (f1_ap_of_set(texts) or 0) == pytest.approx(f1, abs=0.1)


def test_f1_ap_of_three_texts_is_that_of_their_averages() -> None:
    """Both averages are 0.7. The mean of the texts' own F1_AP, 1/3, 1/3 and 0.9, would be 0.522."""
    assert f1_ap_of_set(TEXTS) == pytest.approx(0.7)


def test_f1_ap_of_no_text_is_unjudged_and_of_nothing_attributed_0() -> None:
    assert (f1_ap_of_set([]), f1_ap_of_set([(0.0, 0.0)])) == (None, 0.0)


def test_f1_ap_counts_unjudged_texts_and_has_an_interval() -> None:
    measured = measured_f1_ap([*TEXTS, None])
    assert (measured.n, measured.unjudged) == (3, 1)
    assert measured.value == pytest.approx(0.7)
    assert measured.low is not None
    assert measured.high is not None
    assert measured.low < 0.7 <= measured.high


def test_paired_f1_ap_finds_a_difference_in_every_text() -> None:
    worse: list[Scored | None] = [(0.3 + 0.01 * n, 0.9) for n in range(12)]
    better: list[Scored | None] = [(0.5 + 0.01 * n, 0.9) for n in range(12)]
    compared = paired_f1_ap([*worse, None], [*better, (1.0, 1.0)], flips=500)
    expected = 2 * 0.555 * 0.9 / 1.455 - 2 * 0.355 * 0.9 / 1.255
    assert compared.difference.value == pytest.approx(expected)
    assert (compared.difference.n, compared.difference.unjudged) == (12, 1)
    assert compared.p is not None
    assert compared.p < 0.02
    turned = paired_f1_ap(better, worse, flips=500)
    assert turned.difference.value == pytest.approx(-expected)


def test_paired_f1_ap_of_the_same_system_differs_in_nothing() -> None:
    compared = paired_f1_ap(TEXTS, TEXTS, flips=100)
    assert (compared.difference.value, compared.p) == (0, 1)


def test_paired_f1_ap_of_other_rows_is_refused() -> None:
    with pytest.raises(InputError, match="one system has 3 and the other 0"):
        paired_f1_ap(TEXTS, [])
