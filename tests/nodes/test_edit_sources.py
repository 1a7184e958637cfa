"""Sources that disagree with the evidence of an edit hold the edit back."""

import pytest
from makers import check, disagrees, evidence

from nodes.disputes import disputed, only_edit
from rarr.records import Agreement, Check, Verdict
from rarr.state import State
from rarr.testing import ScriptedChecker


def two_sides(second: Check, relevance: float, source: str = "other.md") -> State:
    other = evidence("Another passage.", id="q1.2", relevance=relevance, source=source)
    return disputed(found=[evidence(), other], checks=[check(), second])


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (check("agrees", "q1.2"), "sources disagree: q1.2 agrees with the text"),
        (
            check("disagrees", "q1.2", its="Texas"),
            "sources disagree among themselves: q1.2 does not say 'California' either",
        ),
    ],
)
async def test_sources_that_disagree_hold_an_edit_back(second: Check, reason: str) -> None:
    checker = ScriptedChecker(
        lambda text, query, passage: (
            disagrees(text.split()[0], "Texas") if passage.id == "q1.2" else Agreement(verdict="agrees")
        )
    )
    done = await only_edit(two_sides(second, relevance=0.9), checker=checker)
    assert (done.accepted, done.reason) == (False, reason)


@pytest.mark.parametrize(
    "second",
    [check("agrees", "q1.2", stale=True), check("irrelevant", "q1.2"), check("disagrees", "q1.2")],
    ids=["stale", "irrelevant", "same answer"],
)
async def test_check_on_no_other_side_does_not_hold_an_edit_back(second: Check) -> None:
    checker = ScriptedChecker(lambda *_: Agreement(verdict="agrees"))
    assert (await only_edit(two_sides(second, relevance=0.9), checker=checker)).accepted


async def test_another_answer_that_cannot_be_judged_holds_an_edit_back() -> None:
    done = await only_edit(two_sides(check("disagrees", "q1.2"), relevance=0.9))
    assert (done.accepted, "could not be judged" in done.reason) == (False, True)


@pytest.mark.parametrize(("then", "accepted"), [("unknown", True), ("disagrees", False)])
async def test_disagreement_without_an_answer_holds_an_edit_back_while_it_lasts(
    then: Verdict, accepted: bool
) -> None:
    checker = ScriptedChecker(
        lambda text, query, passage: Agreement(verdict=then if passage.id == "q1.2" else "agrees")
    )
    nameless = check("disagrees", "q1.2", its="")
    assert (await only_edit(two_sides(nameless, relevance=0.9), checker=checker)).accepted is accepted


async def test_much_less_relevant_sources_do_not_hold_an_edit_back() -> None:
    assert (await only_edit(two_sides(check("agrees", "q1.2"), relevance=0.5))).accepted


async def test_source_that_contradicts_itself_holds_an_edit_back() -> None:
    before = two_sides(check("agrees", "q1.2"), relevance=0.1, source="peaches.md")
    assert not (await only_edit(before)).accepted
