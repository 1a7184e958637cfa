"""A value that a sentence gives to one of its phrases is not what the whole sentence tells."""

import pytest

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.values_within_phrases import is_within_phrase

PERMIT = "The permit of 4 May 2011 was revoked on 8 March 2016."
STAFF = "In all the port employs 512 people, of whom 94 work on the cranes."
SALES = "Sales rose from 31 million crowns to 37 million crowns."
DATED = "The crew was cut from 48 in 1990 to 29 in 1995."
SHIPS = "The yard built 70 ships, 12 of which were ferries."


def within(claim: str, value: str, evidence: str) -> bool:
    parts = parsed_sentence(claim), parsed_sentence(evidence)
    own, other = (
        next(each for each in part.values if part.text[each.start : each.end].startswith(value))
        for part in parts
    )
    return is_within_phrase(parts[0], own, parts[1], other)


@pytest.mark.parametrize(
    ("claim", "value", "evidence"),
    [
        ("The permit was revoked on 4 May 2011.", "4 May", PERMIT),
        ("The loan was repaid in 2003.", "2003", "The loan dated 2003 was repaid in 2009."),
        ("The treaty was revised in 1921.", "1921", "The 1921 treaty was revised in 1934."),
        ("The port employs 512 people on the cranes.", "512", STAFF),
        ("The port employs 94 people.", "94", STAFF),
        ("Sales were 31 million crowns.", "31", SALES),
        ("The crew had 48 people.", "48", DATED),
        ("The yard built 70 ferries.", "70", SHIPS),
        (
            "By 1920 it had built 70 ferries.",
            "70",
            "By 1920 it had built 70 ships, 12 of which were ferries.",
        ),
        ("The yard built 12 ships.", "12", SHIPS),
        ("The fire destroyed 31 houses.", "31", "The fire destroyed 200 buildings, including 31 barns."),
    ],
)
def test_value_of_a_phrase_is_not_that_of_the_statement(claim: str, value: str, evidence: str) -> None:
    assert within(claim, value, evidence)


@pytest.mark.parametrize(
    ("claim", "value", "evidence"),
    [
        ("Sales were 37 million crowns.", "37", SALES),
        ("Sales grew from 31 million crowns.", "31", SALES),
        ("In 1990 the crew had 48 people.", "48", DATED),
        ("The gate is open from 9.", "9", "The gate is open from 9 to 17 o'clock."),
        ("The permit was revoked on 8 March 2016.", "8 March", PERMIT),
        ("The permit of 4 May 2011 was revoked.", "4 May", PERMIT),
        ("A fire destroyed the mill in 1906.", "1906", "The fire of 1906 destroyed the mill."),
        ("The mill burned in 1998.", "1998", "In the summer of 1998 the mill burned; it closed in 2001."),
        ("The port employs 512 people.", "512", STAFF),
        ("At the port, 94 people work on the cranes.", "94", STAFF),
        ("The port employs 512 people, of whom 94 work on the cranes.", "512", STAFF),
        ("The port employs 512 people, of whom 94 work on the cranes.", "94", STAFF),
        ("The yard built 70 ships.", "70", SHIPS),
        ("Of the yard's 70 ships 12 were ferries.", "70", SHIPS),
        ("The yard built 12 ferries.", "12", SHIPS),
        ("The yard built 70 ships.", "70", "The yard built 70 ships, including the Orrin."),
    ],
)
def test_value_of_the_same_phrase_is_left_alone(claim: str, value: str, evidence: str) -> None:
    assert not within(claim, value, evidence)
