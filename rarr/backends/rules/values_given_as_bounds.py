"""Finds bounds of numbers and dates: "at least 221 metres", "5 to 35 °C" and "before 1961" give no value."""

import re

from rarr.backends.rules.counterparts import ParsedPassage, candidates
from rarr.backends.rules.dates import Date
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.quantities import BOUNDS, Quantity
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import Value, value_extent

_TO_NUMBER = r"\s+(?:a\s+total\s+of\s+|the\s+)?[$€£]?$"
_BEFORE = {name: re.compile(rf"\b(?:{words}){_TO_NUMBER}") for name, words in BOUNDS.items()}
_WITHIN = {name: re.compile(rf"\s*(?:{words})\s") for name, words in BOUNDS.items()}
_BEHIND = {
    "at least": re.compile(r"\W*(?:\w+\W+)?or (?:more|longer|older|over|above)\b"),
    "at most": re.compile(r"\W*(?:\w+\W+)?or (?:less|fewer|under|younger|below)\b"),
}
_DASHED, _AFTER_DASH = re.compile(r"\s?[-–—]\s?\d"), re.compile(r"\d\s?[-–—]\s?$")
_REACH = 30  # characters before a number that are searched for its bound
_DATE_BOUND = re.compile(
    r"""\b(?P<bound>before|prior\ to|by|until|till|after
      | (?:no|not)\ (?:later|earlier|sooner)\ than | (?:later|earlier)\ than)
    \s+(?:(?:the\ )?(?:end|start|beginning|middle)\ of\s+|early\s+|late\s+|the\s+)?$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_bound_alone(claim: ParsedSentence, value: Value, evidence: ParsedSentence, other: Value) -> bool:
    """Is `other` a mere bound, such as "at least 5", where the claim's value does not have the same bound?

    `evidence` is the sentence with the value `other`.
    """
    bound = value_bound(evidence, other)
    return bool(bound) and bound != value_bound(claim, value)


def is_answered_by_a_bound(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage give only a bound in the place of the claim's value?"""
    best = next(iter(candidates(claim.sentence, value, evidence, claim.about)), None)
    return best is not None and is_bound_alone(claim.sentence, value, best.sentence, best.value)


def value_bound(part: ParsedSentence, value: Value) -> str:
    """Returns the bound of a number, or the words that bound a date, such as "before"; empty for none."""
    if isinstance(value.read, Quantity):
        return number_bound(part, value)
    if isinstance(value.read, Date):
        match = _DATE_BOUND.search(part.text, max(0, value.start - _REACH), value.start)
        return match["bound"].lower() if match else ""
    return ""


def number_bound(part: ParsedSentence, value: Value) -> str:
    """Returns `above`, `below`, `at least`, `at most` or `range` for a bounded number; else empty."""
    if _is_end_of_range(part, value):
        return "range"
    text, place = part.text.lower(), value_extent(value)
    before = text[max(0, place.start - _REACH) : place.start]
    bounds = (
        name
        for name in BOUNDS
        if _BEFORE[name].search(before)
        or _WITHIN[name].match(text, place.start)
        or (name in _BEHIND and _BEHIND[name].match(text, place.end))
    )
    return next(bounds, "")


def _is_end_of_range(part: ParsedSentence, value: Value) -> bool:
    """Is the number an end of a range, as in "5 to 35 °C" or "5–35 °C"? "From 5 to 3" tells a change."""
    place = value_extent(value)
    if _DASHED.match(part.text, place.end) or _AFTER_DASH.search(part.text[: place.start]):
        return True
    others = [other for other in part.values if isinstance(other.read, Quantity) and other is not value]
    return any(_is_range(part, *sorted((value, other), key=lambda number: number.start)) for other in others)


def _is_range(part: ParsedSentence, first: Value, last: Value) -> bool:
    """Are two numbers joined as the ends of a range? Only the last may have a unit."""
    if not isinstance(first.read, Quantity) or not isinstance(last.read, Quantity):
        return False
    joined = part.text[value_extent(first).end : last.start].strip()
    before = part.text[: first.start].rstrip().lower()
    if first.read.unit not in ("", last.read.unit):
        return False
    return (joined == "to" and not before.endswith("from")) or (
        joined == "and" and before.endswith("between")
    )
