"""Declares `Span`, a range of characters of a text."""

from typing import NamedTuple


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
