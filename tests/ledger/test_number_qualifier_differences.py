"""Bounds of numbers are read before and after the number."""

import pytest

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.values_given_as_bounds import number_bound


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 40 metres long.", ""),
        ("It is more than 40 metres long.", "above"),
        ("It is longer than 40 metres.", "above"),
        ("It costs over €40 a day.", "above"),
        ("It has fewer than 40 rooms.", "below"),
        ("It has almost 40 rooms.", "below"),
        ("It has at least 40 rooms.", "at least"),
        ("It has 40 rooms or more.", "at least"),
        ("It has up to 40 rooms.", "at most"),
        ("It has no more than 40 rooms.", "at most"),
        ("It has more than enough light and 40 rooms.", ""),
    ],
)
def test_bound_of_a_number(text: str, expected: str) -> None:
    part = parsed_sentence(text)
    [number] = [value for value in part.values if value.kind == "number"]
    assert number_bound(part, number) == expected
