"""Finds misplaced values: a passage has a value of the text, but for something else.

"Auto: 55%" and "Night: 60%" do not confirm "60% in Auto and 55% in Night", and "Lunde acquired the mill from
Reed" does not confirm "Reed bought the mill from Lunde".
"""

import re
from typing import NamedTuple

from rarr.backends.rules.actions_between_parties import MUTUAL
from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.exchanged_values import (
    clause_place,
    exchange_reason,
    is_other_voice,
    label_words,
)
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.ledger.number_qualifier_differences import differs_in_measure
from rarr.ledger.table_rows import is_of_another_row, is_of_column, is_row
from rarr.ledger.value_confirmation import confirms_value
from rarr.ledger.values_within_phrases import is_within_phrase
from rarr.tools.text.blocks_and_sentences import Span

_OBLIQUE = re.compile(
    r"\b(?:about|against|among|at|behind|beside|between|by|for|from|in|into|near|of|on|over|than|to|under|with)"
    r"\s+(?:(?:the|a|an|its|his|her|their)\s+)?(?:[a-z][\w-]*\s+)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?\b")
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?P<word>\w+er|(?:more|less|fewer)\s+\w+)\b[^.;]{0,60}?\bthan\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|and|or|&|with|,\s*and)\s*(?:the\s+)?", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|be|been)\b", re.IGNORECASE)


