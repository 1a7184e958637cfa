"""Reads cards without a model: compares a sentence with the source lines that nearly repeat it.

It supports a sentence where a line has all of its words with meaning, in any inflection and in the same
order, and corrects it where only values, a name or a turning word differ. All else is open.
"""

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import Literal, NamedTuple

from rarr.backends.embedded.items import (
    MARKS,
    UNSPACED,
    WORD,
    Item,
    Line,
    begins_with_pronoun,
    first_word,
    items_of,
    lines_of,
    plain,
)
from rarr.backends.embedded.pronouns import antecedents
from rarr.backends.embedded.values import compare, written_like
from rarr.backends.embedded.words import are_opposites, is_weighty, opens_more
from rarr.backends.source_lines import labelled
from rarr.components import RawCard, RawEdit, RawReading, ReadingBlock
from rarr.records import Evidence
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span, table_cells
from rarr.tools.text.markdown_tables import Cell

LEAST_SHARED = 0.6
"""The least share of a sentence's items that a line about the same has."""
_AND = re.compile(r",?\s(?:and|und|et)\s")
_SET_OFF = ",;:()–—"
_FEW = 2  # words
_MOST_TURNING = 3  # words, such as "do not"
Kind = Literal["value", "name", "word", "open"]


class Slot(NamedTuple):
    """A place where a sentence and a line differ: the items of each, and what kind of words differ there."""

    kind: Kind
    own: tuple[Item, ...]
    other: tuple[Item, ...]
    at: tuple[int, int]
    """The numbers of the first own and the first other item."""


class Comparison(NamedTuple):
    """A sentence beside a line: the share of its items that the line has, and where they differ."""

    line: Line
    shared: float
    slots: tuple[Slot, ...]

    @property
    def is_whole(self) -> bool:
        """Does the line say all of the sentence?"""
        return self.shared >= LEAST_SHARED and not self.slots

    @property
    def is_other_value(self) -> bool:
        """Does the line say the same, but for one value?"""
        return [slot.kind for slot in self.slots] == ["value"]

    @property
    def is_opposed(self) -> bool:
        """Does the line say the same, but for one value or turning word? Two names may both be right."""
        return [slot.kind for slot in self.slots] in (["value"], ["word"])

    @property
    def is_correction(self) -> bool:
        """Do only values differ, or else a single name or turning word?"""
        kinds = {slot.kind for slot in self.slots}
        return kinds == {"value"} or (len(self.slots) == 1 and kinds <= {"name", "word"})


class NearQuoteReader:
    """Reads blocks without a model, as this module says."""

    name = "embedded"
    is_model = False

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        """Fills the cards of the block. It reads a block only in one way, whatever the options are."""
        return RawReading(await work(near_quote_cards, block), self.name)


class NearQuoteVerifier:
    """Judges support without a model: 1 where a line of the evidence nearly repeats the sentence, else 0."""

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float]:
        """Scores the sentence of `text` at each span by this evidence alone."""
        return [float(card.verdict == "yes") for card in await work(_cards, text, context, spans, evidence)]


def _cards(text: str, context: str | None, spans: Sequence[Span], evidence: Evidence) -> list[RawCard]:
    (excerpt,) = labelled([evidence])
    lines = lines_of(excerpt)
    return [card_of(span.of(text), f"{context or ''}\n{text[: span.start]}", lines) for span in spans]


def _is_rival(found: Comparison, best: Comparison) -> bool:
    """Does a line as near as the best one say another thing there, perhaps of a namesake?"""
    if len(found.slots) > len(best.slots):
        return False
    slots = zip(best.slots, found.slots, strict=False)
    pairs = (pair for ours, theirs in slots for pair in zip(ours.other, theirs.other, strict=False))
    return any(not _says(its, mine) for mine, its in pairs)


def near_quote_cards(block: ReadingBlock) -> dict[int, RawCard]:
    """Compares each sentence of the block with the lines of its excerpts; returns the cards by number."""
    lines = [line for excerpt in block.excerpts for line in lines_of(excerpt)]
    above, cards = f"{block.context}\n{block.before}", dict[int, RawCard]()
    shown = "".join(piece.text for piece in block.pieces)
    cells, at = table_cells(shown), 0
    for piece in block.pieces:
        cell = cells.get(Span(at, at + len(piece.text)))
        at += len(piece.text)
        if piece.number and cell:
            cards[piece.number] = _card_of_cell(shown, cell, lines)
        elif piece.number:
            cards[piece.number] = card_of(piece.text, above, [line for line in lines if not line.row])
        above += f"\n{piece.text}"
    return cards


