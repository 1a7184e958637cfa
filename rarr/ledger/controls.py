"""Plants sentences with known outcome into a block, by which the reader of the block is examined.

A planted error is a sentence of an excerpt in which one value or a "not" was changed; a repetition is a
sentence of an excerpt as it is. A reader that misses them cannot be relied on for the sentences beside them.
"""

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from rarr.backends.embedded.values import Date, Value, states, values
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.ledger.card import found_once
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import fold

ControlKind = Literal["number", "name", "not", "repetition"]


class Control(NamedTuple):
    """A planted sentence, made from the line `origin` by writing `wrong` in place of `right`.

    A repetition has neither. `borrowed`: the wrong value stands in another sentence of the excerpts.
    """

    text: str
    origin: SourceLine
    kind: ControlKind
    wrong: str = ""
    right: str = ""
    borrowed: bool = False


class _Change(NamedTuple):
    start: int
    end: int
    new: str
    kind: ControlKind


_WHOLE = re.compile(r"[\"'“«(]?[^\W\d_a-zà-ÿ].*[.!?。！？]\Z", re.DOTALL)
_MARKUP = re.compile(r"[|`<>\[\]*_#{}]|https?:")
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
_TRIES = 8  # with a line that points to another: a number can be changed in several ways
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|must|may|will|should)(?= [a-z])(?! not\b)")
_NOT = re.compile(
    r"\b(?:is|are|was|were|can|must|may|will|should|does|do|did|has|have|had) (?P<not>not )(?=[a-z])"
    r"|\bcan(?P<cannot>not)\b|(?<=\w )(?P<nicht>nicht )(?=\w)"
)
NEGATION = re.compile(r"\b(?:not|cannot|never|no|without|nicht|kein\w*|nie|pas|jamais)\b|n['’]t\b|[不没未]")
_NAME = re.compile(r"(?<=[a-zà-ÿ,] )(?:[A-ZÀ-Þ][\wà-ÿ'’-]+)(?: (?:[A-ZÀ-Þ][\wà-ÿ'’-]+))*(?![\w'’-])")
_BEFORE_NAME = re.compile(r"(\w+) \Z")
_NAMING = frozenset(("in", "by", "from", "near", "at", "of", "with", "to"))
_SHORTEST_NOUN = 4
_SHORT_UNITS = {"m", "km", "cm", "mm", "kg", "g", "t", "l", "ml", "ha", "kw", "mw", "eur", "usd", "may"}
_LAST_DAY = 28
_UNIT = re.compile(r"[ \u00a0\u202f]?(?:%|°[CF]?|[€$£]|[^\W\d_]{1,12})")
_BEHIND_POWER = re.compile(r"\s?(?:thousand|[mb]illi|mio|mrd|mn\b|bn\b|[万亿])", re.IGNORECASE)
_OF_NAME = re.compile(r"[^\W\d_] [A-ZÀ-ÖØ-Þ][^\W\dA-ZÀ-ÖØ-Þ_]+ $")  # a word in a capital, not the first one
_WORD = re.compile(r"[^\W\d_]{3,}")
_FACTORS = (0.55, 0.65, 0.75, 1.25, 1.35, 1.5, 1.65, 1.8)


