"""Compares the value of a claim with that of a source, and writes a value in the form of another.

A claim may be less exact than its source ("85%" of 85.19%), but not more exact.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Literal, NamedTuple

from rarr.backends.embedded.values.forms import ALIKE, DIGITS, Amount, Date, Range, Value
from rarr.backends.embedded.values.reading import values
from rarr.backends.embedded.values.tables import FACTORS, MONTH_LANGUAGES, MONTH_NAMES, MONTHS

Comparison = Literal["equal", "different", "unknown"]
"""`unknown`: not comparable, since kinds, units or bounds differ, or the claim is more exact."""

_SURE_DIGITS = 10  # "5 million", of one digit, is no sure rounding of 5.4 million
_ROUND = 1000  # a number in steps of so much may be round: 35,000
_NEAR, _CONVERTED, _HEDGED = Fraction(1, 50), Fraction(1, 100), Fraction(1, 10)
_ROUGHLY_ABOVE = Fraction(3, 2)
_OWN_NAME = 5  # an identifier of more characters is the same one behind another label
_OTHER_MARK, _DIGITS_TO_GROUP = {",": ".", ".": ","}, 4
_SHOWN = 500  # of a step: "4.2 billion" shows that it is rounded
_CONVERSION = Fraction(1, 200)  # what a conversion into another system may round
_NO_WORD = re.compile(r"[\W\d_]+")
_SIDES = {"min": -1, "above": -1, "max": 1, "below": 1}


def compare(claim: Value, source: Value) -> Comparison:
    """Does the source's value say the claim's? See the module for what may be less exact."""
    if claim.kind != source.kind:
        names = {str(it.readings[0]) if it.kind == "identifier" else it.text for it in (claim, source)}
        is_name = "identifier" in (claim.kind, source.kind) or claim.text.isdigit()
        return "equal" if len(names) == 1 and is_name else "unknown"
    if claim.kind == "identifier":
        return _compare_names(claim, source)
    if claim.kind == "date":
        return _compare_dates(claim, source)
    if claim.kind == "time":
        return _compare_times(claim, source)
    if _unit(claim) != _unit(source):
        return _compare_parts(claim, source)
    amounts = _in_base(claim), _in_base(source)
    found = [_compare_amounts(claim, source, one, other) for one, other in product(*amounts)]
    return found[0] if found[0] == "equal" or len(set(found)) == 1 else "unknown"


def is_rounded(claim: Value, source: Value) -> bool:
    """Is a claim a rounding of its source, and neither a word nor "million" shows that it is rounded?"""
    is_alike = claim.kind == source.kind == "number" and _unit(claim) == _unit(source)
    if not is_alike or claim.bound not in ("", source.bound):
        return False
    is_shown = claim.bound == "about" or claim.amounts[0].step >= _SHOWN
    return not is_shown and _in_base(claim)[0].amount != _in_base(source)[0].amount


def same(first: Value, second: Value) -> bool:
    """May the two be one value, whatever the bounds and rates, and where only one has a unit or label?"""
    if compare(first, second) == "equal" or (
        first.kind == second.kind == "identifier" and first.readings == second.readings
    ):
        return True
    if not (first.amounts and second.amounts):
        return False
    if "time" in (first.kind, second.kind):
        hours = [it.amounts[0].amount * (1 if it.kind == "time" else 60) % 720 for it in (first, second)]
        return hours[0] == hours[1] and (first.kind != second.kind) and "" in (first.unit, second.unit)
    have_units = bool(first.unit and second.unit)
    if have_units and _unit(first).partition("/")[0] != _unit(second).partition("/")[0]:
        return False
    read = (_in_base(it) if have_units else it.amounts for it in (first, second))
    own, other = ({it.amount for it in amounts} for amounts in read)
    return not own.isdisjoint(other)


def states(text: str, value: Value) -> bool:
    """Does `text` have the value, in any form?"""
    return any(same(value, other) for other in values(text))


def _unit(value: Value) -> str:
    return "°C" if value.unit == "°F" else value.unit


def _in_base(value: Value) -> list[Amount]:
    if value.unit == "°F":
        return [it._replace(amount=it.amount - 32).times(Fraction(5, 9)) for it in value.amounts]
    return [it.times(value.size) for it in value.amounts]


def _compare_amounts(claim: Value, source: Value, one: Amount, other: Amount) -> Comparison:
    plain = _rounded(one, other, converted=claim.size != source.size or claim.unit != source.unit)
    first, second = claim.bound, source.bound
    if first == second != "about":
        return plain
    gap = abs(one.amount - other.amount)
    if first == second and (plain == "equal" or gap > abs(other.amount) * _HEDGED):
        return plain
    if "about" in (first, second):
        if first == "about" and not second and (plain == "equal" or gap <= abs(other.amount) * _NEAR):
            return "equal"
        is_far = {first, second} <= {"about", ""} and gap > abs(other.amount) * _HEDGED
        return "different" if is_far else "unknown"
    sides = (_SIDES.get(first, 0), _SIDES.get(second, 0))
    if sides[0] * sides[1] < 0:
        return "different" if plain == "equal" else "unknown"
    if plain == "different" and sides[0] == sides[1] != 0:
        return "different"
    if plain == "equal" or 0 not in (*sides, len(first) * len(second)) or {"low", "high"} & {first, second}:
        return "unknown"
    is_within = (one.amount < other.amount) == (sides[0] < 0 or sides[1] > 0)
    if not is_within:
        return plain
    low, high = sorted((abs(one.amount), abs(other.amount)))
    return "equal" if sides[0] and high <= low * _ROUGHLY_ABOVE else "unknown"


def _rounded(one: Amount, other: Amount, *, converted: bool) -> Comparison:
    rough = float(one.amount)
    if abs(rough - float(other.amount)) > max(abs(rough) / 8, 2 * float(one.step), 2 * float(other.step)):
        return "different"  # without the cost of fractions
    gap, scale = abs(one.amount - other.amount), abs(other.amount)
    if not gap:
        return "equal"
    if gap <= one.step and other.step < one.step:
        is_sure = abs(one.amount) >= _SURE_DIGITS * 2 * one.step or gap <= scale * _NEAR
        return "equal" if is_sure else "unknown"
    if converted and gap <= scale * _NEAR:
        return "equal" if gap <= scale * _CONVERTED else "unknown"
    if one.step < other.step and gap <= other.step:
        return "unknown"
    if gap * 20 > scale:
        return "different"
    is_round = any(it.step and it.amount % (it.step * 2 * _ROUND) == 0 for it in (one, other))
    return "unknown" if is_round else "different"


def _compare_names(claim: Value, source: Value) -> Comparison:
    first, second = str(claim.readings[0]), str(source.readings[0])
    if claim.unit == source.unit == "isbn":  # of ten digits and of thirteen
        first, second = (name[3:12] if len(name) == 13 else name[:9] for name in (first, second))
    if first == second:
        is_one = claim.unit == source.unit or not (claim.unit and source.unit) or len(first) > _OWN_NAME
        return "equal" if is_one else "unknown"
    shapes = [re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", name)) for name in (first, second)]
    is_alike = claim.unit == source.unit if claim.unit or source.unit else shapes[0] == shapes[1]
    return "different" if is_alike else "unknown"


def _compare_parts(claim: Value, source: Value) -> Comparison:
    parts = [
        value.amounts[0].amount * (value.size if value.unit else 100)
        for value in (claim, source)
        if value.unit == "%" or (not value.unit and value.amounts[0].amount < 1)
    ]
    return "equal" if len(parts) == 2 and parts[0] == parts[1] and claim.bound == source.bound else "unknown"


def _compare_times(claim: Value, source: Value) -> Comparison:
    gap = abs(claim.amounts[0].amount - source.amounts[0].amount)
    if gap % 720:
        return "different"
    if claim.unit == source.unit:
        return "different" if gap else "equal"
    return "equal" if not gap and source.unit == "clock" else "unknown"


def _compare_dates(claim: Value, source: Value) -> Comparison:
    read = ([it for it in value.readings if isinstance(it, Date)] for value in (claim, source))
    found = {_compare_date(one, other) for one, other in product(*read)}
    if claim.bound != source.bound and claim.bound != "about":
        return "unknown"
    if claim.text == source.text or found == {"equal"}:
        return "equal"
    return "different" if found == {"different"} else "unknown"


def _compare_date(claim: Date, source: Date) -> Comparison:
    found = [_compare_range(one, other) for one, other in zip(claim, source, strict=True)]
    if "different" in found:
        return "different"
    return "unknown" if "unknown" in found or "equal" not in found else "equal"


def _compare_range(claim: Range | None, source: Range | None) -> Comparison | None:
    if claim is None or source is None:
        return None if claim is None else "unknown"
    if claim[0] <= source[0] and source[1] <= claim[1]:
        return "equal"
    return "different" if claim[1] < source[0] or source[1] < claim[0] else "unknown"


def written_like(value: Value, like: Value) -> str | None:
    """Writes `value` in the form of `like`; what this form does not show stays as it is written."""
    if value.kind != like.kind or value.unit != like.unit:
        return None
    alike = value.text if _form(value) == _form(like) is not None else None
    if value.kind == "number":
        written = _number_like(value, like) or alike
    else:
        written = alike or (_date_like(value, like) if value.kind == "date" else None)
    if written is None or value.kind == "identifier":
        return written
    found = values(written)
    return written if len(found) == 1 and same(found[0], value._replace(bound="")) else None


def _form(value: Value) -> str | None:
    """Returns what values share that are written alike but for their digits; None for digits alone."""
    text = value.text.casefold()
    if value.is_word:
        return value.kind if value.kind in ("ordinal", "date") else None
    if value.kind == "time":
        return re.sub(r"[^a-z]", "", text.replace("p", "a"))
    form = re.sub(r"\d+(?:(?:st|nd|rd|th)\b)?", "9", text)
    return form if re.search(r"[^\W\d]", form) else None


class _Digits(NamedTuple):
    """The number of a value alone: its amount, its marks of thousands and decimals, and its decimals."""

    text: str
    amount: Fraction
    group: str
    point: str
    places: int


def _digits(value: Value) -> _Digits | None:
    text = value.number.moved(-value.start).of(value.text)
    alone = [reading for found in values(text) for reading in found.amounts]
    ratios = {value.amounts[0].amount / reading.amount: reading for reading in alone if reading.amount}
    known = [ratio for ratio in ratios if ratio in (1, *FACTORS.values())]  # of "million" and the like
    if not known:
        return None
    reading, marks = ratios[min(known)], re.findall(r"[^\d−-]", text)
    point = marks.pop() if marks and reading.step < Fraction(1, 2) else ""
    places = len(text.rpartition(point)[2]) if point else 0
    return _Digits(text, reading.amount, marks[0] if marks else "", point, places)


def _number_like(value: Value, like: Value) -> str | None:
    """Writes a number in the unit and with the marks of `like`, or as it is where it would not fit there."""
    own, old = _digits(value), _digits(like)
    if own is None or old is None or 1 in (own.amount, old.amount):
        return None  # the words behind "1" are in the singular
    # What stands in place of the old number: 48 before "km", for 48,000 metres.
    amount = value.amounts[0].amount * value.size / like.size * old.amount / like.amounts[0].amount
    is_own = amount == own.amount
    is_in_digits = DIGITS.fullmatch(own.text.translate(ALIKE)) is not None
    if like.is_word or not is_in_digits or not (is_own or _is_convertible(amount, value, like, old)):
        return value.text
    keeps_marks = is_own and not (old.group or old.point)
    written = own.text if keeps_marks else _with_marks(amount, own, old, own.places * is_own)
    place = like.number.moved(-like.start)
    return like.text[: place.start] + written + like.text[place.end :]


def _is_convertible(amount: Fraction, value: Value, like: Value, old: _Digits) -> bool:
    """Is the converted amount a whole number, or nearly one between systems of units, of a usual length?"""
    step = value.size / like.size
    is_other_system = 1 not in (step.numerator, step.denominator)
    is_whole = abs(round(amount) - amount) <= amount * _CONVERSION * is_other_system
    return is_whole and 1 <= amount < (10**15 if old.group else _ROUND)


def _with_marks(amount: Fraction, own: _Digits, old: _Digits, places: int) -> str:
    """Writes digits with the marks of the old number; a mark that it does not show is that of the own one."""
    group = old.group
    if places and old.point:
        places = max(places, old.places)
    if old.point and not group and len(old.text.partition(old.point)[0]) < _DIGITS_TO_GROUP:
        group = _OTHER_MARK[old.point] if own.group == old.point else own.group
    point = old.point or (own.point if own.point != group else _OTHER_MARK.get(group, "."))
    whole, _, decimals = f"{float(amount):,.{places}f}".partition(".")
    return whole.replace(",", group) + (point + decimals if decimals else "")


def _date_like(value: Value, like: Value) -> str | None:
    new, old = value.readings[0], like.readings[0]
    if not isinstance(new, Date) or not isinstance(old, Date) or len(like.readings) > 1:
        return None
    if [part is None for part in new] != [part is None for part in old]:
        return None
    year, month, day = (part[0] if part else 0 for part in new)
    name = _month_like(month, *(_NO_WORD.split(it.text.lower()) for it in (like, value)))
    if name is None or len(value.readings) > 1:
        return value.text  # no guess at a language, or at the order of day and month
    left = [str(part[0]) if part else "" for part in old]

    def replaced(match: re.Match[str]) -> str:
        piece, number = match[0], match[0].lstrip("0")
        if piece.lower() in MONTHS:
            return name if piece.islower() else name.capitalize()
        if piece.isalpha():
            return {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
        is_month = number == left[1] and (left[2] != number or "-" in like.text)
        is_month &= re.search(r"[^\W\d_]{3}", like.text) is None
        at = 0 if len(piece) > 2 else 1 if is_month else 2
        left[at] = ""
        return str((year, month, day)[at]).zfill(2 if piece.startswith("0") or "-" in like.text else 1)

    return re.sub(r"\d+|[^\W\d_]{3,}|(?<=\d)(?:st|nd|rd|th)\b", replaced, like.text)


def _month_like(month: int, old: Sequence[str], source: Sequence[str]) -> str | None:
    """Names a month as the source does, unless `old` is of other languages; None if these have two names."""
    had, given = (next((it for it in words if it in MONTHS), "") for words in (old, source))
    languages, others = (MONTH_LANGUAGES.get(it, set()) for it in (had, given))
    names = {MONTH_NAMES[language][month - 1] for language in languages} or {""}
    return given if languages & others else names.pop() if len(names) == 1 else None
