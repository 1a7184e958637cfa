"""Embedded agreement: the claim's value beside the value that the evidence has in its place.

The rules would rather abstain than contradict wrongly. `disagrees` needs another value in the same frame,
clearly better placed than anything that agrees; `agrees` needs the same value in a like context.
"""

import re
from itertools import combinations

from rarr.embedded.claims import Claim, claims
from rarr.embedded.dates import Date
from rarr.embedded.names import Name, is_person, key_words, shortest_form
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
from rarr.embedded.words import stem, tokens
from rarr.records import Agreement, Evidence, Query

# Thresholds were tuned on the training half of the hand-written triples and on the examples: of the values
# that a rule contradicts, how many are wrong and have this correction.
AGREES_COVERAGE = 0.3
SUBJECT_SHARE = 0.25
CLEAR_COVERAGE = 0.6
CLEAR_NAME_COVERAGE = 0.7
CLEAR_MARGIN = 0.4
CLEAR_LEAD = 0.25
CLEAR_TOLD = 0.4
SAME_EVENT_COVERAGE = 0.85
OPENING = 20  # characters; a name further on is not what a sentence is about
RETOLD = 0.6
RETOLD_COVERAGE = 0.25
RETOLD_MARGIN = 0.1
SAME_SCALE = 5  # two measures of one thing differ by less than this factor

# An ordinal before these says which one is meant; it is not what is told of it.
_IDENTIFIED = {
    stem(word)
    for word in "season edition series round episode album version team half wife husband quarter period century day"
    " week year month game match floor set part volume chapter act symphony generation term".split()
}
_RANGE = re.compile(r"\b(?:from|between)\s+\S+\s+(?:\w+\s+)?(?:to|and)\s+\S+|\d\s?[–-]\s?\d")
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
    reading = read(claim.sentence, value, evidence, claim.about)
    if _about_something_else(claim, value, evidence):
        return Agreement(verdict="irrelevant", text_answer=said, reason="the evidence is about something else")
    if _contradicts(claim, value, reading, evidence) and reading.other is not None:
        other = reading.other
        answer = other.sentence.text[other.value.start : other.value.end]
        return Agreement(
            verdict="disagrees", text_answer=said, evidence_answer=_with_unit(other, answer),
            reason=f"the evidence has {answer!r} where the text has {said!r}",
        )  # fmt: skip
    own = reading.own
    if own is not None and own.coverage >= AGREES_COVERAGE and _confirms(claim, value, own, evidence):
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


def _about_something_else(claim: Claim, value: Value, evidence: Passage) -> bool:
    """The claim's subject, or too many of its words with meaning, are not in the passage nor its title."""
    stems = {word.stem for word in claim.sentence.content}
    shared = sum(1 for stem in stems if stem in evidence.spread or stem in evidence.title_stems)
    if shared < SUBJECT_SHARE * len(stems):
        return True
    subject = _subject(claim, value)
    return subject is not None and not _says(evidence, subject)


def _confirms(claim: Claim, value: Value, own: Candidate, evidence: Passage) -> bool:
    """The same value confirms only what is said of the same subject at the same time."""
    times = [v for v in claim.sentence.values if v is not value and v.kind == "date"]
    return _about_subject(claim, value, own, evidence) and all(evidence.holds(time) for time in times)


def _says(evidence: Passage, name: str) -> bool:
    """Are all words of a name, or the surname of a person, in the passage or its title?"""
    words = {word for part in evidence.sentences for word in key_words(part.text)} | evidence.title_words
    return words.issuperset(shortest_form(name))


def _contradicts(claim: Claim, value: Value, reading: Reading, evidence: Passage) -> bool:
    """Does another value stand where the claim has its own, beyond what chance or paraphrase explain?"""
    other, own = reading.other, reading.own
    if other is None or _is_elsewhere(claim, value, other, evidence):
        return False
    if not _exchangeable(claim, value, other, evidence):
        return False
    margin = other.closeness - (own.closeness if own else 0.0)
    lead = other.closeness - reading.runner_up
    framed = same_frame(claim.sentence, value, other)
    if other.told >= CLEAR_TOLD and framed and other.coverage - (own.coverage if own else 0.0) >= CLEAR_MARGIN:
        return True
    if not _counts_the_same(claim, value, other) or (isinstance(value.read, Term) and value.read.label == "relation"):
        return False  # a husband has a wife: kinship is told from both ends
    clear = other.coverage >= CLEAR_COVERAGE and margin >= CLEAR_MARGIN and lead >= CLEAR_LEAD
    if clear and (other.told >= CLEAR_TOLD or other.coverage >= SAME_EVENT_COVERAGE):
        return True
    # The clause of the evidence says little that the claim does not say: it tells the same thing.
    retold = other.told >= RETOLD and other.coverage >= RETOLD_COVERAGE and lead >= RETOLD_MARGIN
    beside = next_stem(claim.sentence, value) == next_stem(other.sentence, other.value)
    return retold and margin >= (RETOLD_MARGIN if beside else 3 * RETOLD_MARGIN)


