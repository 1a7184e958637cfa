"""Edits in the paper's order: one evidence after another, up to the first edit that is accepted."""

from collections.abc import Callable

import pytest
from makers import TEXT, check, evidence, query, runtime, state

from nodes.disputes import disputed
from rarr.nodes.edit import edit
from rarr.records import Change, Check, Evidence, Query
from rarr.settings import Settings
from rarr.state import State
from rarr.testing import ScriptedEditor


async def test_disagreement_is_edited() -> None:
    update = await edit(disputed(), runtime())
    assert update["text"] == "California grows the most peaches."
    [done] = update["edits"]
    assert (done.id, done.start, done.end, done.old, done.new) == ("e1", 0, 7, "Georgia", "California")
    assert (done.query_id, done.evidence_id, done.accepted) == ("q1", "q1.1", True)


@pytest.mark.parametrize("verdict", ["agrees", "irrelevant", "unknown"])
async def test_only_disagreements_are_edited(verdict: str) -> None:
    editor = ScriptedEditor()
    update = await edit(disputed(checks=[check(verdict)]), runtime(editor=editor))  # type: ignore[arg-type]
    assert (update["text"], update["edits"], editor.calls) == (TEXT, [], [])


async def test_stale_disagreement_is_no_reason() -> None:
    update = await edit(disputed(checks=[check(stale=True)]), runtime())
    assert update["edits"] == []


async def test_editor_that_declines_leaves_the_text() -> None:
    update = await edit(disputed(), runtime(editor=ScriptedEditor(lambda *_: None)))
    assert (update["text"], update["edits"]) == (TEXT, [])


async def test_editor_that_fails_is_a_warning() -> None:
    update = await edit(disputed(), runtime(editor=ScriptedEditor(TimeoutError("no answer"))))
    [warning] = update["warnings"]
    assert (warning.code, warning.node, warning.query_id) == ("edit_failed", "edit", "q1")
    assert (update["text"], update["edits"]) == (TEXT, [])


TWO = "Georgia grew 40 tons of peaches."


def two_queries(text: str = TWO) -> State:
    """Two queries about one text, of which the second has the more relevant evidence."""
    amount = text.index("40")
    return state(
        text,
        queries=[query(0, 7), query(amount, amount + 2, id="q2", text="How many tons?")],
        found=[
            evidence("California grew 70 tons of peaches.", relevance=0.5),
            evidence("70 tons of peaches.", id="q2.1", relevance=0.8),
        ],
        checks=[check(), check(evidence_id="q2.1", mine="40", its="70")],
    )


async def test_rejected_edit_makes_nothing_stale() -> None:
    update = await edit(disputed(), runtime(Settings(max_edit_chars=0)))
    assert [c.stale for c in update["checks"]] == [False]


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n"])
async def test_text_around_the_change_stays_the_same(end_of_line: str) -> None:
    around: Callable[[str], str] = f"* One –{end_of_line}* {{}} grows.{end_of_line}{end_of_line}\t☃".format
    update = await edit(disputed(around("Georgia")), runtime())
    assert update["text"] == around("California")


async def test_accepted_edit_makes_the_checks_behind_it_stale() -> None:
    update = await edit(two_queries(), runtime())
    assert update["text"] == "California grew 40 tons of peaches."
    assert [(it.query_id, it.stale) for it in update["checks"]] == [("q1", True), ("q2", True)]
    assert update["settled"] == ["q1.1"]


async def test_settled_evidence_causes_no_other_edit() -> None:
    update = await edit(disputed(settled=["q1.1"]), runtime())
    assert update["edits"] == []


async def test_one_failure_does_not_stop_the_next_edit() -> None:
    def fails_once(text: str, query: Query, check: Check, evidence: Evidence) -> Change | None:
        if query.id == "q1":
            raise TimeoutError
        return Change(start=13, end=15, new="70")

    update = await edit(two_queries(), runtime(editor=ScriptedEditor(fails_once)))
    assert update["text"] == "Georgia grew 70 tons of peaches."
    assert [warning.query_id for warning in update["warnings"]] == ["q1"]
