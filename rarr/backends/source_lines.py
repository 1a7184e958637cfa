"""Divides passages into lines with labels, such as P1.2. A card (an answer about a sentence) cites labels."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rarr.components import Excerpt, SourceLine
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, split_sentences

LEAD_LINE_ENDS = (":", "：")
"""The last characters of a lead line: a line that introduces a list."""
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])\s|[ \t]")  # an indented line continues an item


@lru_cache(maxsize=512)
def source_lines(text: str) -> tuple[Span, ...]:
    """Returns the places of the sentences, table rows, headings and code lines of a passage, in order."""
    spans = split_sentences(text)
    for block in blocks(text):
        if block.kind in ("heading", "code"):
            at = block.start
            for line in text[block.start : block.end].splitlines(keepends=True):
                if any(character.isalnum() for character in line):
                    left = len(line) - len(line.lstrip())
                    spans.append(Span(at + left, at + len(line.rstrip())))
                at += len(line)
    return tuple(sorted(span for span in spans if span.end > span.start)) or (Span(0, len(text)),)


def is_list_item(text: str, start: int) -> bool:
    """Tells whether the line with the character at `start` belongs to an item of a list."""
    return bool(_LIST_ITEM.match(text, text.rfind("\n", 0, start) + 1))


def lead_line(text: str, start: int) -> str:
    """Returns the line that introduces the list at `start`, as "Do not use it if:"; "" if there is none."""
    if not is_list_item(text, start):
        return ""
    above = (it for it in reversed(sentences(text)) if it.end <= start and not is_list_item(text, it.start))
    last = next(above, Span(0, 0))
    is_led = last.of(text).rstrip().endswith(LEAD_LINE_ENDS) and "\n#" not in text[last.end : start]
    return last.of(text).strip() if is_led else ""


def labelled_excerpts(evidence: Sequence[Evidence]) -> tuple[Excerpt, ...]:
    """Returns an excerpt for each evidence, with labelled lines: P1.1 is the first line of the first excerpt.

    If evidences share a line, only the first excerpt has the line. An evidence without new lines is left out.
    """
    excerpts: list[Excerpt] = []
    shown: set[tuple[str, int, str, bool]] = set()
    for passage in evidence:
        text, start = passage.text, passage.start
        lines = [(start + it.start, it.of(text), is_list_item(text, it.start)) for it in source_lines(text)]
        new = [line for line in lines if (passage.source, *line) not in shown]
        shown |= {(passage.source, *line) for line in lines}
        if new:
            excerpts.append(_labelled_excerpt(f"P{len(excerpts) + 1}", passage, new))
    return tuple(excerpts)


def _labelled_excerpt(label: str, passage: Evidence, body: Sequence[tuple[int, str, bool]]) -> Excerpt:
    lead = [(start, words, False) for start, words in passage.lead if start + len(words) <= passage.start]
    lines = tuple(
        SourceLine(f"{label}.{at}", words, passage.id, start, start + len(words), is_item)
        for at, (start, words, is_item) in enumerate([*lead, *body], start=1)
    )
    date = passage.published_at.date().isoformat() if passage.published_at else ""
    return Excerpt(label, passage.title or passage.source, date, lines, passage.source)
