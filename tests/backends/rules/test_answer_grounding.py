"""Short answers: whether a text says one, and whether two differ."""

import pytest
from hypothesis import given, strategies as st

from rarr.backends.rules.answer_grounding import has_other_values, is_stated

UNITS = ["metres", "km", "kg", "square miles", "litres", "hours", "people", "%"]
number = st.integers(2, 900).filter(lambda number: number % 100)  # 400 may be a rounded 396


@given(number, number, st.sampled_from(UNITS))
def test_answer_of_another_number_differs_and_stands_nowhere(first: int, second: int, unit: str) -> None:
    passage = f"It is {second} {unit} in all."
    assert is_stated(f"{first} {unit}", passage) == (first == second)
    assert has_other_values(f"{first} {unit}", "", f"{second} {unit}", passage) == (first != second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1904", "May 1904"),
        ("an hour", "sixty minutes"),
        ("5 of 9", "5"),
        ("a geologist", "an expert on rocks"),
        ("1904", "300 metres"),
        ("yes", "no"),
    ],
)
def test_answers_that_are_alike_or_cannot_be_compared_do_not_differ(first: str, second: str) -> None:
    assert not has_other_values(first, "", second, "")


@pytest.mark.parametrize(
    ("answer", "text", "other", "passage", "expected"),
    [
        ("221", "It is 221 metres high.", "726", "It is 726 feet high.", False),
        ("221", "It is 221 metres high.", "726 feet", "It is 726 feet high.", False),
        ("212", "It is 212 metres high.", "726", "It is 726 feet high.", True),
        ("221", "It has 221 seats.", "726", "It has 726 seats.", True),
        ("9", "9 people saw 9 metres.", "30", "It is 30 feet high.", False),
    ],
)
def test_number_without_a_unit_has_that_of_its_source(
    answer: str, text: str, other: str, passage: str, expected: bool
) -> None:
    assert has_other_values(answer, text, other, passage) == expected


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_answer_and_text_are_compared(answer: str, text: str) -> None:
    is_stated(answer, text)
    has_other_values(answer, text, text, answer)


@given(st.text(max_size=30))
def test_answer_with_a_word_of_content_stands_in_itself(answer: str) -> None:
    passage = f"Veil {answer}"
    assert is_stated(passage, passage)
