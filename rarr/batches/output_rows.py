"""Writes rows to files of JSON lines, CSV and Parquet. A file gets its name when it is complete."""

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rarr.batches.column_types import ColumnType
from rarr.batches.input_rows import format_of
from rarr.batches.json_text import base64_or_text, json_text
from rarr.batches.parquet import write_parquet
from rarr.errors import InputError
from rarr.tools.storage.files import replaced

Row = Mapping[str, Any]


def write_rows(path: Path, rows: Iterable[Row], columns: Mapping[str, ColumnType], source: Path) -> None:
    """Writes the rows to `path`, in the format of its ending, in place of an earlier file.

    `columns` are the columns in their order, and `source` is the file of the input: between two files of
    Parquet its columns keep their types. Raises `InputError` for a path that cannot be written.
    """
    kind = format_of(path)
    try:
        with replaced(path) as part:
            if kind == "parquet":
                write_parquet(part, rows, columns, source)
            else:
                with _opened(part, packed=path.suffix.lower() == ".gz") as file:
                    file.writelines(_json_lines(rows) if kind == "jsonl" else _csv_lines(rows, list(columns)))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"{path} cannot be written ({reason}): correct that, and run again, which writes what is done"
        ) from None


@contextmanager
def _opened(path: Path, *, packed: bool) -> Iterator[IO[bytes]]:
    with cast(IO[bytes], gzip.open(path, "wb") if packed else path.open("wb")) as file:
        yield file


def json_line(row: Row) -> bytes:
    """Writes a row as one line of JSON; see `json_text`."""
    return json_text(dict(row)).encode("utf-8", "replace") + b"\n"


def _json_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    return map(json_line, rows)


def _csv_lines(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: cell(row.get(name)) for name in columns})
        yield text.getvalue().encode("utf-8", "replace")
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


def cell(value: object) -> object:
    """Returns what stands in a cell: JSON for lists and objects, true or false, and base64 for bytes."""
    if isinstance(value, bool | list | dict):
        return json_text(value)
    return base64_or_text(value) if isinstance(value, bytes) else value
