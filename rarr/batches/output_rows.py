"""Writes rows to files of JSON lines, CSV and Parquet. A file gets its name when it is complete."""

import csv
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic_core import to_json

from rarr.batches.input_rows import ROWS, format_of, require_parquet
from rarr.errors import InputError
from rarr.tools.storage.files import replaced

Row = Mapping[str, Any]
ColumnType = Literal["string", "bool", "int", "float", "strings", "json"]
"""The type of a column. `strings` are lists of texts, and `json` is everything else, written as JSON."""


def write_rows(path: Path, rows: Iterable[Row], columns: Mapping[str, ColumnType], source: Path) -> None:
    """Writes the rows to `path`, in the format of its ending, in place of an earlier file.

    `columns` are the columns in their order, and `source` is the file of the input: between two files of
    Parquet its columns keep their types. Raises `InputError` for a path that cannot be written.
    """
    kind = format_of(path)
    try:
        with replaced(path) as part:
            if kind == "parquet":
                _write_parquet(part, rows, columns, source)
                return
            with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
                if kind == "jsonl":
                    file.writelines(f"{json_text(row)}\n" for row in rows)
                    return
                writer = csv.DictWriter(file, [*columns], lineterminator="\n")
                writer.writeheader()
                writer.writerows({name: _cell(row.get(name)) for name in columns} for row in rows)
    except OSError as error:
        told = "correct that, and run again, which writes what is done"
        raise InputError(f"{path} cannot be written ({error.strerror or error}): {told}") from None


def json_text(value: object) -> str:
    """Writes a value as JSON. Dates and the like become text, bytes base64, and NaN and infinity null."""
    return to_json(value, inf_nan_mode="null", bytes_mode="base64", fallback=str).decode()


def _cell(value: object) -> object:
    """Returns what stands in a cell: JSON for lists and objects, true or false, and base64 for bytes."""
    if isinstance(value, bool | list | dict):
        return json_text(value)
    return json_text(value).strip('"') if isinstance(value, bytes) else value


class ColumnTypes:
    """Collects the types of the columns of all rows, in the order in which the columns appear first."""

    def __init__(self) -> None:
        self._types: dict[str, ColumnType | None] = {}

    def add(self, row: Row) -> None:
        """Notes the types of the values of one row."""
        for name, value in row.items():
            self._types[name] = _common(self._types.get(name), _type_of(value))

    def by_name(self) -> dict[str, ColumnType]:
        """Returns the type of each column: float for integers and others, json where types are mixed."""
        return {name: kind or "string" for name, kind in self._types.items()}


def _type_of(value: object) -> ColumnType | None:
    if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < 1 << 63:
        return "json"
    kinds: dict[type, ColumnType | None] = {
        bool: "bool", int: "int", float: "float", str: "string", type(None): None,
    }  # fmt: skip
    return kinds.get(type(value), "json")


def _common(one: ColumnType | None, other: ColumnType | None) -> ColumnType | None:
    if one == other or None in (one, other):
        return one or other
    return "float" if {one, other} == {"int", "float"} else "json"


def _typed(value: Any, column: ColumnType) -> Any:
    """Returns the value as the type of its column has it."""
    if value is None or column in ("string", "bool", "int", "strings"):
        return value
    return float(value) if column == "float" else json_text(value)


def _write_parquet(path: Path, rows: Iterable[Row], columns: Mapping[str, ColumnType], source: Path) -> None:
    """Writes the rows to a new file, a group at a time."""
    require_parquet()
    import pyarrow
    import pyarrow.parquet

    kinds = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    kinds |= {
        "string": pyarrow.string(),
        "json": pyarrow.string(),
        "strings": pyarrow.list_(pyarrow.string()),
    }
    own = pyarrow.parquet.read_schema(source) if format_of(source) == "parquet" else pyarrow.schema([])
    new = {name: kind for name, kind in columns.items() if name not in own.names}
    fields = [(name, kinds[new[name]]) if name in new else own.field(name) for name in columns]
    left, schema = iter(rows), pyarrow.schema(fields)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(left, ROWS)):
            values = [{**row, **{name: _typed(row.get(name), new[name]) for name in new}} for row in group]
            writer.write_table(pyarrow.Table.from_pylist(values, schema))
