"""Cuts a long text into blocks, each of which is revised like a short text.

A unit is a heading, paragraph, list, quotation, table or code. A block has whole units; a paragraph that is
too long is cut between sentences. The lead of a block is text from above it, which explains the block.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import Block, line_tokens, source_lists, span_mask, split_sentences
from rarr.tools.text.markdown_tables import Span

_MOST_BLOCK_SIZES = 8  # a unit that is longer than so many blocks is not revised
_TAIL_CHARACTERS = 300  # the most characters of the sentences in a lead
_TITLE_CHARACTERS = 200  # the most characters of a heading in a lead
# The start of a sentence that may begin a block: Markdown does not read it as markup.
_PLAIN_START = re.compile(r"(?!\d{1,9}[.)]\s)[\w\"“'‘(«]")
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")


class TextBlock(NamedTuple):
    """A part of a text, numbered from 1. `span` and `sentences` are places in the whole text.

    `lead`: the headings above the block and the last sentences before the block. A lead is not revised.
    `too_long`: a sentence, list, table or code in the block is over eight times as long as a block should be.
    """

    number: int
    span: Span
    lead: str
    sentences: tuple[Span, ...]
    too_long: bool = False


def text_blocks(text: str, size: int) -> Iterator[TextBlock]:
    """Cuts `text` into blocks of at most about `size` characters, not counting the text in `lead`."""
    headings, tail, listed = list[tuple[int, str]](), tuple[Span, ...](), span_mask(text, source_lists(text))
    for number, units in enumerate(_unit_groups(text, size, listed), start=1):
        span, first = Span(units[0].start, units[-1].end), units[0].level
        too_long = any(unit.end - unit.start > _MOST_BLOCK_SIZES * size for unit in units)
        is_read = not (listed[span.start] or (too_long and any(unit.kind != "prose" for unit in units)))
        alone = split_sentences(span.of(text), revised=True) if is_read else []
        above = [title for level, title in headings if not first or level < first]
        lead = "" if too_long else _longest_lead(span.of(text), alone, above, _last_sentences(text, tail))
        block = TextBlock(number, span, lead, tuple(it.moved_by(span.start) for it in alone), too_long)
        yield block
        for unit in (unit for unit in units if unit.level):
            title = text[unit.start : unit.end].strip()
            headings = [heading for heading in headings if heading[0] < unit.level]
            headings += [(unit.level, title)] if len(title) <= _TITLE_CHARACTERS else []
        tail = block.sentences or tail


def _longest_lead(block: str, alone: Sequence[Span], above: Sequence[str], tail: str) -> str:
    """Returns the longest lead of `above` and `tail` with which `block` has the sentences `alone`, or ""."""
    for parts in ([*above, tail], above):
        lead = "".join(f"{part}\n\n" for part in parts if part)
        spans = split_sentences(lead + block, revised=True)
        if [span.moved_by(-len(lead)) for span in spans if span.end > len(lead)] == alone:
            return lead
    return ""


def _last_sentences(text: str, spans: Sequence[Span]) -> str:
    """Returns as many of the last sentences `spans` as fit into the lead of a block; "" if none fits."""
    ending = ""
    for span in reversed(spans):
        if len(longer := f"{' '.join(span.of(text).split())} {ending}".strip()) > _TAIL_CHARACTERS:
            break
        ending = longer
    return ending


def _unit_groups(text: str, size: int, listed: bytearray) -> Iterator[list[Block]]:
    """Groups the units of a text into blocks of at most `size` characters. A longer unit is a block alone.

    A full block ends before the last heading in its second half. A list of sources (1 in `listed`) is alone.
    """
    held: list[Block] = []
    for unit in (part for whole in _units(text, size) for part in _divided_paragraph(text, whole, size)):
        is_other = bool(held) and listed[unit.start] != listed[held[-1].start]
        while held and (is_other or unit.end - held[0].start > size):
            late = [n for n, it in enumerate(held) if it.level and it.start - held[0].start >= size // 2]
            cut = late[-1] if late and not is_other else len(held)
            yield held[:cut]
            held = held[cut:]
        held.append(unit)
    yield held


def _units(text: str, longest: int) -> list[Block]:
    """Divides a text into units: the top-level blocks of Markdown. A unit ends where the next unit begins.

    Lists and quotations count as prose. A list or quotation of over `longest` characters is cut into items.
    """
    parts, divided = list[Block](), False
    for token, block in line_tokens(text):
        if token.level == 0:
            divided = token.type in _CONTAINERS and block.end - block.start > longest
        if token.level == (1 if divided else 0):
            parts.append(block)
    parts = parts or [Block("code", 0, len(text))]
    bounds = pairwise([0, *(part.start for part in parts[1:]), len(text)])
    return [part._replace(start=start, end=end) for part, (start, end) in zip(parts, bounds, strict=True)]


def _divided_paragraph(text: str, unit: Block, size: int) -> list[Block]:
    """Cuts a paragraph of more than `size` characters between its sentences. Does not cut other units."""
    if unit.kind != "prose" or unit.end - unit.start <= size:
        return [unit]
    starts = [unit.start + span.start for span in split_sentences(text[unit.start : unit.end])]
    ends, fits = [unit.start], unit.start
    for start in [*(it for it in starts if it > unit.start and _PLAIN_START.match(text, it)), unit.end]:
        if start - ends[-1] > size and fits > ends[-1]:
            ends.append(fits)
        if start - ends[-1] > size or start == unit.end:
            ends.append(start)
        fits = start
    return [Block("prose", begin, end) for begin, end in pairwise(ends)]