def is_misplaced(claim: ParsedSentence, value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage have the value, but only for something else?

    Of the sentences with the value, those count that share the most words with the claim. All of them must
    differ: in role, label, side of a comparison, measure, phrase, assertion or denial.
    """
    places = [
        (part, evidence_value)
        for part in evidence.sentences
        for evidence_value in part.values
        if confirms_value(evidence_value, value, evidence)
    ]
    shared = [
        len(_words_around(claim, value) & _words_around(part, evidence_value))
        for part, evidence_value in places
    ]
    return bool(places) and all(
        _is_exchanged(claim, value, part, evidence_value)
        or _is_labelled_otherwise(claim, value, part, evidence_value, evidence)
        or _parties_changed_places(claim, part)
        or _is_on_the_other_side(claim, value, part, evidence_value)
        or _is_one_of_a_row(claim, value, part, evidence_value, evidence)
        or is_of_another_row(claim, value, part, evidence)
        or differs_in_measure(claim, value, part, evidence_value, evidence)
        or is_within_phrase(claim, value, part, evidence_value)
        or _is_of_another_event(claim, value, part, evidence_value, evidence)
        or is_asserted(part.text, evidence_value.start) != is_asserted(claim.text, value.start)
        or is_negated(part, evidence_value.start) != is_negated(claim, value.start)
        for (part, evidence_value), count in zip(places, shared, strict=True)
        if count == max(shared)
    )


def _is_on_the_other_side(
    claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value
) -> bool:
    """Does the value stand behind "longer than" in one sentence, and before it in the other?"""
    compared, evidence_compared = _COMPARED.search(claim.text), _COMPARED.search(part.text)
    if compared is None or evidence_compared is None:
        return False
    same = compared["word"].lower() == evidence_compared["word"].lower()
    behind = value.start >= compared.end(), evidence_value.start >= evidence_compared.end()
    return same and behind[0] != behind[1]


def _is_one_of_a_row(
    claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value, evidence: ParsedPassage
) -> bool:
    """Is the value a cell of a row with other numbers of its unit, and does the claim not say its column?"""
    others = [
        value
        for value in part.values
        if value.kind == evidence_value.kind == "number" and value is not evidence_value
    ]
    return (
        is_row(part)
        and any(same_value(value, evidence_value) is not None for value in others)
        and not is_of_column(claim, value, part, evidence_value, evidence)
    )


def _is_exchanged(claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value) -> bool:
    """Do the words beside the claim's value belong to another value of the sentence?"""
    if value.kind == "name" and is_other_voice(claim, part):
        return False
    return bool(exchange_reason(claim, value, part, evidence_value))


def _words_around(part: ParsedSentence, value: Value) -> set[str]:
    """Returns the stems of the content words of the sentence, without those of the value."""
    place = value_extent(value)
    return {word.stem for word in part.content if not place.start <= word.start < place.end}


def _is_labelled_otherwise(
    claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value, evidence: ParsedPassage
) -> bool:
    """Does another sentence give another value for the names beside the claim's value?

    Rows of a table and items of a list are sentences.
    """
    claim_labels = set(label_words(claim, clause_place(claim, value), value.kind))
    part_labels = set(label_words(part, Span(0, len(part.text)), value.kind))
    named = claim_labels & _name_stems(claim)
    others = [
        set(label_words(other, Span(0, len(other.text)), value.kind))
        for other in evidence.sentences
        if any(
            other_value.kind == evidence_value.kind and same_value(other_value, evidence_value) is False
            for other_value in other.values
        )
    ]
    return any(
        named & (labels - part_labels) and not claim_labels & (part_labels - labels) for labels in others
    )


def _is_of_another_event(
    claim: ParsedSentence, value: Value, part: ParsedSentence, evidence_value: Value, evidence: ParsedPassage
) -> bool:
    """Has the clause of the value no plain word of the claim's clause, and that of another value has some?

    "Ida was admitted in 1921" is not told by "in 1921 she wrote to the academy; Ida was admitted in 1933".
    """
    if value.kind == "name":
        return False
    own = _plain_stems(claim, value)
    others = [
        _plain_stems(sentence, other)
        for sentence in evidence.sentences
        for other in sentence.values
        if other.kind == evidence_value.kind and same_value(other, evidence_value) is False
    ]
    return own.isdisjoint(_plain_stems(part, evidence_value)) and any(own & stems for stems in others)


def _plain_stems(part: ParsedSentence, value: Value) -> set[str]:
    """Returns the stems of the words in the clause of a value that belong to no value."""
    place, taken = clause_place(part, value), [value_extent(each) for each in part.values]
    return {
        word.stem
        for word in part.content
        if place.start <= word.start < place.end
        and not any(span.start <= word.start < span.end for span in taken)
    }


def _name_stems(part: ParsedSentence) -> set[str]:
    named = [value for value in part.values if value.kind == "name"]
    return {word.stem for word in part.content if any(name.start <= word.start < name.end for name in named)}


class _Party(NamedTuple):
    """A name, or a noun with its article, that may act or be acted on."""

    place: Span
    name: Value | None
    stem: str

    def is_same(self, other: "_Party") -> bool:
        """Are both the same party?"""
        if self.name is not None and other.name is not None:
            return bool(same_value(self.name, other.name))
        return self.name is other.name and self.stem == other.stem


def _parties(part: ParsedSentence) -> list[_Party]:
    named = [_Party(Span(value.start, value.end), value, "") for value in part.values if value.kind == "name"]
    nouns = [
        _Party(Span(word.start, word.end), None, word.stem)
        for word in part.content
        if _ARTICLE.search(part.text, 0, word.start)
        and not any(word.start < party.place.end and party.place.start < word.end for party in named)
    ]
    return [*named, *nouns]


def _parties_changed_places(claim: ParsedSentence, part: ParsedSentence) -> bool:
    """Does a party act on another in the claim, and the other party on it in the passage?"""
    claim_agent, evidence_agent = _agent(claim), _agent(part)
    if claim_agent is None or evidence_agent is None or claim_agent.is_same(evidence_agent):
        return False
    suffers = next((party for party in _parties(part) if party.is_same(claim_agent)), None)
    acts_on = next((party for party in _parties(claim) if party.is_same(evidence_agent)), None)
    if suffers is None or acts_on is None:
        return False
    return _acts(claim, claim_agent.place, acts_on.place) and _acts(part, evidence_agent.place, suffers.place)


def _agent(part: ParsedSentence) -> _Party | None:
    """Finds the party that seems to act: the first one without a preposition before it; else None."""
    parties = sorted(_parties(part), key=lambda party: party.place)
    return next((party for party in parties if not _OBLIQUE.search(part.text[: party.place.start])), None)


def _acts(part: ParsedSentence, first: Span, second: Span) -> bool:
    """Does the first party seem to act on the second, in the active voice?"""
    between = part.text[first.end : second.start]
    if second.start < first.end or _POSSESSIVE.match(between):
        return False
    acts = any(word.stem for word in part.words if first.end <= word.start < second.start)
    return acts and not (
        _BY.search(between) or _IS.search(between) or MUTUAL.search(between) or _LISTED.fullmatch(between)
    )
