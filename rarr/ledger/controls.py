"""Makes planted controls: sentences with a known answer, which test the reader in a request.

A planted error is a sentence of a source in which a number, name or "not" was changed. A repetition is a
sentence of a source without a change. If a reader misjudges controls, its other cards do not count.
"""

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Literal, NamedTuple, TypeAlias

from rarr.backends.embedded.values.comparing import has_value
from rarr.backends.embedded.values.forms import Date, Value
from rarr.backends.embedded.values.reading import values
from rarr.backends.source_lines import LEAD_LINE_ENDS
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.ledger.card import find_once
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import fold

ControlKind = Literal["number", "name", "not", "repetition"]


class Control(NamedTuple):
    """A planted sentence: the source line `origin` with the words `wrong` in place of the words `right`.

    In a repetition, `wrong` and `right` are empty. `borrowed` is True if `wrong` comes from another line.
    """

    text: str
    origin: SourceLine
    kind: ControlKind
    wrong: str = ""
    right: str = ""
    borrowed: bool = False


class _Slot(NamedTuple):
    """A slot: a number or name in a line, and its place. Slots with the same `key` can replace each other."""

    place: Span
    text: str
    key: str
    value: Value | None = None
    unit: str = ""
    amount: Fraction = Fraction(0)

    def occurs_in(self, text: str) -> bool:
        return has_value(text, self.value) if self.value else self.text in text


_Change: TypeAlias = tuple[Span, str, ControlKind]
"""A change of a line: the place of the old words, the new words, and the kind of the change."""

_WHOLE = re.compile(r"[\"'“«(]?[^\W\d_a-zà-ÿ].*[.!?。！？]\Z", re.DOTALL)
_MARKUP = re.compile(r"[|`<>\[\]*_#{}\n]|https?:")
# Words that point to another sentence.
_POINTING = re.compile(
    r"\b(?:it|its|itself|they|them|their|he|him|his|she|her|hers|this|that|these|those|such|same|both|former"
    r"|latter|there|here|then|also|other|others|another|however|one|ones|each|instead|afterwards|later|so"
    r"|er|sie|es|ihr|ihre[nrsm]?|sein|seine[nrsm]?|dies\w*|jene\w*|dort|dabei|dazu|davon|damit|auch|zudem"
    r"|il|elle|ils|elles|leur|leurs|son|sa|ses|ce|cet|cette|ces|celui|celle|ceux|y|en|aussi)\b"
    r"|[他她它们这那其]",
    re.IGNORECASE,
)
_FEWEST_WORDS, _MOST_WORDS = 5, 45
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|must|may|will|should)(?= [a-z])(?! not\b)")
_NOT = re.compile(
    r"\b(?:is|are|was|were|can|must|may|will|should|does|do|did|has|have|had) (?P<not>not )(?=[a-z])"
    r"|\bcan(?P<cannot>not)\b|(?<=\w )(?P<nicht>nicht )(?=\w)"
)
NEGATION = re.compile(r"\b(?:not|cannot|never|no|without|nicht|kein\w*|nie|pas|jamais)\b|n['’]t\b|[不没未]")
# A name: capitalised words after a word in small letters or a comma.
_NAME = re.compile(r"(?<=[a-zà-ÿ,] )(?:[A-ZÀ-Þ][\wà-ÿ'’-]+)(?: (?:[A-ZÀ-Þ][\wà-ÿ'’-]+))*(?![\w'’-])")
_BEFORE_NAME = re.compile(r"(\w+) \Z")
_NAMING = frozenset(("in", "by", "from", "near", "at", "of", "with", "to"))
_SHORT_UNITS = {"m", "km", "cm", "mm", "kg", "g", "t", "l", "ml", "ha", "kw", "mw", "eur", "usd", "may"}
_UNIT = re.compile(r"[ \u00a0\u202f]?(?:%|°[CF]?|[€$£]|[^\W\d_]{1,12})")
_BEHIND_POWER = re.compile(r"\s?(?:thousand|[mb]illi|mio|mrd|mn\b|bn\b|[万亿])", re.IGNORECASE)
_OF_NAME = re.compile(r"[^\W\d_] [A-ZÀ-ÖØ-Þ][^\W\dA-ZÀ-ÖØ-Þ_]+ $")  # the words before a number of a name
_WORD = re.compile(r"[^\W\d_]{3,}")
_YEAR = " year"  # the key of years; no unit begins with a space
_SAME = {"number": 0.5, "name": 0.4}  # lines that share more of their words are about the same thing
_JOINING = (":", "/", "-", "–")
_FACTORS = (0.55, 0.65, 0.75, 1.25, 1.35, 1.5, 1.65, 1.8)


