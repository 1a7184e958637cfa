"""Reads cards without a model: compares a sentence with the source lines that nearly repeat it."""

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise, product, takewhile
from typing import Literal, NamedTuple

from rarr.backends.embedded.antecedents import Antecedents, antecedents
from rarr.backends.embedded.items import (
    MARKS,
    UNSPACED,
    WORD,
    Item,
    Line,
    first_word,
    is_same,
    items_of,
    plain,
    verb_at,
)
from rarr.backends.embedded.values import compare, replacement
from rarr.backends.embedded.words import OPENERS, PRONOUNS, TURNING, WEIGHTY, are_opposites, same_tense
from rarr.components import RawCard, RawEdit
from rarr.tools.text.markdown_tables import Cell

LEAST_SHARED = 0.6  # of a sentence's items, in a line about the same
_SET_OFF = frozenset(",;:()–—")
_AND = re.compile(r",?\s(?:and|und|et)\s")
_FURTHER = re.compile(r",?\s(?:and|und|et)\s|[,;]\s(?:who|whose|where|when)\s")
_QUOTATION_MARKS = frozenset("\"“”„«»‘’'")
_FULL_NAME = 4  # letters: "II" and "B" are parts of a name
_FEW = 2  # words
_EARLY = 3  # items that may stand before a verb that nothing shows
_MANY = 8  # words that tell one event
_MOST_TURNING = 3  # words, such as "do not"
Kind = Literal["value", "name", "word", "open"]


class Slot(NamedTuple):
    """A place where a sentence and a line differ: the items of each, and what kind of words differ there."""

    kind: Kind
    own: tuple[Item, ...]
    other: tuple[Item, ...]
    at: tuple[int, int]  # the numbers of the first own and the first other item


class Comparison(NamedTuple):
    """A sentence beside a line: the share of its items that the line has, and where they differ."""

    line: Line
    shared: float
    slots: tuple[Slot, ...]
    is_framed: bool = False  # by words that may tell who says it, of what, or in which world

    @property
    def is_whole(self) -> bool:
        """Does the line say all of the sentence, and nothing that may change what it says?"""
        return self.shared >= LEAST_SHARED and not self.slots and not self.is_framed

    @property
    def is_opposed(self) -> bool:
        """Does the line say the same, but for one value or turning word? Two names may both be right."""
        return [slot.kind for slot in self.slots] in (["value"], ["word"])

    @property
    def is_correction(self) -> bool:
        """Does one value, name or turning word differ? Of two, the first may tell which thing is meant."""
        return len(self.slots) == 1 and self.slots[0].kind != "open"

    def is_denied_by(self, other: "Comparison") -> bool:
        """Is another line at least as near, and says another thing in these places, perhaps of a namesake?"""
        slots = zip(self.slots, other.slots, strict=False)
        pairs = (pair for ours, theirs in slots for pair in zip(ours.other, theirs.other, strict=False))
        is_near = other.is_correction and len(other.slots) <= len(self.slots)
        return is_near and not all(is_same(mine, its) for mine, its in pairs)


def card_of_cell(text: str, cell: Cell, lines: Sequence[Line]) -> RawCard:
    row, column, value = (span.of(text) for span in (cell.row, cell.column, cell.span))
    same = [line for line in lines if line.row == plain(row)] or [line for line in lines if not line.row]
    card = card_of(f"{row} {column} {value}", "", [line.timeless for line in same])
    opened = tuple(words for words in card.open if words in value) or (value,) * bool(card.open)
    return card._replace(open=opened)


