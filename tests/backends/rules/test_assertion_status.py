"""What a sentence states, and what it only reports, doubts or denies."""

import pytest

from rarr.backends.rules.assertion_status import is_asserted

STATED = [
    "The pier was opened in 1898.",
    "Records show that the pier was opened in 1898.",
    "No one doubts that the pier was opened in 1898.",
    "It is no myth that the pier was opened in 1898.",
    "The clerk announced that the pier was opened in 1898.",
    "The contract provides that the pier closes in 1898.",
    "Reed built the hut that he called home in 1898.",
    "It is the pier that was opened in 1898.",
    "It is a fact that the pier was opened in 1898.",
]
NOT_STATED = [
    "It has been disproved that the pier was opened in 1898.",
    "The story that the pier was opened in 1898 is an invention.",
    "No record shows that the pier was opened in 1898.",
    "The mayor denies that the pier was opened in 1898.",
    "The clerk forecasts that the pier will open in 1898.",
    "Old maps erroneously date the pier to 1898.",
    "The opening is often misdated to 1898.",
    "The pier was once believed to date from 1898.",
    "It is doubtful whether the pier was opened in 1898.",
    "The pier could have opened in 1898.",
]


@pytest.mark.parametrize("text", STATED)
def test_clause_that_is_stated(text: str) -> None:
    assert is_asserted(text, len(text))


@pytest.mark.parametrize("text", NOT_STATED)
def test_denied_doubted_or_reported_clause_is_not_stated(text: str) -> None:
    assert not is_asserted(text, len(text))


def test_clause_before_a_report_is_stated() -> None:
    text = "In 1898 the mayor hoped that the pier would open in 1899."
    assert is_asserted(text, text.index("1898"))
    assert not is_asserted(text, text.index("1899"))
