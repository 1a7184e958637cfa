"""Cleans the headings of sections that a person or a model wrote; finds the headings above a place."""

import re
from collections.abc import Sequence

from rarr.tools.text.blocks_and_sentences import LIST_TITLE, Block, blocks

# A number alone is a word of the heading: "12 Angry Men", "9 November 1989".
_HEADING_MARKS = re.compile(r"^(?:(?:#+|[-*+]|\(?\d{1,2}(?:\.\d{1,2})*[.):]|\d{1,2}(?:\.\d{1,2})+)\s+)+")
_LONGEST_HEADING = 100  # characters of a heading


def clean_headings(lines: Sequence[str], topic: str) -> list[str]:
    """Returns each heading once, without marks and numbers. Drops the topic and titles of source lists."""
    headings: dict[str, str] = {}
    for heading in map(_clean_heading, lines):
        headings.setdefault(heading.casefold(), heading)
    headings.pop(topic.casefold(), None)
    return [heading for heading in headings.values() if heading and not LIST_TITLE.fullmatch(heading)]


def _clean_heading(line: str) -> str:
    """Returns a heading without marks and numbers, and of 100 characters at most."""
    return " ".join(_HEADING_MARKS.sub("", line.strip()).strip("*_#=: ").split())[:_LONGEST_HEADING].strip()


def headings_above(text: str, at: int) -> list[Block]:
    """Returns the headings above the place `at` of a text, the highest level first."""
    headings = list[Block]()
    for block in blocks(text):
        if block.kind == "heading" and block.start < at:
            headings = [*(above for above in headings if above.level < block.level), block]
    return headings
