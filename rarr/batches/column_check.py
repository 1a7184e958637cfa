"""Looks for the columns of a batch in its rows, before anything is spent on them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rarr.batches.column_mapping import Columns, taken, taken_columns
from rarr.batches.input_rows import InputRow, input_rows
from rarr.batches.json_text import json_text

FIRST_ROWS = 1000
"""The rows of a file in which a column is looked for: a row may lack a column that it has no value for."""


def require_columns(columns: Columns, path: Path) -> None:
    """Raises `InputError` if none of the first rows of a file has a column, or if one has that of a result.

    A file without a row that can be read is not refused: each of its rows has a problem of its own.
    """
    names, rows = dict[str, Any](), 0
    for row in islice(input_rows(path), FIRST_ROWS):
        names |= dict.fromkeys(row.columns)
        rows += 1
    if names:
        columns.check(names, f" in the first {rows:,} rows" if rows == FIRST_ROWS else "")


def without_results(rows: Iterable[InputRow]) -> Iterator[InputRow]:
    """Yields the rows. A row that has the column of a result has a problem: its value would be replaced."""
    for row in rows:
        if names := taken_columns(row.columns):
            values = {name: row.columns.pop(name) for name in names}
            row = row._replace(problem=row.problem or taken(names[0]), unread=row.unread or json_text(values))
        yield row
