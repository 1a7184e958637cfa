"""Limits that measures must not be under, for whoever lets a machine decide."""

import math
from collections.abc import Mapping, Sequence

from rarr.errors import InputError
from rarr.evals.measures import NAMES, ROW_MEASURES, available
from rarr.evals.metrics import Measured
from rarr.evals.reports import EvalReport

_NOISE = 1e-9  # 0.1 + 0.2 is not under 0.3


def limits_of(given: Sequence[str]) -> dict[str, float]:
    """The limits given as `measure=number`. Raises `InputError` for any that no run could be held to."""
    limits = dict[str, float]()
    for one in given:
        name, _, number = (part.strip() for part in one.partition("="))
        if name not in NAMES:
            raise InputError(f"unknown measure {name!r} in {one!r}: measures are {', '.join(NAMES)}")
        if name in ROW_MEASURES and name not in available():
            raise InputError(f'{name} needs a package: pip install "rarr[eval]"')
        if name in limits:
            raise InputError(f"{name} has two limits: give one")
        limits[name] = _number(number, one)
    return limits


def _number(given: str, whole: str) -> float:
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(f"{whole!r} has no limit from 0 to 1: give one, as in f1_ap=0.6")
    return number


def under(report: EvalReport, limits: Mapping[str, float]) -> list[str]:
    """What is under its limit, a phrase each, and what may be: nobody knows that it is not.

    That is a measure that was not judged for any row, or, where rows have an error, not for every row.
    """
    errors = sum(bool(row.error) for row in report.rows)
    said = (_short(name, report.measures.get(name, Measured()), limits[name], errors) for name in limits)
    return [one for one in said if one]


def _short(name: str, measured: Measured, limit: float, errors: int) -> str:
    value = measured.value
    if value is None:
        return f"{name} is not judged, under its limit {limit:g}"
    if value < limit - _NOISE:
        return f"{name} is {value:.6g}, under its limit {limit:g}"
    if errors and measured.unjudged:
        return f"{name} may be under its limit {limit:g}: it is not judged for rows with an error ({errors})"
    return ""
