"""Writes a report of measures as tables. `rarr eval`, `verify`, `label` and `bench` print such reports."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rarr.evals.metrics import Measurement
from rarr.views.revision_text import rich_text
from rarr.views.shown_text import one_line

_MOST_CHARACTERS = 200  # characters of a text in a report
_MOST_CELLS = 12  # of a row; a record with more measures is not written as one row


def as_tables(report: BaseModel | Mapping[str, Any], out: Path | None = None, noun: str = "report") -> str:
    """Writes a report: a line for each count or text, and tables of measures. The last line names `out`.

    A mapping of names (such as judges) to records of measures becomes one table, with a row for each name. A
    short list of texts is written in full; of other lists, the length is written.
    """
    return tables_text(_report_parts("", _fields_of(report))) + (f"\n{noun}: {out}\n" if out else "")


def tables_text(parts: Iterable[RenderableType]) -> str:
    """Writes tables as text, without spaces at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in rich_text(parts).splitlines())


def _report_parts(title: str, fields: Mapping[str, Any]) -> Iterator[Text | Group]:
    simple = {name: _value_text(value) for name, value in fields.items() if _is_simple(value)}
    if lines := [f"{_name_text(name)}: {it}" for name, it in simple.items() if it not in ("", "-")]:
        yield Text("\n".join([f"\n{title}"] * bool(title) + lines))
    for name in (name for name in fields if name not in simple):
        inner = _fields_of(fields[name])
        about = f"{title}, {_name_text(name)}" if title else _name_text(name)
        rows = {key: _row_cells(value) for key, value in inner.items()}
        is_table = rows and all(0 < len(cells) <= _MOST_CELLS for cells in rows.values())
        yield from _table(about, rows) if is_table else _report_parts(about, inner)


def _row_cells(value: Any) -> dict[str, str]:
    """Maps cell names to texts, for a measure or a record of measures and simple values. Else returns {}."""
    if isinstance(value, Measurement):
        interval = "-" if value.low is None else f"{value.low:.3f} to {value.high:.3f}"
        counts = {"n": str(value.n), "not judged": str(value.unjudged)}
        return {"value": _value_text(value.value), "95% interval": interval, **counts}
    fields = _fields_of(value)
    is_row = all(isinstance(each, Measurement) or _is_simple(each) for each in fields.values())
    return {_name_text(name): _value_text(each) for name, each in fields.items()} if is_row else {}


def _table(title: str, rows: Mapping[str, Mapping[str, str]]) -> Iterator[Group]:
    """Makes a table under the title `title`. In a narrow terminal, the text of a long cell is wrapped."""
    table = Table(box=None, pad_edge=False)
    table.add_column(Text(), overflow="fold")
    head = list(dict.fromkeys(name for row in rows.values() for name in row))
    for name in head:
        table.add_column(Text(_name_text(name)), justify="right", overflow="fold")
    for key, row in rows.items():
        table.add_row(Text(one_line(key, _MOST_CHARACTERS)), *(Text(row.get(name, "")) for name in head))
    yield Group(*[Text(f"\n{title}")] * bool(title), table)


def _fields_of(value: Any) -> Mapping[str, Any]:
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else {}


def _is_simple(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | tuple | list)


def _value_text(value: Any) -> str:
    if isinstance(value, Measurement):
        interval = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
        return f"{_value_text(value.value)}{interval} ({value.n} of {value.n + value.unjudged})"
    if isinstance(value, tuple | list):
        texts = all(isinstance(each, str) for each in value) and len(value) <= _MOST_CELLS
        return one_line(", ".join(value), _MOST_CHARACTERS) if texts else str(len(value))
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else one_line(str(value), _MOST_CHARACTERS)


def _name_text(name: str) -> str:
    return one_line(name.replace("_", " "), _MOST_CHARACTERS)
