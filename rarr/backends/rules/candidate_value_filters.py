"""Decides why another value of the evidence does not answer the question about the claim's value."""

import re
from itertools import pairwise

from rarr.backends.rules.candidate_number_filters import is_difference, is_other_number
from rarr.backends.rules.counterparts import Candidate, ParsedPassage
from rarr.backends.rules.dates import Date
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.event_comparison import is_another_event, is_recurring
from rarr.backends.rules.mutually_exclusive_words import ExclusiveTerm
from rarr.backends.rules.name_matching import PLACE_ADJECTIVES, key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName, is_person
from rarr.backends.rules.quantities import ORDINAL, Quantity
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import OPENING, has_name, has_place, is_about_subject, subject_of
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.values_given_as_bounds import is_bound_alone
from rarr.backends.rules.words import stem
from rarr.backends.rules.words_around_values import next_stem

SAME_EVENT_COVERAGE = 0.85  # a sentence that covers this share of the claim tells the same event
CLEAR_NAME_COVERAGE = 0.7
CLEAR_PERSON_COVERAGE = 0.45

# An ordinal before these nouns identifies the thing, and is no statement about it.
_COUNTED_OFF = """
season edition series round episode album version team half wife husband quarter period century day week year
month game match floor set part volume chapter act symphony generation term
"""
_IDENTIFIED = {stem(word) for word in _COUNTED_OFF.split()}
_HEDGED_DATE = re.compile(
    r"\b(?:around|about|circa|c\.|roughly|approximately|before|after|by)\s*$", re.IGNORECASE
)
_RELATIVE_TIME = re.compile(
    r"\b(?:years?|months?|decades?|days?|weeks?)\s(?:later|afterwards|on|earlier|(?:after|before)(?=[.,;]))"
    r"|\bthe (?:next|following) year\b"
)
# Words of plans, drafts and guesses, which state no fact.
_SUPPOSED = re.compile(
    r"\b(?:if|would|could|drafts?|drafted|plans?|planned|protocol|foresaw|foreseen|propos(?:es?|ed|als?)|intend(?:s|ed)"
    r"|expect(?:s|ed)|scheduled|projected|according\s+to|reportedly|allegedly)\b|\?\W*$",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:to|until|till|through|[–-])\s*(?:the\s+)?", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:since|as of|until|till)\b", re.IGNORECASE)
_ADJECTIVE = re.compile(r"(?:an|ese|ish|ic|al|ans|ists|ques|ch|tch)$")


def is_supposed(claim: ParsedSentence, evidence: ParsedPassage) -> bool:
    """Does the claim have a word of a plan, a draft, a guess or a question that the evidence lacks?"""
    claim_words = {match[0].lower() for match in _SUPPOSED.finditer(claim.text)}
    evidence_words = {
        match[0].lower() for part in evidence.sentences for match in _SUPPOSED.finditer(part.text)
    }
    return bool(claim_words - evidence_words)


