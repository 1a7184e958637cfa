"""Finds the line and the column of a character."""

import re
from bisect import bisect_right
from typing import NamedTuple


class LineColumn(NamedTuple):
    """The line and the column of a character, both from 1."""

    line: int
    column: int


class Lines:
    """The lines of a text. A line ends with a newline; columns are in characters (code points)."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, offset: int) -> LineColumn:
        """Returns the place of the character at `offset`; that of the end for the length of the text."""
        line = bisect_right(self._starts, offset)
        return LineColumn(line, offset - self._starts[line - 1] + 1)
