"""Cuts a text into passages: overlapping windows of a few sentences, or longer parts that do not overlap."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.records import Passage
from rarr.tools.text.blocks_and_sentences import Block, Span, blocks, split_sentences

LONGEST = 2000
"""The most characters of a passage, and of each line of its lead (see `Window`)."""

_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]")


class Window(NamedTuple):
    """The place of a passage in a text, from `start` to `end` (exclusive), and the lines that explain it.

    `heading`: the words of the heading above the passage, or "". `lead`: (start, line) of the heading. In a
    table or list, `lead` also has (start, line) of the table header, or of the line that announces the list.
    """

    start: int
    end: int
    heading: str = ""
    lead: tuple[tuple[int, str], ...] = ()


def windows(text: str, window: int) -> list[Window]:
    """Cuts `text` into overlapping windows of `window` sentences or table rows.

    No window crosses a heading. A window that would have more than `LONGEST` characters has fewer sentences.
    A sentence of more than `LONGEST` characters is cut at white space. Every sentence is in a window, and no
    window lies inside the window before it.
    """
    parsed, spans = blocks(text), _sentences_and_rows(text)
    starts, span_starts = [block.start for block in parsed], [span.start for span in spans]
    headings = [block for block in parsed if block.kind == "heading"]
    cuts = [bisect_left(span_starts, heading.start) for heading in headings]
    passages: list[Window] = []
    for heading, begin, end in zip([None, *headings], [0, *cuts], [*cuts, len(spans)], strict=True):
        words = text[heading.start : heading.end].strip().strip("#=-").strip()[:LONGEST] if heading else ""
        above = ((text.index(words, heading.start), words),) if heading and words else ()
        for first, last in _window_places(spans[begin:end], window):
            at = bisect_right(starts, first) - 1
            passages.append(Window(first, last, words, (*above, *_lead_lines(text, parsed, at, first))))
    return passages


def cut_passages(whole: Passage, window: int, spans: Sequence[Window] | None = None) -> list[Passage]:
    """Cuts the text of `whole` into passages of `window` sentences. `spans`: the windows, if known."""
    at, passages = whole.start, list[Passage]()
    for it in windows(whole.text, window) if spans is None else spans:
        lead = tuple((at + start, words) for start, words in it.lead)
        place = {"start": at + it.start, "end": at + it.end, "lead": lead}
        passages.append(whole.model_copy(update={"text": whole.text[it.start : it.end], **place}))
    return passages


def _window_places(spans: Sequence[Span], window: int) -> Iterator[tuple[int, int]]:
    reached = 0
    for first in range(len(spans)):
        last = first + 1
        while last < min(first + window, len(spans)) and spans[last].end - spans[first].start <= LONGEST:
            last += 1
        if last > reached:
            yield spans[first].start, spans[last - 1].end
            reached = last


def _lead_lines(text: str, parsed: Sequence[Block], at: int, place: int) -> tuple[tuple[int, str], ...]:
    """Returns the line that explains the passage at `place`, as a tuple with one pair (start, line), or ().

    The line is the header of its table, or the line above its list if this line ends with a colon. `at` is
    the index in `parsed` of the block at `place`.
    """
    if at >= 0 and parsed[at].kind == "table":
        start, header = parsed[at].start, text[parsed[at].start : parsed[at].end].splitlines()[0].strip()
        return ((start, header[:LONGEST]),) if start + len(header) < place else ()
    before = at
    while before >= 0 and parsed[before].kind == "prose" and _LIST_ITEM.match(text, parsed[before].start):
        before -= 1
    if before < 0 or before == at or parsed[before].kind != "prose":
        return ()
    line = text[parsed[before].start : parsed[before].end].rstrip()
    end, line = parsed[before].start + len(line), line[line.rfind("\n") + 1 :].lstrip()
    return ((end - len(line), line[:LONGEST]),) if line.endswith((":", "：")) else ()


def chunks(text: str, words: int) -> list[tuple[int, int]]:
    """Cuts `text` into passages of at most `words` words. Returns the start and end of each passage.

    A passage has whole sentences or table rows. A heading is in the passage of the sentence below it.
    A longer sentence is a passage of its own. A sentence of more than `LONGEST` characters is cut.
    """
    places: list[tuple[int, int]] = []
    start = last = 0
    for span in _sentences_and_rows(text):
        if last and len(text[start : span.end].split()) > words:
            places.append((start, last))
            start = last
        if len(text[start : span.start].split()) > words:  # leaves out long text between sentences: code
            start = span.start
        start, last = Span(start, span.end).stripped(text)
    return [*places, (start, last)] if last else []


def _sentences_and_rows(text: str) -> list[Span]:
    """Returns the spans of sentences and table rows. A span of more than `LONGEST` characters is cut."""
    spans: list[Span] = []
    for span in split_sentences(text):
        while span.end - span.start > LONGEST:
            space = max(text.rfind(space, span.start + 1, span.start + LONGEST + 1) for space in " \t\n")
            spans.append(Span(span.start, space if space > span.start else span.start + LONGEST))
            span = Span(spans[-1].end, span.end).stripped(text)
        spans.append(span)
    return spans
