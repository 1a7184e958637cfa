"""Compares measures: whether text and passage hedge, bound and count a number alike.

"221 metres long" does not confirm "more than 221 metres long", "barely 221 metres long" or "221 metres wide",
and "40 mg a week" does not confirm "40 mg a day".
"""

import re

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.quantities import ORDINAL, Quantity
from rarr.backends.rules.values import Value, value_extent
from rarr.backends.rules.values_given_as_bounds import number_bound
from rarr.ledger.number_hedges import number_hedges
from rarr.ledger.table_rows import is_row

_RATE = re.compile(
    r"[^.,;:]{0,20}?\b(?:an?|per|every|each)\s+"
    r"(?P<period>second|minute|hour|day|night|week|fortnight|month|quarter|year)\b",
    re.IGNORECASE,
)


def differs_in_measure(
    claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value, beside: ParsedPassage
) -> bool:
    """Does the claim give the number a hedge, bound, rate or counted thing that the passage does not give?

    `part` is the sentence of the passage `beside` that has `evidence_value`. False for an ordinal, and unless
    both values are numbers.
    """
    if (
        not (isinstance(value.read, Quantity) and isinstance(evidence_value.read, Quantity))
        or value.read.unit == ORDINAL
    ):
        return False
    if number_hedges(claim, value) != number_hedges(part, evidence_value):
        return True
    if _differs_in_rate(_rate(claim, value), _rate(part, evidence_value)):
        return True
    if not _is_within(
        number_bound(claim, value), value.read, number_bound(part, evidence_value), evidence_value.read
    ):
        return True
    counted = _counted_stem(claim, value)
    if not counted or counted in {word.stem for word in part.content}:
        return False
    in_heads = counted in beside.spread or counted in beside.title_stems
    return not (is_row(part) and in_heads)


def _differs_in_rate(claimed: str, stated: str) -> bool:
    """Are two periods given, and different? A passage may leave out the period, as a row of a table does."""
    return bool(claimed and stated) and claimed != stated


def _rate(part: ParsedSentence, value: Value) -> str:
    """Returns the period of a rate, such as "day" in "twice a day" or "40 mg every day"; else empty."""
    match = _RATE.match(part.text, value_extent(value).end)
    return match["period"].lower() if match else ""


def _is_within(claimed_bound: str, claimed: Quantity, stated_bound: str, stated: Quantity) -> bool:
    """Does a number with the bound `stated_bound` confirm a number with the bound `claimed_bound`?"""
    if stated_bound:
        return claimed_bound == stated_bound
    match claimed_bound:
        case "above":
            return stated.amount > claimed.amount
        case "at least":
            return stated.amount >= claimed.amount
        case "below":
            return stated.amount < claimed.amount
        case "at most":
            return stated.amount <= claimed.amount
    return True


def _counted_stem(part: ParsedSentence, value: Value) -> str:
    """Returns the stem of the word after a number and its unit; empty for a percentage, or for no word."""
    end = value_extent(value).end
    following = next((word for word in part.words if word.start >= end), None)
    if following is None or "%" in part.text[value.start : end] or part.text[end : following.start].strip():
        return ""
    return following.stem
