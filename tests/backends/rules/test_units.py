import pytest

from rarr.backends.rules.units import base_unit, from_base, to_base


@pytest.mark.parametrize(
    ("form", "unit", "size"),
    [
        ("km", "metre", 1000),
        ("Kilometres", "metre", 1000),
        ("square miles", "square metre", 2589988.11),
        ("mph", "kilometre per hour", 1.609344),
        ("MW", "watt", 1e6),
    ],
)
def test_base_unit(form: str, unit: str, size: float) -> None:
    assert base_unit(form) == (unit, size)


@pytest.mark.parametrize("form", ["mw", "parsec"])
def test_word_that_is_no_unit(form: str) -> None:
    with pytest.raises(KeyError):
        base_unit(form)


@pytest.mark.parametrize("form", ["feet", "tonnes", "acres", "°F", "degrees Celsius", "weeks"])
def test_conversion_to_the_base_unit_and_back(form: str) -> None:
    assert from_base(to_base(12.5, form), form) == pytest.approx(12.5)


def test_temperatures_have_an_offset() -> None:
    assert to_base(212, "°F") == pytest.approx(100)