def card_of(sentence: str, above: str, lines: Sequence[Line], *, framed: bool = False) -> RawCard:
    """Fills the card of a sentence; `above` tells what its pronouns mean; `framed` lines may count."""
    items = items_of(sentence)
    if states_nothing(sentence):
        return RawCard("none")
    if not items or UNSPACED.search(sentence):
        return RawCard("open", open=(sentence,))
    near = _near_lines(items, antecedents(sentence, above), lines)
    near = [it._replace(is_framed=False) for it in near] if framed else near
    whole = (it.line.labels for it in near if it.is_whole)
    if same := next(whole, None) or next(_in_two_lines(sentence, items, lines), None):
        against = tuple(it.line.labels[0] for it in near if it.is_opposed)
        return RawCard("mixed" if against else "yes", same, against)
    corrections = (it for it in near if it.is_correction and not it.is_framed)
    wrong = next((it for it in corrections if not _is_said_elsewhere(it, lines)), None)
    rival = next((it for it in near if wrong and wrong.is_denied_by(it)), None)
    if wrong and not rival:
        edits = tuple(_edits(sentence, wrong))
        return RawCard("no", wrong.line.labels, edits=edits * (len(edits) == len(wrong.slots)))
    cited = [it for it in (wrong, rival) if it] or near[:1]
    labels = tuple(label for it in cited for label in it.line.labels)
    if rival and all(it.is_opposed for it in cited):
        return RawCard("mixed", (), labels)
    slots = cited[0].slots if cited else ()
    words = (sentence[slot.own[0].start : slot.own[-1].end] for slot in slots if slot.own)
    return RawCard("open", labels, open=tuple(words) or (sentence,))


def _near_lines(items: Sequence[Item], meant: Antecedents | None, lines: Sequence[Line]) -> list[Comparison]:
    about = (it for it in lines if (meant is None or meant.are_in(it)) and not it.text.rstrip().endswith("?"))
    found = (compared(items, line, meant.subject if meant else None) for line in about)
    near = (it for it in found if it.shared >= LEAST_SHARED or (len(items) == _FEW and it.is_opposed))
    return sorted(near, key=lambda it: (len(it.slots), -it.shared))


def _is_said_elsewhere(found: Comparison, lines: Sequence[Line]) -> bool:
    """Has another line about the same subject what the sentence says in place of this line's words?"""
    others = [it.items for it in lines if it.text != found.line.text and found.line.items[0].key in it.words]
    slots = (slot.own for slot in found.slots if not all(mine.stem in WEIGHTY for mine in slot.own))
    pairs = product(slots, others)
    return any(all(any(is_same(mine, item) for item in items) for mine in own) for own, items in pairs)


def states_nothing(sentence: str) -> bool:
    """Is it a question, or of at most two words, such as "Hello there!", with no value and no subject?"""
    items = items_of(sentence)
    says_more = len(items) > 1 or any(item.value for item in items) or first_word(sentence) in PRONOUNS
    return sentence.rstrip().endswith("?") if says_more else len(WORD.findall(sentence)) <= _FEW


