"""Replaces steps 4 and 5 in a baseline: rewrites the text with all the evidence, without checks."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Edit
from rarr.state import State, failure_notice, numbered_id, usable_evidence
from rarr.tools.models.run_budget import meter


async def rewrite(state: State, runtime: Runtime[Components]) -> State:
    """Asks the rewriter of a baseline for a new text. The evidence is sorted by relevance, best first.

    The text does not change if there is no evidence, or if the rewriter failed.
    """
    text, rewriter = state["text"], runtime.context.rewriter
    assert rewriter is not None  # only the graph for a rewriter has this node
    if not (evidence := sorted(usable_evidence(state), key=lambda passage: -passage.relevance)):
        return {}
    try:
        async with meter().in_time():
            new = await rewriter.rewrite(text, state["context"], evidence)
    except Exception as error:
        return {"warnings": [failure_notice("rewrite", "the text could not be rewritten", error)]}
    if new == text:
        return {}
    edit = Edit(
        id=numbered_id(state, "e", 1),
        start=0,
        end=len(text),
        old=text,
        new=new,
        query_id=evidence[0].query_id,
        evidence_id=evidence[0].id,
        state="accepted",
        reason=f"rewritten by {runtime.context.baseline.editor}",
    )
    return {"text": new, "edits": [edit]}
