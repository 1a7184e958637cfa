"""An edit in the paper's order, about the last check, if it disagrees; a rewriting of the whole text."""

from collections.abc import Sequence
from typing import Any

import pytest
from component_doubles import Double, ScriptedEditor
from makers import check, evidence, query, runtime, state

from rarr.nodes.baseline_rewrite import rewrite
from rarr.nodes.edit import edit
from rarr.records import Evidence, Verdict, with_edits
from rarr.state import State

LINES = "One. Two. Three."
FOUND = state(
    LINES,
    queries=[query(0, 4), query(10, 16, id="q2")],
    found=[evidence("a", relevance=0.5), evidence("b", id="q1.2"), evidence("c", id="q2.1")],
)


def checked(verdict: Verdict) -> State:
    """One query about Georgia, and the check of one evidence for California."""
    return state(queries=[query(0, 7)], found=[evidence()], checks=[check(verdict)])


async def test_disagreement_is_edited_and_makes_its_check_stale() -> None:
    update = await edit(checked("disagrees"), runtime())
    assert update["text"] == "California grows the most peaches."
    [done] = update["edits"]
    assert (done.id, done.start, done.end, done.old, done.new) == ("e1", 0, 7, "Georgia", "California")
    assert (done.query_id, done.evidence_id, done.accepted) == ("q1", "q1.1", True)
    assert [it.stale for it in update["checks"]] == [True]


@pytest.mark.parametrize("verdict", ["agrees", "irrelevant", "unknown"])
async def test_only_disagreements_are_edited(verdict: Verdict) -> None:
    editor = ScriptedEditor()
    update = await edit(checked(verdict), runtime(editor=editor))
    assert (update, editor.calls) == ({}, [])


class Rewriting(Double):
    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> Any:
        return self.scripted(*(passage.id for passage in evidence))


async def test_the_text_is_rewritten_with_all_evidence_the_most_relevant_first() -> None:
    rewriter = Rewriting("Another.")
    update = await rewrite(FOUND, runtime(rewriter=rewriter))
    assert (update["text"], rewriter.calls) == ("Another.", [("q1.2", "q2.1", "q1.1")])
    assert with_edits(LINES, update["edits"]) == update["text"]


async def test_unchanged_text_and_text_without_evidence_have_no_edit() -> None:
    assert await rewrite(FOUND, runtime(rewriter=Rewriting(LINES))) == {}
    assert await rewrite(state(LINES), runtime(rewriter=Rewriting("Another."))) == {}


async def test_text_whose_rewriting_fails_stays_with_a_warning() -> None:
    update = await rewrite(FOUND, runtime(rewriter=Rewriting(OSError("down"))))
    assert [notice.code for notice in update["warnings"]] == ["rewrite_failed"]
    assert "text" not in update
