"""Prints any report of measures as tables: the same way for `rarr eval`, `verify`, `label` and `bench`."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rarr.evals.metrics import Measured
from rarr.views.revision_text import drawn
from rarr.views.shown_text import one_line

_LONG = 200  # characters of a text in a report
_SHORT = 12  # cells of a row, at most; more become rows of their own


def as_tables(report: BaseModel | Mapping[str, Any], out: Path | None = None, noun: str = "report") -> str:
    """Writes the counts and texts of a report in lines, its measures in tables, and where all of it is.

    Records of the same measures by name, such as judges or systems, become the rows of one table. Lists, such
    as the rows of the data, are counted.
    """
    return tabular(_parts("", _fields(report))) + (f"\n{noun}: {out}\n" if out else "")


def tabular(parts: Iterable[RenderableType]) -> str:
    """Draws tables, without spaces at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in drawn(parts).splitlines())


def _parts(title: str, fields: Mapping[str, Any]) -> Iterator[Text | Group]:
    simple = {name: _line(value) for name, value in fields.items() if _is_simple(value)}
    lines = [f"{_words(name)}: {shown}" for name, shown in simple.items() if shown not in ("", "-")]
    if lines:
        yield Text("\n".join([f"\n{title}"] * bool(title) + lines))
    measures = {name: value for name, value in fields.items() if isinstance(value, Measured)}
    yield from _table(title, {name: _measured(value) for name, value in measures.items()})
    for name, value in fields.items():
        if name in simple or name in measures or not (inner := _fields(value)):
            continue
        about = f"{title}, {_words(name)}" if title else _words(name)
        rows = {key: _cells(_fields(record)) or {} for key, record in inner.items()}
        alike = set[str].intersection(*map(set, rows.values())) and max(map(len, rows.values())) <= _SHORT
        measured = all(isinstance(each, Measured) for each in inner.values())
        yield from _table(about, rows) if alike and not measured else _parts(about, inner)


def _cells(fields: Mapping[str, Any], prefix: str = "") -> dict[str, str] | None:
    """Writes the values of a record as cells by name; None if it holds more than values."""
    cells: dict[str, str] = {}
    for name, value in fields.items():
        key = f"{prefix}{_words(name)}"
        if isinstance(value, Measured):
            interval = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
            cells[key] = _line(value.value) + interval
        elif _is_simple(value):
            cells |= {key: shown} if (shown := _line(value)) else {}
        elif (inner := _cells(_fields(value), f"{key} ")) is not None:
            cells |= inner
        else:
            return None
    return cells


def _table(title: str, rows: Mapping[str, Mapping[str, str]]) -> Iterator[Group]:
    """Makes a table under its title."""
    if not rows:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column(Text())
    head = list(dict.fromkeys(name for row in rows.values() for name in row))
    for name in head:
        table.add_column(Text(_words(name)), justify="right", no_wrap=True)
    for key, row in rows.items():
        table.add_row(Text(_words(key)), *(Text(row.get(name, "")) for name in head))
    yield Group(*[Text(f"\n{title}")] * bool(title), table)


def _fields(value: Any) -> Mapping[str, Any]:
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else {}


def _is_simple(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | tuple | list)


def _line(value: Any) -> str:
    if isinstance(value, tuple | list):
        texts = all(isinstance(each, str) for each in value) and len(value) <= _SHORT
        return one_line(", ".join(value), _LONG) if texts else str(len(value))
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else one_line(str(value), _LONG)


def _measured(measure: Measured) -> dict[str, str]:
    interval = "-" if measure.low is None else f"{measure.low:.3f} to {measure.high:.3f}"
    counts = {"n": str(measure.n), "not judged": str(measure.unjudged)}
    return {"value": _line(measure.value), "95% interval": interval, **counts}


def _words(name: str) -> str:
    return one_line(name.replace("_", " "), _LONG)
