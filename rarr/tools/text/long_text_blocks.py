"""Cuts a long text into blocks, which are revised as small texts.

A block ends where a heading, a paragraph, a list, a quote, a table or code ends. In a paragraph that is too
long, it ends where a sentence ends. It gets a lead: its headings and the sentences right before it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import (
    LINE_END,
    PARSER,
    Block,
    Span,
    kind_of_block,
    split_sentences,
)

_WIDEST = 8  # times the size of a block: a unit that is longer is not revised
_TAIL = 300  # characters of the sentences before a block in its lead
_TITLE = 200  # characters of a heading in a lead, at most
# A sentence before which a line may be broken: its start would not be read as markup.
_PLAIN = re.compile(r"(?!\d{1,9}[.)]\s)[\w\"“'‘(«]")
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")


class TextBlock(NamedTuple):
    """A part of a text, numbered from 1, and its sentences; the spans are those in the whole text.

    `lead` is the text to read before it: headings, and the last sentences before the block. No question is
    asked about it. `too_long`: a sentence, a table or code in it is many times as long as a block.
    """

    number: int
    span: Span
    lead: str
    sentences: tuple[Span, ...]
    too_long: bool = False

    def of(self, text: str) -> str:
        """The text of the block, with its lead."""
        return self.lead + self.span.of(text)


def text_blocks(text: str, size: int) -> Iterator[TextBlock]:
    """Yields the blocks of `text`, each of at most about `size` characters without its lead."""
    headings: list[tuple[int, str]] = []
    tail: tuple[Span, ...] = ()
    for number, units in enumerate(_groups(text, size), start=1):
        span = Span(units[0].start, units[-1].end)
        above = [heading for heading in headings if not units[0].level or heading[0] < units[0].level]
        too_long = any(unit.end - unit.start > _WIDEST * size for unit in units)
        prose = all(unit.kind == "prose" for unit in units)
        alone = split_sentences(span.of(text), tables="cells") if prose or not too_long else []
        lead = (
            "" if too_long else _lead(text, span, alone, [title for _, title in above], _ending(text, tail))
        )
        moved = tuple(sentence.moved(span.start) for sentence in alone)
        block = TextBlock(number, span, lead, moved, too_long)
        yield block
        for unit in (unit for unit in units if unit.level):
            title = text[unit.start : unit.end].strip()
            headings = [heading for heading in headings if heading[0] < unit.level]
            headings += [(unit.level, title)] if len(title) <= _TITLE else []
        tail = block.sentences or tail


def outline(text: str, longest: int) -> list[Block]:
    """Divides a text into its top-level blocks. Each extends to the next, and has the same meaning alone.

    Lists and quotes are prose. A list or quote of more than `longest` characters is split into its items.
    """
    lines = [0, *(match.end() for match in LINE_END.finditer(text)), len(text)]
    parts: list[Block] = []
    divided = False
    for token in PARSER.parse(text):
        if token.map is None or token.level > divided:
            continue
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if token.level == 0:
            divided = token.type in _CONTAINERS and end - start > longest
            if divided:
                continue
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        parts.append(Block(kind_of_block(token) or "prose", start, end, level))
    starts = [0, *(part.start for part in parts[1:])]
    ends = [*starts[1:], len(text)]
    return [part._replace(start=s, end=e) for part, s, e in zip(parts, starts, ends, strict=False)]


def _lead(text: str, span: Span, alone: Sequence[Span], above: Sequence[str], tail: str) -> str:
    """Builds the longest lead with which the block has the same sentences as without it (`alone`)."""
    for parts in ([*above, tail], above):
        lead = "".join(f"{part}\n\n" for part in parts if part)
        spans = split_sentences(lead + span.of(text), tables="cells")
        own = [Span(start - len(lead), end - len(lead)) for start, end in spans if end > len(lead)]
        if own == alone:
            return lead
    return ""


def _ending(text: str, spans: Sequence[Span]) -> str:
    """Joins the last of these sentences, as many as fit into a lead; "" if none fits."""
    ending = ""
    for span in reversed(spans):
        longer = f"{' '.join(span.of(text).split())} {ending}".strip()
        if len(longer) > _TAIL:
            break
        ending = longer
    return ending


def _groups(text: str, size: int) -> Iterator[list[Block]]:
    """Groups the units of `text`, one group for each block; longer than `size` only if it has one unit.

    A group ends before the last heading in its second half, if there is one.
    """
    held: list[Block] = []
    for unit in outline(text, size) or [Block("code", 0, len(text))]:
        for part in _divided(text, unit, size):
            while held and part.end - held[0].start > size:
                late = [n for n, it in enumerate(held) if it.level and it.start - held[0].start >= size // 2]
                cut = late[-1] if late else len(held)
                yield held[:cut]
                held = held[cut:]
            held.append(part)
    if held:
        yield held


def _divided(text: str, unit: Block, size: int) -> list[Block]:
    """Divides a paragraph that is longer than `size` between sentences; other units stay whole."""
    if unit.kind != "prose" or unit.end - unit.start <= size:
        return [unit]
    starts = [unit.start + span.start for span in split_sentences(text[unit.start : unit.end])]
    ends = [unit.start]
    fits = unit.start
    for start in [*(it for it in starts if it > unit.start and _PLAIN.match(text, it)), unit.end]:
        if start - ends[-1] > size and fits > ends[-1]:
            ends.append(fits)
        if start - ends[-1] > size or start == unit.end:
            ends.append(start)
        fits = start
    return [Block("prose", begin, end) for begin, end in pairwise(ends)]
