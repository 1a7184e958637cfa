"""A rate is no plain amount: 5 mg/kg is not 5 mg."""

import pytest

from rarr.backends.rules.quantities import quantities
from rarr.backends.rules.quantity_comparison import same_quantity


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("5 mg/kg", "kilogram"),
        ("5 mg per kg of body weight", "kilogram"),
        ("€20/hour", "hour"),
        ("20 euros an hour", "hour"),
        ("20 ml/min", "minute"),
        ("12 euros monthly", "month"),
        ("30,000 euros per annum", "year"),
        ("40 litres of water a minute", "minute"),
        ("5 mg once a day", ""),
        ("20 mg a dose", ""),
        ("20 people", ""),
    ],
)
def test_rate_is_read(text: str, per: str) -> None:
    assert next(quantities(f"{text}.")).per == per


def test_end_of_a_text_leaves_open_whether_it_is_a_rate() -> None:
    assert next(quantities("5 mg")).per is None


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("5 mg", "5 mg/kg", None),
        ("€20", "€20 an hour", None),
        ("20 ml/min", "20 ml per minute", True),
        ("20 ml/min", "30 ml/min", False),
        ("20 ml/min", "20 ml/hour", None),
    ],
)
def test_only_rates_of_the_same_are_compared(first: str, second: str, same: bool | None) -> None:
    left, right = (next(quantities(f"It is {text}.")) for text in (first, second))
    assert same_quantity(left, right) is same
