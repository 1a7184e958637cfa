"""Decides why another number of the evidence does not answer the question about the claim's number."""

import re
from itertools import combinations

from rarr.backends.rules.counterparts import Candidate, ParsedPassage
from rarr.backends.rules.dates import Date
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import Value, value_extent

SAME_SCALE = 5  # two measures of one thing differ by less than this factor
SAME_SCALE_COUNTED = 25  # two counts of one thing differ by less than this factor
SAME_CONTEXT = 0.9
"""The least coverage of a number whose sentence tells the same as the claim: its scale does not count."""
_RANGE = re.compile(
    r"\b(?:from|between)\s+\S+\s+(?:\w+\s+)?(?:to|and)\s+\S+|\d\s?[–-]\s?\d|\d\s+to\s+[$€£]?\d",
    re.IGNORECASE,
)
# A total is compared with no part of it: "twelve members in all" are "eleven other members" and one.
_TOTAL = re.compile(
    r"[^.,;:]{0,40}?\b(?:in\s+all|in\s+total|altogether|all\s+told|together|combined)\b", re.IGNORECASE
)
_MORE = re.compile(r"\W{0,2}(?:other|others|more|further|additional|extra)\b", re.IGNORECASE)
_BY = re.compile(r"\bby\s+(?:(?:about|around|some|nearly|almost|roughly)\s+)?$", re.IGNORECASE)
_COMPARED = re.compile(
    r"\s+(?:\w+\s+){0,3}?(?:more|less|fewer|later|earlier|longer|shorter|higher|lower|taller|older|younger|larger"
    r"|smaller|bigger|wider|deeper|faster|slower|heavier|lighter|cheaper|dearer|ahead|further|farther|extra)\b",
    re.IGNORECASE,
)


def is_other_number(
    claim: Claim, value: Value, number: Quantity, other: Candidate, evidence: ParsedPassage
) -> bool:
    """Is there a reason not to compare the claim's `number` with the number `other` of the evidence?

    Reasons: only one is a total; the claim's is an end of a range, or follows from numbers of the evidence by
    arithmetic; the evidence has the same figure elsewhere; one is many times the other, in another context.
    """
    is_total, is_stated_total = (
        bool(_TOTAL.match(part.text, value_extent(each).end))
        for part, each in ((claim.sentence, value), (other.sentence, other.value))
    )
    if is_total != is_stated_total or _MORE.match(other.sentence.text, value_extent(other.value).end):
        return True
    around = claim.sentence.text[max(0, value.start - 24) : value.end + 12]
    if _RANGE.search(around) or _derivable(number, evidence):
        return True
    claimed = claim.sentence.text[value.start : value.end].lower()
    if any(claimed == part.text[v.start : v.end].lower() for part in evidence.sentences for v in part.values):
        return True
    evidence_quantity = other.value.read
    if other.coverage >= SAME_CONTEXT:
        return False
    if not (isinstance(evidence_quantity, Quantity) and evidence_quantity.amount and number.amount):
        return False
    most = SAME_SCALE if number.form else SAME_SCALE_COUNTED
    return max(number.amount / evidence_quantity.amount, evidence_quantity.amount / number.amount) > most


def _derivable(number: Quantity, evidence: ParsedPassage) -> bool:
    """Is the claim's number a result of numbers of the evidence: a span of years, an age or a sum?"""
    meanings = [v.read for part in evidence.sentences for v in part.values]
    amounts = [read.amount for read in meanings if isinstance(read, Quantity) and read.unit == number.unit]
    years = [read.first_year for read in meanings if isinstance(read, Date) and read.first_year is not None]
    if number.unit in ("year", "") and any(
        abs(abs(a - b) - number.amount) <= 1 for a, b in combinations(years, 2)
    ):
        return True
    near = max(0.002 * abs(number.amount), 0.01)
    results = (result for a, b in combinations(amounts, 2) for result in (a + b, abs(a - b)))
    return any(abs(result - number.amount) <= near for result in results)


def is_difference(part: ParsedSentence, value: Value) -> bool:
    """Is the number a difference, as in "eight hours longer" and "rose by 8", and no amount itself?"""
    if not isinstance(value.read, Quantity):
        return False
    return bool(_BY.search(part.text[: value.start]) or _COMPARED.match(part.text, value_extent(value).end))
