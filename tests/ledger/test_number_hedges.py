"""A number with a hedge is confirmed only by a number with the same hedge."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.standalone_claims import claims
from rarr.ledger.misattributed_values import is_misplaced
from rarr.ledger.number_hedges import number_hedges
from rarr.tools.text.blocks_and_sentences import Span

HEDGED = (
    "is barely {}", "is rarely {}", "is seldom {}", "is scarcely {}", "is all but {}", "is anything but {}",
    "barely reaches {}", "is usually {}", "is sometimes as tall as {}", "is theoretically {}",
    "is as good as {}", "is perhaps {}", "is maybe {}", "is in theory {}", "is reputedly {}",
    "is just shy of {}",
)  # fmt: skip
# Written once the code was done.
HEDGED_TOO = (
    "is infrequently {}", "is only occasionally {}", "is ostensibly {}", "hardly ever measures {}",
    "is hypothetically {}", "is at best {}", "is probably {}", "is purportedly {}", "is on paper {}",
    "is nowhere close to {}", "is falsely {}", "is now and then {}", "is presumably {}", "is tentatively {}",
)  # fmt: skip
PLAIN = ("is {}", "is about {}", "is exactly {}", "currently measures {}", "is roughly {}", "is only {}")
MEASURES = ("135 metres tall", "€135", "a total of 40 percent", "two hundred feet tall")


def is_confirmed(text: str, passage: str) -> bool:
    """Does the passage have all numbers of the text in their places?"""
    [claim] = claims(text, None)
    numbers = [value for value in claim.sentence.values if value.kind == "number"]
    assert numbers
    return not any(is_misplaced(claim.sentence, value, parsed_passage(passage, "")) for value in numbers)


def sentence(form: str, measure: str) -> str:
    return f"The Vell Tower {form.format(measure)}."


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("form", HEDGED + HEDGED_TOO)
def test_a_hedge_before_a_number_is_confirmed_only_by_the_same_hedge(form: str, measure: str) -> None:
    hedged, plain = sentence(form, measure), sentence("is {}", measure)
    assert not is_confirmed(hedged, plain)
    assert not is_confirmed(plain, hedged)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("form", PLAIN)
def test_other_adverbs_change_no_number(form: str, measure: str) -> None:
    assert is_confirmed(sentence(form, measure), sentence("is {}", measure))
    assert is_confirmed(sentence("is {}", measure), sentence(form, measure))


@pytest.mark.parametrize("form", ["is rarely {}", "is usually {}", "is theoretically {}", "is all but {}"])
def test_the_same_hedge_confirms_it(form: str) -> None:
    assert is_confirmed(sentence(form, MEASURES[0]), sentence(form, MEASURES[0]))


@pytest.mark.parametrize(
    ("text", "hedges"),
    [
        ("Barely 40 people live there.", {"barely"}),
        ("It lies in Italy 40 metres above the sea.", set()),
        ("It is rarely open, but has 40 rooms.", set()),
        ("The guests often ate the warm bread of the new baker with 40 friends.", set()),
        ("It is rarely more than 40 metres long.", {"rarely"}),
    ],
)
def test_hedges_stand_before_the_number(text: str, hedges: set[str]) -> None:
    part = parsed_sentence(text)
    [number] = [value for value in part.values if value.kind == "number"]
    assert Span(number.start, number.end).of(text) == "40"
    assert number_hedges(part, number) == hedges
