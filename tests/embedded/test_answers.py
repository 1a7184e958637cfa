"""Short answers: whether a text says one, and whether two differ."""

import pytest
from hypothesis import given, strategies as st

from rarr.embedded.answers import differ, stands_in

UNITS = ["metres", "km", "kg", "square miles", "litres", "hours", "people", "%"]
number = st.integers(2, 900)


@given(number, number, st.sampled_from(UNITS))
def test_answer_of_another_number_differs_and_stands_nowhere(one: int, other: int, unit: str) -> None:
    passage = f"It is {other} {unit} in all."
    assert stands_in(f"{one} {unit}", passage) == (one == other)
    assert differ(f"{one} {unit}", f"about {other} {unit}" if one == other else f"{other} {unit}") == (
        one != other
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1904", "May 1904"),
        ("an hour", "sixty minutes"),
        ("5 of 9", "5"),
        ("a geologist", "an expert on rocks"),
        ("1904", "300 metres"),
        ("yes", "no"),
    ],
)
def test_answers_that_are_alike_or_cannot_be_compared_do_not_differ(one: str, other: str) -> None:
    assert not differ(one, other)


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_answer_and_text_are_compared(answer: str, text: str) -> None:
    stands_in(answer, text)
    differ(answer, text)


@given(st.text(max_size=30))
def test_answer_with_a_word_of_content_stands_in_itself(answer: str) -> None:
    said = f"Veil {answer}"
    assert stands_in(said, said)