def _card_of_cell(text: str, cell: Cell, lines: Sequence[Line]) -> RawCard:
    """Fills the card of a table's cell: by the same row of another table, else by what is said of the row."""
    row, column, value = (span.of(text) for span in (cell.row, cell.column, cell.span))
    same = [line for line in lines if line.row == plain(row)]
    card = card_of(f"{row} {column} {value}", "", same or [line for line in lines if not line.row])
    # The words of the row and of the column are not those of the cell.
    opened = tuple(words for words in card.open if words in value) or (value,) * bool(card.open)
    return card._replace(open=opened)


def card_of(sentence: str, above: str, lines: Sequence[Line]) -> RawCard:
    """Fills the card of a sentence; `above` is the text before it, which tells what its pronouns mean."""
    items = items_of(sentence)
    if states_nothing(sentence):
        return RawCard("none")
    if not items or UNSPACED.search(sentence):
        return RawCard("open", open=(sentence,))
    meant = antecedents(sentence, above)
    subject = meant.subject if meant else None
    found = [compared(items, line, subject) for line in lines if meant is None or meant.are_in(line)]
    near = [it for it in found if it.shared >= LEAST_SHARED or (len(items) == _FEW and it.is_other_value)]
    near.sort(key=lambda it: (len(it.slots), -it.shared))
    whole = (it.line.labels for it in near if not it.slots)
    same = next(whole, None) or next(_in_two_lines(sentence, items, lines), None)
    saying = _Saying(lines)
    wrong = [] if same else [it for it in near if it.is_correction and not saying.elsewhere(it)]
    if same:
        against = [it.line.labels[0] for it in near if it.is_opposed]
        return RawCard("mixed" if against else "yes", same, tuple(against))
    rival = next((it for it in wrong[1:] if _is_rival(it, wrong[0])), None)
    if rival:
        return RawCard(
            "open",
            (*wrong[0].line.labels, *rival.line.labels),
            open=tuple(_words(sentence, slot.own) for slot in wrong[0].slots if slot.own) or (sentence,),
        )
    if wrong:
        return RawCard("no", wrong[0].line.labels, edits=tuple(_edits(sentence, wrong[0])))
    if not near:
        return RawCard("open", open=(sentence,))
    undecided = [_words(sentence, slot.own) for slot in near[0].slots if slot.own]
    return RawCard("open", near[0].line.labels, open=tuple(undecided or [sentence]))


def states_nothing(sentence: str) -> bool:
    """Is the sentence of at most two words, such as "Hello there!", with no value and no subject?"""
    items = items_of(sentence)
    if len(items) > 1 or any(item.value for item in items) or begins_with_pronoun(sentence):
        return False
    return len(WORD.findall(sentence)) <= _FEW


