"""Compares two quantities: can they mean the same?"""

from rarr.backends.rules.quantities import CLOCK, Quantity
from rarr.backends.rules.units import to_base

_SAME_BOUND = 0.01
"""The share by which two bounds may differ that mean the same."""
CONVERSION_ERROR = 0.02
"""The share by which a number may differ from the one that it was converted from."""
_ROUNDING_ERROR = 1e-9
"""The share by which floating-point results of the same number may differ."""
_HALF_DAY_MINUTES = 720


def same_quantity(first: Quantity, second: Quantity) -> bool | None:
    """Can two quantities mean the same? None where their units do not compare, or only one is a rate."""
    if first.unit != second.unit or (first.per != second.per and None not in (first.per, second.per)):
        return None
    if first.unit == CLOCK:
        return _same_time(first, second)
    if first.bounded_side and first.bounded_side == second.bounded_side:
        # Two bounds on one side always overlap: "up to 38.4" and "up to 39.4".
        return abs(first.amount - second.amount) <= _SAME_BOUND * abs(second.amount)
    if abs(first.amount - second.amount) <= _ROUNDING_ERROR * abs(second.amount):
        return True
    # Conversions round: 60 metres are given as 197 feet. Otherwise ranges that only touch have nothing in
    # common: 1.6 and 1.7 are no roundings of one number.
    slack = (CONVERSION_ERROR if is_converted(first, second) else -_ROUNDING_ERROR) * abs(second.amount)
    return first.low < second.high + slack and second.low < first.high + slack


def is_converted(first: Quantity, second: Quantity) -> bool:
    """Are the quantities in two units, such as feet and metres? "m" and "metres" are one unit."""
    forms = (first.form, second.form)
    return all(forms) and len({to_base(1, form) for form in forms}) > 1


def _same_time(first: Quantity, second: Quantity) -> bool | None:
    """Are two times of day the same? None for 7:30 and 7:30 pm, since 7:30 may be in the evening."""
    marked = [time.tail > time.end for time in (first, second)]
    if abs(first.amount - second.amount) == _HALF_DAY_MINUTES and marked[0] != marked[1]:
        return None
    return first.amount == second.amount
