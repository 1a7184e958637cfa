"""Compares the value of a claim with the value of a source, and writes the source's value into the claim."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Literal

from rarr.backends.embedded.values.forms import Amount, Date, Range, Value
from rarr.backends.embedded.values.reading import values, without_markup
from rarr.backends.embedded.values.tables import MONTH_LANGUAGES, is_currency

Comparison = Literal["equal", "different", "unknown"]
"""`unknown`: the values cannot be compared, as with different units, or the claim is more exact."""

_SURE_DIGITS = 10  # "5 million", of one digit, is no sure rounding of 5.4 million
_ROUND = 1000  # a multiple of 1,000, such as 35,000, may be a rounded number
_NEAR, _CONVERTED, _HEDGED = Fraction(1, 50), Fraction(1, 100), Fraction(1, 10)  # relative gaps
_ROUGHLY_ABOVE = Fraction(3, 2)
_OWN_NAME = 5  # an identifier with more characters stays the same if its label changes
_SHOWN = 500  # a number with this step or a larger step, such as "4.2 billion", looks rounded
_NO_WORD = re.compile(r"[\W\d_]+")
_BESIDE_DIGITS = re.compile(r"\A-?0?(?=[.,])|[-.,' ]")  # ".5" is "0.5"
_SYMBOL = re.compile(r"/|\w[A-Z]")  # an unknown unit, such as "mEq/l" or "AU"
_SIDES = {"min": -1, "above": -1, "max": 1, "below": 1}


def compare(claim: Value, source: Value) -> Comparison:
    """Compares the value of a claim with the value of a source. See `Comparison` for the results.

    A claim may be equal if it is less exact ("85%" for 85.19%). A claim that is more exact is `unknown`.
    """
    if claim.kind != source.kind:
        names = {str(it.readings[0]) if it.kind == "identifier" else it.text for it in (claim, source)}
        is_name = "identifier" in (claim.kind, source.kind) or claim.text.isdigit()
        return "equal" if len(names) == 1 and is_name else "unknown"
    if claim.kind in ("date", "time") and claim.bound not in (source.bound, "about"):
        return "unknown"
    others = {"identifier": _compare_identifiers, "date": _compare_dates, "time": _compare_times}
    if claim.kind in others:
        return others[claim.kind](claim, source)
    if _unit(claim) != _unit(source):
        return _compare_shares(claim, source)
    amounts = _base_amounts(claim), _base_amounts(source)
    found = [_compare_amounts(claim, source, one, other) for one, other in product(*amounts)]
    if found[0] == "equal":
        is_unclear = _may_be_thousands(claim, source) if claim.unit else _differ_only_in_zeros(claim, source)
        return "unknown" if is_unclear else "equal"
    return found[0] if len(set(found)) == 1 else "unknown"


def is_rounded(claim: Value, source: Value) -> bool:
    """Tells whether the claim's number is rounded, and no word such as "about" or "million" shows this.

    Expects values that `compare` calls equal.
    """
    is_alike = claim.kind == source.kind == "number" and _unit(claim) == _unit(source)
    is_exact = is_alike and claim.bound in {"", source.bound} - {"about"} and claim.amounts[0].step < _SHOWN
    return is_exact and _base_amounts(claim)[0].amount != _base_amounts(source)[0].amount


def is_narrower(claim: Value | None, source: Value | None) -> bool:
    """Tells whether the claim has a narrower bound: "under 5" is narrower than "under 12" in the source."""
    if claim is None or source is None or claim.bound != source.bound or _unit(claim) != _unit(source):
        return False
    return (_bound_number(source) - _bound_number(claim)) * _SIDES.get(claim.bound, 0) > 0


def _bound_number(value: Value) -> Fraction:
    """Returns the number or the year of a value with a bound: 12 for "under 12"."""
    years = [it.years[0] for it in value.dates if it.years]
    return _base_amounts(value)[0].amount if value.amounts else Fraction(years[0] if years else 0)


def may_be_equal(first: Value, second: Value) -> bool:
    """Tells whether two values may be equal. Ignores "over", "per day", and a unit that one value lacks."""
    is_one = first.kind == second.kind in ("identifier", "time") and first.readings == second.readings
    if is_one or compare(first, second) == "equal":
        return True
    if not (first.amounts and second.amounts):
        return False
    if "time" in (first.kind, second.kind):
        hours = [it.amounts[0].amount * (1 if it.kind == "time" else 60) % 720 for it in (first, second)]
        return hours[0] == hours[1] and (first.kind != second.kind) and "" in (first.unit, second.unit)
    have_units = bool(_unit(first) and _unit(second))
    if have_units and _unit(first).partition("/")[0] != _unit(second).partition("/")[0]:
        return False
    read = (_base_amounts(it) if have_units else it.amounts for it in (first, second))
    own, other = ({it.amount for it in amounts} for amounts in read)
    return not own.isdisjoint(other)


def may_state(source: Value, claim: Value) -> bool:
    """Tells whether a source's value may state a claim's value, with unit, rate ("/day") and bound ("over").

    "12 patients" does not state "12 mg", because a noun is in the place of the unit. "300 people" states
    "at least 300", but not "over 300".
    """
    if (found := compare(claim, source)) != "unknown" or not may_be_equal(claim, source):
        return found == "equal"
    if claim.kind != "number":
        return True
    if (claim.unit and source.noun) or (source.unit and claim.noun):
        return False
    is_same_rate = not (_unit(claim) and _unit(source)) or _unit(claim) == _unit(source)
    is_exact = claim.bound in ("min", "max") and not source.bound
    return is_same_rate and (is_exact or _SIDES.get(claim.bound) == _SIDES.get(source.bound))


def has_value(text: str, value: Value) -> bool:
    """Tells whether the text has the value, in any form ("35 km" or "35,000 m")."""
    return any(may_be_equal(value, other) for other in values(text))


def _unit(value: Value) -> str:
    if value.unit:
        return "°C" if value.unit == "°F" else value.unit
    return value.noun if _SYMBOL.search(value.noun) else ""


def _base_amounts(value: Value) -> list[Amount]:
    if value.unit == "°F":
        return [it._replace(amount=it.amount - 32).times(Fraction(5, 9)) for it in value.amounts]
    return [it.times(value.size) for it in value.amounts]


def _differ_only_in_zeros(first: Value, second: Value) -> bool:
    """Tells whether two numbers differ only in zeros. Both may be versions ("2.1" and "2.10") or names."""
    digits = [_BESIDE_DIGITS.sub("", it.text) for it in (first, second)]
    are_plain = all(it.isdigit() for it in digits)
    return are_plain and digits[0] != digits[1] and digits[0].strip("0") == digits[1].strip("0")


def _may_be_thousands(claim: Value, source: Value) -> bool:
    """Tells whether one sum of money can be read as thousands ("1.500"), and the other cannot ("1.5")."""
    is_money = is_currency(claim.unit.partition("/")[0])
    decimal_first = any(it.amounts[0].amount < it.amounts[-1].amount for it in (claim, source))
    return is_money and decimal_first and len(claim.amounts) != len(source.amounts)


def _compare_amounts(claim: Value, source: Value, one: Amount, other: Amount) -> Comparison:
    plain = _compare_rounded(one, other, converted=claim.size != source.size or claim.unit != source.unit)
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


def _compare_rounded(one: Amount, other: Amount, *, converted: bool) -> Comparison:
    rough = float(one.amount)
    if abs(rough - float(other.amount)) > max(abs(rough) / 8, 2 * float(one.step), 2 * float(other.step)):
        return "different"  # a fast test with floats, before the exact test with fractions
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


def _compare_identifiers(claim: Value, source: Value) -> Comparison:
    first, second = str(claim.readings[0]), str(source.readings[0])
    if claim.unit == source.unit == "isbn":  # an ISBN has 10 or 13 digits
        first, second = (name[3:12] if len(name) == 13 else name[:9] for name in (first, second))
    if first == second:
        is_one = claim.unit == source.unit or not (claim.unit and source.unit) or len(first) > _OWN_NAME
        return "equal" if is_one else "unknown"
    shapes = [re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", name)) for name in (first, second)]
    is_alike = claim.unit == source.unit if claim.unit or source.unit else shapes[0] == shapes[1]
    return "different" if is_alike else "unknown"


def _compare_shares(claim: Value, source: Value) -> Comparison:
    parts = [it.amounts[0].amount * (it.size if it.unit else 100) for it in (claim, source)]
    are_parts = all(it.unit == "%" or (not it.unit and it.amounts[0].amount < 1) for it in (claim, source))
    return "equal" if are_parts and parts[0] == parts[1] and claim.bound == source.bound else "unknown"


def _compare_times(claim: Value, source: Value) -> Comparison:
    gap = abs(claim.amounts[0].amount - source.amounts[0].amount)
    if gap % 720 or (gap and claim.unit == source.unit):
        return "different"
    return "equal" if not gap and source.unit in (claim.unit, "clock") else "unknown"


def _compare_dates(claim: Value, source: Value) -> Comparison:
    found = {_compare_date_readings(one, other) for one, other in product(claim.dates, source.dates)}
    if claim.text == source.text or found == {"equal"}:
        return "equal"
    return "different" if found == {"different"} else "unknown"


def _compare_date_readings(claim: Date, source: Date) -> Comparison:
    pairs = [(own, other) for own, other in zip(claim, source, strict=True) if own]
    if any(other and (own[1] < other[0] or other[1] < own[0]) for own, other in pairs):
        return "different"
    return "equal" if pairs and all(other and _covers(own, other) for own, other in pairs) else "unknown"


def _covers(own: Range, other: Range) -> bool:
    """Tells whether two ranges are equal, or `own` is a decade or century with `other` inside."""
    is_period = own[0] > 99 and own[1] - own[0] in (9, 99)  # "8 to 17 April" is as long as a decade
    return own == other or (is_period and own[0] <= other[0] and other[1] <= own[1])


def replacement(value: Value, like: Value) -> str | None:
    """Writes `value` in a form that can replace `like` in a sentence. Returns None if no form fits.

    Both values must have the same kind and unit. Dates must have the same parts and language.
    """
    if (value.kind, value.unit) != (like.kind, like.unit):
        return None
    fits = True
    if value.kind == "date":
        shown = [[part and part[1] - part[0] for part in it.dates[0]] for it in (value, like)]
        words = [_NO_WORD.split(it.text.lower()) for it in (value, like)]
        languages = [{name for it in each for name in MONTH_LANGUAGES.get(it, ())} for each in words]
        fits = shown[0] == shown[1] and (not all(languages) or bool(set.intersection(*languages)))
    written = _converted_text(value, like) or without_markup(value.text)
    is_whole = value.kind == "identifier" or [may_be_equal(it, value) for it in values(written)] == [True]
    return _replace_words(written.split(), like.text) if fits and is_whole else None


def _converted_text(value: Value, like: Value) -> str | None:
    """Returns the text of `like` with the year or converted number of `value`; None if this is impossible."""
    form, step = without_markup(like.text), value.size / like.size
    if value.kind == "date":
        (year, *rest), (old, *others) = value.dates[0], like.dates[0]
        return form.replace(str(old[0]), str(year[0])) if year and old and rest == others else None
    if value.kind != "number" or step == 1 or value.amounts == like.amounts:
        return None  # the number needs no conversion
    amount, is_other_system = value.amounts[0].amount * step, 1 not in (step.numerator, step.denominator)
    is_whole = abs(round(amount) - amount) <= amount * _CONVERTED / 2 * is_other_system
    number = like.number.moved_by(-like.start).of(like.text)
    return form.replace(number, str(round(amount))) if is_whole and 1 < amount < _ROUND else None


def _replace_words(words: Sequence[str], like: str) -> str | None:
    """Puts `words` in place of the words of `like`; keeps Markdown marks. None if this is impossible."""
    old, at = without_markup(like).split(), 0
    if len(old) != len(words):
        return " ".join(words) if old == like.split() else None
    for before, after in zip(old, words, strict=True):
        if before != after:
            at = like.find(before, at)
            if at < 0:
                return None
            like, at = like[:at] + after + like[at + len(before) :], at + len(after)
    return like
