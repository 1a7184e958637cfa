"""Embedded agreement: the claim's value beside the value that the evidence has in its place.

The rules would rather abstain than contradict wrongly. `disagrees` needs another value in the same frame,
clearly better placed than anything that agrees; `agrees` needs the same value in a like context.
"""

import re
from itertools import combinations

from rarr.embedded.claims import Claim, claims
from rarr.embedded.dates import Date
from rarr.embedded.names import Name, is_person, key_words
from rarr.embedded.numbers import Number
from rarr.embedded.questions import askable
from rarr.embedded.reading import (
    Candidate,
    Passage,
    Reading,
    next_stem,
    passage,
    read,
    same_frame,
)
from rarr.embedded.terms import Term
from rarr.embedded.values import Value, same
from rarr.embedded.words import tokens
from rarr.records import Agreement, Evidence, Query

# Thresholds were tuned on the training half of the hand-written triples and on the examples.
AGREES_COVERAGE = 0.3
SUBJECT_SHARE = 0.25
CONTRADICTS_MARGIN = 0.4
CLEAR_COVERAGE = 0.6
CLEAR_LEAD = 0.25
CLEAR_NAME_COVERAGE = 0.7

_ADJECTIVE = re.compile(r"(?:an|ese|ish|ic|al|ans|ists|ques|ch|tch)$")


class ValueAgreement:
    """Compares values: numbers with units, dates, names, and words that exclude each other."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """`unknown` where the query is about no value that the rules can read."""
        found = _asked(text, context, query)
        if found is None:
            return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
        claim, value = found
        return compare(claim, value, passage(evidence.text, evidence.title))


def compare(claim: Claim, value: Value, evidence: Passage) -> Agreement:
    """What `evidence` says where `claim` says `value`."""
    said = claim.sentence.text[value.start : value.end]
    reading = read(claim.sentence, value, evidence)
    if _about_something_else(claim, evidence):
        return Agreement(verdict="irrelevant", text_answer=said, reason="the evidence is about something else")
    if _contradicts(claim, value, reading, evidence) and reading.other is not None:
        other = reading.other
        answer = other.sentence.text[other.value.start : other.value.end]
        return Agreement(
            verdict="disagrees", text_answer=said, evidence_answer=_with_unit(other, answer),
            reason=f"the evidence has {answer!r} where the text has {said!r}",
        )  # fmt: skip
    if reading.own is not None and reading.own.coverage >= AGREES_COVERAGE:
        own = reading.own
        answer = own.sentence.text[own.value.start : own.value.end]
        return Agreement(verdict="agrees", text_answer=said, evidence_answer=answer, reason="the same value")
    if any(same(value, other) for other in evidence.title_values):
        return Agreement(verdict="agrees", text_answer=said, evidence_answer=said, reason="the evidence's title")
    if reading.own is None and reading.other is None:
        return Agreement(verdict="irrelevant", text_answer=said, reason="the evidence has no such value")
    return Agreement(verdict="unknown", text_answer=said, reason="no value stands clearly in the same place")


def _asked(text: str, context: str | None, query: Query) -> tuple[Claim, Value] | None:
    """The claim and the value that a query asks for; by its place, else the one value it does not say."""
    for claim in claims(text, context):
        if not (claim.span.start < query.end and query.start < claim.span.end):
            continue
        values_here = askable(text, claim)
        exact = [value for value, place in values_here if (place.start, place.end) == (query.start, query.end)]
        if exact:
            return claim, exact[0]
        asked = query.text.casefold()
        unsaid = [v for v, place in values_here if place.of(text).casefold() not in asked]
        if len(unsaid) == 1:
            return claim, unsaid[0]
    return None


def _about_something_else(claim: Claim, evidence: Passage) -> bool:
    """The claim's subject, or too many of its words with meaning, are not in the passage nor its title."""
    stems = {word.stem for word in claim.sentence.content}
    shared = sum(1 for stem in stems if stem in evidence.spread or stem in evidence.title_stems)
    if shared < SUBJECT_SHARE * len(stems):
        return True
    subject = next((value for value in claim.sentence.values if value.kind == "name"), None)
    return subject is not None and not _names(evidence, subject)


def _names(evidence: Passage, name: Value) -> bool:
    """Does the passage or its title say this name, or all of its words?"""
    words = {word for part in evidence.sentences for word in key_words(part.text)} | set(evidence.title_words)
    return evidence.holds(name) or (isinstance(name.read, Name) and words.issuperset(key_words(name.read.text)))


def _contradicts(claim: Claim, value: Value, reading: Reading, evidence: Passage) -> bool:
    """Does another value stand where the claim has its own, beyond what chance or paraphrase explain?"""
    other, own = reading.other, reading.own
    if other is None or _is_elsewhere(claim, value, other, evidence):
        return False
    if not _exchangeable(claim, value, other, evidence):
        return False
    margin = other.closeness - (own.closeness if own else 0.0)
    coverage_margin = other.coverage - (own.coverage if own else 0.0)
    lead = other.closeness - reading.runner_up
    if same_frame(claim.sentence, value, other) and coverage_margin >= CONTRADICTS_MARGIN:
        return True
    if not _counts_the_same(claim, value, other):
        return False
    if other.coverage >= CLEAR_COVERAGE and margin >= CONTRADICTS_MARGIN and lead >= CLEAR_LEAD:
        return True
    return RETOLD(other, own, margin, lead)


