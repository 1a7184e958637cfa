"""Replaces steps 4 and 5 in a baseline: rewrites sentences by their evidence, without checks."""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components, Rewriter
from rarr.ledger.sentence_support import moved_place
from rarr.records import Edit, Evidence, Notice
from rarr.state import State, failure, named, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences


async def rewrite(state: State, runtime: Runtime[Components]) -> State:
    """Rewrites each sentence, or the whole text, by its evidence; for baselines that check nothing.

    Text without evidence, or whose rewriting failed, stays as it is.
    """
    text, rewriter = state["text"], runtime.context.rewriter
    assert rewriter is not None  # only the graph for a rewriter has this node
    spans = [Span(0, len(text))] if rewriter.whole else await work(sentences, text)
    known = [(span, evidence) for span in spans if (evidence := _evidence_about(state, span))]
    outcomes = await asyncio.gather(*(_rewritten(state, rewriter, *pair) for pair in known))
    edits: list[Edit] = []
    for (span, evidence), new in zip(known, outcomes, strict=True):
        if isinstance(new, Notice) or new == span.of(state["text"]):
            continue
        start, end = moved_place(span, edits)
        edits.append(
            Edit(
                id=named(state, "e", len(edits) + 1), start=start, end=end, old=text[start:end], new=new,
                query_id=evidence[0].query_id, evidence_id=evidence[0].id,
                state="accepted", reason=f"rewritten by {runtime.context.baseline.editor}",
            )
        )  # fmt: skip
        text = text[:start] + new + text[end:]
    warnings = [outcome for outcome in outcomes if isinstance(outcome, Notice)]
    return {"text": text, "edits": edits, "warnings": warnings}


def _evidence_about(state: State, span: Span) -> list[Evidence]:
    """Returns the evidence of all queries about a part of the text, the most relevant first."""
    asked = {query.id for query in state["queries"] if span.overlaps(Span(query.start, query.end))}
    evidence = [passage for passage in usable(state) if passage.query_id in asked]
    return sorted(evidence, key=lambda passage: -passage.relevance)


async def _rewritten(
    state: State, rewriter: Rewriter, span: Span, evidence: Sequence[Evidence]
) -> str | Notice:
    try:
        async with meter().in_time():
            return await rewriter.rewrite(state["text"], state["context"], span, evidence)
    except Exception as error:
        problem = "a part of the text could not be rewritten"
        return failure("rewrite", problem, error, query_id=evidence[0].query_id)
