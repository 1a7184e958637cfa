"""Reads the words with meaning and the values of texts, the lines of excerpts, and what pronouns mean."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.embedded.values import Value, compare, values
from rarr.backends.embedded.words import OPENERS, PRONOUNS, WEIGHTY, is_small, language_of, stem
from rarr.components import Excerpt
from rarr.tools.text.blocks_and_sentences import MARK

_TARGET = re.compile(r"(?<=\])\([^()\s]{1,2000}\)")  # the address of a Markdown link
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces, whose words are not told apart."""
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NOT = re.compile(r"n['’]t\Z")
_CANNOT = re.compile(r"(?<=\Acan)not\Z")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
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
    return first_word(text) in PRONOUNS


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
                plain = piece if piece in WEIGHTY else stem(piece, language)
                items.append(Item(begin, begin + len(piece), plain, piece, is_name=is_name))
    items.sort()
    for number, (before, item) in enumerate(pairwise(items), start=1):
        if item.value and item.word.isdigit() and not item.value.bound:
            is_name = text[before.start].isupper() and text[before.end : item.start].isspace()
            is_link = before.stem in WEIGHTY | OPENERS
            is_link |= language == "german" and item.value.kind == "date"  # "wurde das Wehr 1958 erneuert"
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


@lru_cache(maxsize=512)
def lines_of(excerpt: Excerpt) -> tuple[Line, ...]:
    """Reads the lines of an excerpt. A list item follows the line that governs it, which ends in a colon."""
    lines: list[Line] = []
    title = frozenset(item.key for item in items_of(excerpt.title))
    around = title | {item.key for line in excerpt.lines for item in items_of(line.text)}
    above = set(title)
    before: frozenset[str] = frozenset()
    governing, heading = None, None
    heads: tuple[str, Sequence[str]] = ("", ())
    for line in excerpt.lines:
        cells = _cells(line.text)
        if not cells:
            heading = None if line.text.rstrip().endswith(tuple(".!?")) else line
        if len(cells) > 1 and len(cells) == len(heads[1]):
            lines += _lines_of_row(*heads, line.label, cells, title)
        else:
            heads = line.label, cells
        labels: tuple[str, ...] = (line.label,)
        text = line.text
        if governing:
            labels, text = (governing.label, line.label), f"{governing.text} {line.text}"
        tells = title if PRONOUNS.isdisjoint(WORD.findall(text.casefold())[:4]) else frozenset(above) | before
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


def _lines_of_row(
    above: str, heads: Sequence[str], label: str, cells: Sequence[str], title: frozenset[str]
) -> Iterator[Line]:
    """Yields each cell of a row as a line: with the first cell, and the heading of its column."""
    for head, cell in zip(heads[1:], cells[1:], strict=True):
        text = f"{cells[0]} {head} {cell}"
        yield Line((above, label), text, items_of(text), title, plain(cells[0]))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else []


def plain(words: str) -> str:
    return " ".join(words.strip(MARKS).split()).casefold()


def is_same(item: Item, other: Item) -> bool:
    """Are they equal values, or the same word in any inflection?"""
    if item.value and other.value:
        return compare(item.value, other.value) == "equal"
    return bool(item.stem) and item.stem == other.stem


class Antecedents(NamedTuple):
    """The keys of what a pronoun may stand for: the subject of the sentence before, and the names above.

    `numbers` are those of the subject ("Apollo 11").
    """

    subject: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    is_pronoun: bool

    def are_in(self, line: Line) -> bool:
        """Does the line name an antecedent, and the number of the subject where it has one?

        A sentence without a pronoun is read beside any source but one of another number: "The pump", behind a
        sentence about Pump 11, is not that of the manual of Pump 12.
        """
        if not self.is_pronoun:
            return self.numbers <= line.around or (self.subject - self.numbers).isdisjoint(line.around)
        return self.numbers <= line.words and not (self.subject | self.names).isdisjoint(line.words)


def antecedents(sentence: str, above: str) -> Antecedents | None:
    """Returns what a sentence that begins with a pronoun, or names nothing, may be about in the text `above`.

    Else None: the sentence names what it is about.
    """
    if not (begins_with_pronoun(sentence) or (above.strip() and _names_nothing(sentence))):
        return None
    parts = _SENTENCE_END.split(above)
    names = (
        item.key for part in parts for item in items_of(part) if item.stem and part[item.start].isupper()
    )
    subject = _subject(parts)
    numbers = frozenset(key for key in subject if any(character.isdigit() for character in key))
    return Antecedents(subject, numbers, frozenset(names), begins_with_pronoun(sentence))


def _names_nothing(sentence: str) -> bool:
    """Does it begin with an article or a quantifier, such as "The pump" or "All pumps", and have no name?"""
    first = first_word(sentence)
    opens = is_small(first, language_of([first])) or first in WEIGHTY
    return opens and not any(item.is_name for item in items_of(sentence))


def _subject(parts: list[str]) -> frozenset[str]:
    """Returns the first name, else the first word, of the last sentence that begins with no pronoun."""
    for part in reversed(parts):
        items = items_of(part)
        if items and not begins_with_pronoun(part):
            named = [number for number, item in enumerate(items) if item.is_name]
            start = 0 if named[:1] in ([], [1]) and not items[0].value else (named or [0])[0]
            end = next((n for n in range(start + 1, len(items)) if not items[n].is_name), len(items))
            return frozenset(item.key for item in items[start:end])
    return frozenset()
