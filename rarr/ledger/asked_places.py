"""Finds the places of a sentence that its queries ask about, with the checks of each."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.standalone_claims import masked
from rarr.backends.rules.values import checkable_values
from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.ledger.answer_spans import answer_place
from rarr.records import Check, Query
from rarr.tools.text.blocks_and_sentences import Span


class AskedPlace(NamedTuple):
    """A place of the text that a query asks about, with the checks of the query's evidence."""

    place: Span
    checks: tuple[Check, ...]


def asked_places(text: str, span: Span, query: Query, checks: Sequence[Check]) -> Iterator[AskedPlace]:
    """Yields the places of the sentence at `span` that a query asks about.

    For a query about the whole sentence, these are the places of the text's answers in `checks`, or the
    sentence where an answer has no place or there is no check. A query about a statement asks about the whole
    sentence, except where a check names the words that decide against it.
    """
    place = Span(max(span.start, query.start), min(span.end, query.end))
    if place != span:
        yield AskedPlace(place, tuple(checks))
        return
    parsed = parsed_sentence(masked(text, span))
    for check in checks:
        says_all = is_about_statement(query) and check.verdict in ("agrees", "irrelevant")
        answer = None if says_all else answer_place(parsed, Span(-1, -1), check.text_answer)
        yield AskedPlace(answer.moved(span.start) if answer else span, (check,))
    if not checks:
        yield AskedPlace(span, ())


def agrees_on_other_amounts(check: Check) -> bool:
    """Does the check agree on a number that the passage gives in another unit, or rounded otherwise?"""
    return check.verdict == "agrees" and gives_other_amounts(check.text_answer, check.evidence_answer)


def gives_other_amounts(text_words: str, evidence_words: str) -> bool:
    """Do both have numbers, and none of the text's is among those of the evidence?"""
    text_amounts, evidence_amounts = (
        {value.read.amount for value in checkable_values(words) if isinstance(value.read, Quantity)}
        for words in (text_words, evidence_words)
    )
    return bool(text_amounts and evidence_amounts) and text_amounts.isdisjoint(evidence_amounts)
