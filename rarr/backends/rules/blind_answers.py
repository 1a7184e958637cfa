"""Blind answers: compares a passage's answer to a query with the value of the text.

A language model copies the answer from the passage without seeing the text. Code compares the two, because
a small model that sees both answers says that they agree. A difference counts only if the passage gives its
answer about the claim's subject and time; every other result is unknown.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rarr.backends.rules.agreement import (
    AGREES_COVERAGE,
    agreement_unless_namesake,
    is_confirmation,
    queried_value,
    query_agreement,
    value_with_unit,
)
from rarr.backends.rules.claims import Claim
from rarr.backends.rules.counterparts import Candidate, ParsedPassage, candidates, parsed_passage
from rarr.backends.rules.name_matching import is_generic, key_words
from rarr.backends.rules.non_answers import (
    is_elsewhere_in_time,
    is_other_number,
    is_supposed,
    opens_with_sibling,
)
from rarr.backends.rules.proper_names import ProperName, is_person
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.ranking import overlap_scores
from rarr.backends.rules.short_answers import is_stated
from rarr.backends.rules.subjects import is_about_something_else, is_about_subject, subject_of
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.words import folded_text
from rarr.records import Agreement, Evidence, Query, Verdict
from rarr.retrievers.corpus.chunking import windows
from rarr.tools.text.document import Span, sentences

LEAST_IN_COMMON = 0.5
"""The least overlap of the answer's sentence and the claim: the share of the claim's words in the sentence,
or the share of the clause's words in the claim, whichever is greater."""
SENTENCES = 4
"""Sentences of the passage that is cut around an answer, as many as a passage of a corpus has by default."""
_FIGURE = re.compile(r"\d(?:[\d,.'’\u00a0\u202f ]*\d)?")
_SEPARATOR = re.compile(r"(?<=\d)[,.'’\u00a0\u202f ](?=\d{3}(?!\d))")
_BEFORE = 2  # sentences before the sentence, by which its pronouns can be read
_AROUND = " .,;:!?\"'“”‘’()*_"
_LITTLE_ELSE = "the evidence says too little else of the sentence"
_OUT_OF_PLACE = "the rules do not find the answer in the place of the text's value"
_SAYS_BOTH = "the evidence says the text's value as well"
_NO_VALUE = "the query asks for no single value of the text"
CLEARLY_LESS = 0.5
"""An answer with several values counts if the others have at most this share of the closeness of the best."""
_SAME_TIME = re.compile(
    r"\b(?:the|that)\s+(?:(?:same|previous|following|next)\s+)?(?:day|month|quarter|season|year|decade)\b",
    re.IGNORECASE,
)
_NOT_STATED = re.compile(r"\W*(?:not stated|not given|none|unknown|n/?a)?\W*", re.IGNORECASE)
_COORDINATED = re.compile(r"\s*(?:,\s*)?(?:and|&|or|/)\s+(?:the\s+)?[A-Z]")
_COORDINATED_BEFORE = re.compile(r"[A-Z]\S*\s+(?:and|&|or|/)\s+(?:the\s+)?$")
_RATIO_AFTER = re.compile(
    r"\s*(?:(?:in|out\s+of|of|to|per|for)\s+(?:every\s+|each\s+)?(?:\d|a\s)|[:/–-]\s*\d)"
)
_RATIO_BEFORE = re.compile(r"\d\s*(?:(?:in|out\s+of|to|per|for)\s+(?:every\s+)?|[:/–-]\s*)$")


class ComparedAnswer(NamedTuple):
    """What code makes of an answer. `doubt`: its reason not to trust the verdict; empty for no reason."""

    agreement: Agreement
    doubt: str = ""

    @property
    def is_of_wording(self) -> bool:
        """Is there no doubt but about the words of the evidence, which may say the same in other words?"""
        return self.doubt in ("", _LITTLE_ELSE, _OUT_OF_PLACE, _SAYS_BOTH)


