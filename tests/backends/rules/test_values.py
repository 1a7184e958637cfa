from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rarr.backends.rules.values import checkable_values, same_value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Paris opened on 27 May 1937.", [("Paris", "name"), ("27 May 1937", "date")]),
        ("It is the second-largest of 12.", [("second-largest", "term"), ("12", "number")]),
        ("Apollo 11 landed in 1969.", [("Apollo 11", "name"), ("1969", "date")]),
        ("North Korea lies in the north.", [("North Korea", "name"), ("north", "term")]),
        ("There is nothing here.", []),
    ],
)
def test_finds_every_kind_in_order(text: str, values: list[tuple[str, str]]) -> None:
    assert [(text[v.start : v.end], v.kind) for v in checkable_values(text)] == values


WORDS = ["In May 1937", "the 12", "second-largest", "Apollo 11", "a mile", "of", "“X Y”", "Paris,", "%"]


@given(st.lists(st.sampled_from(WORDS)))
def test_values_never_overlap(words: list[str]) -> None:
    assert all(value.end <= other.start for value, other in pairwise(checkable_values(" ".join(words))))


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [("1937", "1937", True), ("Paris", "London", False), ("12", "Paris", None), ("north", "south", False)],
)
def test_values_of_one_kind_compare(first: str, second: str, verdict: bool | None) -> None:
    assert same_value(checkable_values(first)[0], checkable_values(second)[0]) is verdict