def RETOLD(other, own, margin, lead):
    return False


def _is_elsewhere(claim: Claim, value: Value, other: Candidate, evidence: Passage) -> bool:
    """Reasons why `other` does not answer the same question: another subject, another time, arithmetic."""
    if any(same(value, titled) for titled in evidence.title_values):
        return True
    anchors = [v for v in claim.sentence.values if v is not value and v.kind in ("name", "date")]
    if not all(_names(evidence, anchor) for anchor in anchors):
        return True
    if value.kind != "date" and _other_time(anchors, other):
        return True
    if value.kind == "date" and _other_numbers(claim, other):
        return True
    return isinstance(value.read, Number) and _derivable(value.read, evidence)


def _other_time(anchors: list[Value], other: Candidate) -> bool:
    """Claim and evidence each give a date, and not the same one."""
    mine = [anchor for anchor in anchors if anchor.kind == "date"]
    its = [v for v in other.sentence.values if v.kind == "date"]
    return bool(mine) and bool(its) and not any(same(a, b) for a in mine for b in its)


def _other_numbers(claim: Claim, other: Candidate) -> bool:
    """A sentence of another date has other numbers as well: it tells another event."""
    mine = [v for v in claim.sentence.values if v.kind == "number"]
    its = [v for v in other.sentence.values if v.kind == "number"]
    pairs = [same(a, b) for a in mine for b in its]
    return False in pairs and True not in pairs


def _exchangeable(claim: Claim, value: Value, other: Candidate, evidence: Passage) -> bool:
    """Could one name stand for the other? Persons beside a word in common, others after the same word."""
    if not isinstance(value.read, Name) or not isinstance(other.value.read, Name):
        return True
    words = {word for part in evidence.sentences for word in key_words(part.text)}
    if words.issuperset(key_words(value.read.text)):
        return False  # the passage does say it, in a way that is not read as a name
    mine, its = claim.sentence.text, other.sentence.text
    if _is_adjective(mine, value) or _is_adjective(its, other.value):
        return False
    if is_person(mine, value.read) != is_person(its, other.value.read):
        return False
    if is_person(mine, value.read):
        return bool(set(_beside(mine, value)) & set(_beside(its, other.value)))
    return other.coverage >= CLEAR_NAME_COVERAGE and _beside(mine, value)[:1] == _beside(its, other.value)[:1] != []


def _is_adjective(text: str, value: Value) -> bool:
    """American, Chinese, Methodists: they tell a kind, and the same thing is said in too many ways."""
    name = text[value.start : value.end]
    return " " not in name and bool(_ADJECTIVE.search(name))


def _beside(text: str, value: Value) -> list[str]:
    """The stems of the words right before a value, nearest first, then of those right after; no articles."""
    words = [word for word in tokens(text) if word.text.lower() not in ("the", "a", "an")]
    before = [word for word in words if word.end <= value.start][:-3:-1]
    after = [word for word in words if word.start >= value.end][:2]
    return [word.stem or word.text.lower() for word in (*before, *after)]


def _derivable(number: Number, evidence: Passage) -> bool:
    """A claim may do arithmetic: a span of years, an age, a sum."""
    amounts = [
        v.read.amount
        for part in evidence.sentences
        for v in part.values
        if isinstance(v.read, Number) and v.read.unit == number.unit
    ]
    years = [
        float(v.read.first_year)
        for part in evidence.sentences
        for v in part.values
        if isinstance(v.read, Date) and v.read.first_year is not None
    ]
    if number.unit in ("year", "") and any(abs(abs(a - b) - number.amount) <= 1 for a, b in combinations(years, 2)):
        return True
    near = max(0.002 * abs(number.amount), 0.01)
    return any(
        abs(result - number.amount) <= near for a, b in combinations(amounts, 2) for result in (a + b, abs(a - b))
    )


def _counts_the_same(claim: Claim, value: Value, other: Candidate) -> bool:
    """Numbers need a unit or the same counted noun, words that exclude each other the same noun after."""
    if isinstance(value.read, Number) and value.read.unit not in ("", "#"):
        return True
    if isinstance(value.read, Number | Term):
        after = next_stem(claim.sentence, value)
        return after is not None and after == next_stem(other.sentence, other.value)
    return True


def _with_unit(found: Candidate, answer: str) -> str:
    """The answer with its unit or percent sign, so that it can be read again alone."""
    read = found.value.read
    if not isinstance(read, Number):
        return answer
    rest = found.sentence.text[found.value.end :]
    if read.unit == "%":
        sign = re.match(r"\s?(?:%|percent|per cent)", rest)
        return answer + (sign[0] if sign else "")
    return answer + rest[: rest.index(read.form) + len(read.form)] if read.form else answer
