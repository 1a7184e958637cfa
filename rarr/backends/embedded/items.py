"""Reads the words with meaning and the values of texts, and the lines of excerpts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.embedded.values import Value, values
from rarr.backends.embedded.words import is_pronoun, is_small, is_weighty, language_of, opens_more, stem
from rarr.components import Excerpt
from rarr.tools.text.blocks_and_sentences import MARK

_TARGET = re.compile(r"(?<=\])\([^()\s]{1,2000}\)")  # the address of a Markdown link
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces, whose words are not told apart."""
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NOT = re.compile(r"n['’]t\Z")
_CANNOT = re.compile(r"(?<=\Acan)not\Z")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
MARKS = " \t\n*_`.!?\"'“”‘’"
_BEFORE_DATE = frozenset(("in", "on", "am", "im", "en", "le"))
_RANGES = {"to": "from", "bis": "von", "à": "de"}


class Item(NamedTuple):
    """A value, or a word with meaning, at `start` to `end` of its text.

    A number behind a name is part of the name: "Apollo 11".
    """

    start: int
    end: int
    stem: str = ""
    word: str = ""
    value: Value | None = None
    is_name: bool = False

    @property
    def key(self) -> str:
        """The stem of a word, or a value as it is written: "Apollo 11" and "Apollo 12" differ in it."""
        return self.stem or self.word


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a source with its labels; `items` begin with those of the line that governs a list item.

    `above` has the keys of the title, for a pronoun those of the lines before it, and for a whole row those
    of the heading over its table: they tell what the line is about. `row` is the first cell of its row.
    `is_row`: the line is a whole row, and not made of one cell and its headings. `around` has the keys of its
    whole excerpt.
    """

    labels: tuple[str, ...]
    text: str
    items: tuple[Item, ...]
    above: frozenset[str]
    row: str = ""
    is_row: bool = False
    around: frozenset[str] = frozenset()

    @cached_property
    def words(self) -> frozenset[str]:
        """The keys of its items, and those that tell what its pronoun means."""
        return self.above | {item.key for item in self.items}


def first_word(text: str) -> str:
    """Returns the first word in lower case."""
    found = WORD.search(text)
    return found[0].casefold() if found else ""


def begins_with_pronoun(text: str) -> bool:
    return is_pronoun(first_word(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@lru_cache(maxsize=4096)
def items_of(text: str) -> tuple[Item, ...]:
    """Finds the values and the words with meaning of a text, in order."""
    unmarked = _TARGET.sub(_blank, MARK.sub(_blank, text))
    found = values(_TARGET.sub(_blank, text))
    words = [
        match
        for match in WORD.finditer(unmarked)
        if not any(it.start < match.end() and match.start() < it.end for it in found)
    ]
    language = language_of(match[0].casefold() for match in words)
    items = [Item(it.start, it.end, "", text[it.start : it.end].casefold(), it) for it in found]
    start = next((match.start() for match in words), 0)
    for match in words:
        word = match[0].casefold()
        for piece, begin in _pieces(word, match.start()):
            if piece and not is_small(piece, language):
                is_name = match[0][0].isupper() and match.start() > start
                plain = _stem(piece, language)
                items.append(Item(begin, begin + len(piece), plain, piece, is_name=is_name))
    items.sort()
    for number, (before, item) in enumerate(pairwise(items), start=1):
        if item.value and item.word.isdigit() and not item.value.bound:
            is_name = text[before.start].isupper() and text[before.end : item.start].isspace()
            is_link = is_weighty(before.stem) or opens_more(before.stem)
            items[number] = item._replace(is_name=is_name and not is_link)
    return tuple(_without_small_links(items))


def _without_small_links(items: Sequence[Item]) -> Iterator[Item]:
    """Leaves out "in" before a date, and "from" and "to" of a range: "from 2 to 4 km" is "2-4 km"."""
    none = Item(0, 0)
    before = none
    for item, *following in zip(items, *([*items, none, none, none][n:] for n in (1, 2, 3)), strict=False):
        after, link, last = following
        opens = _RANGES.get(link.word) == item.word and after.value and last.value
        closes = item.word in _RANGES and before.value and after.value
        dates = item.word in _BEFORE_DATE and after.value and after.value.kind == "date"
        if not (opens or closes or dates):
            yield item
        before = item


def _pieces(word: str, start: int) -> Iterator[tuple[str, int]]:
    """Yields the word, and a "not" apart that is written together with it."""
    if match := _NOT.search(word) or _CANNOT.search(word):
        yield word[: match.start()], start
        yield "not", start + match.start()
        return
    yield word.removesuffix("'s").removesuffix("’s"), start


def _stem(word: str, language: str) -> str:
    return word if is_weighty(word) else stem(word, language)


@lru_cache(maxsize=512)
def lines_of(excerpt: Excerpt) -> tuple[Line, ...]:
    """Reads the lines of an excerpt. A list item follows the line that governs it, which ends in a colon."""
    lines: list[Line] = []
    title = frozenset(item.key for item in items_of(excerpt.title))
    around = title | {item.key for line in excerpt.lines for item in items_of(line.text)}
    above = set(title)
    before: frozenset[str] = frozenset()
    governing, heading = None, None
    heads = Heads()
    for line in excerpt.lines:
        cells = _cells(line.text)
        if not cells:
            heading = None if line.text.rstrip().endswith(tuple(".!?")) else line
        if len(cells) > 1 and len(cells) == len(heads.cells):
            lines += _lines_of_row(heads, line.label, cells, title)
        else:
            heads = Heads(line.label, cells)
        labels: tuple[str, ...] = (line.label,)
        text = line.text
        if governing:
            labels, text = (governing.label, line.label), f"{governing.text} {line.text}"
        tells = frozenset(above) | before if begins_with_pronoun(text) else title
        if cells and heading:
            labels, tells = (heading.label, *labels), title | {item.key for item in items_of(heading.text)}
        items = items_of(text)
        lines.append(Line(labels, text, items, tells, is_row=bool(cells), around=around))
        above |= {item.key for item in items if item.is_name or item.start == 0}
        before = frozenset(item.key for item in items)
        if line.text.rstrip().endswith(":"):
            governing = line
        elif line.text.rstrip().endswith(".") and not _LIST_ITEM.match(line.text):
            governing = None
    return tuple(lines)


class Heads(NamedTuple):
    """The heading row of a table: its label and its cells."""

    label: str = ""
    cells: Sequence[str] = ()


def _lines_of_row(heads: Heads, label: str, cells: Sequence[str], title: frozenset[str]) -> Iterator[Line]:
    """Yields each cell of a row as a line: with the first cell, and the heading of its column."""
    for head, cell in zip(heads.cells[1:], cells[1:], strict=True):
        text = f"{cells[0]} {head} {cell}"
        yield Line((heads.label, label), text, items_of(text), title, plain(cells[0]))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else []


def plain(words: str) -> str:
    return " ".join(words.strip(MARKS).split()).casefold()
