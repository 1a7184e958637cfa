"""Agreement of raters (`rarr label`): Krippendorff's published example, and examples worked out by hand."""

import pytest

from rarr import InputError
from rarr.evals.metrics.agreement import Distance, agreement, krippendorff_alpha

# Krippendorff 2011, section C: four observers, twelve units, values missing.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
PUBLISHED = [[None if value == "." else value for value in unit] for unit in zip(*OBSERVERS, strict=True)]
SCALE = ("1", "2", "3", "4", "5")
ABC = ("a", "b", "c")


@pytest.mark.parametrize(("distance", "alpha"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_label_alpha_is_the_published(distance: Distance, alpha: float) -> None:
    assert [len(PUBLISHED), len(PUBLISHED[0])] == [12, 4]
    assert krippendorff_alpha(PUBLISHED, SCALE, distance) == pytest.approx(alpha, abs=0.0005)


def test_label_alpha_of_three_raters_by_hand() -> None:
    """The single value does not count. 2 a and 3 b: observed 2 / (3 - 1), alpha = 1 - 4 * 1 / 6."""
    units: list[list[str | None]] = [["a", "a", "b"], ["b", None, "b"], [None, "c", None]]
    assert krippendorff_alpha(units, ABC) == pytest.approx(1 / 3)
    assert agreement(units, ABC).percent.value == 2 / 4  # of 3 pairs 1, and of 1 pair 1


def test_label_ordinal_alpha_by_hand() -> None:
    """4 a, 1 b, 3 c. Squares: a-b (5 - 2.5)^2 = 6.25, a-c (8 - 3.5)^2 = 20.25, b-c (4 - 2)^2 = 4.

    Observed 6.25 + 20.25 = 26.5, expected 4 * 6.25 + 12 * 20.25 + 3 * 4 = 280: 1 - 7 * 26.5 / 280.
    """
    assert krippendorff_alpha(["aa", "ab", "cc", "ac"], ABC, "ordinal") == pytest.approx(0.3375)


@pytest.mark.parametrize("units", [[], ["a"], ["aa", "aa"]])
def test_label_alpha_is_undefined_where_nothing_could_disagree(units: list[str]) -> None:
    assert krippendorff_alpha(units, "ab") is None


def test_label_agreement_has_intervals_and_counts_units_with_one_value() -> None:
    measured = agreement(["aa", "ab", "bb", "bb", "a", ""], "ab")
    assert measured.alpha.value == pytest.approx(8 / 15)
    assert measured.percent.value == 3 / 4
    assert (measured.alpha.n, measured.alpha.unjudged) == (4, 2)
    assert measured.percent.low is not None
    assert measured.percent.high is not None
    assert 0 <= measured.percent.low < 0.75 < measured.percent.high == 1


def test_label_unknown_value_is_refused() -> None:
    with pytest.raises(InputError, match="no value 'x': there are a, b"):
        krippendorff_alpha(["ax"], "ab")
