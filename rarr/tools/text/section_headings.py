"""Cleans headings that a person or a model wrote, and finds the headings above a place in a text."""

import re
from collections.abc import Sequence

from rarr.tools.text.blocks_and_sentences import LIST_TITLE, Block, blocks

# A number alone is a word of the heading: "12 Angry Men", "9 November 1989".
_HEADING_MARKS = re.compile(r"^(?:(?:#+|[-*+]|\(?\d{1,2}(?:\.\d{1,2})*[.):]|\d{1,2}(?:\.\d{1,2})+)\s+)+")
_LONGEST_HEADING = 100  # the most characters of a heading


def clean_headings(lines: Sequence[str], topic: str) -> list[str]:
    """Returns each heading once, without marks, and cut. Leaves out `topic` and titles like Sources."""
    headings: dict[str, str] = {}
    for line in lines:
        words = _HEADING_MARKS.sub("", line.strip()).strip("*_#=: ").split()
        heading = " ".join(words)[:_LONGEST_HEADING].strip()
        headings.setdefault(heading.casefold(), heading)
    headings.pop(topic.casefold(), None)
    return [heading for heading in headings.values() if heading and not LIST_TITLE.fullmatch(heading)]


def headings_above(text: str, at: int) -> list[Block]:
    """Returns the headings of the sections around the place `at` of `text`, the outermost first."""
    headings = list[Block]()
    for block in blocks(text):
        if block.kind == "heading" and block.start < at:
            headings = [*(above for above in headings if above.level < block.level), block]
    return headings