def _in_two_lines(sentence: str, items: Sequence[Item], lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Yields the labels of two lines of which each says one side of an "and", of the same subject."""
    for number, (before, after) in enumerate(pairwise(items), start=1):
        if not _AND.match(sentence, before.end, after.start):
            continue
        for line in lines:
            if not compared(items[:number], line).is_whole:
                continue
            for other in lines:
                subject = min(_alike(items, line.items), _alike(items, other.items))
                if 0 < subject < number and compared([*items[:subject], *items[number:]], other).is_whole:
                    yield (*line.labels, *other.labels)


def _alike(own: Sequence[Item], other: Sequence[Item]) -> int:
    """Counts the words with which both begin."""
    pairs = zip(own, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].stem and pair[0].stem == pair[1].stem, pairs))


def compared(items: Sequence[Item], line: Line, subject: Set[str] | None = None) -> Comparison:
    """Aligns the items of a sentence with those of a line; `subject` is that for which it has a pronoun."""
    if line.is_row:
        return _compared_row(items, line)
    least = LEAST_SHARED if len(items) > _FEW else LEAST_SHARED / 2
    most = sum(not item.stem or item.stem in line.words for item in items) / len(items)
    if most < least:
        return Comparison(line, most, ())  # without the cost of comparing values
    own, other = _keys(items, line.items)
    matcher = SequenceMatcher(None, own, other, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks()) / len(own)
    if shared < LEAST_SHARED / 2:
        return Comparison(line, shared, ())
    slots: list[Slot] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        if kind == "replace" and b - a < d - c and _is_set_off(line, c + b - a, d):
            d = c + b - a  # what the line adds behind the words that differ
        mine, theirs = tuple(items[a:b]), tuple(line.items[c:d])
        if kind == "delete" and a == 0 and line.above and {it.key for it in mine} <= line.above:
            shared += len(mine) / len(own)  # the title or a line before says what the line is about
            continue
        if kind == "insert" and _is_set_off(line, c, d):
            continue
        if kind == "insert" and a == 0 and subject and {it.key for it in theirs} <= subject:
            continue  # the line names what the sentence has a pronoun for
        slots += _slots(mine, theirs, (a, c), is_first=a == 0)
    return Comparison(line, shared, tuple(slots))


def _compared_row(items: Sequence[Item], line: Line) -> Comparison:
    """Compares a sentence with a row, whose words have no order: all of them, and the values in order.

    What the sentence says besides is in the title or in the heading of the table.
    """
    words = {item.key for item in items}
    others = [item for item in items if item.key not in line.words and not item.value]
    own, other = ([item for item in it if item.value] for it in (items, line.items))
    lacks = any(item.stem and item.stem not in words for item in line.items)
    if lacks or len(own) != len(other) or not all(opens_more(item.word) for item in others):
        return Comparison(line, 0.0, ())
    slots = (
        Slot(_kind(mine, its), (mine,), (its,), (items.index(mine), line.items.index(its)))
        for mine, its in zip(own, other, strict=True)
        if not _is_same(mine, its)
    )
    return Comparison(line, 1.0, tuple(slots))


def _slots(
    own: Sequence[Item], other: Sequence[Item], at: tuple[int, int], *, is_first: bool
) -> Iterator[Slot]:
    """Divides a place where a sentence and a line differ into pairs of items that differ in one way."""
    if len(own) == len(other) == 1 and are_opposites(own[0].stem, other[0].stem):
        yield Slot("word", tuple(own), tuple(other), at)
        return
    if len(own) == len(other):
        pairs = [(_kind(mine, theirs), mine, theirs) for mine, theirs in zip(own, other, strict=True)]
        if all(kind == "name" for kind, _, _ in pairs) and not is_first:
            yield Slot("name", tuple(own), tuple(other), at)
            return
        if all(kind == "value" or (kind == "word" and not is_first) for kind, _, _ in pairs):
            for number, (kind, mine, theirs) in enumerate(pairs):
                yield Slot(kind, (mine,), (theirs,), (at[0] + number, at[1] + number))
            return
    more = own or other
    is_turned = not (own and other) and len(more) <= _MOST_TURNING and all(is_weighty(it.stem) for it in more)
    yield Slot("word" if is_turned else "open", tuple(own), tuple(other), at)


def _kind(own: Item, other: Item) -> Kind:
    if own.value is not None and other.value is not None:
        is_name = "identifier" in (own.value.kind, other.value.kind) or own.is_name or other.is_name
        differs = own.value.kind == other.value.kind and compare(own.value, other.value) == "different"
        return "value" if differs and not is_name else "open"  # another name may be another thing
    if own.value is not None or other.value is not None:
        return "open"
    if own.is_name and other.is_name:
        return "name"
    return "word" if are_opposites(own.stem, other.stem) else "open"


def _keys(own: Sequence[Item], other: Sequence[Item]) -> tuple[list[object], list[object]]:
    """Gives the items that say the same the same key: words by their stem, values by what they mean."""
    words: dict[str, list[Item]] = {}
    for item in own:
        words.setdefault(item.stem, []).append(item)
    right: list[object] = []
    for item in other:
        if item.stem:
            mine = words.get(item.stem, [item])
            right.append(item.stem if any(_is_same(word, item) for word in mine) else -1 - len(right))
        else:
            equal = (number for number, mine in enumerate(own) if mine.value and _is_same(mine, item))
            right.append(next(equal, -1 - len(right)))
    return [item.stem or number for number, item in enumerate(own)], right


def _is_same(own: Item, other: Item) -> bool:
    """Are the values equal, or the words, in any inflection? Of names, "Stephens" is no "Stephen"."""
    if own.value or other.value:
        return (
            own.value is not None and other.value is not None and compare(own.value, other.value) == "equal"
        )
    return own.stem == other.stem and (own.word == other.word or not (own.is_name and other.is_name))


def _is_set_off(line: Line, first: int, last: int) -> bool:
    """Do the items `first` to `last` of a line leave what stands around them as it is?

    They stand in commas or brackets, or, behind the last item of the sentence, after a word such as "in".
    """
    items = line.items
    # Behind "may" or "more than", a last phrase is a condition.
    if any(is_weighty(item.stem) for item in items[0 if last == len(items) else first : last]):
        return False
    start = items[first - 1].end if first else 0
    end = items[last].start if last < len(items) else len(line.text)
    between = line.text[start:end].strip(MARKS)
    begins = first == 0 or between[:1] in _SET_OFF or (last == len(items) and opens_more(first_word(between)))
    return begins and (last == len(items) or between[-1:] in _SET_OFF)


class _Saying:
    """Which lines say an item of a sentence; each item is looked for once."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._found: dict[int, set[Line]] = {}

    def elsewhere(self, found: Comparison) -> bool:
        """Has another line about the same subject what the sentence says in place of this line's words?"""
        first = found.line.items[0].key
        for slot in found.slots:
            if all(is_weighty(mine.stem) for mine in slot.own):  # "not" may stand in any line
                continue
            lines = set.intersection(*map(self._lines_with, slot.own))
            if any(it.text != found.line.text and first in it.words for it in lines):
                return True
        return False

    def _lines_with(self, own: Item) -> set[Line]:
        if own.start not in self._found:
            self._found[own.start] = {it for it in self._lines if any(_says(item, own) for item in it.items)}
        return self._found[own.start]


def _says(item: Item, own: Item) -> bool:
    if own.value is not None:
        return item.value is not None and compare(own.value, item.value) == "equal"
    return bool(own.stem) and item.stem == own.stem


def _edits(sentence: str, found: Comparison) -> Iterator[RawEdit]:
    """Writes the edits of a correction: values in the form of the text, and words as the line has them."""
    for slot in found.slots:
        by = found.line.text[slot.other[0].start : slot.other[-1].end] if slot.other else ""
        if slot.kind == "value" and (own := slot.own[0].value) and (other := slot.other[0].value):
            new = written_like(other, own) or " ".join(by.split())
            yield RawEdit(*_unique(sentence, slot.own[0].start, slot.own[-1].end, new), by)
        elif slot.own and slot.other:
            yield RawEdit(*_unique(sentence, slot.own[0].start, slot.own[-1].end, " ".join(by.split())), by)
        elif slot.own or slot.at[0]:  # before the first word, as of an order, a "not" is put in by a person
            yield _turned(sentence, found.line, slot)


def _turned(sentence: str, line: Line, slot: Slot) -> RawEdit:
    """Copies what the line has between the items around a turning word, which are the same in both."""
    items = items_of(sentence)
    own, other = slot.at[0] + len(slot.own), slot.at[1] + len(slot.other)
    start = items[slot.at[0] - 1].start if slot.at[0] else 0
    end = items[own].end if own < len(items) else len(sentence)
    first = line.items[slot.at[1] - 1].start if slot.at[1] else 0
    last = line.items[other].end if other < len(line.items) else len(line.text)
    by = line.text[first:last]
    return RawEdit(sentence[start:end], " ".join(by.split()), by)


def _unique(sentence: str, start: int, end: int, new: str) -> tuple[str, str]:
    """Adds the words before the replaced ones until they stand only once; doubles no full stop."""
    at = start
    while sentence.count(sentence[at:end]) > 1 and at:
        at = sentence.rfind(" ", 0, max(at - 1, 0)) + 1
    new = new.removesuffix(".") if sentence.startswith(".", end) else new
    return sentence[at:end], sentence[at:start] + new


def _words(sentence: str, items: Sequence[Item]) -> str:
    return sentence[items[0].start : items[-1].end]
