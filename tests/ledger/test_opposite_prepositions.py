"""A preposition of the claim is open where the nearest clause has the opposite one."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.opposite_prepositions import words_on_another_side

DAY = "It is needed until the fourth day."


@pytest.mark.parametrize(
    ("claim", "passage", "sides"),
    [
        (DAY, "It is needed from the fourth day.", ["until"]),
        (DAY, "It is needed until the fourth day.", []),
        (DAY, "It is needed till the fourth day.", []),
        (DAY, "It is needed on the fourth day.", []),
        ("During the trial, 3 months.", "During the trial, 2 weeks; after the trial, 3 months.", ["During"]),
        ("With a card, it costs 9 euros.", "Without a card, it costs 9 euros.", ["With"]),
        ("The light is on until 6 am.", "The light is on from 6 am.", ["until"]),
        ("Exports to Germany grew.", "Exports from Germany grew.", ["to"]),
        ("Shops outside the walls pay.", "Shops inside the walls pay.", ["outside"]),
    ],
)  # fmt: skip
def test_other_side_is_found(claim: str, passage: str, sides: list[str]) -> None:
    places = words_on_another_side(parsed_sentence(claim), [parsed_passage(passage, "")])
    assert [place.of(claim) for place in places] == sides