def _is_elsewhere(claim: Claim, value: Value, other: Candidate, evidence: Passage) -> bool:
    """Reasons why `other` does not answer the same question: another subject, another time, arithmetic."""
    if any(same(value, titled) for titled in evidence.title_values):
        return True
    clause = claim.sentence.clause(value.start)
    anchors = [
        v
        for v in claim.sentence.values
        if v is not value and v.kind in ("name", "date") and claim.sentence.clause(v.start) == clause
    ]
    if not all(
        evidence.holds(anchor) or (isinstance(anchor.read, Name) and _says(evidence, anchor.read.text))
        for anchor in anchors
    ):
        return True
    if not _about_subject(claim, value, other, evidence) or not _same_predicate(claim, value, other):
        return True
    if _stands_beside(value, other):
        return True
    same_event = other.coverage >= SAME_EVENT_COVERAGE
    if not same_event and value.kind != "date" and _other_time(anchors, other):
        return True
    if not same_event and value.kind == "date" and _other_numbers(claim, other):
        return True
    return isinstance(value.read, Number) and _is_other_number(claim, value, value.read, other, evidence)


def _is_other_number(claim: Claim, value: Value, number: Number, other: Candidate, evidence: Passage) -> bool:
    """Arithmetic, an end of a range, a number that the passage has with another unit, or another scale."""
    if _RANGE.search(claim.sentence.text[max(0, value.start - 24) : value.end + 12]) or _derivable(number, evidence):
        return True
    said = claim.sentence.text[value.start : value.end].lower()
    if any(said == part.text[v.start : v.end].lower() for part in evidence.sentences for v in part.values):
        return True
    its = other.value.read
    if not (isinstance(its, Number) and number.form and its.amount and number.amount):
        return False
    return max(number.amount / its.amount, its.amount / number.amount) > SAME_SCALE


def _same_predicate(claim: Claim, value: Value, other: Candidate) -> bool:
    """Does the evidence's sentence have at least one word with meaning of the value's own clause?"""
    part = claim.sentence
    clause = {w.stem for w in part.content if part.clause(w.start) == part.clause(value.start)}
    clause -= {w.stem for w in part.content if value.start <= w.start < value.end}
    return not clause or not clause.isdisjoint(w.stem for w in other.sentence.content)


def _stands_beside(value: Value, other: Candidate) -> bool:
    """The evidence has the claim's value next to the other: which one is meant is not for rules to say."""
    part = other.sentence
    return any(
        same(value, v) for v in part.values if value.kind == "date" or part.clause(v.start) == part.clause(other.value.start)
    )


def _about_subject(claim: Claim, value: Value, found: Candidate, evidence: Passage) -> bool:
    """Is the sentence about the claim's subject: it or the title names it, or it opens with no other name?"""
    subject = _subject(claim, value)
    if subject is None:
        return True
    if {*key_words(found.sentence.text), *evidence.title_words}.issuperset(shortest_form(subject)):
        return True
    named = [v for v in found.sentence.values if v.kind == "name"]
    if named and named[0] == found.value:
        return len(named) == 1
    return not named or named[0].start > OPENING


def _subject(claim: Claim, value: Value) -> str | None:
    """The name before the value, or behind it in its clause, or else what the sentence is under."""
    part = claim.sentence
    named = [v.read for v in part.values if isinstance(v.read, Name) and v is not value]
    before = [name for name in named if name.start < value.start]
    beside = [name for name in named if part.clause(name.start) == part.clause(value.start)]
    return next((name.text for name in (*before, *beside)), claim.about or None)


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
    """Names need more: the passage never says the claim's, and neither is an adjective."""
    if not isinstance(value.read, Name) or not isinstance(other.value.read, Name):
        return True
    if _says(evidence, value.read.text):
        return False  # in a way that is not read as a name
    if _is_adjective(claim.sentence.text, value) or _is_adjective(other.sentence.text, other.value):
        return False
    return is_person(claim.sentence.text, value.read) or other.coverage >= CLEAR_NAME_COVERAGE


def _is_adjective(text: str, value: Value) -> bool:
    """American, Chinese, Methodists: they tell a kind, and the same thing is said in too many ways."""
    name = text[value.start : value.end]
    return " " not in name and bool(_ADJECTIVE.search(name))


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
        identifies = isinstance(value.read, Number) and value.read.unit == "#" and after in _IDENTIFIED
        return after is not None and after == next_stem(other.sentence, other.value) and not identifies
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