def controls(excerpts: Sequence[Excerpt], text: str, *, errors: int, repetitions: int) -> list[Control]:
    """Makes up to `errors` planted errors, about a third with borrowed values, and `repetitions`.

    Each is made from a line of its own. The same text and excerpts give the same controls.
    """
    lines = [line for excerpt in excerpts for line in excerpt.lines]
    seed = hashlib.sha256("\0".join([text, *(line.text for line in lines)]).encode()).digest()
    chance = random.Random(seed)
    origins = [line for line in lines if _stands_alone(line.text)]
    chance.shuffle(origins)
    borrowed = min(errors, errors // 3 or int(chance.random() < 1 / 3))
    made: list[Control] = []
    for wanted, borrows in ((borrowed, True), (errors, False), (errors, True)):
        used = {control.origin.label for control in made}
        for origin in origins:
            if len(made) < wanted and origin.label not in used:
                made += filter(None, [_error(origin, lines, chance, borrows=borrows)])
    if errors and not made:  # lines that point to another sentence do too, if they begin with their subject
        pointing = [line for line in lines if _stands_alone(line.text, pointing=True)]
        tries = (_error(it, lines, chance, borrows=False) for _ in range(_TRIES) for it in pointing)
        made = list(islice(filter(None, tries), 1))
    free = [it for it in origins if all(it.label != control.origin.label for control in made)]
    made += [Control(origin.text, origin, "repetition") for origin in free[:repetitions]]
    chance.shuffle(made)
    return made


def is_missed(control: Control, card: RawCard | None, lines: Mapping[str, SourceLine]) -> bool:
    """Did the reader miss the control? An error needs the verdict `no` and the right edit.

    `mixed` counts as `no` if it cites the origin. A repetition needs any verdict but `no`.
    """
    if card is None or control.kind == "repetition":
        return card is None or card.verdict == "no"
    cited = {lines[label].text for label in (*card.quotes, *card.against) if label in lines}
    is_found = card.verdict == "no" or (card.verdict == "mixed" and control.origin.text in cited)
    return not (is_found and _is_fixed(control, card))


def is_disputed(control: Control, card: RawCard | None, lines: Mapping[str, SourceLine]) -> bool:
    """Does the reader contradict the control, and cite its origin, by words of another excerpt?"""
    cited = [lines[label] for label in card.quotes if label in lines] if card and card.verdict == "no" else []
    others = [line.text for line in cited if line.evidence_id != control.origin.evidence_id]
    copied = [edit.by for edit in card.edits] if card else []
    return control.origin in cited and any(fold(text).holds(by) for text in others for by in copied)


def _is_fixed(control: Control, card: RawCard) -> bool:
    text, origin = control.text, control.origin.text
    for edit in card.edits:
        if place := found_once(edit.old, text):
            text = text[: place.start] + edit.new + text[place.end :]
    if text == origin or fold(text).text.rstrip(".") == fold(origin).text.rstrip("."):
        return True
    if not all(states(origin, value) for value in values(text)):
        return False
    if control.kind == "not":
        return len(NEGATION.findall(text)) == len(NEGATION.findall(origin))
    if control.kind == "name":
        return fold(text).holds(control.right) and not fold(text).holds(control.wrong)
    right, wrong = values(control.right), values(control.wrong)
    return all(states(text, value) for value in right) and not all(states(text, value) for value in wrong)


@lru_cache(maxsize=4096)  # the blocks of a run share their lines
def _stands_alone(text: str, *, pointing: bool = False) -> bool:
    """Is the line a whole, unsuspicious sentence without pronouns? With `pointing` it may have them later."""
    words = len(text.split()) if " " in text else len(text) // 2
    return (
        _FEWEST_WORDS <= words <= _MOST_WORDS
        and _WHOLE.match(text) is not None
        and _MARKUP.search(text) is None
        and (_POINTING.match if pointing else _POINTING.search)(text) is None
        and "\n" not in text
        and not suspicion(text)
    )


def _error(
    origin: SourceLine, lines: Sequence[SourceLine], chance: random.Random, *, borrows: bool
) -> Control | None:
    makers = [_borrowed_numbers, _borrowed_names] if borrows else [_other_numbers, _other_polarity]
    chance.shuffle(makers)
    for make in makers:
        if changes := list(make(origin, lines, chance)):
            start, end, new, kind = chance.choice(changes)
            text = origin.text[:start] + new + origin.text[end:]
            return Control(text, origin, kind, new, origin.text[start:end], borrows)
    return None


def _other_numbers(
    origin: SourceLine, lines: Sequence[SourceLine], chance: random.Random
) -> Iterator[_Change]:
    """Yields changes of a number to one that no line has."""
    for value in _changeable_numbers(origin.text):
        written = value.span.of(origin.text)
        if _is_year(written):
            new = str(int(written) + chance.choice((-1, 1)) * chance.randint(3, 12))
        else:
            new = _scaled(written, chance.choice(_FACTORS))
            is_day = value.kind == "date" and len(written) < 4
            new = "" if is_day and new.isdigit() and int(new) > _LAST_DAY else new
        if new and not any(new in line.text for line in lines):
            yield _Change(value.start, value.end, new, "number")


def _scaled(written: str, factor: float) -> str:
    """Multiplies a number and keeps its form; "" where the form would change or the change is too small."""
    digits = "".join(character for character in written if character.isdigit())
    old = int(digits)
    new = round(old * factor)
    if old < 100:
        new = min(new, 99)
    if len(str(new)) != len(digits) or abs(new - old) * 5 < old or new < 2:
        return ""
    left = iter(str(new))
    return "".join(next(left) if character.isdigit() else character for character in written)


def _borrowed_numbers(origin: SourceLine, lines: Sequence[SourceLine], _: random.Random) -> Iterator[_Change]:
    """Yields changes of a number to one of the same unit from a line about something else."""
    for value in _changeable_numbers(origin.text):
        unit, year = _unit(value, origin.text), _is_year(value.span.of(origin.text))
        rest = origin.text[: value.start] + origin.text[value.end :]
        said = [line for line in lines if _share(rest, line.text) > 0.5]
        for line in lines:
            for other in _changeable_numbers(line.text) if line.label != origin.label else ():
                new = other.span.of(line.text)
                alike = _is_year(new) if year else unit and _unit(other, line.text) == unit
                if not alike or line in said or not _is_far(value, other, year=year):
                    continue
                # A line with both values may say that one replaced the other.
                has_both = states(line.text, value) or any(states(it.text, other) for it in (origin, *said))
                if not has_both:
                    yield _Change(value.start, value.end, new, "number")


def _borrowed_names(origin: SourceLine, lines: Sequence[SourceLine], _: random.Random) -> Iterator[_Change]:
    """Yields changes of a name to one behind the same word in a line about something else."""
    for start, end, before in _names(origin.text):
        words = origin.text[start:end].split()
        rest = origin.text[:start] + origin.text[end:]
        said = [line.text for line in lines if _share(rest, line.text) > 0.4]
        for line in lines:
            for at, to, other_before in _names(line.text) if line.label != origin.label else ():
                new = line.text[at:to]
                is_alike = other_before == before and len(new.split()) == len(words)
                is_other = new not in origin.text and not set(new.split()) & set(words)
                if is_alike and is_other and not any(new in text for text in said):
                    yield _Change(start, end, new, "name")


def _other_polarity(origin: SourceLine, lines: Sequence[SourceLine], _: random.Random) -> Iterator[_Change]:
    """Yields changes that put in a "not" or take it out."""
    negations = list(NEGATION.finditer(origin.text))
    if len(negations) == 1 and (match := _NOT.search(origin.text)):
        start, end = next(match.span(name) for name in match.groupdict() if match[name])
        yield _Change(start, end, "", "not")
    elif not negations and len(matches := list(_AUXILIARY.finditer(origin.text))) == 1:
        yield _Change(matches[0].end(), matches[0].end(), " not", "not")


@lru_cache(maxsize=4096)  # each line is compared with all others
def _changeable_numbers(text: str) -> tuple[Value, ...]:
    """Finds the numbers in digits that can be changed, days and years too; none of a name ("Apollo 11")."""
    found: list[Value] = []
    for value in values(text):
        if value.kind == "date" and not re.fullmatch(r"[\d ]+[./-][\d ./-]+", value.text):
            found += _days_and_years(value)
        elif value.kind == "number" and not (
            value.is_word
            or _BEHIND_POWER.match(text, value.number.end)
            or _OF_NAME.search(text[: value.number.start])
        ):
            found.append(value)
    return tuple(
        value._replace(start=value.number.start, end=value.number.end)
        for value in found
        if text[value.number.end - 1].isdigit()
        and text[value.number.start] != "0"
        and text[max(0, value.number.start - 1) : value.number.start] not in (":", "/", "-", ".", "–")
        and text[value.number.end : value.number.end + 1] not in (":", "/", "-", "–")
    )


def _days_and_years(value: Value) -> Iterator[Value]:
    for match in re.finditer(r"(\d{4})(?![\ds])|\d{1,2}(?!\d)", value.text):
        date = value.readings[0]
        if isinstance(date, Date):
            part = Date(years=date.years) if match[1] else Date(days=date.days)
            place = Span(*match.span()).moved(value.start)
            yield value._replace(number=place, readings=(part,))


def _unit(value: Value, text: str) -> str:
    """Returns the unit or noun behind a number; empty for a word that is neither, such as "to"."""
    match = _UNIT.match(text, value.end)
    unit = match[0].strip().casefold() if match else ""
    return "" if unit.isalpha() and len(unit) < _SHORTEST_NOUN and unit not in _SHORT_UNITS else unit


def _is_year(written: str) -> bool:
    return written.isdigit() and len(written) == 4 and 1000 <= int(written) <= 2100


def _is_far(value: Value, other: Value, *, year: bool) -> bool:
    old, new = (_least(each) for each in (value, other))
    return abs(old - new) >= 3 if year else abs(old - new) * 5 >= max(abs(old), abs(new))


def _least(value: Value) -> Fraction:
    dates = [Fraction(part[0]) for it in value.readings if isinstance(it, Date) for part in it if part]
    return min([*dates, *(it.amount for it in value.amounts)])


def _share(text: str, other: str) -> float:
    wanted = _stems(text)
    return len(wanted & _stems(other)) / len(wanted) if wanted else 1.0


@lru_cache(maxsize=4096)  # each line is compared with all others
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:6] for word in _WORD.findall(text))


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[tuple[int, int, str], ...]:
    """Finds the names that can be told from other words in capitals, with the word before each."""
    found = [(it.span(), _BEFORE_NAME.search(text, 0, it.start())) for it in _NAME.finditer(text)]
    words = [(*place, before[1].casefold()) for place, before in found if before]
    names = [it for it in words if it[2] in _NAMING]
    return tuple(it for it in names if not any(at.span.overlaps(Span(*it[:2])) for at in values(text)))
