"""A short answer is not confirmed by a passage that gives its value to another question."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.values_of_other_questions import value_of_another_question

LEAFLET = "The starting load is 7 kg. The maximum daily load is 15 kg."
RUST = "Rust occurred in 9% of boats with the paint and in 2% with the wax."
OTHER = [
    ("15 kg.", "What is the usual starting load?", LEAFLET),
    ("15 kg at most.", "What is the starting load?", LEAFLET),
    ("It was opened in 2014.", "When was the north bridge opened?", "The south bridge was opened in 2014."),
    ("7 kg.", "What is the maximum load?", LEAFLET),
    ("In 2014.", "When was the north bridge opened?", "The south bridge was opened in 2014."),
    ("12 euros.", "What is the price for children?", "The price for members is 12 euros."),
    ("40 kg.", "What may a boat carry?", "A van may carry 90 kg and a boat 25 kg, and a cart 40 kg."),
    ("2%.", "How often did rust occur with the paint?", RUST),
]
SAME = [
    ("7 kg.", "What is the usual starting load?", LEAFLET),
    ("15 kg.", "What is the maximum daily load?", LEAFLET),
    ("In 2014.", "When was the south bridge opened?", "The south bridge was opened in 2014."),
    ("The maximum daily load is 15 kg.", "What is the starting load?", LEAFLET),  # it says what it is about
    ("15 kg.", "Tell me about the starting load.", LEAFLET),  # no question
    ("15 kg.", None, LEAFLET),
    ("20 kg.", "What is the daily load?", "The load is 20 kg a day."),
    ("12 euros.", "What is the entry fee?", "The fee is 12 euros."),
    ("9%.", "How often did rust occur with the paint?", RUST),
    ("2%.", "How often did rust occur with the wax?", RUST),
    ("30 kg.", "What is the starting load?", LEAFLET),  # no sentence has it: other rules decide
    ("Paris.", "What is the capital of France?", "Paris is the capital of France."),
]


@pytest.mark.parametrize(("answer", "question", "passage"), OTHER)
def test_value_of_something_else_is_found(answer: str, question: str, passage: str) -> None:
    place = value_of_another_question(parsed_sentence(answer), question, [parsed_passage(passage, "")])
    assert place is not None and any(character.isdigit() for character in place.of(answer))


@pytest.mark.parametrize(("answer", "question", "passage"), SAME)
def test_value_of_the_same_is_left_alone(answer: str, question: str | None, passage: str) -> None:
    read = [parsed_passage(passage, "")]
    assert value_of_another_question(parsed_sentence(answer), question, read) is None


def test_title_says_what_a_passage_is_about() -> None:
    read = [parsed_passage("The bridge was opened in 2014.", "North bridge of Orm")]
    question = "When was the north bridge opened?"
    assert value_of_another_question(parsed_sentence("In 2014."), question, read) is None
