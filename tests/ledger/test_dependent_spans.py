"""Places that depend on a corrected value are found by arithmetic or by words, and no other places are."""

import pytest

from rarr.ledger.dependent_spans import PlacedEdit, dependents
from rarr.records import Edit
from rarr.tools.text.blocks_and_sentences import Span

BRIDGE = "The bridge opened in 1936."


def corrected(text: str, old: str, new: str) -> PlacedEdit:
    """The first place of `new` in `text`, which stood as `old`."""
    start = text.index(new)
    edit = Edit(
        id="e1", start=start, end=start + len(old), old=old, new=new,
        query_id="q1", evidence_id="q1.1", state="accepted", reason="",
    )  # fmt: skip
    return PlacedEdit(edit, Span(start, start + len(new)))


def consequences(text: str, old: str, new: str, *more: tuple[str, str]) -> list[tuple[str, str]]:
    """The dependents of these corrections: what is there, and what follows."""
    placed = dependents(text, [corrected(text, *correction) for correction in ((old, new), *more)])
    return [(dependent.place.of(text), dependent.new) for dependent in placed]


@pytest.mark.parametrize(
    ("text", "there", "follows"),
    [
        ("The bridge opened in 1936. It closed in 1972, after 40 years.", "40", "36"),
        ("The bridge opened in 1936 and closed in 1972, after forty years.", "forty", "36"),
        ("The bridge opened in 1936. It closed in 1962, thirty years later.", "thirty", "26"),
        ("The bridge opened in 1936. A 40-year lease ended in 1972.", "40", "36"),
    ],
)
def test_years_between_two_years(text: str, there: str, follows: str) -> None:
    assert consequences(text, "1932", "1936") == [(there, follows)]


def test_difference_of_two_quantities() -> None:
    text = "The tower is 1,330 m high. The mast is 250 m high, 1,060 m lower."
    assert consequences(text, "1,310", "1,330") == [("1,060", "1,080")]


def test_thousands_separator_stays_with_decimals() -> None:
    text = "The road is 1,330.5 m long. The path is 270 m long, 1,040.5 m less."
    assert consequences(text, "1,310.5", "1,330.5") == [("1,040.5", "1,060.5")]


def test_sum_of_two_quantities() -> None:
    text = "The first pipe is 30 km long. With the second, of 20 km, it makes 45 km in total."
    assert consequences(text, "25", "30") == [("45", "50")]


def test_fractions_keep_their_decimals() -> None:
    text = "The lake is 3.5 km wide. The bay is 1.5 km wide, 1.75 km less."
    assert consequences(text, "3.25", "3.5") == [("1.75", "2.00")]


def test_conclusion_of_the_same_paragraph() -> None:
    text = f"{BRIDGE} It was therefore the oldest.\n\nIt is thus admired."
    assert consequences(text, "1932", "1936") == [("It was therefore the oldest.", "")]


def test_value_that_is_said_again() -> None:
    text = f"{BRIDGE} The station of 1932 was built with it."
    assert consequences(text, "1932", "1936") == [("1932", "1936")]


@pytest.mark.parametrize(
    "text",
    [
        f"{BRIDGE} The other closed in 1972. It has 40 lamps.",  # a like number, and no years
        f"{BRIDGE} It is 40 m high, and the mast 1,972 m.",
        "It closed in 1972, after 40 years. The bridge opened in 1936.",  # before it
        f"{BRIDGE} It closed in 1972, after 36 years.",  # right already
        f"{BRIDGE} The number 19320 bus crosses it.",
        BRIDGE,
    ],
)
def test_values_that_do_not_depend_on_the_correction(text: str) -> None:
    assert consequences(text, "1932", "1936") == []


def test_quantities_without_words_for_a_difference_are_no_difference() -> None:
    assert consequences("The tower is 330 m high. The mast is 250 m high, the dam 60 m.", "310", "330") == []


def test_text_with_thousands_of_numbers_has_no_dependents() -> None:
    text = "The bridge opened in 1936. " + "It has 7 lamps and 9 rails. " * 2000
    assert consequences(text, "1932", "1936") == []


def test_text_without_numbers() -> None:
    assert consequences("California grows the most peaches.", "Georgia", "California") == []


def test_both_numbers_were_corrected() -> None:
    text = "The bridge opened in 1936. It closed in 1974, after 40 years."
    assert consequences(text, "1932", "1936", ("1972", "1974")) == [("40", "38")]
