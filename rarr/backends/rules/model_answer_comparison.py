"""Compares the answer that a language model read in a passage with the value of the text.

The model does not see the value, because a small model that sees both says that they agree. A difference
counts only if the passage gives its answer about the claim's subject and time; otherwise it is unknown.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rarr.backends.rules.agreement import (
    AGREES_COVERAGE,
    agreement_unless_namesake,
    asked_statement,
    is_confirmation,
    places_agreement,
    queried_value,
    query_agreement as query_agreement,
    value_agreement,
    value_with_unit,
)
from rarr.backends.rules.answer_doubts import LITTLE_ELSE, difference_doubt, has_value_as_well
from rarr.backends.rules.answer_grounding import is_stated
from rarr.backends.rules.answered_passages import answered_passage as answered_passage
from rarr.backends.rules.blanked_sentences import value_sentence as value_sentence
from rarr.backends.rules.candidate_value_filters import (
    is_elsewhere_in_time,
    opens_with_sibling,
)
from rarr.backends.rules.counterparts import (
    Candidate,
    ParsedPassage,
    candidates,
    counterparts,
    parsed_passage,
)
from rarr.backends.rules.name_matching import is_generic, key_words
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import is_about_something_else, is_about_subject, subject_of
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.words import folded_text
from rarr.records import Agreement, Evidence, Query, Verdict
from rarr.tools.text.blocks_and_sentences import Span

NEARLY_QUOTED = 0.8
"""From this share of the words around the text's value on, a sentence with the same value says the same."""
_FIGURE = re.compile(r"\d(?:[\d,.'’\u00a0\u202f ]*\d)?")
_SEPARATOR = re.compile(r"(?<=\d)[,.'’\u00a0\u202f ](?=\d{3}(?!\d))")
_AROUND = " .,;:!?\"'“”‘’()*_"
_OUT_OF_PLACE = "the rules do not find the answer in the place of the text's value"
_SAYS_BOTH = "the evidence says the text's value as well"
_READS = "read without the value of the text, the evidence answers {!r}"
_NO_VALUE = "the query asks for no single value of the text"
_NOT_STATED = re.compile(r"\W*(?:not stated|not given|none|unknown|n/?a)?\W*", re.IGNORECASE)


class ComparedAnswer(NamedTuple):
    """The verdict from a comparison of an answer with the text's value.

    `doubt`: the reason not to trust the verdict; empty for no reason. `is_read_by_rules`: the rules read the
    same answer, and it differs from the text's value.
    """

    agreement: Agreement
    doubt: str = ""
    is_read_by_rules: bool = False

    @property
    def is_sound_but_for_wording(self) -> bool:
        """Is there no doubt, or only one about how the source words its answer?

        Such doubts: little else of the sentence, or an answer in another place.
        """
        return self.doubt in ("", LITTLE_ELSE, _OUT_OF_PLACE)


