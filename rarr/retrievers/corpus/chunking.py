"""Cuts a text into windows of a few sentences each, which are indexed and retrieved as passages."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import Block, Span, blocks, sentences_of

LONGEST = 2000
"""The most characters of a passage."""

_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]")


Line = tuple[int, str]
"""A line of a text: where it starts, and its words."""


class Window(NamedTuple):
    """Where a passage starts and ends (exclusive), and the words of its heading ("" without a heading).

    `lead` are the lines above it by which it must be read: its heading, and the header of the table or the
    line before the list in which it starts.
    """

    start: int
    end: int
    heading: str = ""
    lead: tuple[Line, ...] = ()


def windows(text: str, *, window: int, step: int) -> list[Window]:
    """Cuts `text` into passages of `window` sentences or table rows; a passage starts every `step` of them.

    No passage crosses a heading or has more than `LONGEST` characters: a window that is too long holds as
    many whole sentences as fit, and a sentence that is too long is cut at white space. Together the passages
    cover every sentence, and no passage lies inside the passage before it.
    """
    parsed = blocks(text)
    spans = _spans(text, parsed)
    headings = [block for block in parsed if block.kind == "heading"]
    passages: list[Window] = []
    governing = _Governing(text, parsed)
    for heading, section in _sections(headings, spans):
        words = _words(text, heading) if heading else ""
        above = ((text.index(words, heading.start), words),) if heading and words else ()
        for start, end in _slide(section, window, step):
            passages.append(Window(start, end, words, (*above, *governing.lines(start))))
    return passages


class _Governing:
    """Finds the header of the table, or the line before the list, in which a passage starts."""

    def __init__(self, text: str, parsed: Sequence[Block]) -> None:
        self._text, self._blocks = text, parsed
        self._starts = [block.start for block in parsed]

    def lines(self, start: int) -> tuple[Line, ...]:
        """Returns the governing line of the place `start`; none outside of tables and lists."""
        at = bisect_right(self._starts, start) - 1
        if at < 0:
            return ()
        block = self._blocks[at]
        if block.kind == "table":
            header = self._text[block.start : block.end].splitlines()[0].strip()
            return ((block.start, header),) if block.start + len(header) < start else ()
        while at >= 0 and self._is_item(self._blocks[at]):
            at -= 1
        before = self._blocks[at]
        if at < 0 or before is block or before.kind != "prose":
            return ()
        line = Span(*_last_line(self._text, before))
        return ((line.start, line.of(self._text)),) if line.of(self._text).endswith((":", "：")) else ()

    def _is_item(self, block: Block) -> bool:
        return block.kind == "prose" and _ITEM.match(self._text, block.start) is not None


def _last_line(text: str, block: Block) -> tuple[int, int]:
    end = block.start + len(text[block.start : block.end].rstrip())
    start = text.rfind("\n", block.start, end) + 1 or block.start
    return start + len(text[start:end]) - len(text[start:end].lstrip()), end


def chunks(text: str, words: int) -> list[tuple[int, int]]:
    """Cuts `text` into passages of whole sentences or table rows with at most `words` words each.

    They follow one another and may cross headings: a heading stands in the passage of the sentence below it.
    A sentence of more words is a passage of its own, cut where it is longer than a passage may be.
    """
    places: list[tuple[int, int]] = []
    start = last = 0
    for span in _spans(text, blocks(text)):
        if last and len(text[start : span.end].split()) > words:
            places.append((start, last))
            start = last
        if len(text[start : span.start].split()) > words:  # what lies between is no prose, such as code
            start = span.start
        start += len(text[start : span.start]) - len(text[start : span.start].lstrip())
        last = span.end
    return [*places, (start, last)] if last else []


def _slide(spans: Sequence[Span], window: int, step: int) -> Iterator[tuple[int, int]]:
    first, reached = 0, 0
    while reached < len(spans):
        last = first + 1
        while last < min(first + window, len(spans)) and spans[last].end - spans[first].start <= LONGEST:
            last += 1
        if last > reached:
            yield spans[first].start, spans[last - 1].end
            reached = last
        # No gap after a window that the limit made short, and a whole window at the end of the section.
        first = min(first + step, last, max(len(spans) - window, first + 1))


def _sections(
    headings: Sequence[Block], spans: Sequence[Span]
) -> Iterator[tuple[Block | None, Sequence[Span]]]:
    """Yields each heading with the sentences under it; None before the first heading."""
    starts = [span.start for span in spans]
    cuts = [bisect_left(starts, heading.start) for heading in headings]
    for heading, begin, end in zip([None, *headings], [0, *cuts], [*cuts, len(spans)], strict=True):
        if begin < end:
            yield heading, spans[begin:end]


def _words(text: str, heading: Block) -> str:
    return text[heading.start : heading.end].strip().strip("#=-").strip()


def _spans(text: str, parsed: Sequence[Block]) -> list[Span]:
    """Returns the sentences and rows, cut at white space where they are longer than a passage may be."""
    spans: list[Span] = []
    for start, end in sentences_of(text, parsed, tables="rows"):
        while end - start > LONGEST:
            cut = max(text.rfind(space, start + 1, start + LONGEST + 1) for space in " \t\n")
            if cut <= start:
                cut = start + LONGEST
            spans.append(Span(start, cut))
            start = cut
            while start < end and text[start].isspace():
                start += 1
        if start < end:
            spans.append(Span(start, end))
    return spans
