"""Measures: is a number of the text bounded as in the passage, and does it count the same?

221 metres confirm neither "more than 221 metres" nor "221 metres wide", where the passage says how long.
"""

import re

from rarr.backends.rules.counterparts import ParsedPassage
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
    r"|nearly|not quite",
}
_BEFORE = {name: re.compile(rf"\b(?:{words}){_TO_NUMBER}") for name, words in _BOUNDS.items()}
_WITHIN = {name: re.compile(rf"\s*(?:{words})\s") for name, words in _BOUNDS.items()}
_BEHIND = {
    "at least": re.compile(r"\W*(?:\w+\W+)?or (?:more|longer|older|over|above)\b"),
    "at most": re.compile(r"\W*(?:\w+\W+)?or (?:less|fewer|under|younger|below)\b"),
}
_ROW = re.compile(r"(?:[^|\n]*:)?\s*\|")
_ORDINAL = "#"
_REACH = 30  # characters before a number in which its bound stands


def bound(part: ParsedSentence, value: Value) -> str:
    """`above`, `below`, `at least` or `at most`, where a number is no exact one."""
    text, place = part.text.lower(), value_extent(value)
    before = text[max(0, place.start - _REACH) : place.start]
    found = (
        name
        for name in _BOUNDS
        if _BEFORE[name].search(before)
        or _WITHIN[name].match(text, place.start)
        or (name in _BEHIND and _BEHIND[name].match(text, place.end))
    )
    return next(found, "")


def measures_otherwise(
    claim: ParsedSentence, value: Value, part: ParsedSentence, said: Value, beside: ParsedPassage
) -> bool:
    """Does the claim bound the number, or name what is counted, in a way that the passage does not?"""
    if (
        not (isinstance(value.read, Quantity) and isinstance(said.read, Quantity))
        or value.read.unit == _ORDINAL
    ):
        return False
    if not _is_within(bound(claim, value), value.read, bound(part, said), said.read):
        return True
    counted = _counted(claim, value)
    if not counted or counted in {word.stem for word in part.content}:
        return False
    in_heads = counted in beside.spread or counted in beside.title_stems
    return not (is_row(part) and in_heads)


def is_row(part: ParsedSentence) -> bool:
    """Is it a row of a table, below its subject or not?"""
    return bool(_ROW.match(part.text))


def _is_within(mine: str, claimed: Quantity, its: str, told: Quantity) -> bool:
    """Does a number with the bound `its` say what one with the bound `mine` says?"""
    if its:
        return mine == its
    match mine:
        case "above":
            return told.amount > claimed.amount
        case "at least":
            return told.amount >= claimed.amount
        case "below":
            return told.amount < claimed.amount
        case "at most":
            return told.amount <= claimed.amount
    return True


def _counted(part: ParsedSentence, value: Value) -> str:
    """The stem of the word that follows a number and its unit; empty for a percentage, or where none does."""
    end = value_extent(value).end
    following = next((word for word in part.words if word.start >= end), None)
    if following is None or "%" in part.text[value.start : end] or part.text[end : following.start].strip():
        return ""
    return following.stem