def statement_verdict(text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement | None:
    """Decides about a query that asks about a whole sentence; None for another query."""
    asks_whole = asked_statement(text, context, query) is not None
    return query_agreement(text, context, query, evidence) if asks_whole else None


def verdict_unread(text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement | None:
    """Decides about a passage without a model, if the rules can; returns None if a model must read it.

    `irrelevant`: the passage is about something else. `unknown`: the text has no value to compare an answer
    with. `disagrees`: two values of the text changed places, which one blank does not show. `agrees`: the
    rules find the same value in nearly the same words.
    """
    asked = queried_value(text, context, query)
    if asked is None:
        return _verdict("unknown", text[query.start : query.end], "", _NO_VALUE)
    elsewhere = is_about_something_else(*asked, parsed_passage(evidence.text, evidence.title))
    if elsewhere and not _is_titled_for_text(text, context, evidence):
        return _verdict("irrelevant", _value_text(*asked), "", "the evidence is about something else")
    claim, value = asked
    passage = parsed_passage(evidence.text, evidence.title)
    reading = counterparts(claim.sentence, value, passage, claim.about)
    if (changed := places_agreement(claim, value, reading, passage)) is not None:
        return agreement_unless_namesake(changed, text, context, evidence)
    if reading.own is None or reading.own.coverage < NEARLY_QUOTED:
        return None
    by_rules = value_agreement(claim, value, reading, passage)
    return by_rules if by_rules.verdict == "agrees" else None


def as_stated(answer: str, text: str) -> str:
    """Returns a whole number as `text` writes it, with the separators that a model left out.

    Any other answer, or a number that `text` lacks, is returned unchanged.
    """
    figure = _SEPARATOR.sub("", answer.strip())
    if not figure.isdigit():
        return answer
    written = (match[0] for match in _FIGURE.finditer(text))
    return next((number for number in written if _SEPARATOR.sub("", number) == figure), answer)


def compared_answer(
    text: str,
    context: str | None,
    query: Query,
    evidence: Evidence,
    answer: str,
) -> ComparedAnswer:
    """Compares `answer`, which a model read in `evidence`, with the text's value that `query` asks for.

    `irrelevant` if the model found no answer. `unknown` if the answer is not in the evidence, or if the
    values cannot be compared.
    """
    asked = queried_value(text, context, query)
    if asked is None:
        return _undecided("unknown", text[query.start : query.end], answer, _NO_VALUE)
    claimed = _value_text(*asked)
    if _NOT_STATED.fullmatch(answer):
        return _undecided("irrelevant", claimed, "", "the evidence does not answer the query")
    if not is_stated(answer, f"{evidence.title}\n{evidence.text}"):
        return _undecided("unknown", claimed, answer, f"{answer!r} does not stand in the evidence")
    compared = _compared(text, context, query, evidence, answer, asked)
    agreement = agreement_unless_namesake(compared.agreement, text, context, evidence)
    return compared if agreement == compared.agreement else ComparedAnswer(agreement)


def _compared(
    text: str,
    context: str | None,
    query: Query,
    evidence: Evidence,
    answer: str,
    asked: tuple[Claim, Value],
) -> ComparedAnswer:
    claim, value = asked
    passage, claimed = parsed_passage(evidence.text, evidence.title), _value_text(claim, value)
    answers = _answering(claim, value, passage, answer)
    own = [candidate for candidate in answers if same_value(value, candidate.value)]
    about_text = _is_about_text(text, context, claim, value, evidence)
    if own or (not answers and is_same_answer(claimed, answer)):
        if not about_text or (
            own and not any(_is_said_of_it(claim, value, candidate, passage) for candidate in own)
        ):
            return _undecided("unknown", claimed, answer, "the same value is said of another thing or time")
        return ComparedAnswer(_verdict("agrees", claimed, answer, "the same value"))
    if not about_text:
        reason = "the evidence is titled for something that the text does not name"
        return _undecided("unknown", claimed, answer, reason)
    if not answers:
        return _compared_alone(claim, value, answer)
    best = answers[0]
    answered = value_with_unit(best.sentence, best.value)
    doubt = difference_doubt(claim, value, best, answers, query, passage)
    by_rules = query_agreement(text, context, query, evidence)
    says_both = by_rules.verdict == "agrees" or has_value_as_well(passage, value, best)
    if doubt in ("", LITTLE_ELSE) and says_both:
        doubt = _SAYS_BOTH
    reason = _READS.format(answered)
    is_read_by_rules = by_rules.verdict == "disagrees" and is_same_answer(by_rules.evidence_answer, answered)
    return ComparedAnswer(_verdict("disagrees", claimed, answered, reason), doubt, is_read_by_rules)


def _compared_alone(claim: Claim, value: Value, answer: str) -> ComparedAnswer:
    """Compares the answer with the text's value by their meaning alone: the rules do not find it in place."""
    claimed = _value_text(claim, value)
    other = next((read for read in checkable_values(answer) if same_value(value, read) is False), None)
    if other is None:
        return _undecided("unknown", claimed, answer, "the two answers are no values that can be compared")
    if any(same_value(beside, other) for beside in claim.sentence.values if beside is not value):
        return _undecided("unknown", claimed, answer, "the sentence says the answer of another thing")
    answered = value_extent(other).of(answer)
    reason = _READS.format(answered)
    return ComparedAnswer(_verdict("disagrees", claimed, answered, reason), _OUT_OF_PLACE)


def is_same_answer(answer: str, other: str) -> bool:
    """Are two short answers the same words, or do they hold the same value?"""
    if folded_text(answer).strip(_AROUND) == folded_text(other).strip(_AROUND):
        return True
    return any(
        same_value(value, second) for value in checkable_values(answer) for second in checkable_values(other)
    )


def _is_said_of_it(claim: Claim, value: Value, own: Candidate, evidence: ParsedPassage) -> bool:
    """Does the passage say the same value of the claim's subject, and of its time?"""
    if max(own.coverage, own.clause_share) >= AGREES_COVERAGE and is_confirmation(
        claim, value, own, evidence
    ):
        return True
    if evidence.namesakes or not is_about_subject(claim, value, own, evidence):
        return False
    return not opens_with_sibling(claim, value, own) and (
        value.kind == "date" or not is_elsewhere_in_time(claim, value, own)
    )


def _is_about_text(text: str, context: str | None, claim: Claim, value: Value, evidence: Evidence) -> bool:
    """Does the passage name the claim's subject, or does its title name something of the text?"""
    subject = subject_of(claim, value)
    passage_text = f"{evidence.title}\n{evidence.text}"
    if subject and re.search(rf"\b{re.escape(subject.split()[-1])}\b", passage_text):
        return True
    return not is_titled_otherwise(text, context, evidence)


def is_titled_otherwise(text: str, context: str | None, evidence: Evidence) -> bool:
    """Does the title name something, and nothing that the text or its context names too?"""
    return bool(_title_words(evidence)) and not _is_titled_for_text(text, context, evidence)


def _is_titled_for_text(text: str, context: str | None, evidence: Evidence) -> bool:
    """Does the title name something that the text or its context names too?"""
    return not _title_words(evidence).isdisjoint(key_words(f"{context or ''}\n{text}"))


def _title_words(evidence: Evidence) -> set[str]:
    return {word for word in key_words(evidence.title) if not is_generic(word)}


def _answering(claim: Claim, value: Value, evidence: ParsedPassage, answer: str) -> list[Candidate]:
    """Finds the values of the passage that the answer repeats, in the same words or else in another form.

    Values that the claim has elsewhere are left out, because they are no answer.
    """
    elsewhere = [other for other in claim.sentence.values if other is not value]
    comparable = [
        candidate
        for candidate in candidates(claim.sentence, value, evidence, claim.about)
        if same_value(value, candidate.value)
        or not any(same_value(other, candidate.value) for other in elsewhere)
    ]
    comparable = [candidate for candidate in comparable if same_value(value, candidate.value) is not None]
    in_words = [candidate for candidate in comparable if _is_within(candidate, answer)]
    read = [candidate for candidate in checkable_values(answer) if candidate.kind == value.kind]
    return in_words or [
        candidate
        for candidate in comparable
        if any(same_value(answered, candidate.value) for answered in read)
    ]


def _is_within(candidate: Candidate, answer: str) -> bool:
    """Does the candidate's value overlap a place of the answer in the candidate's sentence?"""
    place = Span(candidate.value.start, candidate.value.end)
    return any(place.overlaps(span) for span in _places(answer, candidate.sentence.text))


def _places(answer: str, text: str) -> Iterator[Span]:
    """Yields the places of an answer in `text`: words and numbers match whole, spaces in any form."""
    words = answer.strip(_AROUND).split()
    if not words:
        return
    inner = r"\s+".join(map(re.escape, words))
    for match in re.finditer(rf"(?<!\w)(?<!\d[.,]){inner}(?!\w)(?![.,]\d)", text, re.IGNORECASE):
        yield Span(*match.span())


def _value_text(claim: Claim, value: Value) -> str:
    return claim.sentence.text[value.start : value.end]


def _undecided(verdict: Verdict, text_answer: str, answer: str, reason: str) -> ComparedAnswer:
    return ComparedAnswer(_verdict(verdict, text_answer, answer, reason))


def _verdict(verdict: Verdict, claimed: str, answer: str, reason: str) -> Agreement:
    return Agreement(verdict=verdict, text_answer=claimed, evidence_answer=answer, reason=reason)
