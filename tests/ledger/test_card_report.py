"""The report of a card: the status, quotes and parts of its sentence."""

from typing import Any

import pytest
from makers import query, state

from rarr.ledger.card_report import card_sentences, checks_of_quotes, status_of_card
from rarr.records import Sentence
from rarr.records.cards_and_edits import Card, CardEdit, Place, Quote
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "The mill burned in 1921 at night."
NIGHT = Place(start=24, end=32)
QUOTE = Quote(evidence_id="q1.1", start=0, end=21, text="The mill burned in 1921.")
EDIT = CardEdit(start=19, end=23, new="1923", by="in 1923", evidence_id="q1.1")
AGAINST = QUOTE.model_copy(update={"side": "against"})


def card(verdict: str | None, **fields: Any) -> Card:
    return Card(**{"start": 0, "end": len(TEXT), "verdict": verdict, "quotes": (QUOTE,)} | fields)


@pytest.mark.parametrize(
    ("read", "status"),
    [
        (card("yes"), "supported"),
        (card("yes", doubts=("why",)), "unconfirmed"),
        (card("yes", unreliable=True, doubts=("why",)), "unconfirmed"),
        (card("open", open=(NIGHT,)), "unconfirmed"),
        (card("none"), "unjudged"),
        (card("no", edits=(EDIT,), outcome="accepted"), "supported"),
        (card("no", edits=(EDIT,), outcome="accepted", open=(NIGHT,)), "unconfirmed"),
        (card("no", edits=(EDIT,), outcome="suggested", doubts=("why",)), "contradicted"),
        (card("no"), "contradicted"),
        (card("no", doubts=("why",)), "unconfirmed"),
        (card("no", edits=(EDIT.model_copy(update={"by": ""}),), doubts=("why",)), "unconfirmed"),
        (card("mixed", side="for"), "supported"),
        (card("mixed", side="for", open=(NIGHT,)), "contradicted"),
        (card("mixed", side=None), "contradicted"),
        (card("mixed", side="for", edits=(EDIT,), doubts=("why",)), "unconfirmed"),
        (card("mixed", side="against", doubts=("why",)), "unconfirmed"),
    ],
)
def test_status(read: Card, status: str) -> None:
    assert status_of_card(read) == status


def sentence_record(read: Card, text: str = TEXT) -> Sentence:
    [sentence] = card_sentences(state(text, queries=[query(0, len(text))], cards=[read]))
    return sentence


def test_quotes_of_a_partly_open_sentence_speak_for_the_rest() -> None:
    sentence = sentence_record(card("open", open=(NIGHT,)))
    assert (sentence.quotes, sentence.evidence_ids) == ((QUOTE,), ("q1.1",))
    parts = [(part.state, Span(part.start, part.end).of(TEXT)) for part in sentence.parts]
    assert parts == [("confirmed", "1921"), ("open", "at night")]


def test_quote_against_an_edited_sentence_speaks_for_it() -> None:
    read = card("no", quotes=(AGAINST,), edits=(EDIT,), outcome="accepted")
    assert [quote.side for quote in sentence_record(read).quotes] == ["for"]


def test_greeting_without_a_quote_is_not_checkable() -> None:
    hello = "Hello there!"
    open_card = Card(start=0, end=len(hello), verdict="open", open=(Place(start=0, end=len(hello)),))
    sentence = sentence_record(open_card, hello)
    assert (sentence.status, sentence.checkable) == ("unjudged", False)


@pytest.mark.parametrize(
    ("read", "verdicts"),
    [
        (card("yes"), ["agrees"]),
        (card("no", quotes=(AGAINST,)), ["disagrees"]),
        (card("open", open=(NIGHT,)), ["unknown"]),
        (card("mixed", quotes=(QUOTE, AGAINST)), ["agrees", "disagrees"]),
        (card("yes", unreliable=True), ["unknown"]),
    ],
)
def test_checks_of_a_card_are_one_for_each_evidence_and_side(read: Card, verdicts: list[str]) -> None:
    made = checks_of_quotes([read], TEXT, {Span(0, len(TEXT)): [query(0, 4)]})
    assert [check.verdict for check in made] == verdicts
