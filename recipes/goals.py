"""The goals, and the table that compares them with the measured figures.

`goals.json` has a line for each: the name of a measure, and `>= 0.5`, `<= 0.02` or `> rules`, where the other
side is a number or a system to beat.
"""

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.report import cell, table
from rarr.evals.metrics import Measured
from recipes.measures.context import COSINE, RULES, TRAINED, Figure

FILE = Path(__file__).with_name("goals.json")
COLUMNS = (TRAINED, RULES, COSINE)
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
Values = Mapping[str, Measured]  # of one measure by system


def goals() -> dict[str, str]:
    """The goals by measure."""
    goal_by_measure: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return goal_by_measure


def met(goal: str, values: Values) -> bool | None:
    """Does the figure of the trained system reach its goal? None if one of the two was not measured.

    Raises `ValueError` if `goal` is no goal.
    """
    sign, _, other = goal.partition(" ")
    if sign not in _SIGNS or not (other in COLUMNS or _number(other)):
        signs, systems = ", ".join(_SIGNS), ", ".join(COLUMNS)
        raise ValueError(f"{goal!r} is no goal: give one of {signs} and a number or one of {systems}")
    value = _value(values, TRAINED)
    limit = _value(values, other) if other in COLUMNS else float(other)
    return None if value is None or limit is None else _SIGNS[sign](value, limit)


def targets(figures: Sequence[Figure], goal_by_measure: Mapping[str, str]) -> str:
    """A line for each measure, and each goal without one: the goal, each system, and whether it is met."""
    by_measure: dict[str, dict[str, Measured]] = {}
    for measure, system, value in figures:
        by_measure.setdefault(measure, {})[system] = value
    for measure in goal_by_measure:
        by_measure.setdefault(measure, {})
    body = []
    for measure, values in by_measure.items():
        shown = [cell(values.get(system)) for system in COLUMNS]
        body.append(
            [measure, goal_by_measure.get(measure, "-"), *shown, _answer(goal_by_measure, measure, values)]
        )
    return table(["measure", "goal", *COLUMNS, "met"], body)


def _answer(goal_by_measure: Mapping[str, str], measure: str, values: Values) -> str:
    if measure not in goal_by_measure:
        return "-"
    return {True: "yes", False: "**no**", None: "not measured"}[met(goal_by_measure[measure], values)]


def _value(values: Values, system: str) -> float | None:
    return values[system].value if system in values else None


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
