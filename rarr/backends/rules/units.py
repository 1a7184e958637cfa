"""Converts units of measure, in all their written forms, to and from the base unit of their dimension."""

import re

# dimension -> written forms -> size in the base unit (the first entry of the dimension).
_UNITS: dict[str, dict[str, float]] = {
    "metre": {
        "metre|metres|meter|meters|m": 1.0,
        "kilometre|kilometres|kilometer|kilometers|km|kms": 1000.0,
        "centimetre|centimetres|centimeter|centimeters|cm": 0.01,
        "millimetre|millimetres|millimeter|millimeters|mm": 0.001,
        "mile|miles|mi": 1609.344,
        "foot|feet|ft": 0.3048,
        "inch|inches": 0.0254,
        "yard|yards|yd": 0.9144,
        "nautical mile|nautical miles": 1852.0,
        "light-year|light-years|light year|light years": 9.4607e15,
    },
    "kilogram": {
        "kilogram|kilograms|kilogramme|kilogrammes|kg": 1.0,
        "gram|grams|g": 0.001,
        "milligram|milligrams|mg": 1e-6,
        "microgram|micrograms|µg|μg|mcg": 1e-9,
        "tonne|tonnes|metric ton|metric tons": 1000.0,
        "ton|tons": 1000.0,
        "pound|pounds|lb|lbs": 0.45359237,
        "ounce|ounces|oz": 0.028349523,
    },
    "square metre": {
        "square metre|square metres|square meter|square meters|sq m|m²": 1.0,
        "square kilometre|square kilometres|square kilometer|square kilometers|sq km|km²|km2": 1e6,
        "square mile|square miles|sq mi": 2589988.11,
        "square foot|square feet|sq ft": 0.09290304,
        "hectare|hectares|ha": 1e4,
        "acre|acres": 4046.8564224,
    },
    "litre": {
        "litre|litres|liter|liters|l": 1.0,
        "millilitre|millilitres|milliliter|milliliters|ml": 0.001,
        "gallon|gallons": 3.785411784,
        "pint|pints": 0.473176473,
        "cup|cups": 0.2365882365,
        "tablespoon|tablespoons|tbsp": 0.01478676478125,
        "teaspoon|teaspoons|tsp": 0.00492892159375,
        "cubic metre|cubic metres|cubic meter|cubic meters|m³": 1000.0,
    },
    "second": {
        "second|seconds|s": 1.0,
        "minute|minutes|min": 60.0,
        "hour|hours|hr|hrs": 3600.0,
    },
    "day": {"day|days": 1.0, "week|weeks": 7.0, "fortnight|fortnights": 14.0},
    "year": {
        "year|years|yr|yrs": 1.0,
        "month|months": 1 / 12,
        "decade|decades": 10.0,
        "century|centuries": 100.0,
    },
    "kilometre per hour": {
        "kilometres per hour|kilometers per hour|km/h|kph": 1.0,
        "miles per hour|mph": 1.609344,
        "knots|knot": 1.852,
        "metres per second|meters per second|m/s": 3.6,
    },
    "watt": {
        "watt|watts|W": 1.0,
        "kilowatt|kilowatts|kW": 1e3,
        "megawatt|megawatts|MW": 1e6,
        "gigawatt|gigawatts|GW": 1e9,
        "horsepower|hp": 745.7,
    },
    "byte": {
        "byte|bytes": 1.0,
        "kilobyte|kilobytes|KB": 1e3,
        "megabyte|megabytes|MB": 1e6,
        "gigabyte|gigabytes|GB": 1e9,
        "terabyte|terabytes|TB": 1e12,
    },
    "degree": {
        "degree Celsius|degrees Celsius|°C|°c": 1.0,
        "degree Fahrenheit|degrees Fahrenheit|°F|°f": 1.0,
    },
}  # fmt: skip
# Abbreviations with other meanings are units only in exactly this case.
_CASED = {"m", "g", "s", "l", "W", "kW", "MW", "GW", "KB", "MB", "GB", "TB", "min", "ha", "mi"}

_FORMS: dict[str, tuple[str, float]] = {
    form: (dimension, size)
    for dimension, forms in _UNITS.items()
    for written, size in forms.items()
    for form in written.split("|")
}
_LOWER = {form.lower(): entry for form, entry in _FORMS.items() if form not in _CASED}
MEASURES = "|".join(
    re.escape(form) if form in _CASED else f"(?i:{re.escape(form)})"
    for form in sorted(_FORMS, key=len, reverse=True)
)


def base_unit(form: str) -> tuple[str, float]:
    """Returns the base unit of a written unit, and the size of the written unit in it.

    Raises `KeyError` for an unknown unit.
    """
    return _FORMS[form] if form in _FORMS else _LOWER[form.lower()]


def to_base(amount: float, form: str) -> float:
    """Converts `amount` from a written unit to its base unit; temperatures also have an offset."""
    if form.lower().endswith(("fahrenheit", "°f")):
        return (amount - 32) * 5 / 9
    return amount * base_unit(form)[1]


def from_base(amount: float, form: str) -> float:
    """Converts `amount` from the base unit to a written unit: the inverse of `to_base`."""
    if form.lower().endswith(("fahrenheit", "°f")):
        return amount * 9 / 5 + 32
    return amount / base_unit(form)[1]
