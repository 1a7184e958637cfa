"""Finds one type for each column, as Parquet needs, from the values of all rows."""

from collections.abc import Mapping
from typing import Any, Literal

from rarr.batches.json_text import json_text

ColumnType = Literal["string", "bool", "int", "float", "strings", "json"]
"""The type of a column. `strings` are lists of texts, and `json` is everything else, written as JSON."""


class ColumnTypes:
    """Collects the types of the columns of all rows, in the order in which the columns appear first."""

    def __init__(self) -> None:
        self._seen: dict[str, set[ColumnType]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Notes the types of the values of one row."""
        for name, value in row.items():
            seen = self._seen.setdefault(name, set())
            if value is not None:
                seen.add(_type_of(value))

    def by_name(self) -> dict[str, ColumnType]:
        """Returns the type of each column: float for integers and others, json where types are mixed."""
        return {name: _common(seen) for name, seen in self._seen.items()}

    def mixed(self) -> list[str]:
        """Returns the names of the columns whose values have several types."""
        return [name for name, seen in self._seen.items() if len(seen) > 1 and _common(seen) == "json"]


def _type_of(value: object) -> ColumnType:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if -(1 << 63) <= value < 1 << 63 else "json"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, str) else "json"


def _common(seen: set[ColumnType]) -> ColumnType:
    if len(seen) < 2:
        return next(iter(seen), "string")
    return "float" if seen == {"int", "float"} else "json"


def typed(value: Any, column: ColumnType) -> Any:
    """Returns the value as the type of its column has it."""
    if value is None or column in ("string", "bool", "int", "strings"):
        return value
    return float(value) if column == "float" else json_text(value)
