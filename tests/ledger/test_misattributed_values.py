"""A passage does not confirm a value that it gives for something else."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.standalone_claims import claims
from rarr.ledger.misattributed_values import is_misplaced

# A text, one of its values, and a passage that says the value of something else.
LAMPS = "| Thing | 1910 | 1920 |\n| --- | --- | --- |\n| Lamps | 604 | 641 |"
ELSEWHERE = [
    ("Ida Morn was admitted in 1921.", "1921", "In 1921 she wrote to Olm; Ida Morn was admitted in 1933."),
    (
        "Kern Foods bought the Oster dairy from Salt Farms.",
        "Kern Foods",
        "Salt Farms bought the Oster dairy from Kern Foods.",
    ),
    ("Reed Ltd sued Lunde Mills over a roof.", "Reed Ltd", "Lunde Mills sued Reed Ltd over a roof."),
    (
        "The museum gave the Pilot Guild a lens.",
        "Pilot Guild",
        "The Pilot Guild gave it to the museum in 1949.",
    ),
    (
        "The machine aims for 60% in Auto and 55% in Night.",
        "60",
        "| Auto | 55% | low |\n| Night | 60% | high |",
    ),
    (
        "The pressure is 2 bar in Oldacre and 3 bar in Millgate.",
        "2",
        "- Oldacre: it falls to 3 bar.\n- Millgate: it falls to 2 bar.",
    ),
    ("Members pay 12 euros and guests pay 18 euros.", "12", "Members pay 18 euros and guests pay 12 euros."),
    ("The pier has 618 lamps.", "618", "| Lamps | 604 | 618 | 641 |"),
    ("The pier had 604 lamps in 1920.", "604", LAMPS),
    ("The pier carries 40 trains a day.", "40", "The pier carries 40 buses a day."),
    ("The pier is more than 40 metres long.", "40", "The pier is 40 metres long."),
    ("The pier opened in 1898.", "1898", "The pier did not open in 1898."),
    ("The pier opened in 1898.", "1898", "That the pier opened in 1898 is false."),
]
IN_PLACE = [
    (
        "Kern Foods bought the Oster dairy from Salt Farms.",
        "Kern Foods",
        "The Oster dairy was bought by Kern Foods from Salt Farms.",
    ),
    (
        "The library is owned and run by the Reed Trust.",
        "Reed Trust",
        "The Reed Trust owns and runs the library.",
    ),
    (
        "The machine aims for 60% in Night and 55% in Auto.",
        "60",
        "| Auto | 55% | low |\n| Night | 60% | high |",
    ),
    ("Members pay 18 euros and guests pay 12 euros.", "12", "Members pay 18 euros and guests pay 12 euros."),
    ("The pier is more than 40 metres long.", "40", "The pier is more than 40 metres long."),
    ("The pier is at least 40 metres long.", "40", "The pier is 40 metres long."),
    ("The pier carries 40 trains a day.", "40", "Forty trains use the pier, 40 trains a day."),
    ("The pier did not open in 1898.", "1898", "The pier did not open in 1898."),
    (
        "Hay finished the mill in 1804.",
        "1804",
        "Hay meant to finish the mill in 1801 but finished it in 1804.",
    ),
    ("Elm Ltd sold the Orrin to Tarn.", "Orrin", "The ferry Orrin was sold to Tarn in May."),
    ("The pier had 641 lamps in 1920.", "641", LAMPS),
]


def stands_elsewhere(text: str, value: str, evidence: str) -> bool:
    [claim] = claims(text, None)
    [held] = [number for number in claim.sentence.values if text[number.start : number.end].startswith(value)]
    return is_misplaced(claim.sentence, held, parsed_passage(evidence, ""))


@pytest.mark.parametrize(("text", "value", "evidence"), ELSEWHERE)
def test_a_value_that_belongs_to_something_else_is_misplaced(text: str, value: str, evidence: str) -> None:
    assert stands_elsewhere(text, value, evidence)


@pytest.mark.parametrize(("text", "value", "evidence"), IN_PLACE)
def test_a_value_that_belongs_to_the_same_thing_is_not_misplaced(
    text: str, value: str, evidence: str
) -> None:
    assert not stands_elsewhere(text, value, evidence)
