"""Finds the sentences of an article that a passage of its sources contradicts.

A sentence that quotes one source is supported by it whatever the other sources say. So each of its values is
compared with what the other passages have in its place, by the rules that `rarr revise` uses too. A passage
that holds both values, in two of its sentences, contradicts the sentence as well.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.agreement import agreement_unless_namesake, value_agreement, value_with_unit
from rarr.backends.rules.counterparts import Candidate, ParsedPassage, counterparts, parsed_passage
from rarr.backends.rules.name_matching import key_words, shortest_form
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.sentence_antecedents import subject_name
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.subjects import is_about_something_else, is_about_subject, subjects_of
from rarr.backends.rules.values import Value
from rarr.records import Evidence, Notice
from rarr.records.articles import WrittenSentence
from rarr.tools.text.blocks_and_sentences import Span, split_sentences

_SAME_EVENT = 0.5
"""The least share of the sentence's own words, beside its values, in a sentence that contradicts it."""
_WORD = re.compile(r"\w+")


class Dispute(NamedTuple):
    """A value of a sentence, and a passage with another value in its place, in the sentence `stated_in`."""

    value: str
    other_value: str
    passage: Evidence
    stated_in: str


def with_disputes(
    text: str, sentences: Sequence[WrittenSentence], passages: Sequence[Evidence]
) -> tuple[list[WrittenSentence], list[Notice]]:
    """Returns the sentences of `text`; a supported one that a passage contradicts becomes `contradicted`.

    `disputed_by` names its first such passage, and a notice both sources. If the article has the sentence of
    that passage too, both are contradicted.
    """
    by_id = {passage.id: passage for passage in passages}
    found = _found(text, sentences, list({(p.source, p.text): p for p in passages}.values()))
    for number, dispute in [*found.items()]:
        support = by_id[sentences[number].evidence_ids[0]]
        mirrored = Dispute(dispute.other_value, dispute.value, support, "")
        for other, sentence in enumerate(sentences):
            if _is_open(sentence) and _is_told(text, sentence, dispute.stated_in):
                found.setdefault(other, mirrored)
    judged = [
        sentence.model_copy(update={"status": "contradicted", "disputed_by": (found[number].passage.id,)})
        if number in found
        else sentence
        for number, sentence in enumerate(sentences)
    ]
    return judged, [
        _notice(text[each.start : each.end], by_id[each.evidence_ids[0]], found[number])
        for number, each in enumerate(sentences)
        if number in found
    ]


def _found(
    text: str, sentences: Sequence[WrittenSentence], passages: Sequence[Evidence]
) -> dict[int, Dispute]:
    """Returns the first dispute of each supported sentence that has one, by its number."""
    stated = {claim.span: claim for claim in claims(text, None)}
    found = {}
    for number, sentence in enumerate(sentences):
        claim = stated.get(Span(sentence.start, sentence.end))
        if claim and _is_open(sentence) and (dispute := next(_disputes(text, claim, passages), None)):
            found[number] = dispute
    return found


def _is_told(text: str, sentence: WrittenSentence, stated_in: str) -> bool:
    """Is `stated_in` the sentence, or the sentence behind a subject that was put in?"""
    words = _words(text[sentence.start : sentence.end])
    return f" {_words(stated_in)}".endswith(f" {words}")


def _is_open(sentence: WrittenSentence) -> bool:
    return sentence.status == "supported" and bool(sentence.evidence_ids)


def _notice(sentence: str, support: Evidence, dispute: Dispute) -> Notice:
    value, other = dispute.value, dispute.other_value
    message = f"{sentence!r}: {support.source} has {value!r}, and {dispute.passage.source} has {other!r}"
    return Notice(code="sources_disagree", message=message, node="cite")


def _disputes(text: str, claim: Claim, passages: Sequence[Evidence]) -> Iterator[Dispute]:
    sentence = claim.span.of(text)
    for passage in passages:
        reading = _without(sentence, passage)
        parsed = parsed_passage(reading.text, reading.title)
        for value, place in askable_values(text, claim):
            if not _tells_the_same(claim, value, parsed):
                continue
            if other := _other_value(text, claim, value, reading):
                answer = value_with_unit(other.sentence, other.value)
                yield Dispute(place.of(text), answer, passage, other.sentence.text)


def _without(sentence: str, passage: Evidence) -> Evidence:
    """Returns the passage without the places where it has the sentence itself."""
    own = _words(sentence)
    if own not in _words(passage.text):  # parsing each passage for each sentence would be slow
        return passage
    rest = passage.text
    for span in reversed(split_sentences(passage.text)):
        if _words(span.of(passage.text)) == own:
            rest = rest[: span.start] + rest[span.end :]
    return passage.model_copy(update={"text": rest})


@lru_cache(maxsize=1024)  # passages: each is read beside every sentence
def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _tells_the_same(claim: Claim, value: Value, passage: ParsedPassage) -> bool:
    """Does one sentence of the passage have at least half of the claim's words beside its values?"""
    values = claim.sentence.values
    plain = {
        word.stem
        for word in claim.sentence.content
        if word.start >= claim.put_in and not any(v.start <= word.start < v.end for v in values)
    }
    alike = any(len(plain & stems) >= _SAME_EVENT * len(plain) for stems in passage.own_stems)
    return bool(plain) and alike and not is_about_something_else(claim, value, passage)


def _names_another(claim: Claim, value: Value, sentence: str) -> bool:
    """Is the sentence about a thing that it names, and does it not name the claim's subject?

    The page about one town may tell of another.
    """
    subjects, words = subjects_of(claim, value), {*key_words(sentence)}
    if not subjects or any({*shortest_form(subject)} <= words for subject in subjects):
        return False
    return subject_name(sentence) is not None


def _other_value(text: str, claim: Claim, value: Value, passage: Evidence) -> Candidate | None:
    """Returns the other value that the passage has in the place of the claim's value; None for none."""
    parsed = parsed_passage(passage.text, passage.title)
    reading = counterparts(claim.sentence, value, parsed, claim.about)
    agreement = value_agreement(claim, value, reading, parsed)
    agreement = agreement_unless_namesake(agreement, text, None, passage)
    other = reading.other
    if agreement.verdict != "disagrees" or other is None or not is_about_subject(claim, value, other, parsed):
        return None
    return None if _names_another(claim, value, other.sentence.text) else other