def verdict_unread(text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement | None:
    """The verdict on a passage that no model needs to read; None for a passage that one must read.

    `irrelevant`: the passage is about something else. `unknown`: the text has no value to compare an answer
    with.
    """
    asked = queried_value(text, context, query)
    if asked is None:
        return _verdict("unknown", text[query.start : query.end], "", _NO_VALUE)
    elsewhere = is_about_something_else(*asked, parsed_passage(evidence.text, evidence.title))
    if elsewhere and not _is_titled_for_text(text, context, evidence):
        return _verdict("irrelevant", _value_text(*asked), "", "the evidence is about something else")
    return None


def as_stated(answer: str, text: str) -> str:
    """The answer as `text` writes it, whose numbers may have separators that a model leaves out."""
    figure = _SEPARATOR.sub("", answer.strip())
    if not figure.isdigit():
        return answer
    written = (match[0] for match in _FIGURE.finditer(text))
    return next((number for number in written if _SEPARATOR.sub("", number) == figure), answer)


def answered_passage(block: Evidence, query: Query, answer: str) -> Evidence:
    """The sentences of a block that give the answer and are most like the query; the block for none."""
    text = block.text
    passages = [
        block.model_copy(update={"text": text[cut.start : cut.end], "start": block.start + cut.start})
        for cut in windows(text, window=SENTENCES, step=1)
        if is_stated(answer, text[cut.start : cut.end])
    ]
    if not passages:
        return block
    scores = overlap_scores(query.text, passages)
    best = passages[scores.index(max(scores))]
    return best.model_copy(update={"end": best.start + len(best.text)})


def compared_answer(
    text: str,
    context: str | None,
    query: Query,
    evidence: Evidence,
    answer: str,
) -> ComparedAnswer:
    """Compares `answer`, which a model read in `evidence`, with the text's answer to `query`."""
    asked = queried_value(text, context, query)
    claimed = _value_text(*asked) if asked else text[query.start : query.end]
    if _NOT_STATED.fullmatch(answer):
        return _undecided("irrelevant", claimed, "", "the evidence does not answer the query")
    if not is_stated(answer, f"{evidence.title}\n{evidence.text}"):
        return _undecided("unknown", claimed, answer, f"{answer!r} does not stand in the evidence")
    if asked is None:
        return _undecided("unknown", claimed, answer, _NO_VALUE)
    compared = _compared(text, context, query, evidence, answer, asked)
    agreement = agreement_unless_namesake(compared.agreement, text, context, evidence.title)
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
        if not about_text or (own and not any(_is_said_of_it(claim, value, one, passage) for one in own)):
            return _undecided("unknown", claimed, answer, "the same value is said of another thing or time")
        return ComparedAnswer(_verdict("agrees", claimed, answer, "the same value"))
    if not about_text:
        reason = "the evidence is titled for something that the text does not name"
        return _undecided("unknown", claimed, answer, reason)
    if not answers:
        return _compared_alone(claim, value, answer)
    best = answers[0]
    answered = value_with_unit(best.sentence, best.value)
    doubt = _doubt(claim, value, best, answers, query, passage)
    if not doubt and (
        query_agreement(text, context, query, evidence).verdict == "agrees" or _holds(passage, value, best)
    ):
        doubt = _SAYS_BOTH
    reason = f"read without the text, the evidence answers {answered!r}"
    return ComparedAnswer(_verdict("disagrees", claimed, answered, reason), doubt)


def _compared_alone(claim: Claim, value: Value, answer: str) -> ComparedAnswer:
    """The comparison of two values, where the rules do not find the answer in the place of the text's."""
    claimed = _value_text(claim, value)
    other = next((read for read in checkable_values(answer) if same_value(value, read) is False), None)
    if other is None:
        return _undecided("unknown", claimed, answer, "the two answers are no values that can be compared")
    if any(same_value(beside, other) for beside in claim.sentence.values if beside is not value):
        return _undecided("unknown", claimed, answer, "the sentence says the answer of another thing")
    answered = value_extent(other).of(answer)
    reason = f"read without the text, the evidence answers {answered!r}"
    return ComparedAnswer(_verdict("disagrees", claimed, answered, reason), _OUT_OF_PLACE)


def is_same_answer(answer: str, other: str) -> bool:
    """Are two short answers the same words, or do they hold the same value?"""
    if folded_text(answer).strip(_AROUND) == folded_text(other).strip(_AROUND):
        return True
    return any(
        same_value(value, second) for value in checkable_values(answer) for second in checkable_values(other)
    )


def sentence_with_blank(text: str, context: str | None, query: Query) -> tuple[str, str] | None:
    """The words before the sentence that `query` asks about, and the sentence with a blank for its value.

    None where the value stands in no sentence.
    """
    return _sentence_with("____", text, context, query)


def marked_sentence(text: str, context: str | None, query: Query) -> tuple[str, str] | None:
    """The same, and the value in double brackets."""
    return _sentence_with(f"[[{_place_with_unit(text, context, query).of(text)}]]", text, context, query)


def _sentence_with(words: str, text: str, context: str | None, query: Query) -> tuple[str, str] | None:
    spans, place = sentences(text), _place_with_unit(text, context, query)
    holding = [n for n, span in enumerate(spans) if span.start <= place.start and place.end <= span.end]
    if not holding:
        return None
    number, span = holding[0], spans[holding[0]]
    heading = next((line for line in text.splitlines() if line.startswith("#")), "")
    before = " ".join(earlier.of(text) for earlier in spans[max(0, number - _BEFORE) : number])
    around = "\n".join(part for part in (context, heading, before) if part)
    return around, f"{text[span.start : place.start]}{words}{text[place.end : span.end]}"


def _place_with_unit(text: str, context: str | None, query: Query) -> Span:
    """The place of the value that a query asks about. A unit beside the blank would be taken as given."""
    place = Span(query.start, query.end)
    if (asked := queried_value(text, context, query)) is None:
        return place
    claim, value = asked
    whole = value_extent(value)
    with_unit = claim.in_text(whole.start, whole.end)
    return with_unit if with_unit is not None and with_unit.overlaps(place) else place


def _is_said_of_it(claim: Claim, value: Value, own: Candidate, evidence: ParsedPassage) -> bool:
    """Does the passage say the same value of the claim's subject, and of its time?"""
    if max(own.coverage, own.told) >= AGREES_COVERAGE and is_confirmation(claim, value, own, evidence):
        return True
    if evidence.namesakes or not is_about_subject(claim, value, own, evidence):
        return False
    return not opens_with_sibling(claim, value, own) and (
        value.kind == "date" or not is_elsewhere_in_time(claim, value, own)
    )


def _doubt(
    claim: Claim,
    value: Value,
    other: Candidate,
    answers: list[Candidate],
    query: Query,
    evidence: ParsedPassage,
) -> str:
    """The reason not to trust a difference between the two values; empty for no reason."""
    reasons = {
        "the evidence answers with several values": any(
            not same_value(other.value, candidate.value)
            and candidate.closeness > CLEARLY_LESS * other.closeness
            for candidate in answers
        ),
        _LITTLE_ELSE: max(other.coverage, other.told) < LEAST_IN_COMMON,
        "the evidence is about several things of one name": evidence.namesakes,
        "the text speaks of a plan or a supposition": is_supposed(claim.sentence, evidence),
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
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _is_about_text(text: str, context: str | None, claim: Claim, value: Value, evidence: Evidence) -> bool:
    """Does the passage name the claim's subject, or does its title name something of the text?"""
    subject = subject_of(claim, value)
    passage_text = f"{evidence.title}\n{evidence.text}"
    if subject and re.search(rf"\b{re.escape(subject.split()[-1])}\b", passage_text):
        return True
    return not _title_words(evidence) or _is_titled_for_text(text, context, evidence)


def _is_titled_for_text(text: str, context: str | None, evidence: Evidence) -> bool:
    """Does the title name something that the text or its context names too?"""
    return not _title_words(evidence).isdisjoint(key_words(f"{context or ''}\n{text}"))


def _title_words(evidence: Evidence) -> set[str]:
    return {word for word in key_words(evidence.title) if not is_generic(word)}


def _holds(evidence: ParsedPassage, value: Value, other: Candidate) -> bool:
    """Does the passage have the text's value? A coarse value that fits the answer too does not count."""
    evidence_values = (
        *(evidence_value for part in evidence.sentences for evidence_value in part.values),
        *evidence.title_values,
    )
    return any(
        same_value(value, evidence_value) and not same_value(other.value, evidence_value)
        for evidence_value in evidence_values
    )


def _answering(claim: Claim, value: Value, evidence: ParsedPassage, answer: str) -> list[Candidate]:
    """The values of the passage that the answer repeats, in the same words or in another writing.

    Values that the claim has elsewhere are no answer.
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
    """The places of an answer in `text`: words and numbers match whole, spaces in any form."""
    words = answer.strip(" .,;:!?\"'“”‘’()").split()
    inner = r"\s+".join(map(re.escape, words))
    for match in re.finditer(rf"(?<!\w)(?<!\d[.,]){inner}(?!\w)(?![.,]\d)", text, re.IGNORECASE):
        if words:
            yield Span(*match.span())


def _stands_already(claim: Claim, query: Query, other: Candidate) -> bool:
    """Does the sentence or the question have the other name already? Such a name is no answer."""
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
    """Is a name one of two joined names, or a number a part of a ratio or range?"""
    before, after = text[: value.start], text[value.end :]
    if isinstance(value.read, ProperName):
        return bool(_COORDINATED.match(after) or _COORDINATED_BEFORE.search(before))
    if isinstance(value.read, Quantity):
        return bool(_RATIO_AFTER.match(after) or _RATIO_BEFORE.search(before))
    return False


def _is_other_kind(claim: Claim, value: Value, other: Candidate) -> bool:
    """Is one name a person, and the other name a place or the like?"""
    claimed, answered = value.read, other.value.read
    if not (isinstance(claimed, ProperName) and isinstance(answered, ProperName)):
        return False
    return is_person(claim.sentence.text, claimed) != is_person(other.sentence.text, answered)


def _value_text(claim: Claim, value: Value) -> str:
    return claim.sentence.text[value.start : value.end]


def _undecided(verdict: Verdict, text_answer: str, answer: str, reason: str) -> ComparedAnswer:
    return ComparedAnswer(_verdict(verdict, text_answer, answer, reason))


def _verdict(verdict: Verdict, claimed: str, answer: str, reason: str) -> Agreement:
    return Agreement(verdict=verdict, text_answer=claimed, evidence_answer=answer, reason=reason)
