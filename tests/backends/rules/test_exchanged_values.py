"""The gate refuses an edit that gives the evidence's value the role of another value."""

from collections.abc import Awaitable

import pytest
from ledger.test_edit_gate import refusal

from rarr.backends.rules.exchanged_values import changed_places, exchange_reason
from rarr.backends.rules.parsed_sentence import parsed_sentence

RULE = "the change exchanges values"
TICKETS = "Tickets cost 12 euros for members and 18 euros for guests."
LINE = "The line runs from Oslen to Tarn in an hour."
CUP = "Anna Reed defeated Ida Lunde in 1931."
PAYS = "Members pay 12 euros and guests pay 18 euros."

# The evidence, then what the text says in its place: the text's answer and the evidence's, exchanged.
TUNED = [
    (TICKETS, "Tickets cost 15 euros for members and 18 euros for guests.", "15", "18", "12"),
    (TICKETS, "Tickets cost 12 euros for members and 15 euros for guests.", "15", "12", "18"),
    (PAYS, "Members pay 20 euros and guests pay 18 euros.", "20", "18", "12"),
    (LINE, "The line runs from Vell to Tarn in an hour.", "Vell", "Tarn", "Oslen"),
    (LINE, "The line runs from Oslen to Vell in an hour.", "Vell", "Oslen", "Tarn"),
    (CUP, "Tom Holt defeated Ida Lunde in 1931.", "Tom Holt", "Ida Lunde", "Anna Reed"),
    (CUP, "Ida Lunde was defeated by Tom Holt in 1931.", "Tom Holt", "Ida Lunde", "Anna Reed"),
]
# Written after the rules, for measuring alone: no rule is to be changed for one of these.
HELD_OUT = [
    (
        "The older tower is 40 metres high, while the newer tower is 62 metres high.",
        "The older tower is 45 metres high, while the newer tower is 62 metres high.",
        "45 metres", "62 metres", "40 metres",
    ),
    (
        "It opened in 1904 and closed in 1957.",
        "It opened in 1910 and closed in 1957.",
        "1910", "1957", "1904",
    ),
    (
        "The firm was sold by Harlow to Merrick in May.",
        "The firm was sold by Dunmore to Merrick in May.",
        "Dunmore", "Merrick", "Harlow",
    ),
    (
        "Portugal beat Uruguay in the final.",
        "Ghana beat Uruguay in the final.",
        "Ghana", "Uruguay", "Portugal",
    ),
    (
        "Nadia Brandl taught Piet Koss for a year.",
        "Nadia Brandl taught Mara Weil for a year.",
        "Mara Weil", "Nadia Brandl", "Piet Koss",
    ),
    (
        "The east wing has 30 rooms and the west wing has 44 rooms.",
        "The east wing has 35 rooms and the west wing has 44 rooms.",
        "35 rooms", "44 rooms", "30 rooms",
    ),
]  # fmt: skip
Exchange = tuple[str, str, str, str, str]


def edited(case: Exchange, *, right: bool) -> Awaitable[str]:
    says, text, old, wrong, correct = case
    new = correct if right else wrong
    return refusal(old, new, text=text, says=says, claim=old, answer=new)


@pytest.mark.parametrize("case", TUNED)
async def test_exchange_is_refused_by_its_rule(case: Exchange) -> None:
    assert (await edited(case, right=False)).startswith(RULE)


@pytest.mark.parametrize("case", [*TUNED, *HELD_OUT])
async def test_value_in_its_own_place_is_written(case: Exchange) -> None:
    assert await edited(case, right=True) == ""


async def test_most_exchanges_that_no_rule_was_written_for_are_refused() -> None:
    refused = [(await edited(case, right=False)).startswith(RULE) for case in HELD_OUT]
    assert sum(refused) >= 5  # of 6


async def test_two_values_exchanged_at_once_are_refused() -> None:
    old, new = "12 euros for members and 18 euros", "18 euros for members and 12 euros"
    assert await refusal(old, new, text=TICKETS, says=TICKETS, claim="12 euros", answer="18 euros")


async def test_right_order_of_the_parties_is_written_in_the_passive() -> None:
    text = "Ida Lunde was defeated by Tom Holt in 1931."
    assert (
        await refusal("Tom Holt", "Anna Reed", text=text, says=CUP, claim="Tom Holt", answer="Anna Reed")
        == ""
    )


async def test_mutual_deeds_have_no_order() -> None:
    old, new = "Tom Holt", "Ida Lunde"
    says, text = "Anna Reed married Ida Lunde in 1931.", "Tom Holt married Anna Reed in 1931."
    assert await refusal(old, new, text=text, says=says, claim=old, answer=new) == ""


@pytest.mark.parametrize("unit", ["feet", "yards", "miles", "kilometres", "centimetres"])
async def test_units_that_are_taken_for_each_other_are_refused(unit: str) -> None:
    text, says = "The Vell Bridge is 212 metres long.", "The Vell Bridge is 221 metres long."
    assert await refusal("212 metres", f"221 {unit}", text=text, says=says)


def test_words_of_different_properties_change_no_places() -> None:
    text = parsed_sentence("The league gives most prizes in turn, and the guests come after them.")
    rows = ["After the finals the league gives prizes.", "Most guests come early."]
    evidence = [parsed_sentence(row) for row in rows]
    assert [value.kind for value in text.values] == ["term", "term"]
    assert not any(changed_places(text, value, evidence) for value in text.values)


@pytest.mark.parametrize(
    ("text", "evidence", "exchanged"),
    [
        ("It ends on 1 March.", "It begins on 1 March and ends on 4 May.", True),
        ("The bus arrives at 9:10.", "The bus leaves at 9:10 and arrives at 10:05.", True),
        ("The clocks of the museum: 620", "The museum shows 620 clocks and a tower clock of 1532.", False),
        ("The loom weaves 40 metres.", "The mill has 40 metres of cloth to weave, and can weave 90.", False),
    ],
)
def test_value_behind_the_word_of_another_value(text: str, evidence: str, exchanged: bool) -> None:
    claim, part = parsed_sentence(text), parsed_sentence(evidence)
    reason = exchange_reason(claim, claim.values[0], part, part.values[0])
    assert bool(reason) == exchanged
