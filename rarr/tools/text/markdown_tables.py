"""Finds the cells of Markdown tables that have content, with their headers; declares `Span`."""

import re
from itertools import pairwise
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]+")
_BAR = re.compile(r"\\.|(?P<bar>\|)")  # a bar behind a backslash is a character of its cell
_NOTHING = re.compile(r"(?:n/?a|none|tbd|unknown|[\W_]*)", re.IGNORECASE)


class Span(NamedTuple):
    """A half-open range of characters."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of `text` in this range."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Do the two ranges share a character?"""
        return self.start < other.end and other.start < self.end

    def moved(self, by: int) -> "Span":
        """The range moved right by `by` characters, or left if `by` is negative."""
        return Span(self.start + by, self.end + by)


class Cell(NamedTuple):
    """A cell below the header row and right of the first column; `row`, `column` are its headers' spans."""

    span: Span
    row: Span
    column: Span

    def statement(self, text: str) -> str:
        """Writes the cell as a statement: `row header: column header is cell`, without empty headers."""
        headers = [span.of(text) for span in (self.row, self.column) if span.of(text)]
        return f"{': '.join(headers)} is {self.span.of(text)}"


def cells_of(text: str, table: Span) -> list[Cell]:
    """Finds the cells of a table with content (not "n/a", "none", "unknown" or marks alone), in order.

    [] if rows differ in their number of cells, or do not have different headers, or stand in a quote.
    """
    lines = list(_LINE.finditer(text, *table))
    header, _, *rows = [_cells(text, Span(*line.span())) for line in lines]
    heads = [row[0].of(text) for row in rows if row]
    quoted = any(line[0].lstrip().startswith(">") for line in lines)
    if quoted or len(header) < 2 or len(set(filter(None, heads))) < len(rows):
        return []
    if any(len(row) != len(header) for row in rows):
        return []
    return [
        Cell(cell, row[0], column)
        for row in rows
        for column, cell in zip(header[1:], row[1:], strict=True)
        if not _NOTHING.fullmatch(cell.of(text))
    ]


def _cells(text: str, line: Span) -> list[Span]:
    """Finds the cells of a line, without the spaces around them, and without an empty one at either end."""
    bars = [line.start - 1, *(bar.start() for bar in _BAR.finditer(text, *line) if bar["bar"]), line.end]
    cells: list[Span] = []
    for number, (before, after) in enumerate(pairwise(bars)):
        inner = text[before + 1 : after]
        if inner.strip() or 0 < number < len(bars) - 2:
            start = before + 1 + len(inner) - len(inner.lstrip())
            cells.append(Span(start, max(start, before + 1 + len(inner.rstrip()))))
    return cells
