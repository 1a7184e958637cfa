"""A place that depends on a corrected value gets its own query, with the evidence of the edit."""

from typing import Any

import pytest
from makers import check, evidence, query, runtime, state

from rarr.components import Baseline
from rarr.nodes.follow_up import follow_up, unfollowed
from rarr.records import Edit
from rarr.settings import Settings
from rarr.state import State

ORIGINAL = "The bridge opened in 1932. It closed in 1972, after 40 years."
TEXT = ORIGINAL.replace("1932", "1936")


def corrected(text: str = TEXT, original: str = ORIGINAL, **more: Any) -> State:
    """After an edit of the year, which evidence had."""
    start = original.index("1932")
    edit = Edit(
        id="e1", start=start, end=start + 4, old="1932", new="1936",
        query_id="q1", evidence_id="q1.1", state="accepted", reason="",
    )  # fmt: skip
    fields = {"queries": [query(start, start + 4)], "found": [evidence("It opened in 1936.")]}
    return state(text, original=original, edits=[edit], **(fields | more))  # type: ignore[arg-type]


async def test_recomputed_value_is_a_disagreement_with_the_evidence_of_the_edit() -> None:
    update = await follow_up(corrected(), runtime())
    [_, asked], [_, passage], [check] = update["queries"], update["evidence"], update["checks"]
    assert (asked.id, asked.follows, ORIGINAL[asked.start : asked.end]) == ("q2", "e1", "40")
    assert "40" not in asked.text
    assert (passage.id, passage.query_id, passage.text) == ("q2.1", "q2", "It opened in 1936.")
    assert (check.verdict, check.text_answer, check.evidence_answer) == ("disagrees", "40", "36")
    assert check.evidence_id == "q2.1"


async def test_conclusion_in_words_is_left_to_the_checker() -> None:
    original = "The bridge opened in 1932. It was therefore the oldest."
    update = await follow_up(corrected(original.replace("1932", "1936"), original), runtime())
    assert ([query.id for query in update["queries"]], update["checks"]) == (["q1", "q2"], [])


@pytest.mark.parametrize(
    "chosen", [{"settings": Settings(follow_up=False)}, {"baseline": Baseline(agreement=False)}]
)
async def test_setting_or_baseline_turns_follow_up_off(chosen: dict[str, Any]) -> None:
    assert await follow_up(corrected(), runtime(**chosen)) == {"followed": ["e1"]}


async def test_value_that_evidence_confirms_is_not_followed_up() -> None:
    place = ORIGINAL.index("40")
    queries = [query(21, 25), query(place, place + 2, id="q2")]
    agreed = corrected(queries=queries, checks=[check("agrees", "q2.1")])
    assert len((await follow_up(agreed, runtime()))["queries"]) == 2


async def test_followed_up_value_is_not_asked_about_again() -> None:
    before = corrected()
    after: State = {**before, **(await follow_up(before, runtime()))}
    assert len((await follow_up(after, runtime()))["queries"]) == 2


async def test_each_edit_is_followed_up_once() -> None:
    before = corrected()
    assert [edit.id for edit in unfollowed(before)] == ["e1"]
    after: State = {**before, **(await follow_up(before, runtime()))}
    assert unfollowed(after) == []


async def test_place_moved_by_a_later_edit_is_followed_up() -> None:
    before = corrected()
    later = Edit(
        id="e2", start=4, end=10, old="bridge", new="old bridge",
        query_id="q1", evidence_id="q1.1", state="accepted", reason="",
    )  # fmt: skip
    moved: State = {
        **before,
        "text": TEXT.replace("bridge", "old bridge"),
        "edits": [*before["edits"], later],
    }
    asked = (await follow_up(moved, runtime()))["queries"][1]
    assert ORIGINAL[asked.start : asked.end] == "40"
