"""The full stop of a unit's abbreviation ends no sentence that goes on."""

import pytest

from rarr.tools.text.blocks_and_sentences import split_sentences

TUNED = ["g", "km", "ml", "hrs", "ft", "in", "oz", "lb", "min", "sec"]
# Kept for measuring alone.
HELD_OUT = [
    "kg",
    "cm",
    "mm",
    "yd",
    "mi",
    "gal",
    "qt",
    "pt",
    "mph",
    "rpm",
    "fl. oz",
    "sq. ft",
    "kWh",
    "mg",
    "yrs",
]


def split(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize("unit", TUNED + HELD_OUT)
@pytest.mark.parametrize("goes_on", ["of the ore", "to the sea", "long", "and no more"])
def test_sentence_continues_after_a_unit(unit: str, goes_on: str) -> None:
    first, second = f"It has 2.55 {unit}. {goes_on} as a whole.", "The mill is old."
    assert split(f"{first} {second}") == [first, second]


@pytest.mark.parametrize("unit", ["km", "ml", "hrs", "kg", "gal", "m", "l", "g", "km/h", "m²"])
def test_sentence_ends_with_a_unit_before_a_capital(unit: str) -> None:
    assert split(f"It has 2.55 {unit}. Workers took it away.") == [
        f"It has 2.55 {unit}.",
        "Workers took it away.",
    ]


def test_consecutive_measures_stay_in_one_sentence() -> None:
    text = "He took 2.55 g. of salt, 3 ml. of oil and 4 kg. of flour."
    assert split(text) == [text]


def test_lower_case_brand_name_begins_a_sentence() -> None:
    assert split("It weighs 5 kg. iPhones weigh less.") == ["It weighs 5 kg.", "iPhones weigh less."]


def test_sentence_continues_after_a_unit_at_the_end_of_a_line() -> None:
    text = "The block of the old mill by the river has a weight of about 5 kg.\nof stone."
    assert split(text) == [text]


def test_paragraph_always_ends_a_sentence() -> None:
    assert split("It weighs 5 kg.\n\nof stone it was.") == ["It weighs 5 kg.", "of stone it was."]
