"""Finds the cells of Markdown tables, with their headers. Declares `Span`, a range of characters."""

import re
from itertools import pairwise
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]+")
_BAR = re.compile(r"\\.|(?P<bar>\|)")  # a bar after a backslash is a character of its cell
_NO_CONTENT = re.compile(r"(?:n/?a|none|tbd|unknown|[\W_]*)", re.IGNORECASE)


class Span(NamedTuple):
    """A range of characters in a text. `end` is exclusive."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Returns the characters of `text` in this range."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Tells whether the two ranges share a character."""
        return self.start < other.end and other.start < self.end

    def moved_by(self, by: int) -> "Span":
        """Returns the range moved to the right by `by` characters, or to the left if `by` is negative."""
        return Span(self.start + by, self.end + by)

    def stripped(self, text: str) -> "Span":
        """Returns the range in `text` without the white space at its ends."""
        inner = self.of(text)
        start = self.start + len(inner) - len(inner.lstrip())
        return Span(start, max(start, self.start + len(inner.rstrip())))


class Cell(NamedTuple):
    """A table cell that is no header. `row` and `column`: the spans of its row header and column header."""

    span: Span
    row: Span
    column: Span

    def statement(self, text: str) -> str:
        """Writes the cell as a sentence: `row header: column header is cell`. Leaves out an empty header."""
        headers = [span.of(text) for span in (self.row, self.column) if span.of(text)]
        return f"{': '.join(headers)} is {self.span.of(text)}"


def cells_of(text: str, table: Span) -> list[Cell]:
    """Finds the cells of a table, in order, without headers, and without cells such as "n/a", "none" or "-".

    Returns [] for a table in a quotation, a single column, uneven rows, and empty or equal row headers.
    """
    lines = list(_LINE.finditer(text, *table))
    header, _, *rows = [_cells_of_line(text, Span(*line.span())) for line in lines]
    heads = [row[0].of(text) for row in rows if row]
    quoted = any(line[0].lstrip().startswith(">") for line in lines)
    uneven = any(len(row) != len(header) for row in rows)
    if quoted or uneven or len(header) < 2 or len(set(filter(None, heads))) < len(rows):
        return []
    cells = (
        Cell(cell, row[0], column) for row in rows for column, cell in zip(header[1:], row[1:], strict=True)
    )
    return [cell for cell in cells if not _NO_CONTENT.fullmatch(cell.span.of(text))]


def _cells_of_line(text: str, line: Span) -> list[Span]:
    """Finds the cells of a line, without white space around them. An empty first or last cell is left out."""
    bars = [line.start - 1, *(bar.start() for bar in _BAR.finditer(text, *line) if bar["bar"]), line.end]
    inner = [Span(before + 1, after) for before, after in pairwise(bars)]
    last = len(inner) - 1
    kept = (span for number, span in enumerate(inner) if span.of(text).strip() or 0 < number < last)
    return [span.stripped(text) for span in kept]
