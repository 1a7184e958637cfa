"""An edit in the paper's order: about the last check, if it disagrees."""

import pytest
from component_doubles import ScriptedEditor
from makers import TEXT, check, evidence, query, runtime, state

from rarr.nodes.edit import edit
from rarr.state import State


def disputed(text: str = TEXT, **more: object) -> State:
    """One query about Georgia, one evidence for California that disagrees."""
    start = text.index("Georgia")
    fields = {"queries": [query(start, start + 7)], "found": [evidence()], "checks": [check()]} | more
    return state(text, **fields)  # type: ignore[arg-type]  # the keys of a state


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
    assert (update, editor.calls) == ({}, [])


async def test_accepted_edit_makes_its_check_stale() -> None:
    update = await edit(disputed(), runtime())
    assert [it.stale for it in update["checks"]] == [True]
