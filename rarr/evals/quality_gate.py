"""Checks that the measures of a report are not below given limits, for automatic decisions."""

import math
from collections.abc import Mapping, Sequence

from rarr.errors import InputError
from rarr.evals.measures import NAMES, ROW_MEASURES, available
from rarr.evals.metrics import Measured
from rarr.evals.report_records import EvalReport

_NOISE = 1e-9  # 0.1 + 0.2 is not under 0.3


def limits_of(given: Sequence[str], names: Sequence[str] = NAMES) -> dict[str, float]:
    """Parses limits given as `measure=number`, from 0 to 1, for the measures `names`.

    Raises `InputError` for an unknown measure, a measure without its package, two limits, or a wrong number.
    """
    limits = dict[str, float]()
    for argument in given:
        name, _, number = (part.strip() for part in argument.partition("="))
        if name not in names:
            raise InputError(f"unknown measure {name!r} in {argument!r}: the measures are {', '.join(names)}")
        if name in ROW_MEASURES and name not in available():
            raise InputError(f'{name} needs a package: pip install "rarr[eval]"')
        if name in limits:
            raise InputError(f"{name} has two limits: give one")
        limits[name] = _number(number, argument)
    return limits


def _number(given: str, whole: str) -> float:
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(f"{whole!r} has no limit from 0 to 1: give one, such as f1_ap=0.6")
    return number


def under(report: EvalReport, limits: Mapping[str, float]) -> list[str]:
    """Writes a phrase for each measure that is under its limit, or may be; [] if all limits hold.

    A measure may be under its limit if no row was judged, or if rows have an error and some rows were not
    judged.
    """
    errors = sum(bool(row.error) for row in report.rows)
    phrases = (_short(name, report.measures.get(name, Measured()), limits[name], errors) for name in limits)
    return [phrase for phrase in phrases if phrase]


def _short(name: str, measured: Measured, limit: float, errors: int) -> str:
    value = measured.value
    if value is None:
        return f"{name} is not judged, under its limit {limit:g}"
    if value < limit - _NOISE:
        return f"{name} is {value:.6g}, under its limit {limit:g}"
    if errors and measured.unjudged:
        return f"{name} may be under its limit {limit:g}: it is not judged for rows with an error ({errors})"
    return ""
