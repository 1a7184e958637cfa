"""Reads rows of CSV with long cells, and leaves the limit of Python's `csv` as it is."""

import csv
import threading
from collections.abc import Iterator
from typing import TypeVar

Row = TypeVar("Row")

_turn = threading.Lock()


def long_rows(reader: Iterator[Row], longest: int) -> Iterator[Row]:
    """Yields the rows of a reader of `csv`, whose cells may have up to `longest` characters.

    The limit of `csv` is one for the whole process, so it is changed only while a row is read.
    """
    while True:
        with _turn:
            before = csv.field_size_limit(longest)
            try:
                row = next(reader, None)
            finally:
                csv.field_size_limit(before)
        if row is None:
            return
        yield row