def _in_two_lines(sentence: str, items: Sequence[Item], lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Yields the labels of two lines of which each says one side of an "and", of the same subject."""
    for number, (before, after) in enumerate(pairwise(items), start=1):
        if _AND.match(sentence, before.end, after.start):
            first = items[:number]
            sides = first, (*first[: verb_at(first, 1)], *items[number:])
            found = [next((it for it in lines if compared(side, it).is_whole), None) for side in sides]
            yield from [tuple(label for it in found if it for label in it.labels)] * all(found)


def compared(items: Sequence[Item], line: Line, subject: Set[str] | None = None) -> Comparison:
    """Aligns the items of a sentence with those of a line; `subject` is that for which it has a pronoun."""
    if line.is_row:
        return _compared_row(items, line)
    least = LEAST_SHARED if len(items) > _FEW else LEAST_SHARED / 2
    if len({item.stem for item in items if item.stem} - line.words) > (1 - least) * len(items):
        return Comparison(line, 0.0, ())  # without the cost of comparing values
    own, other = _keys(items, line.items)
    matcher = SequenceMatcher(None, own, other, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks()) / len(own)
    if shared + _told_above(items, line) / len(own) < least:
        return Comparison(line, shared, ())
    shown = line.text.strip()
    slots, is_framed = list[Slot](), {shown[:1], shown[-1:]} <= _QUOTATION_MARKS
    for _, a, b, c, d in (it for it in matcher.get_opcodes() if it[0] != "equal"):
        names_subject = a == b == 0 and subject is not None and {it.key for it in line.items[:d]} <= subject
        if (end := c + b - a) < d and (names_subject or _is_set_off(line, end, d)):
            is_framed |= not (names_subject or _is_further(line, end, d))
            d = end  # what the line adds
        told = _told_above(items[:b], line) if a == 0 else 0
        first = max(d - b + told, 0)
        if told and (first == 0 or not PRONOUNS.isdisjoint(WORD.findall(_gap(line, first).casefold()))):
            shared += told / len(own)
            is_framed |= first > 0
            a, c = told, first
        if a < b or c < d:
            more = (*items[a:b], *line.items[c:d])
            is_subject = a < max(1, verb_at(items, len(items) if any(it.is_name for it in more) else 1))
            is_role = 0 < a < b and not items[a - 1].is_name and items[a - 1].end + 1 == items[a].start
            is_subject &= not (is_role and len(items) - (b - a) >= _MANY)  # "the architect Ann Holt"
            is_subject |= a > 0 and items[a - 1].is_name and all(len(it.word) < _FULL_NAME for it in more)
            tells_which = b <= verb_at(items, _EARLY) and any(it.value for it in items[b:])
            found = _slots(items[a:b], line.items[c:d], (a, c), is_subject=is_subject)
            slots += (_opened(it) if tells_which and it.kind == "value" else it for it in found)
    if not TURNING[0].isdisjoint(it.stem for it in items):  # "not higher" and "not lower" may both be right
        slots = [it if it.kind == "value" or not (it.own and it.other) else _opened(it) for it in slots]
    return Comparison(line, shared, tuple(slots), is_framed)


def _opened(slot: Slot) -> Slot:
    return slot._replace(kind="open")


def _told_above(items: Sequence[Item], line: Line) -> int:
    return sum(1 for _ in takewhile(lambda it: it.key in line.above and (it.stem or it.is_name), items))


def _compared_row(items: Sequence[Item], line: Line) -> Comparison:
    words = {item.key for item in items}
    others = [item for item in items if item.key not in line.words and not item.value]
    own, other = ([item for item in it if item.value] for it in (items, line.items))
    lacks = any(item.stem and item.stem not in words for item in line.items)
    signs = ([item.word for item in it if not item.word[0].isalnum()] for it in (items, line.items))
    if (
        lacks
        or next(signs) != next(signs)
        or len(own) != len(other)
        or not all(item.word in OPENERS for item in others)
    ):
        return Comparison(line, 0.0, ())
    slots = (
        Slot(_kind(mine, its), (mine,), (its,), (items.index(mine), line.items.index(its)))
        for mine, its in zip(own, other, strict=True)
        if not is_same(mine, its)
    )
    return Comparison(line, 1.0, tuple(slots))


def _slots(
    own: Sequence[Item], other: Sequence[Item], at: tuple[int, int], *, is_subject: bool
) -> Iterator[Slot]:
    """Divides a difference into pairs of items that differ in one way, or tell of another subject."""
    is_subject &= not all(item.stem in WEIGHTY for item in (*own, *other))
    if len(own) == len(other):
        pairs = [(_kind(mine, theirs), mine, theirs) for mine, theirs in zip(own, other, strict=True)]
        if all(kind == "name" for kind, _, _ in pairs) and not is_subject:
            yield Slot("name", tuple(own), tuple(other), at)
            return
        if all(kind == "value" or (kind == "word" and not is_subject) for kind, _, _ in pairs):
            for number, (kind, mine, theirs) in enumerate(pairs):
                yield Slot(kind, (mine,), (theirs,), (at[0] + number, at[1] + number))
            return
    more = own or other
    are_turning = all(it.stem in TURNING[not own] for it in more)
    is_turned = not (own and other) and len(more) <= _MOST_TURNING and are_turning
    yield Slot("word" if is_turned else "open", tuple(own), tuple(other), at)


def _kind(own: Item, other: Item) -> Kind:
    if own.form != other.form:
        return "open"
    is_name, one, second = own.is_name or other.is_name, own.value, other.value
    if one and second:
        is_name |= "identifier" in (one.kind, second.kind)  # another name may be another thing
        is_near = one.kind == second.kind and one.bound in (second.bound, "about")
        differs = is_near and compare(one, second) == "different"
        return "value" if differs and not is_name else "open"
    if own.is_name and other.is_name and not (one or second):
        return "name"
    return "word" if are_opposites(own.stem, other.stem) else "open"


def _keys(own: Sequence[Item], other: Sequence[Item]) -> tuple[list[object], list[object]]:
    """Gives the items that say the same the same key: words by their stem, values by what they mean."""
    right = list[object]()
    keys: list[object] = [(item.stem, item.form) if item.stem else number for number, item in enumerate(own)]
    stems = {it.stem: [n for n, item in enumerate(own) if item.stem == it.stem] for it in own}
    for item in other:
        same = (keys[number] for number in stems.get(item.stem, ()) if _is_same(own[number], item))
        right.append(next(same, -1 - len(right)))
    return keys, right


def _is_same(own: Item, other: Item) -> bool:
    """Are they the same, in the same tense and mood? Of names, "Stephens" is no "Stephen"."""
    did = own.form == "did", other.form == "did"
    if not is_same(own, other) or (own.form != other.form and True not in did):
        return False
    if own.word == other.word or not own.stem:
        return own.form == other.form
    return same_tense(own.word, other.word, did=did) and not (own.is_name and other.is_name)


def _is_set_off(line: Line, first: int, last: int) -> bool:
    """Do items of a line stand in commas or brackets, before its first words, or, last, behind an "in"?"""
    after, is_last = _gap(line, last), last == len(line.items)
    closes = is_last or not _SET_OFF.isdisjoint(after)
    if first == 0:
        return closes or (WORD.search(after) is not None and line.items[last - 1].word not in OPENERS)
    opens = is_last and first_word(line.text[line.items[first - 1].end :]) in OPENERS
    return closes and (opens or not _SET_OFF.isdisjoint(_gap(line, first)))


def _is_further(line: Line, first: int, last: int) -> bool:
    """Do the last items of a line say something else besides? They may limit what stands before."""
    items, more = line.items, line.items[first:last]
    if first == 0 or last < len(items) or any(item.stem in WEIGHTY for item in items):
        return False  # behind "may" or "more than", a last phrase is a condition
    is_agent = more[0].word in ("by", "von", "par") and all(item.is_name for item in more[1:])
    has_words = any(item.stem and item.word not in OPENERS for item in more)  # "and 1958" has none
    clause = line.text[items[first - 1].end :]
    given, added = ([it.value for it in each if it.value] for each in (items[:first], more))
    is_other = not any((it.kind, it.unit) == (own.kind, own.unit) for it in added for own in given)
    tells_other = clause.startswith(", which ") and bool(added) and is_other
    return is_agent or tells_other or (has_words and _FURTHER.match(clause) is not None)


def _gap(line: Line, number: int) -> str:
    start = line.items[number - 1].end if number else 0
    return line.text[start : line.items[number].start if number < len(line.items) else len(line.text)]


def _edits(sentence: str, found: Comparison) -> Iterator[RawEdit]:
    for slot in found.slots:
        by = found.line.text[slot.other[0].start : slot.other[-1].end] if slot.other else ""
        if slot.own and slot.other:
            own, other = slot.own[0].value, slot.other[0].value
            new = replacement(other, own) if own and other else " ".join(by.split())
            if new is not None:  # else the words around the value would not fit
                if not sentence[: slot.own[0].start].strip(MARKS) and sentence[slot.own[0].start].isupper():
                    new = new[:1].upper() + new[1:]
                yield RawEdit(*_unique(sentence, slot.own[0].start, slot.own[-1].end, new), by)
        elif slot.own or slot.at[0]:  # before the first word, as of an order, a "not" is put in by a person
            yield _turned(sentence, found.line, slot)


def _turned(sentence: str, line: Line, slot: Slot) -> RawEdit:
    items = items_of(sentence)  # those around the turning word are the same in both
    own, other = slot.at[0] + len(slot.own), slot.at[1] + len(slot.other)
    start = items[slot.at[0] - 1].start if slot.at[0] else 0
    end = items[own].end if own < len(items) else len(sentence)
    first = line.items[slot.at[1] - 1].start if slot.at[1] else 0
    last = line.items[other].end if other < len(line.items) else len(line.text)
    by = line.text[first:last]
    return RawEdit(sentence[start:end], " ".join(by.split()), by)


def _unique(sentence: str, start: int, end: int, new: str) -> tuple[str, str]:
    at = start
    while sentence.count(sentence[at:end]) > 1 and at:
        at = sentence.rfind(" ", 0, max(at - 1, 0)) + 1
    new = new.removesuffix(".") if sentence.startswith(".", end) else new
    if sentence[end - 1] == "." and not new.endswith(".") and not sentence[end:].strip(MARKS):
        end -= 1  # it ends the sentence
    return sentence[at:end], sentence[at:start] + new
