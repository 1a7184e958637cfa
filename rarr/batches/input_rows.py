"""Reads rows from files of JSON lines, CSV and Parquet, one at a time, however long the file is."""

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from rarr.errors import InputError, SetupError
from rarr.tools.text.wording import counted
from rarr.valid_unicode import valid

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
LONGEST = 64 << 20
"""The most bytes of a line, and characters of a cell. A longer one would fill the memory."""
ROWS = 1000
"""The rows of one group of a Parquet file, which are in memory at once."""

_ONE = "put one JSON object on each line"
_MORE_CELLS: Any = object()
"""The key of the cells of a row that have no column. It is no text, since a column may have any name."""


class InputRow(NamedTuple):
    """One row: its number from 1 and its columns, or the `problem` because of which it cannot be used.

    `line` is the number of its last line, in a file of lines: blank lines are no rows.
    """

    number: int
    columns: dict[str, Any]
    problem: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        """Names the row in a message: by its number, and by its line if that is another number."""
        return f"row {self.number}" + (f" (line {self.line})" if self.line not in (None, self.number) else "")


def format_of(path: Path) -> str:
    """Returns jsonl, csv or parquet by the ending. Raises `InputError` for another ending."""
    if (kind := FORMATS.get(path.suffix.lower())) is None:
        told = "give a file of JSON lines, CSV or Parquet, named .jsonl, .csv or .parquet"
        raise InputError(f"{path} has no known ending: {told}")
    return kind


def input_rows(path: Path) -> Iterator[InputRow]:
    """Yields the rows of a file. Raises `InputError` for a file that cannot be read, or not to its end."""
    kind = format_of(path)
    try:
        if kind == "parquet":
            yield from _parquet_rows(path)
        else:
            with path.open("rb") as file:
                yield from _json_rows(file) if kind == "jsonl" else _csv_rows(path, file)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror or error}): give the path of a file"
        ) from None


def _json_rows(file: IO[bytes]) -> Iterator[InputRow]:
    """Yields a row for each line of JSON that is not blank. A line that is no object has a problem."""
    number = 0
    for place, line in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), start=1):
        too_long, rest = len(line) > LONGEST, line
        while too_long and rest and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST)
        if not line.strip(b" \t\r\n\xef\xbb\xbf"):
            continue
        number += 1
        if too_long:
            yield InputRow(number, {}, f"it has more than {LONGEST >> 20} MB: divide the text", place)
        else:
            yield InputRow(number, *_json_columns(line), place)


def _json_columns(line: bytes) -> tuple[dict[str, Any], str]:
    """Returns the columns of a line, or the reason why it has none."""
    try:
        value = valid(json.loads(line.decode("utf-8-sig"), object_pairs_hook=_object))
    except InputError as error:
        return {}, str(error)
    except UnicodeDecodeError as error:
        at = f"byte 0x{line[error.start]:02x} at {error.start}"
        return {}, f"it is not UTF-8 ({at}): save the file as UTF-8"
    except json.JSONDecodeError as error:
        return {}, f"it is not JSON ({error.msg}, at character {error.colno}): {_ONE}"
    except (ValueError, RecursionError) as error:
        return {}, f"it is not JSON that can be read ({error}): {_ONE}"
    if not isinstance(value, dict):
        return {}, f"it is JSON, but not an object in braces: {_ONE}"
    return value, ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of its keys and values. Raises `InputError` for two values of one key."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise InputError(f"it has {_repeated([name for name, _ in pairs])!r} twice: rename one of them")
    return value


def _repeated(names: list[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)


def _csv_rows(path: Path, file: IO[bytes]) -> Iterator[InputRow]:
    csv.field_size_limit(min(LONGEST, sys.maxsize))
    # Strict: a quote that is never closed would make one row of all rows after it.
    reader = csv.DictReader(_lines(path, file), restkey=_MORE_CELLS, restval=None, strict=True)
    try:
        names = list(reader.fieldnames or ())
        if len(names) == 1 and (mark := next((mark for mark in ";\t" if mark in names[0]), None)):
            raise InputError(f"{path} separates its cells by {mark!r}: separate them by commas")
        if twice := _repeated(names):
            raise InputError(f"{path} has two columns {twice!r}: rename one of them")
        for number, cells in enumerate(reader, start=1):
            more = counted(len(cells.pop(_MORE_CELLS, None) or ()), "cell")
            problem = f"it has {more} more than the header: put cells with commas in quotes"
            problem = "" if more.startswith("0 ") else problem
            yield InputRow(number, valid(dict(cells)), problem, reader.line_num)
    except UnicodeDecodeError:
        told = "is not UTF-8: convert the file, as with iconv -f LATIN1 -t UTF-8"
        raise InputError(f"{path}, line {reader.line_num + 1}, {told}") from None
    except csv.Error as error:
        told = f"is not CSV ({error}): close each quote, and double quotes within a cell"
        raise InputError(f"{path}, after line {reader.line_num}, {told}") from None


def _lines(path: Path, file: IO[bytes]) -> Iterator[str]:
    encoding = "utf-8-sig"
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise InputError(f"{path} has a line of more than {LONGEST >> 20} MB: divide the text")
        yield line.decode(encoding)
        encoding = "utf-8"


def require_parquet() -> None:
    """Raises `SetupError` where pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise SetupError('Parquet needs a package: pip install "rarr[parquet]"') from None


def _parquet_rows(path: Path) -> Iterator[InputRow]:
    require_parquet()
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            groups = file.iter_batches(batch_size=ROWS)
            rows = (columns for group in groups for columns in group.to_pylist())
            yield from (InputRow(number, columns) for number, columns in enumerate(rows, start=1))
    except pyarrow.ArrowInvalid as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read ({reason}): give a file of Parquet") from None
