"""Reads and writes rows of JSON lines, CSV and Parquet. A file may be larger than the memory."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json

from rarr.errors import InputError, SetupError
from rarr.retrievers.extract.documents import rows_with_long_cells
from rarr.tools.storage.files import replacement_file
from rarr.valid_unicode import valid

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
LINE_MAX = 64 << 20
"""The most bytes of a line of JSON, and the most characters of a CSV cell. More would fill the memory."""
_ROWS_IN_MEMORY = 1000  # rows of a Parquet file that are read or written at once

ColumnType = Literal["string", "bool", "int", "float", "strings", "json"]
"""The type of a column. `strings` are lists of texts. `json` is any other value, written as JSON."""


class InputRow(NamedTuple):
    """A row of a file, its place (such as "line 3"), and `problem`: why the row is unusable, or ""."""

    place: str
    columns: dict[str, Any]
    problem: str = ""


def file_format(path: Path) -> str:
    """Returns "jsonl", "csv" or "parquet" by the file extension. Raises `InputError` or `SetupError`."""
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path} has no known ending: name the file .jsonl, .csv or .parquet")
    if kind == "parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise SetupError('Parquet needs a package: pip install "rarr[parquet]"') from None
    return kind


def input_rows(path: Path) -> Iterator[InputRow]:
    """Yields the rows of a file. Raises `InputError` if the file or a part of the file cannot be read."""
    reader = {"jsonl": _json_rows, "csv": _csv_rows, "parquet": _parquet_rows}[file_format(path)]
    try:
        yield from reader(path)
    except OSError as error:
        why = error.strerror or str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read ({why}): give the path of a file") from None


def _json_rows(path: Path) -> Iterator[InputRow]:
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE_MAX + 1), b""), start=1):
            if len(line) > LINE_MAX:
                raise InputError(f"{path}, line {number}, has more than {LINE_MAX >> 20} MB: divide the text")
            if not line.strip(b" \t\r\n\xef\xbb\xbf"):
                continue
            try:
                value, problem = valid(json.loads(line.decode("utf-8-sig"))), ""
            except (ValueError, RecursionError) as error:
                value, problem = None, f" ({error})"
            is_object = isinstance(value, dict)
            why = f"it is no JSON object{problem}: put one JSON object in UTF-8 on each line"
            yield InputRow(f"line {number}", value if is_object else {}, "" if is_object else why)


def _csv_rows(path: Path) -> Iterator[InputRow]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        # Without `strict`, a quote that is never closed would join all later rows into one row.
        reader: csv.DictReader[Any] = csv.DictReader(file, strict=True)
        try:
            names = list(reader.fieldnames or ())
            if twice := [name for name in names if names.count(name) > 1]:
                raise InputError(f"{path} has two columns named {twice[0]!r}: rename one of them")
            for number, cells in enumerate(rows_with_long_cells(reader, LINE_MAX), start=1):
                more = cells.pop(None, None)  # the key None has the cells without a column
                problem = "it has more cells than the header: put cells with commas in quotes" if more else ""
                yield InputRow(f"row {number}", valid(dict(cells)), problem)
        except (UnicodeDecodeError, csv.Error) as error:
            cure = "separate cells by commas, close each quote, double quotes within a cell"
            cure = "save it as UTF-8" if isinstance(error, UnicodeDecodeError) else cure
            why = f"is no CSV in UTF-8 ({error}): {cure}"
            raise InputError(f"{path}, after line {reader.line_num}, {why}") from None


def _parquet_rows(path: Path) -> Iterator[InputRow]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            groups = file.iter_batches(batch_size=_ROWS_IN_MEMORY)
            rows = (columns for group in groups for columns in group.to_pylist())
            yield from (InputRow(f"row {number}", columns) for number, columns in enumerate(rows, start=1))
    except pyarrow.ArrowInvalid as error:
        raise OSError(str(error)) from None


def write_rows(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnType], source: Path
) -> None:
    """Writes the rows to `path`, in the format of its file extension. Replaces an existing file.

    `columns` has the names of the columns in order, with types. If `path` and the input file `source` are
    both Parquet, the input's columns keep their types. Raises `InputError` if `path` cannot be written.
    """
    kind = file_format(path)
    try:
        with replacement_file(path) as part:
            if kind == "parquet":
                _write_parquet(part, rows, columns, source)
                return
            with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
                if kind == "jsonl":
                    file.writelines(f"{json_text(row)}\n" for row in rows)
                    return
                writer = csv.DictWriter(file, [*columns], lineterminator="\n")
                writer.writeheader()
                writer.writerows({name: _csv_cell(row.get(name)) for name in columns} for row in rows)
    except OSError as error:
        cure = "correct that, and run again, which writes what is done"
        raise InputError(f"{path} cannot be written ({error.strerror or error}): {cure}") from None


def json_text(value: object) -> str:
    """Writes a value as JSON. A date becomes text, bytes become base64, NaN and infinity become null."""
    return to_json(value, inf_nan_mode="null", bytes_mode="base64", fallback=str).decode()


def _csv_cell(value: object) -> object:
    if isinstance(value, bool | list | dict):
        return json_text(value)
    return json_text(value).strip('"') if isinstance(value, bytes) else value


def common_type(known: ColumnType | None, value: object) -> ColumnType | None:
    """Returns a column type for values of type `known` and also for `value`. None: no value so far."""
    kinds: dict[type, ColumnType] = {bool: "bool", int: "int", float: "float", str: "string"}
    kind: ColumnType | None = None if value is None else kinds.get(type(value), "json")
    if kind == "int" and not -(1 << 63) <= value < 1 << 63:  # type: ignore[operator]  # it is a number
        kind = "json"
    if kind == known or None in (kind, known):
        return kind or known
    return "float" if {kind, known} == {"int", "float"} else "json"


def _write_parquet(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnType], source: Path
) -> None:
    import pyarrow
    import pyarrow.parquet

    kinds = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    kinds["strings"] = pyarrow.list_(pyarrow.string())
    own = pyarrow.parquet.read_schema(source) if file_format(source) == "parquet" else pyarrow.schema([])
    new = {name: kind for name, kind in columns.items() if name not in own.names}
    types = {name: kinds.get(kind, pyarrow.string()) for name, kind in new.items()}
    schema = pyarrow.schema([(name, types[name]) if name in new else own.field(name) for name in columns])
    written: dict[str, Callable[[Any], object]] = {"float": float, "json": json_text}
    left = iter(rows)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        while group := [dict(row) for row in islice(left, _ROWS_IN_MEMORY)]:
            for row, (name, kind) in ((row, item) for row in group for item in new.items()):
                if kind in written and row.get(name) is not None:
                    row[name] = written[kind](row[name])
            writer.write_table(pyarrow.Table.from_pylist(group, schema))
