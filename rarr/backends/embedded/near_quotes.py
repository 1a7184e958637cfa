"""Fills a card (the answer about a sentence) by source lines that nearly repeat the sentence."""

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise, product, takewhile
from typing import Literal, NamedTuple

from rarr.backends.embedded import words as lists
from rarr.backends.embedded.antecedents import DEFAULT_VERB_INDEX, find_antecedent
from rarr.backends.embedded.items import (
    MARKS,
    VERB_ENDINGS,
    WORD,
    Item,
    Line,
    first_pronoun,
    first_word,
    is_same_item,
    items_of,
    plain_words,
    verb_index,
)
from rarr.backends.embedded.values.comparing import compare, is_narrower, replacement
from rarr.backends.source_lines import LEAD_LINE_ENDS
from rarr.components import RawCard, RawEdit
from rarr.tools.text.markdown_tables import Cell

LEAST_SHARED = 0.6  # a line with a smaller share of the sentence's items decides nothing
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CELL_MARKS = re.compile(r"[()\[\]†‡§]|(?<=\w)\*(?![*\w])")  # in "(45)", a loss; in "45*", a note
_LOSS = re.compile(r"\(\s*[\d.,]+\s*\)")  # a loss in a table row
_SET_OFF = frozenset(",;:()–—")
_AND = re.compile(r",?\s(?:and|und|et)\s")
_FURTHER = re.compile(r",?\s(?:and|und|et)\s|[,;]\s(?:who|whose|where|when)\s")
_COMMENTING = lists.PRONOUNS.union(*lists.FUNCTION_WORDS.values()) - {"has", "hat"}
_QUOTATION_MARKS = frozenset("\"“”„«»‘’'")
_FEW = 2  # so many words, or fewer, say little
DiffKind = Literal["value", "name", "word", "open"]


class Diff(NamedTuple):
    """The items (words, values) that differ: `own` in a sentence, `other` in a line. Either may be empty."""

    kind: DiffKind  # "open": a difference that decides nothing
    own: tuple[Item, ...]
    other: tuple[Item, ...]
    at: tuple[int, int]  # the indexes of the first own item and of the first other item


class Alignment(NamedTuple):
    """A line, the share of a sentence's items (values, words) that the line has (0 to 1), and differences."""

    line: Line
    shared: float
    diffs: tuple[Diff, ...]
    is_hedged: bool = False  # the line may only report or limit the statement ("Some say that ...")

    @property
    def is_full_match(self) -> bool:
        """Tells whether the line says the whole sentence, and nothing that may change its meaning."""
        return self.shared >= LEAST_SHARED and not self.diffs and not self.is_hedged

    @property
    def is_contradiction(self) -> bool:
        """Tells whether only a value or a word like "not" differs: sentence and line cannot both be true."""
        return [diff.kind for diff in self.diffs] in (["value"], ["word"])

    @property
    def is_correctable(self) -> bool:
        """Tells whether the only difference is a value, a name or a word like "not"."""
        return len(self.diffs) == 1 and self.diffs[0].kind != "open"

    def has_other_heading(self, line: Line) -> bool:
        """Tells whether the aligned line and `line` stand below different headings of one page."""
        pages = {it.title or it.labels[-1].partition(".")[0] for it in (self.line, line)}
        own, other = (it.heading_keys - it.all_keys for it in (self.line, line))
        return len(pages) == 1 and own != other

    def is_contested_by(self, other: "Alignment") -> bool:
        """Tells whether the line of `other` is as similar to the sentence, but leads to another edit."""
        diffs = zip(self.diffs, other.diffs, strict=False)
        pairs = (pair for ours, theirs in diffs for pair in zip(ours.other, theirs.other, strict=False))
        is_near = other.is_correctable and len(other.diffs) <= len(self.diffs)
        return is_near and not all(is_same_item(mine, its) for mine, its in pairs)


def card_of_cell(text: str, cell: Cell, lines: Sequence[Line]) -> RawCard:
    row, column, value = (span.of(text) for span in (cell.row, cell.column, cell.span))
    same = [it for it in lines if it.row == plain_words(row)] or [it for it in lines if not it.row]
    marks = sorted(_CELL_MARKS.findall(value))
    comparable = [it for it in same if not it.row or sorted(_CELL_MARKS.findall(it.cell)) == marks]
    card = card_of(f"{row} {column} {value}", "", [line.without_present_tense for line in comparable])
    opened = tuple(words for words in card.open if words in value) or (value,) * bool(card.open)
    return card._replace(open=opened)