def make_controls(excerpts: Sequence[Excerpt], text: str, *, errors: int, repetitions: int) -> list[Control]:
    """Makes at most `errors` planted errors and `repetitions` repetitions, no two from the same line.

    About a third of the errors have a number or name of another line. Equal arguments give equal controls.
    """
    lines = [line for excerpt in excerpts for line in excerpt.lines]
    seed = hashlib.sha256("\0".join([text, *(line.text for line in lines)]).encode()).digest()
    chance = random.Random(seed)
    maker = _ErrorMaker(lines, chance)
    origins = [line for line in lines if _stands_alone(line.text)]
    chance.shuffle(origins)
    borrowed = min(errors, errors // 3 or int(chance.random() < 1 / 3))
    made = list[Control]()
    for wanted, borrows in ((borrowed, True), (errors, False), (errors, True)):
        used = {control.origin.label for control in made}
        for origin in origins[:48] if borrows else origins:
            if len(made) < wanted and origin.label not in used:
                made += maker.make_error(origin, borrows=borrows)
    if errors and not made:  # then a line may have a pronoun inside, or a cell or list item is planted
        pointing = [line for line in lines if _stands_alone(line.text, pointing=True)]
        cells = [line for excerpt in excerpts for line in _stated_cells(excerpt)]
        tried = (maker.make_error(it, borrows=False) for it in (*pointing * 8, *cells * 8))  # each may differ
        made = next((it for it in tried if it and (it[0].origin in pointing or _keeps_headers(it[0]))), [])
    used = {control.origin.label for control in made}
    free = [Control(it.text, it, "repetition") for it in origins if it.label not in used]
    made += free[:repetitions]
    chance.shuffle(made)
    return made


def is_missed(control: Control, card: RawCard | None, lines: Mapping[str, SourceLine]) -> bool:
    """Tells whether the reader misjudged the control. A control without a card is misjudged.

    A planted error needs the right edit and the verdict `no`. The verdict `mixed` is right too if the card
    quotes the line `origin`. A repetition must not get the verdict `no`.
    """
    if card is None or control.kind == "repetition":
        return card is None or card.verdict == "no"
    cited = {lines[label].text for label in (*card.quotes, *card.against) if label in lines}
    is_found = card.verdict == "no" or (card.verdict == "mixed" and control.origin.text in cited)
    return not (is_found and _edits_restore_origin(control, card))


def is_disputed(control: Control, card: RawCard | None, lines: Mapping[str, SourceLine]) -> bool:
    """Tells whether the card says `no` and quotes `control.origin`, but takes an edit from another source."""
    if card is None or card.verdict != "no":
        return False
    cited = [lines[label] for label in card.quotes if label in lines]
    others = [fold(it.text) for it in cited if it.evidence_id != control.origin.evidence_id]
    return control.origin in cited and any(it.holds(edit.by) for it in others for edit in card.edits)


def _edits_restore_origin(control: Control, card: RawCard) -> bool:
    text, origin, right, wrong = control.text, control.origin.text, control.right, control.wrong
    for edit in card.edits:
        if place := find_once(edit.old, text):
            text = text[: place.start] + edit.new + text[place.end :]
    if text == origin or fold(text).text.rstrip(".") == fold(origin).text.rstrip("."):
        return True
    if not all(has_value(origin, value) for value in values(text)):
        return False
    if control.kind == "not":
        return len(NEGATION.findall(text)) == len(NEGATION.findall(origin))
    if control.kind == "name":
        return fold(text).holds(right) and not fold(text).holds(wrong)
    has_right, has_wrong = (all(has_value(text, it) for it in values(each)) for each in (right, wrong))
    return has_right and not has_wrong


@lru_cache(maxsize=4096)  # the blocks of a run share their lines
def _stands_alone(text: str, *, pointing: bool = False) -> bool:
    """Tells whether a line is a whole sentence that is clear without other sentences.

    No word such as "it" or "there" may point to another sentence; with `pointing`, only the first word may
    not. A line that is too short, too long or suspicious, or that has markup, is no such sentence.
    """
    words = len(text.split()) if " " in text else len(text) // 2
    is_whole = _FEWEST_WORDS <= words <= _MOST_WORDS and _WHOLE.match(text) and not _MARKUP.search(text)
    points = _POINTING.match if pointing else _POINTING.search
    return bool(is_whole) and not points(text) and not suspicion(text)


def _stated_cells(excerpt: Excerpt) -> Iterator[SourceLine]:
    """Yields each cell of a table as a sentence, such as "Tower, Height: 227 m.", and list items.

    A list item comes behind the line above its list, if this line ends with a colon. Leaves out suspicious
    sentences, and the first column of a table.
    """
    lead, heads = "", list[str]()
    for line in excerpt.lines:
        cells = [it.strip() for it in line.text.strip().strip("|").split("|")]
        if cells[1:] and len(cells) == len(heads):
            pairs = zip(heads[1:], cells[1:], strict=True)
            told = [f"{cells[0]}, {head}: {cell.rstrip('.')}." for head, cell in pairs]
        else:
            heads, told = cells, [f"{lead} {line.text}"] if lead and line.is_item else []
        if not line.is_item:
            lead = line.text if line.text.endswith(LEAD_LINE_ENDS) else ""
        yield from (line._replace(text=it) for it in told if not suspicion(it))


def _keeps_headers(control: Control) -> bool:
    """Tells whether a control made from a table cell has the cell's true headers. True for a list item."""
    old, new = (text.rpartition(": ")[0] for text in (control.origin.text, control.text))
    return control.origin.is_item or old == new


class _ErrorMaker:
    """Changes lines of `lines` into planted errors. The random generator `chance` selects the changes."""

    def __init__(self, lines: Sequence[SourceLine], chance: random.Random) -> None:
        self._lines, self._chance = lines, chance

    def make_error(self, origin: SourceLine, *, borrows: bool) -> list[Control]:
        """Returns a list of one planted error, or []. If `borrows`, its wrong words are from another line."""
        borrowing = partial(self._borrowing_changes, "number"), partial(self._borrowing_changes, "name")
        makers = [*borrowing] if borrows else [self._number_changes, _negation_changes]
        self._chance.shuffle(makers)
        for changes in (list(make(origin)) for make in makers):
            if changes:
                (start, end), new, kind = self._chance.choice(changes)
                text = origin.text[:start] + new + origin.text[end:]
                return [Control(text, origin, kind, new, origin.text[start:end], borrows)]
        return []

    def _number_changes(self, origin: SourceLine) -> Iterator[_Change]:
        """Yields changes that replace a number by a number that no line has."""
        for slot in _slots_of(origin.text, "number"):
            if slot.key == _YEAR:
                new = str(int(slot.text) + self._chance.choice((-1, 1)) * self._chance.randint(3, 12))
            else:
                new = _scaled_number(slot.text, self._chance.choice(_FACTORS))
                is_day = slot.value and slot.value.kind == "date" and len(slot.text) < 4
                new = "" if is_day and new.isdigit() and int(new) > 28 else new
            if new and not any(new in line.text for line in self._lines):
                yield slot.place, new, "number"

    def _borrowing_changes(self, kind: ControlKind, origin: SourceLine) -> Iterator[_Change]:
        """Yields changes that take a name, or a number of the same unit, from a line about another thing."""
        for slot in _slots_of(origin.text, kind):
            same_key = self._slots_by_key[kind, slot.key]
            rest = _word_stems(origin.text[: slot.place.start] + origin.text[slot.place.end :])
            shared = ((line, len(rest & _word_stems(line.text))) for line in self._lines if same_key[1:])
            said = {it.text for it, count in shared if not rest or count / len(rest) > _SAME[kind]}
            for line, other in same_key:
                is_other = line.text not in said and line != origin and _may_replace(other, line, slot)
                if is_other and not any(other.occurs_in(text) for text in (origin.text, *said)):
                    yield slot.place, other.text, kind

    @cached_property
    def _slots_by_key(self) -> Mapping[tuple[str, str], list[tuple[SourceLine, _Slot]]]:
        found = defaultdict[tuple[str, str], list[tuple[SourceLine, _Slot]]](list)
        for line in self._lines:
            for kind in ("number", "name"):
                for slot in _slots_of(line.text, kind):
                    for key in {slot.key, slot.unit} - {""}:
                        found[kind, key].append((line, slot))
        return found


def _may_replace(new: _Slot, line: SourceLine, old: _Slot) -> bool:
    """Tells whether `new` may replace `old`: two names without a common word, or two numbers far apart."""
    if new.value is None or old.value is None:
        return {*new.text.split()}.isdisjoint(old.text.split())
    gap, most = abs(new.amount - old.amount), max(abs(new.amount), abs(old.amount))
    is_far = gap >= 3 if old.key == _YEAR else gap * 5 >= most
    return is_far and not old.occurs_in(line.text)  # `line` has the new number


def _scaled_number(written: str, factor: float) -> str:
    """Multiplies `written` by `factor`. Returns "" if the result has another length, or is nearly equal."""
    digits = "".join(character for character in written if character.isdigit())
    old = int(digits)
    new = round(old * factor)
    if old < 100:
        new = min(new, 99)
    if len(str(new)) != len(digits) or abs(new - old) * 5 < old or new < 2:
        return ""
    left = iter(str(new))
    return "".join(next(left) if character.isdigit() else character for character in written)


def _negation_changes(origin: SourceLine) -> Iterator[_Change]:
    """Yields changes that insert a "not" or remove it."""
    negations = list(NEGATION.finditer(origin.text))
    if len(negations) == 1 and (match := _NOT.search(origin.text)):
        yield next(Span(*match.span(name)) for name in match.groupdict() if match[name]), "", "not"
    elif not negations and len(matches := list(_AUXILIARY.finditer(origin.text))) == 1:
        yield Span(matches[0].end(), matches[0].end()), " not", "not"


@lru_cache(maxsize=4096)  # the blocks of a run share their lines
def _slots_of(text: str, kind: ControlKind) -> tuple[_Slot, ...]:
    if kind == "number":
        return tuple(_number_slot(value, text) for value in _changeable_numbers(text))
    found = [(Span(*it.span()), _BEFORE_NAME.search(text, 0, it.start())) for it in _NAME.finditer(text)]
    names = [(it, match[1].casefold()) for it, match in found if match and match[1].casefold() in _NAMING]
    free = [it for it in names if not any(value.span.overlaps(it[0]) for value in values(text))]
    return tuple(_Slot(it, it.of(text), f"{before} {it.of(text).count(' ')}") for it, before in free)


def _number_slot(value: Value, text: str) -> _Slot:
    """Makes the slot of a number. The unit is the word or sign after the number, but not a word like "to"."""
    match, written = _UNIT.match(text, value.end), value.span.of(text)
    dates = [Fraction(part[0]) for it in value.readings if isinstance(it, Date) for part in it if part]
    amounts = [*dates, *(it.amount for it in value.amounts)]
    unit = match[0].strip().casefold() if match and amounts else ""
    unit = "" if unit.isalpha() and len(unit) < 4 and unit not in _SHORT_UNITS else unit
    is_year = written.isdigit() and len(written) == 4 and 1000 <= int(written) <= 2100
    least = min(amounts, default=Fraction(0))
    return _Slot(value.span, written, _YEAR if is_year else unit, value, unit, least)


def _changeable_numbers(text: str) -> Iterator[Value]:
    """Yields the numbers in digits that can be changed. A number in a name ("Apollo 11") is not changed."""
    found: list[Value] = []
    for value in values(text):
        start, end = value.number
        if value.kind == "date" and not re.fullmatch(r"[\d ]+[./-][\d ./-]+", value.text):
            found += _days_and_years(value)
        elif value.kind == "number" and not (
            value.is_word or _BEHIND_POWER.match(text, end) or _OF_NAME.search(text[:start])
        ):
            found.append(value._replace(start=start, end=end))
    for value in found:
        is_part = text[max(0, value.start - 1) : value.start] in (*_JOINING, ".")
        is_part |= text[value.end : value.end + 1] in _JOINING
        if text[value.end - 1].isdigit() and text[value.start] != "0" and not is_part:
            yield value


def _days_and_years(value: Value) -> Iterator[Value]:
    for match in re.finditer(r"(\d{4})(?![\ds])|\d{1,2}(?!\d)", value.text):
        date = value.readings[0]
        if isinstance(date, Date):
            part = Date(years=date.years) if match[1] else Date(days=date.days)
            place = Span(*match.span()).moved_by(value.start)
            yield value._replace(start=place.start, end=place.end, readings=(part,))


@lru_cache(maxsize=4096)  # the blocks of a run share their lines
def _word_stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:6] for word in _WORD.findall(text))
