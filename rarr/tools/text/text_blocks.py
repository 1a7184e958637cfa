"""A long text in blocks, which are small texts of their own: found one after another, from its start.

A block ends where a heading, a paragraph, a list, a quote, a table or code ends, or, in a paragraph that is
too long, where a sentence does. It takes along what it stands under and what stands right before it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.tools.text.document import Block, Span, outline, split_sentences

_WINDOW = 4  # times the size of a block: so much of a text is parsed at once
_WIDEST = 16  # the same, where nothing ends before
_TAIL = 300  # characters of what stands before a block that it takes along
_TITLE = 200  # characters of a heading, to be taken along
# A sentence after which a line may be broken: nothing at its start would be read as markup.
_PLAIN = re.compile(r"(?!\d{1,9}[.)]\s)[\w\"“'‘(«]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class TextBlock(NamedTuple):
    """A part of a text, counted from 1, and the sentences in it, with their places in the whole text.

    `lead` is what it is read after: headings, and the last sentences before it. Nothing of that is asked
    about. `too_long`: there is a sentence, a table or code in it of many times the size of a block.
    """

    number: int
    span: Span
    lead: str
    sentences: tuple[Span, ...]
    too_long: bool = False

    def of(self, text: str) -> str:
        """The text that the block is, its lead included."""
        return self.lead + self.span.of(text)


def text_blocks(text: str, size: int) -> Iterator[TextBlock]:
    """The blocks of `text`, each of about `size` characters at most, its lead not counted.

    Finding the next block takes the same time in a text of any length.
    """
    headings: list[tuple[int, str]] = []
    tail: tuple[Span, ...] = ()
    for number, units in enumerate(_groups(text, size), start=1):
        span = Span(units[0].start, units[-1].end)
        above = [one for one in headings if not units[0].level or one[0] < units[0].level]
        too_long = any(unit.end - unit.start > _WIDEST * size // 2 for unit in units)
        prose = all(unit.kind == "prose" for unit in units)
        alone = split_sentences(span.of(text), tables="cells") if prose or not too_long else []
        lead = (
            "" if too_long else _lead(text, span, alone, [title for _, title in above], _ending(text, tail))
        )
        moved = tuple(Span(one.start + span.start, one.end + span.start) for one in alone)
        block = TextBlock(number, span, lead, moved, too_long)
        yield block
        for unit in (unit for unit in units if unit.level):
            title = text[unit.start : unit.end].strip()
            headings = [one for one in headings if one[0] < unit.level]
            headings += [(unit.level, title)] if len(title) <= _TITLE else []
        tail = block.sentences or tail


def _lead(text: str, span: Span, alone: Sequence[Span], above: Sequence[str], tail: str) -> str:
    """What a block is read after: the first that leaves its sentences as they are when it is read `alone`."""
    for parts in ([*above, tail], above):
        lead = "".join(f"{part}\n\n" for part in parts if part)
        spans = split_sentences(lead + span.of(text), tables="cells")
        own = [Span(start - len(lead), end - len(lead)) for start, end in spans if end > len(lead)]
        if own == alone:
            return lead
    return ""


def _ending(text: str, spans: Sequence[Span]) -> str:
    """The last sentences of these, as many as there is room for."""
    said = ""
    for span in reversed(spans):
        longer = f"{' '.join(span.of(text).split())} {said}".strip()
        if len(longer) > _TAIL:
            break
        said = longer
    return said


def _groups(text: str, size: int) -> Iterator[list[Block]]:
    """What stands side by side in `text`, in groups that are no longer than `size` where they can be."""
    held: list[Block] = []
    for unit in _units(text, size):
        *whole, last = _divided(text, unit, size)
        for one in (*whole, last):
            while held and one.end - held[0].start > size:
                cut = _best_cut(held, size)
                yield held[:cut]
                held = held[cut:]
            held.append(one)
    if held:
        yield held


def _best_cut(held: Sequence[Block], size: int) -> int:
    """How many go into a group: up to a heading in its second half, else all but headings at the end."""
    for count in range(len(held) - 1, 0, -1):
        if held[count].level and held[count].start - held[0].start >= size // 2:
            return count
    count = len(held)
    while count > 1 and held[count - 1].level:
        count -= 1
    return count if not held[count - 1].level else len(held)


def _divided(text: str, unit: Block, size: int) -> list[Block]:
    """A paragraph that is too long, between its sentences."""
    if unit.kind != "prose" or unit.end - unit.start <= size:
        return [unit]
    begin, fits = unit.start, unit.start
    found: list[Block] = []
    for start in _starts(text, unit):
        if start - begin > size and fits > begin:
            found.append(Block("prose", begin, fits))
            begin = fits
        if start - begin > size:
            found.append(Block("prose", begin, start))
            begin = start
        fits = start
    if unit.end - begin > size and fits > begin:
        found.append(Block("prose", begin, fits))
        begin = fits
    return [*found, Block("prose", begin, unit.end)]


def _starts(text: str, unit: Block) -> list[int]:
    """Where a sentence begins before which a paragraph may be divided."""
    starts = [unit.start + span.start for span in split_sentences(text[unit.start : unit.end])]
    return [start for start in starts if start > unit.start and _PLAIN.match(text, start)]


def _units(text: str, size: int) -> Iterator[Block]:
    """What stands side by side in `text`, each up to the start of the next; a window is parsed at a time."""
    at, window = 0, _WINDOW * size
    while at < len(text):
        end = at + window
        units = outline(text[at:end], size)
        if end < len(text):
            if len(units) < 2 and window < _WIDEST * size:
                window *= 2
                continue
            # The last may go on.
            units = units[:-1] or [_endless(text, at, end, units)]
        elif not units:
            units = [Block("code", 0, len(text) - at)]
        yield from (one._replace(start=at + one.start, end=at + one.end) for one in units)
        at, window = at + units[-1].end, _WINDOW * size


def _endless(text: str, at: int, end: int, units: Sequence[Block]) -> Block:
    """What is wider than the widest window: as much of a paragraph as has sentences; else up to its end.

    Where that cannot be told, it goes on to the end of the text.
    """
    if units and units[0].kind == "prose":
        starts = _starts(text, Block("prose", at, end))
        return Block("prose", 0, (starts[-1] if starts else _after(re.compile(r"\n\s*\n"), text, end)) - at)
    if fence := _FENCE.match(text, at):
        close = re.compile(rf"\n {{0,3}}{re.escape(fence[1][0])}{{{len(fence[1])},}}[ \t]*(?=\r|\n|$)")
        return Block("code", 0, _after(close, text, end) - at)
    if units and units[0].kind == "table":
        return Block("code", 0, _after(re.compile(r"\n[ \t]*\r?\n"), text, end) - at)
    return Block("code", 0, len(text) - at)


def _after(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Behind the next match, and the line that it is in."""
    found = pattern.search(text, start)
    if found is None:
        return len(text)
    newline = text.find("\n", found.end())
    return found.end() if text[found.end() - 1] == "\n" else len(text) if newline < 0 else newline + 1
