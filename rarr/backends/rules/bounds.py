"""Bounds of numbers and dates: "at least 221 metres" and "before 1961" state no value."""

import re

from rarr.backends.rules.claims import Claim
from rarr.backends.rules.counterparts import ParsedPassage, candidates
from rarr.backends.rules.dates import Date
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.values import Value, value_extent

_TO_NUMBER = r"\s+(?:a\s+total\s+of\s+|the\s+)?[$€£]?$"
_BOUNDS = {
    "at least": r"at least|no (?:fewer|less) than|(?:a )?minimum(?: of)?|not less than",
    "at most": r"at most|no more than|not more than|up to|(?:a )?maximum(?: of)?",
    "above": r"(?:more|larger|longer|higher|greater|bigger|older|later|heavier|wider|taller|deeper) than"
    r"|over|above|exceed(?:s|ing|ed)?|upwards of",
    "below": r"(?:less|fewer|smaller|shorter|lower|younger|earlier|lighter|narrower) than|under|below|almost"
    r"|nearly|not quite|short of|shy of",
}
_BEFORE = {name: re.compile(rf"\b(?:{words}){_TO_NUMBER}") for name, words in _BOUNDS.items()}
_WITHIN = {name: re.compile(rf"\s*(?:{words})\s") for name, words in _BOUNDS.items()}
_BEHIND = {
    "at least": re.compile(r"\W*(?:\w+\W+)?or (?:more|longer|older|over|above)\b"),
    "at most": re.compile(r"\W*(?:\w+\W+)?or (?:less|fewer|under|younger|below)\b"),
}
_REACH = 30  # characters before a number that are searched for its bound
_DATE_BOUND = re.compile(
    r"""\b(?P<bound>before|prior\ to|by|until|till|after
      | (?:no|not)\ (?:later|earlier|sooner)\ than | (?:later|earlier)\ than)
    \s+(?:(?:the\ )?(?:end|start|beginning|middle)\ of\s+|early\s+|late\s+|the\s+)?$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_bound_alone(claim: ParsedSentence, value: Value, evidence: ParsedSentence, other: Value) -> bool:
    """Does the evidence bound its value in a way in which the claim does not bound its own?"""
    bound = value_bound(evidence, other)
    return bool(bound) and bound != value_bound(claim, value)


def is_answered_by_a_bound(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage have a bound alone in the place of the claim's value?"""
    best = next(iter(candidates(claim.sentence, value, evidence, claim.about)), None)
    return best is not None and is_bound_alone(claim.sentence, value, best.sentence, best.value)


def value_bound(part: ParsedSentence, value: Value) -> str:
    """The bound of a number or a date; empty for an exact value."""
    if isinstance(value.read, Quantity):
        return number_bound(part, value)
    if isinstance(value.read, Date):
        match = _DATE_BOUND.search(part.text, max(0, value.start - _REACH), value.start)
        return match["bound"].lower() if match else ""
    return ""


def number_bound(part: ParsedSentence, value: Value) -> str:
    """The bound of a number: `above`, `below`, `at least` or `at most`; empty for an exact number."""
    text, place = part.text.lower(), value_extent(value)
    before = text[max(0, place.start - _REACH) : place.start]
    bounds = (
        name
        for name in _BOUNDS
        if _BEFORE[name].search(before)
        or _WITHIN[name].match(text, place.start)
        or (name in _BEHIND and _BEHIND[name].match(text, place.end))
    )
    return next(bounds, "")
