"""Tests the values and names of a text, and their contradictions."""

import pytest

from rarr.backends.embedded.items import items_of
from rarr.backends.phrases import contradict, places_of, values_and_names


def test_words_of_a_name_are_one_phrase() -> None:
    text = "It was built by Ida Lunde of Norvik in 1901."
    found = [text[phrase.start : phrase.end] for phrase in values_and_names(text)]
    assert found == ["Ida Lunde", "Norvik", "1901"]


@pytest.mark.parametrize(
    ("one", "other", "rivals"),
    [
        ("it 221 m", "it 222 metres", True),
        ("it 221 m", "it 0.221 km", False),
        ("it 221 m", "it 221 kg", False),
        ("it Ida Lunde", "it Tom Berg", True),
        ("it Ida Lunde", "it Lunde", False),
        ("it Bolivia", "it Bolivian", False),
        ("it Norvik", "it 1901", False),
    ],
)
def test_rivals_are_of_one_kind(one: str, other: str, rivals: bool) -> None:
    assert contradict(*values_and_names(one), *values_and_names(other)) is rivals


def test_places_in_any_form() -> None:
    passage = "The looms burned in 1950. Nobody burns looms."
    places = places_of(items_of("looms burning"), passage)
    assert [passage[start:end] for start, end in places] == ["looms burned"]
