"""From which probability on a trained editor corrects."""

from rarr.backends.encoder.model_files import NEVER
from rarr.training.noising_examples import FEWEST, threshold


def test_nine_of_ten_corrections_above_the_threshold_are_right() -> None:
    made = [(0.9, True)] * FEWEST + [(0.8, False)] + [(0.7, False)] * 5
    assert threshold(made) == 0.8


def test_no_threshold_where_too_few_are_right() -> None:
    assert threshold([(0.9, True)] * (FEWEST - 1)) == NEVER
    assert threshold([(0.9, False)] * FEWEST + [(0.8, True)] * FEWEST) == NEVER
    assert threshold([]) == NEVER


def test_corrections_of_one_probability_are_not_divided() -> None:
    assert threshold([(0.5, True)] * FEWEST + [(0.5, False)] * FEWEST) == NEVER
