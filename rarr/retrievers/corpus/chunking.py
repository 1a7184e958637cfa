"""Cuts a text into windows of a few sentences each, which are indexed and retrieved as passages."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import Block, Span, blocks, sentences_of

LONGEST = 2000
"""The most characters of a passage."""


class Window(NamedTuple):
    """Where a passage starts and ends (exclusive), and the words of its heading ("" without a heading)."""

    start: int
    end: int
    heading: str = ""


def windows(text: str, *, window: int, step: int) -> list[Window]:
    """Cuts `text` into passages of `window` sentences or table rows; a passage starts every `step` of them.

    No passage crosses a heading or has more than `LONGEST` characters: a window that is too long holds as
    many whole sentences as fit, and a sentence that is too long is cut at white space. Together the passages
    cover every sentence, and no passage lies inside the passage before it.
    """
    parsed = blocks(text)
    spans = [piece for span in sentences_of(text, parsed, tables="rows") for piece in _pieces(text, span)]
    headings = [block for block in parsed if block.kind == "heading"]
    passages: list[Window] = []
    for heading, section in _sections(text, headings, spans):
        passages.extend(Window(start, end, heading) for start, end in _slide(section, window, step))
    return passages


def chunks(text: str, words: int) -> list[tuple[int, int]]:
    """Cuts `text` into passages of whole sentences or table rows with at most `words` words each.

    They follow one another and may cross headings: a heading stands in the passage of the sentence below it.
    A sentence of more words is a passage of its own, cut where it is longer than a passage may be.
    """
    spans = [
        piece for span in sentences_of(text, blocks(text), tables="rows") for piece in _pieces(text, span)
    ]
    places: list[tuple[int, int]] = []
    start = last = 0
    for span in spans:
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
    text: str, headings: Sequence[Block], spans: Sequence[Span]
) -> Iterator[tuple[str, Sequence[Span]]]:
    """Yields the words of each heading with the sentences under it; "" before the first heading."""
    starts = [span.start for span in spans]
    cuts = [bisect_left(starts, heading.start) for heading in headings]
    words = [text[heading.start : heading.end].strip().strip("#=-").strip() for heading in headings]
    for name, begin, end in zip(["", *words], [0, *cuts], [*cuts, len(spans)], strict=True):
        if begin < end:
            yield name, spans[begin:end]


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """Yields the sentence, cut at white space where it is longer than a passage may be."""
    start, end = span
    while end - start > LONGEST:
        cut = max(text.rfind(space, start + 1, start + LONGEST + 1) for space in " \t\n")
        if cut <= start:
            cut = start + LONGEST
        yield Span(start, cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)