def card_of(
    sentence: str, above: str, lines: Sequence[Line], *, hedged: bool = False, names_contradict: bool = False
) -> RawCard:
    """Returns the card of a sentence. `above` is the text before the sentence.

    With `names_contradict`, a line with another name, or another year of a value, contradicts the sentence.
    `hedged` does the same, and also uses lines that only report a statement ("Some say that ...").
    """
    items = items_of(sentence)
    if states_nothing(sentence):
        return RawCard("none")
    if not items or _UNSPACED.search(sentence):
        return RawCard("open", open=(sentence,))
    subject, is_open = find_antecedent(sentence, above), bool(first_pronoun(sentence))
    told = [it for it in lines if not is_open or it.needed_keys <= (subject or set()) <= it.all_keys]
    told = [it for it in told if hedged or not lists.has_other_pronouns(sentence, it.text)]
    found = [align(items, it, subject) for it in told if not it.text.rstrip().endswith("?")]
    found = [it for it in found if it.shared >= LEAST_SHARED or (len(items) == _FEW and it.is_contradiction)]
    near = sorted(found, key=lambda it: (len(it.diffs), -it.shared))
    near = [it._replace(is_hedged=False) for it in near] if hedged else near
    whole = next((it.line for it in near if it.is_full_match), None)
    if same := whole.labels if whole else next(_label_pairs(sentence, items, told), None):
        opposed = [it for it in near if it.is_contradiction]
        if not hedged and any(it.is_hedged or (whole and it.has_other_heading(whole)) for it in opposed):
            return RawCard("open", same, open=(sentence,))  # one line may limit or correct the other
        against = tuple(it.line.labels[0] for it in opposed)
        return RawCard("mixed" if against else "yes", same, against)
    sure = [it for it in near if it.is_contradiction or ((hedged or names_contradict) and it.is_correctable)]
    sure = [it for it in sure if hedged or not _differs_in_known_name(it, above)]
    corrections = (it for it in sure if not it.is_hedged)
    wrong = next((it for it in corrections if not _another_line_has_words(it, lines)), None)
    rival = next((it for it in near if wrong and wrong.is_contested_by(it)), None)
    if wrong and not rival:
        edits = tuple(_line_edits(sentence, wrong))
        return RawCard("no", wrong.line.labels, edits=edits * (len(edits) == len(wrong.diffs)))
    cited = [it for it in (wrong, rival) if it] or near[:1]
    labels = tuple(label for it in cited for label in it.line.labels)
    if rival and all(it.is_contradiction for it in cited):
        return RawCard("mixed", (), labels)
    words = (sentence[it.own[0].start : it.own[-1].end] for each in cited[:1] for it in each.diffs if it.own)
    return RawCard("open", labels, open=tuple(words) or (sentence,))


def _differs_in_known_name(found: Alignment, above: str) -> bool:
    """Tells whether the text `above` has the name that differs: then the line is about another thing."""
    names = {item.key for diff in found.diffs for item in diff.own if item.is_name and item.stem}
    return bool(names) and names <= {item.key for item in items_of(above)}


def _another_line_has_words(found: Alignment, lines: Sequence[Line]) -> bool:
    """Tells whether another line about the subject has the words of the sentence that `found.line` lacks."""
    line = found.line
    others = [it.items for it in lines if it.text != line.text and line.items[0].key in it.all_keys]
    diffs = (diff.own for diff in found.diffs if not all(mine.stem in lists.LIMITING for mine in diff.own))
    pairs = product(diffs, others)
    return any(all(any(is_same_item(mine, item) for item in items) for mine in own) for own, items in pairs)


def states_nothing(sentence: str) -> bool:
    """Tells whether a text is a question, ends with a colon, or has too few words, such as "Hello there!"."""
    items, shown = items_of(sentence), sentence.rstrip()
    says_more = len(items) > 1 or any(item.value for item in items) or first_word(sentence) in lists.PRONOUNS
    return shown.endswith(("?", *LEAD_LINE_ENDS)) if says_more else len(WORD.findall(sentence)) <= _FEW


