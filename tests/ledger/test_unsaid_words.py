"""A word is unsaid where a clause of the passage says the rest of the sentence without it."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.unsaid_words import unsaid_words

BANK = "The secretary signs the cheques, and the treasurer keeps the books."
# The claim, the passage, and the words of the claim that no clause says with the others.
TUNED = [
    ("The treasurer signs the cheques.", BANK, ["treasurer"]),
    ("The secretary keeps the books.", BANK, ["secretary"]),
    ("The treasurer keeps the books.", BANK, []),
    ("The treasurer signs the cheques.", "The treasurer, a paid officer, signs the cheques.", []),
    (
        "The treasurer signs the cheques.",
        "While the treasurer is away, the secretary signs the cheques.",
        ["treasurer"],
    ),
    (
        "The treasurer keeps the books.",
        "The treasurer signs the cheques, and keeps the books in the safe.",
        [],
    ),
    ("The fan cools the engine.", "The fan cools the pump, and the engine drives the mill.", ["engine"]),
    ("The pump leaks.", "The fan leaks, and the pump runs.", []),  # half of the words are too few
    ("The nurse is helped by the doctor.", "The nurse helps the patient, and the doctor rests.", ["doctor"]),
    (
        "The treasurer signs the cheques.",
        "She signs the cheques of the landlord, and the treasurer waits.",
        ["treasurer"],
    ),
    ("The bursar signs the cheques.", BANK, ["bursar"]),
    ("The bursar looks after accounts.", BANK, []),  # quite other words may mean the same
    ("The oak table seats ten.", "The pine table seats ten, and the oak bench seats four.", ["oak"]),
    ("The Ardea sank in 1926.", "The Pell sank in 1926; her crew was saved by the Ardea.", ["Ardea"]),
    (
        "Leif Dorn wrote it in 1999.",
        "Mara Quill wrote it in 1999 and Leif Dorn drew the plans.",
        ["Leif Dorn"],
    ),
    ("Mara Quill wrote it in 1999.", "Mara Quill wrote it in 1999 and Leif Dorn drew the plans.", []),
    ("The lease ends on 1 May 2020.", "The lease runs from 1 May 2020 to 30 April 2025.", ["ends"]),
    (
        "The musical Elm Lights was composed by Bo Vik.",
        "Elm Lights is a musical about pilots. Elm Lights was composed by Bo Vik in Olm.",
        [],
    ),
    ("Guests pay in full.", "Guests pay nothing.", ["full"]),
    ("Copper was added at noon.", "Copper was removed and zinc was added at noon.", ["Copper"]),
    (
        "Steam heating was fitted in 1911.",
        "Steam heating was refused and gas heating was fitted in 1911.",
        ["Steam"],
    ),
    ("Gas heating was fitted in 1911.", "The hall was enlarged and gas heating was fitted in 1911.", []),
    ("Mills were rebuilt in 1911.", "Mills and old dams were rebuilt in 1911.", []),
    (
        "It was founded by Ada Lund and Carl Orme in 1931.",
        "Ada Lund, Bo Vik and Carl Orme founded it in 1931.",
        [],
    ),
    ("The hall seats twelve hundred.", "The hall seats 1,200.", []),
]
# Written after the rule, for measuring alone: the rule is not to be changed for one of these.
HELD_OUT = [
    (
        "The landlord pays the rates.",
        "The tenant pays the rates, but the landlord insures the house.",
        ["landlord"],
    ),
    (
        "The nurse gives the injection.",
        "The doctor gives the injection; the nurse watches the patient.",
        ["nurse"],
    ),
    ("Ms Holt paid 1,200 crowns for a door.", "After rain Mr Vik paid 1,200 crowns for a door.", ["Ms Holt"]),
    ("Elm syrup was sold in 1911.", "Elm was sold in 1911; the syrup was sold in 1916.", ["syrup"]),
    ("The pump cools the engine.", "The fan cools the engine, and the pump fills the tank.", ["pump"]),
    (
        "The buyer bears the costs of transport.",
        "The seller bears the costs of transport. The buyer insures the goods.",
        ["buyer"],
    ),
    (
        "A farmer may use the upper gate.",
        "The miller may use the upper gate, while a farmer has to take the lane.",
        ["farmer"],
    ),
    ("The choir opens the evening.", "The band opens the evening and the choir closes it.", ["choir"]),
    (
        "The east wing holds the library.",
        "The west wing holds the library, and the east wing is empty.",
        ["east"],
    ),
    ("The pump cools the engine.", "In winter, the pump cools the engine, and the fan rests.", []),
    (
        "The choir closes the evening.",
        "The band opens the evening, and the choir then closes the evening.",
        [],
    ),
    ("The nurse gives the injection.", "The nurse, not the doctor, gives the injection.", []),
    ("The landlord insures the house.", "The tenant pays the rates, but the landlord insures the house.", []),
    ("The porter locks the gate at night.", "At night, the porter of the college locks the gate.", []),
]


@pytest.mark.parametrize(("text", "passage", "unsaid"), [*TUNED, *HELD_OUT])
def test_words_that_a_passage_does_not_say(text: str, passage: str, unsaid: list[str]) -> None:
    words = unsaid_words(parsed_sentence(text), [parsed_passage(passage, "")])
    assert [place.of(text) for place in words] == unsaid


def test_one_passage_that_says_it_is_enough() -> None:
    passages = [parsed_passage(passage, "") for passage in (BANK, "In Olm, the treasurer signs the cheques.")]
    assert not list(unsaid_words(parsed_sentence("The treasurer signs the cheques."), passages))
