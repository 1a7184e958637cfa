"""Decides by three rules whether another value of the passage contradicts the claim's value.

The thresholds were tuned on the training half of the hand-written triples and on the examples. The measure
was the share of contradicted values that are wrong and have this value as their correction.
"""

from rarr.backends.rules.candidate_value_filters import (
    SAME_EVENT_COVERAGE,
    has_same_unit,
    is_elsewhere,
    is_exchangeable,
)
from rarr.backends.rules.counterparts import Candidate, Counterparts, ParsedPassage
from rarr.backends.rules.mutually_exclusive_words import ExclusiveTerm
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import is_subject
from rarr.backends.rules.values import Value, value_extent
from rarr.backends.rules.words_around_values import has_same_frame, next_stem

CLEAR_COVERAGE = 0.6
CLEAR_MARGIN = 0.4
CLEAR_LEAD = 0.25
CLEAR_CLAUSE_SHARE = 0.4
# The clause of the other value must share this much more than the clause of the claim's value.
CLAUSE_SHARE_MARGIN = 0.35
RETOLD = 0.6
RETOLD_COVERAGE = 0.25
RETOLD_MARGIN = 0.1
RETOLD_FAR_MARGIN = 0.25  # where the words right after the two values differ
RETOLD_LEAD = 0.2
SAID_OF_ANOTHER = 0.12  # up to this closeness, the passage gives the claim's date to something else

# Both words may be true: a husband has a wife, and a winner may lose another match. Only values between the
# same words contradict each other.
BOTH_MAY_BE_TRUE = ("relation", "outcome", "order")


def is_contradiction(claim: Claim, value: Value, reading: Counterparts, evidence: ParsedPassage) -> bool:
    """Does the best other value of the passage stand clearly in the place of the claim's value?

    False if it may answer another question, or if the words around the two values are not alike enough. And
    for the subject of the claim, since passages about other subjects do not contradict it.
    """
    if is_subject(claim, value):
        return False
    other, own = reading.other, reading.own
    if other is None or is_elsewhere(claim, value, other, evidence):
        return False
    if not is_exchangeable(claim, value, other, evidence) or not _in_common(claim, value, other):
        return False
    margin = other.closeness - (own.closeness if own else 0.0)
    lead = other.closeness - reading.runner_up
    if own is not None and other.clause_share - own.clause_share < CLAUSE_SHARE_MARGIN:
        return False
    covers = other.coverage - (own.coverage if own else 0.0) >= CLEAR_MARGIN
    if (
        other.clause_share >= CLEAR_CLAUSE_SHARE
        and covers
        and has_same_frame(claim.sentence, value, other.sentence, other.value)
    ):
        return not _converse(claim, value, other)
    if not has_same_unit(claim, value, other) or _said_too(value, own, other):
        return False
    if isinstance(value.read, ExclusiveTerm) and value.read.label in BOTH_MAY_BE_TRUE:
        return False
    clear = other.coverage >= CLEAR_COVERAGE and margin >= CLEAR_MARGIN and lead >= CLEAR_LEAD
    if clear and (other.clause_share >= CLEAR_CLAUSE_SHARE or other.coverage >= SAME_EVENT_COVERAGE):
        return True
    # The clause of the evidence adds little to the claim, so both tell the same thing.
    retold = other.clause_share >= RETOLD and other.coverage >= RETOLD_COVERAGE and lead >= RETOLD_LEAD
    return retold and margin >= (RETOLD_MARGIN if _same_next(claim, value, other) else RETOLD_FAR_MARGIN)


def _in_common(claim: Claim, value: Value, other: Candidate) -> bool:
    """Do claim and evidence share a word outside dates, numbers and names, if the claim has such words?"""
    claim_stems = _beside_values(claim.sentence)
    return (
        value.kind == "term" or not claim_stems or not claim_stems.isdisjoint(_beside_values(other.sentence))
    )


def _beside_values(part: ParsedSentence) -> set[str]:
    """Returns the stems of the words with meaning that are in no date, number or name."""
    taken = [value_extent(value) for value in part.values if value.kind != "term"]
    return {
        word.stem for word in part.content if not any(span.start <= word.start < span.end for span in taken)
    }


def _said_too(value: Value, own: Candidate | None, other: Candidate) -> bool:
    """Does the passage also have the claim's value (`own`)? Then other words of the claim may be wrong.

    Always False for names; a date counts only if it is close to the claim's words.
    """
    if own is None or value.kind == "name":
        return False
    if value.kind == "date":
        return own.closeness > SAID_OF_ANOTHER
    return value.kind == "number" or own.sentence is not other.sentence


def _converse(claim: Claim, value: Value, other: Candidate) -> bool:
    """Is the value a kinship whose next word differs? A mother has a daughter: both may be true."""
    return (
        isinstance(value.read, ExclusiveTerm)
        and value.read.label == "relation"
        and not _same_next(claim, value, other)
    )


def _same_next(claim: Claim, value: Value, other: Candidate) -> bool:
    return next_stem(claim.sentence, value) == next_stem(other.sentence, other.value)