def _label_pairs(sentence: str, items: Sequence[Item], lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Yields labels of two lines: the first says what is before an "and", the second what is behind it."""
    for number, (before, after) in enumerate(pairwise(items), start=1):
        if _AND.match(sentence, before.end, after.start):
            first = items[:number]
            sides = first, (*first[: verb_index(first, 1)], *items[number:])
            found = [next((it for it in lines if align(side, it).is_full_match), None) for side in sides]
            yield from [tuple(label for it in found if it for label in it.labels)] * all(found)


def align(items: Sequence[Item], line: Line, subject: Set[str] | None = None) -> Alignment:
    """Compares the `items` of a sentence with a line. `subject`: the result of `find_antecedent`."""
    if line.is_row:
        return _align_row(items, line)
    least = LEAST_SHARED if len(items) > _FEW else LEAST_SHARED / 2
    if not items or len({it.stem for it in items if it.stem} - line.all_keys) > (1 - least) * len(items):
        return Alignment(line, 0.0, ())  # saves the slow comparison of values
    own, other = _comparison_keys(items, line.items)
    matcher = SequenceMatcher(None, own, other, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks()) / len(own)
    if shared + _subject_item_count(items, line) / len(own) < least:
        return Alignment(line, shared, ())
    shown = line.text.strip()
    diffs, is_hedged = list[Diff](), {shown[:1], shown[-1:]} <= _QUOTATION_MARKS
    for _, a, b, c, d in (it for it in matcher.get_opcodes() if it[0] != "equal"):
        names_subject = a == b == 0 and subject is not None and {it.key for it in line.items[:d]} <= subject
        if (end := c + b - a) < d and (names_subject or _is_set_off(line, end, d)):
            is_hedged |= not (names_subject or (end > 0 and _adds_statement(line, end, d)))
            d = end  # the words behind `end` are only in the line
        told = _subject_item_count(items[:b], line) if a == 0 else 0
        first = max(d - b + told, 0)
        if told and (first == 0 or not lists.PRONOUNS.isdisjoint(WORD.findall(_gap(line, first).casefold()))):
            shared += told / len(own)
            is_hedged |= first > 0
            a, c = told, first
        if a < b or c < d:
            more = (*items[a:b], *line.items[c:d])
            is_subject = a < max(1, verb_index(items, len(items) if any(it.is_name for it in more) else 1))
            is_role = 0 < a < b and _is_role_of_name(*items[a - 1 : a + 1]) and len(items) - (b - a) >= 8
            is_subject &= not is_role
            tells_which = b <= verb_index(items, DEFAULT_VERB_INDEX)
            pairs = zip((it.value for it in items[a:b]), (it.value for it in line.items[c:d]), strict=False)
            tells_which &= any(it.value for it in items[b:]) or any(is_narrower(*pair) for pair in pairs)
            kinds: dict[str, DiffKind] = {"name": "word"} if is_role else {}
            kinds["value"] = "open" if tells_which else "name" if _dates_value(line, c, d) else "value"
            found = _split_diff(items[a:b], line.items[c:d], (a, c), is_subject=is_subject)
            diffs += (it._replace(kind=kinds.get(it.kind, it.kind)) for it in found)
    # "not higher" and "not lower" may both be right.
    if not lists.REVERSING[0].isdisjoint(it.stem for it in items):
        diffs = [
            it._replace(kind="open") if it.own and it.other and it.kind != "value" else it for it in diffs
        ]
    return Alignment(line, shared, tuple(diffs), is_hedged)


def _is_role_of_name(word: Item, name: Item) -> bool:
    """Tells whether a word is the role of the name behind it, as in "the architect Ann Holt"."""
    is_noun = not (word.is_name or word.value or word.word in lists.OPENERS)
    return is_noun and word.end + 1 == name.start


def _dates_value(line: Line, start: int, end: int) -> bool:
    """Tells whether the items `start` to `end` are the date of a value, as in "50 million euros in 2019"."""
    kinds = [it.value.kind if it.value and not it.is_name else "" for it in line.items]
    if "date" not in kinds[start:end] or (start > 0 and end < len(kinds)):
        return False
    place = line.items[start].start, line.items[end - 1].end
    others = [it for it, kind in zip(line.items, kinds, strict=True) if kind not in ("", "date")]
    gaps = (line.text[min(it.end, place[1]) : max(it.start, place[0])] for it in others)
    return any(not (_AND.search(gap) or "," in gap) for gap in gaps)  # value and date are in one phrase


def _subject_item_count(items: Sequence[Item], line: Line) -> int:
    told = list(takewhile(lambda it: it.key in line.subject_keys and (it.stem or it.is_name), items))
    return len(told) if line.needed_keys <= {it.key for it in told} else 0


def _align_row(items: Sequence[Item], line: Line) -> Alignment:
    words = {item.key for item in items}
    others = [item for item in items if item.key not in line.all_keys and not item.value]
    own, other = ([item for item in it if item.value] for it in (items, line.items))
    has_more = any(item.stem and item.stem not in words for item in line.items)
    signs = [[item.word for item in it if not item.word[0].isalnum()] for it in (items, line.items)]
    is_alike = signs[0] == signs[1] and len(own) == len(other)
    is_alike &= not _LOSS.search(line.text)
    if has_more or not is_alike or not all(item.word in lists.OPENERS for item in others):
        return Alignment(line, 0.0, ())
    diffs = (
        Diff(_diff_kind(mine, its), (mine,), (its,), (items.index(mine), line.items.index(its)))
        for mine, its in zip(own, other, strict=True)
        if not is_same_item(mine, its)
    )
    return Alignment(line, 1.0, tuple(diffs))


def _split_diff(
    own: Sequence[Item], other: Sequence[Item], at: tuple[int, int], *, is_subject: bool
) -> Iterator[Diff]:
    """Yields one difference for each pair of values or opposites if all items form pairs; else only one."""
    is_subject &= not all(item.stem in lists.LIMITING for item in (*own, *other))
    if len(own) == len(other):
        pairs = [(_diff_kind(mine, theirs), mine, theirs) for mine, theirs in zip(own, other, strict=True)]
        if all(kind == "name" for kind, _, _ in pairs) and not is_subject:
            yield Diff("name", tuple(own), tuple(other), at)
            return
        if all(kind == "value" or (kind == "word" and not is_subject) for kind, _, _ in pairs):
            for number, (kind, mine, theirs) in enumerate(pairs):
                yield Diff(kind, (mine,), (theirs,), (at[0] + number, at[1] + number))
            return
    more = own or other
    are_turning = all(it.stem in lists.REVERSING[not own] for it in more)
    is_turned = not (own and other) and len(more) <= 3 and are_turning
    yield Diff("word" if is_turned else "open", tuple(own), tuple(other), at)


def _diff_kind(own: Item, other: Item) -> DiffKind:
    if own.form != other.form or own.marks.isdisjoint(other.marks):
        return "open"
    is_name, one, second = own.is_name or other.is_name, own.value, other.value
    if one and second:
        is_name |= "identifier" in (one.kind, second.kind)  # another name may be another thing
        is_near = one.kind == second.kind and one.bound in (second.bound, "about")
        recurs = one.kind == "date" and not any(it.years for it in (*one.dates, *second.dates))
        differs = is_near and not recurs and compare(one, second) == "different"
        return "value" if differs and not is_name else "open"
    if own.is_name and other.is_name and not (one or second):
        return "name"
    return "word" if lists.are_opposites(own.stem, other.stem) else "open"


def _comparison_keys(own: Sequence[Item], other: Sequence[Item]) -> tuple[list[object], list[object]]:
    """Returns a key for each item of `own` and of `other`. Items with the same meaning have equal keys."""
    right = list[object]()
    keys: list[object] = [(it.stem, it.form, it.marks) if it.stem else at for at, it in enumerate(own)]
    stems = {it.stem: [n for n, item in enumerate(own) if item.stem == it.stem] for it in own}
    for item in other:
        same = [number for number in stems.get(item.stem, ()) if _is_same_in_tense(own[number], item)]
        best = [number for number in same if own[number].marks == item.marks] or same
        right.append(keys[best[0]] if best else -1 - len(right))
    return keys, right


def _is_same_in_tense(own: Item, other: Item) -> bool:
    """Tells whether two items have equal stem or value, and equal tense. Names must also be spelled alike."""
    did = own.form == "did", other.form == "did"
    if not is_same_item(own, other) or own.marks.isdisjoint(other.marks):
        return False
    if own.word == other.word or not own.stem or (own.form != other.form and True not in did):
        return own.form == other.form
    return lists.have_equal_tense(own.word, other.word, did=did) and not (own.is_name and other.is_name)


def _is_set_off(line: Line, first: int, last: int) -> bool:
    """Tells whether commas, brackets or an end of the line enclose the items `first` to `last`."""
    after, is_last = _gap(line, last), last == len(line.items)
    closes = is_last or not _SET_OFF.isdisjoint(after)
    if first == 0:
        return closes or (WORD.search(after) is not None and line.items[last - 1].word not in lists.OPENERS)
    opens = is_last and first_word(line.text[line.items[first - 1].end :]) in lists.OPENERS
    return closes and (opens or not _SET_OFF.isdisjoint(_gap(line, first)))


def _adds_statement(line: Line, first: int, last: int) -> bool:
    """Tells whether the items `first` to `last` add a statement, and do not limit the words before them."""
    items, more = line.items, line.items[first:last]
    is_agent = more[0].word in ("by", "von", "par") and all(item.is_name for item in more[1:])
    has_words = any(item.stem and item.word not in lists.OPENERS for item in more)  # no "and 1958"
    clause = line.text[items[first - 1].end :]
    given, added = ([it.value for it in each if it.value] for each in (items[:first], more))
    is_other = not any((it.kind, it.unit) == (own.kind, own.unit) for it in added for own in given)
    tells_other = clause.startswith(", which ") and bool(added) and is_other
    joined = None if lists.REFERENCE.search(clause) else _FURTHER.match(clause)  # "and experts dispute this"
    verb = first_word(clause[joined.end() :]) if joined else ""  # "and crosses it", not "and this is denied"
    tells_more = bool(added) and not more[0].value and verb not in lists.PRONOUNS  # "and was opened in 1931"
    adds = verb.endswith(VERB_ENDINGS) and verb not in _COMMENTING
    is_state = any(it.form in lists.PRESENT_FORMS for it in items[:first])
    may_end = is_state and not given  # as in "is valid and expired in 2019"
    return is_agent or tells_other or (has_words and bool(joined) and (adds or tells_more) and not may_end)


def _gap(line: Line, number: int) -> str:
    start = line.items[number - 1].end if number else 0
    return line.text[start : line.items[number].start if number < len(line.items) else len(line.text)]


def _line_edits(sentence: str, found: Alignment) -> Iterator[RawEdit]:
    has_french_negation = any(map(lists.NE.search, (sentence, found.line.text)))
    for diff in found.diffs:
        if diff.kind == "word" and has_french_negation:
            return  # a person must change both parts of the French negation
        if diff.own and diff.other:
            yield from _replacing_edits(sentence, found.line.text, diff)
        elif diff.own or diff.at[0]:  # only a person can put "not" before the first word
            yield _reversing_edit(sentence, found.line, diff)


def _replacing_edits(sentence: str, line: str, diff: Diff) -> Iterator[RawEdit]:
    """Yields an edit that replaces words by words of the line, if articles and plurals beside still fit."""
    own, other, start, end = diff.own[0], diff.other[0], diff.own[0].start, diff.own[-1].end
    by, article = line[other.start : diff.other[-1].end], own.article
    new = replacement(other.value, own.value) if own.value and other.value else " ".join(by.split())
    is_a = {article, other.article} == {"a", "an"} and sentence[:start].lower().endswith(f"{article} ")
    if new is None or (article != other.article and not is_a):
        return
    if is_a:
        start, new = start - len(article) - 1, f"{other.article} {new}"
        by = line[other.start - len(other.article) - 1 : diff.other[-1].end]
    if not sentence[:start].strip(MARKS) and sentence[start].isupper():
        new = new[:1].upper() + new[1:]
    is_one = any(1 in {it.amount for it in item.value.amounts} for item in (own, other) if item.value)
    words = WORD.findall(f"{sentence[:start]}{new}{sentence[end:]}".casefold())
    if not is_one or set(words) <= set(WORD.findall(line.casefold())):  # "1 gate is" becomes "2 gates are"
        yield RawEdit(*_unique_edit(sentence, start, end, new), by)


def _reversing_edit(sentence: str, line: Line, diff: Diff) -> RawEdit:
    items = items_of(sentence)  # the items beside the reversing word are equal on both sides
    own, other = diff.at[0] + len(diff.own), diff.at[1] + len(diff.other)
    start = items[diff.at[0] - 1].start if diff.at[0] else 0
    end = items[own].end if own < len(items) else len(sentence)
    first = line.items[diff.at[1] - 1].start if diff.at[1] else 0
    last = line.items[other].end if other < len(line.items) else len(line.text)
    by = line.text[first:last]
    return RawEdit(sentence[start:end], " ".join(by.split()), by)


def _unique_edit(sentence: str, start: int, end: int, new: str) -> tuple[str, str]:
    at = start
    while sentence.count(sentence[at:end]) > 1 and at:
        at = sentence.rfind(" ", 0, max(at - 1, 0)) + 1
    new = new.removesuffix(".") if sentence.startswith(".", end) else new
    if sentence[end - 1] == "." and not new.endswith(".") and not sentence[end:].strip(MARKS):
        end -= 1  # keeps the full stop of the sentence
    return sentence[at:end], sentence[at:start] + new