def denies_other_values(value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage have other values of this kind, all denied? A year that is not 1898 may be 1888."""
    comparisons = [
        (same_value(value, other), is_negated(part, other.start))
        for part in evidence.sentences
        for other in part.values
        if other.kind == value.kind and same_value(value, other) is not None
    ]
    return bool(comparisons) and not any(alike or not denied for alike, denied in comparisons)


def has_rival(claim: ParsedSentence, value: Value, evidence: ParsedPassage) -> bool:
    """Has the passage another value of this kind, which the claim lacks? Only that can contradict it.

    Not if a row of a table has the claim's value: a sentence about a cell has few words of the row.
    """
    rows = [part for part in evidence.sentences if " | " in part.text]
    if any(same_value(value, other) for row in rows for other in row.values):
        return False
    return any(
        same_value(value, other) is False and not any(same_value(other, own) for own in claim.values)
        for part in evidence.sentences
        for other in part.values
    )


def is_elsewhere(claim: Claim, value: Value, other: Candidate, evidence: ParsedPassage) -> bool:
    """Does `other` answer another question: about another subject, event or time, or by arithmetic?"""
    if is_supposed(claim.sentence, evidence) or _is_range_end(other.sentence, other.value):
        return True
    is_bound = is_bound_alone(claim.sentence, value, other.sentence, other.value)
    if is_bound or is_difference(claim.sentence, value) != is_difference(other.sentence, other.value):
        return True
    if evidence.namesakes or any(same_value(value, titled) for titled in evidence.title_values):
        return True
    if isinstance(value.read, Date) and not _is_one_date(claim, value, value.read, other, evidence):
        return True
    if is_another_event(claim.sentence, value, other.sentence, other.value):
        return True
    if not all(_is_told(anchor, evidence) for anchor in _anchors(claim.sentence, value)):
        return True
    if not is_about_subject(claim, value, other, evidence) or not _same_predicate(claim, value, other):
        return True
    if _stands_beside(value, other) or opens_with_sibling(claim, value, other):
        return True
    if _other_numbers(claim, other) if value.kind == "date" else is_elsewhere_in_time(claim, value, other):
        return True
    return isinstance(value.read, Quantity) and is_other_number(claim, value, value.read, other, evidence)


def _is_range_end(part: ParsedSentence, value: Value) -> bool:
    """Is the word an end of a range, such as Tuesday in "Tuesday to Sunday"? It may hold another word."""
    ends = [term for term in part.values if term.kind == "term"]
    return any(
        value in (first, second) and _TO.fullmatch(part.text, first.end, second.start)
        for first, second in pairwise(ends)
    )


def _anchors(part: ParsedSentence, value: Value) -> list[Value]:
    """Returns the other names and dates in the value's clause, which the evidence must have too.

    Beside a name also the numbers.
    """
    clause = part.clause(value.start)
    kinds = ("name", "date", "number") if value.kind == "name" else ("name", "date")
    return [v for v in part.values if v is not value and v.kind in kinds and part.clause(v.start) == clause]


def is_exchangeable(claim: Claim, value: Value, other: Candidate, evidence: ParsedPassage) -> bool:
    """May `other` replace the claim's value?

    Two names must meet more conditions: the passage never has the claim's name, neither name is an adjective,
    and enough words around `other` are those of the claim.
    """
    if not isinstance(value.read, ProperName) or not isinstance(other.value.read, ProperName):
        return True
    if has_name(evidence, value.read.text):
        return False  # the passage has the words of the name, though they are not parsed as a name
    if _is_adjective(claim.sentence.text, value) or _is_adjective(other.sentence.text, other.value):
        return False
    least = CLEAR_PERSON_COVERAGE if is_person(claim.sentence.text, value.read) else CLEAR_NAME_COVERAGE
    return other.coverage >= least


def has_same_unit(claim: Claim, value: Value, other: Candidate) -> bool:
    """May the two values be compared, by the unit or the noun behind them?

    Always with a unit, and for names and dates. A number without a unit, and an exclusive word such as a
    rank, must have the next word in common with `other`; "third season" tells only which one is meant.
    """
    if isinstance(value.read, Quantity) and value.read.unit not in ("", ORDINAL):
        return True
    if isinstance(value.read, Quantity | ExclusiveTerm):
        after = next_stem(claim.sentence, value)
        identifies = isinstance(value.read, Quantity) and value.read.unit == ORDINAL and after in _IDENTIFIED
        return after is not None and after == next_stem(other.sentence, other.value) and not identifies
    return True


def _is_told(value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage have this value, or the words of a name in another form?"""
    if evidence.holds(value) or not isinstance(value.read, ProperName):
        return evidence.holds(value)
    name = value.read.text.lower()
    adjective = " " not in name and name.endswith(PLACE_ADJECTIVES)
    return has_name(evidence, name) or (adjective and has_place(evidence.key_words, name))


def _is_one_date(claim: Claim, value: Value, date: Date, other: Candidate, evidence: ParsedPassage) -> bool:
    """Can the claim's date be compared with the other date, as dates of one event?

    The claim's date must be exact and must not be calculated from another date, and the evidence must tell
    the rest of the claim.
    """
    hedged = _HEDGED_DATE.search(claim.sentence.text[max(0, value.start - 16) : value.start])
    if date.first_year != date.last_year or hedged or _RELATIVE_TIME.search(claim.sentence.text):
        return False
    if is_recurring(claim.sentence, value):
        return False
    if date.month is not None and evidence.holds(value):
        return False
    if next_stem(claim.sentence, value) == next_stem(other.sentence, other.value) is not None:
        return True
    rest = [v for v in claim.sentence.values if v is not value and _tells_event(claim, value, v)]
    return all(_is_told(v, evidence) for v in rest)


def _tells_event(claim: Claim, date: Value, value: Value) -> bool:
    """Does the value belong to the event of the date: a name, a date, or an amount in its clause?"""
    if not isinstance(value.read, Quantity):
        return value.kind in ("name", "date")
    part = claim.sentence
    return value.read.unit != ORDINAL and part.clause(value.start) == part.clause(date.start)


def is_elsewhere_in_time(claim: Claim, value: Value, other: Candidate) -> bool:
    """Do claim and evidence each give a date, and no common date?

    A sentence that tells as much as the claim tells the same event, unless it tells a state since another
    time.
    """
    claim_dates = [v for v in claim.sentence.values if v is not value and v.kind == "date"]
    evidence_dates = [v for v in other.sentence.values if v.kind == "date"]
    if (
        not claim_dates
        or not evidence_dates
        or any(same_value(a, b) for a in claim_dates for b in evidence_dates)
    ):
        return False
    return other.coverage < SAME_EVENT_COVERAGE or bool(_LASTS.search(other.sentence.text))


def _other_numbers(claim: Claim, other: Candidate) -> bool:
    """Has the sentence of `other` numbers, but none of the claim's? Then it tells another event.

    False if it has nearly all words of the claim.
    """
    if other.coverage >= SAME_EVENT_COVERAGE:
        return False
    claim_numbers = [v for v in claim.sentence.values if v.kind == "number"]
    evidence_numbers = [v for v in other.sentence.values if v.kind == "number"]
    pairs = [same_value(a, b) for a in claim_numbers for b in evidence_numbers]
    return False in pairs and True not in pairs


def _same_predicate(claim: Claim, value: Value, other: Candidate) -> bool:
    """Do the clauses of the two values share a word with meaning, if both have such words?"""
    claim_stems, evidence_stems = (
        _clause_stems(claim.sentence, value),
        _clause_stems(other.sentence, other.value),
    )
    return not claim_stems or not evidence_stems or not claim_stems.isdisjoint(evidence_stems)


def _clause_stems(part: ParsedSentence, value: Value) -> set[str]:
    clause = part.clause(value.start)
    return {
        word.stem
        for word in part.content
        if part.clause(word.start) == clause and not value.start <= word.start < value.end
    }


def opens_with_sibling(claim: Claim, value: Value, other: Candidate) -> bool:
    """Does the sentence open with a name of the same kind as the subject, such as another bridge?

    A date may come first: "In May 1931 the District Court of Tolk ..."
    """
    subject, values = subject_of(claim, value), other.sentence.values
    opening = next((v for v in values if isinstance(v.read, ProperName)), None)
    begin = values[0].end if values and values[0].kind == "date" and values[0].start < OPENING else 0
    if subject is None or opening is None or opening == other.value or opening.start > begin + OPENING:
        return False
    opening_name = other.sentence.text[opening.start : opening.end]
    subject_words, opening_words = (key_words(name.split(" of ")[0]) for name in (subject, opening_name))
    return (
        subject_words[-1:] == opening_words[-1:]
        and not set(opening_words) <= set(subject_words)
        and not set(subject_words) <= set(opening_words)
    )


def _stands_beside(value: Value, other: Candidate) -> bool:
    """Does the claim's value stand next to the other value, so that the rules cannot choose?"""
    part = other.sentence
    return any(
        same_value(value, v)
        for v in part.values
        if value.kind == "date" or part.clause(v.start) == part.clause(other.value.start)
    )


def _is_adjective(text: str, value: Value) -> bool:
    """Is the name an adjective such as American? It has too many other forms to compare."""
    name = text[value.start : value.end]
    return " " not in name and bool(_ADJECTIVE.search(name))
