"""Finds reasons to doubt that an answer of a passage contradicts the value of the text."""

import re

from rarr.backends.rules.candidate_number_filters import is_other_number
from rarr.backends.rules.candidate_value_filters import (
    is_elsewhere_in_time,
    is_supposed,
    opens_with_sibling,
)
from rarr.backends.rules.counterparts import Candidate, ParsedPassage
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.proper_names import ProperName, is_person
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import is_about_subject
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.values_given_as_bounds import is_bound_alone
from rarr.records import Query

LITTLE_ELSE = "the evidence says too little else of the sentence"
LEAST_IN_COMMON = 0.5
"""The least overlap of the answer's sentence and the claim: the share of the claim's words in the sentence,
or the share of the clause's words in the claim, whichever is greater."""
CLEARLY_LESS = 0.5
"""An answer with several values counts if the others have at most this share of the closeness of the best."""
_SAME_TIME = re.compile(
    r"\b(?:the|that)\s+(?:(?:same|previous|following|next)\s+)?(?:day|month|quarter|season|year|decade)\b",
    re.IGNORECASE,
)
_COORDINATED = re.compile(r"\s*(?:,\s*)?(?:and|&|or|/)\s+(?:the\s+)?[A-Z]")
_COORDINATED_BEFORE = re.compile(r"[A-Z]\S*\s+(?:and|&|or|/)\s+(?:the\s+)?$")
_RATIO_AFTER = re.compile(
    r"\s*(?:(?:in|out\s+of|of|to|per|for)\s+(?:every\s+|each\s+)?(?:\d|a\s)|[:/–-]\s*\d)"
)
_YEARS = re.compile(r"[/–-]\d")  # 2024/25 is no year
_RATIO_BEFORE = re.compile(r"\d\s*(?:(?:in|out\s+of|to|per|for)\s+(?:every\s+)?|[:/–-]\s*)$")


def difference_doubt(
    claim: Claim,
    value: Value,
    other: Candidate,
    answers: list[Candidate],
    query: Query,
    evidence: ParsedPassage,
) -> str:
    """Returns the first reason not to trust that `other`, a value of the evidence, contradicts `value`.

    `answers` are all values of the evidence that answer the query, `other` among them. Empty for no reason.
    """
    reasons = {
        "the evidence answers with several values": any(
            not same_value(other.value, candidate.value)
            and candidate.closeness > CLEARLY_LESS * other.closeness
            for candidate in answers
        ),
        "the evidence is about several things of one name": evidence.namesakes,
        "the text speaks of a plan or a supposition": is_supposed(claim.sentence, evidence),
        "the evidence gives a bound": is_bound_alone(claim.sentence, value, other.sentence, other.value),
        "the answer is about another subject": not is_about_subject(claim, value, other, evidence)
        or opens_with_sibling(claim, value, other),
        "the text gives its time by another sentence": bool(_SAME_TIME.search(claim.sentence.text)),
        "the answer is about another time": value.kind != "date"
        and is_elsewhere_in_time(claim, value, other),
        "the answer stands in the sentence or the question": _stands_already(claim, query, other),
        "the answer repeats a word of the sentence": _repeats_a_word(claim, value, other),
        "the answer is half of a pair": _is_half(claim.sentence.text, value)
        or _is_half(other.sentence.text, other.value),
        "the answer is of another kind": _is_other_kind(claim, value, other),
        "the number may be counted or reckoned in another way": isinstance(value.read, Quantity)
        and is_other_number(claim, value, value.read, other, evidence),
        # The weakest reason comes last.
        LITTLE_ELSE: max(other.coverage, other.clause_share) < LEAST_IN_COMMON,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def has_value_as_well(evidence: ParsedPassage, value: Value, other: Candidate) -> bool:
    """Does the passage or its title have the text's value too, beside the value `other`?

    A coarse value that fits `other` as well, such as a year for two days of it, does not count.
    """
    evidence_values = (
        *(evidence_value for part in evidence.sentences for evidence_value in part.values),
        *evidence.title_values,
    )
    return any(
        same_value(value, evidence_value) and not same_value(other.value, evidence_value)
        for evidence_value in evidence_values
    )


def _stands_already(claim: Claim, query: Query, other: Candidate) -> bool:
    """Is the other value a name that the sentence or the question has already? Then it is no answer."""
    if not isinstance(other.value.read, ProperName):
        return False
    words = set(key_words(other.value.read.text))
    return words <= set(key_words(claim.sentence.text)) or words <= set(key_words(query.text))


def _repeats_a_word(claim: Claim, value: Value, other: Candidate) -> bool:
    """Does a word of the other name stand beside the claim's, as in "polytechnic in Polytechnic of Tolk"?"""
    if not isinstance(other.value.read, ProperName):
        return False
    text = claim.sentence.text
    beside = {*key_words(text[: value.start]), *key_words(text[value.end :])}
    return not beside.isdisjoint(key_words(other.value.read.text))


def _is_half(text: str, value: Value) -> bool:
    """Is a name one of two joined names, a number a part of a ratio or range, or a year half of two?"""
    before, after = text[: value.start], text[value.end :]
    if isinstance(value.read, ProperName):
        return bool(_COORDINATED.match(after) or _COORDINATED_BEFORE.search(before))
    if isinstance(value.read, Quantity):
        return bool(_RATIO_AFTER.match(after) or _RATIO_BEFORE.search(before))
    return bool(_YEARS.match(after)) and value.kind == "date"


def _is_other_kind(claim: Claim, value: Value, other: Candidate) -> bool:
    """Are both values names, one of a person and the other of a place or the like?"""
    claimed, answered = value.read, other.value.read
    if not (isinstance(claimed, ProperName) and isinstance(answered, ProperName)):
        return False
    return is_person(claim.sentence.text, claimed) != is_person(other.sentence.text, answered)
