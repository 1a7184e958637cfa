"""Step 5: change the text where evidence disagrees with it, as little as possible, or leave it."""

from collections import defaultdict
from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import State, failure
from rarr.agent.support import moved
from rarr.agent.trial import Trial, sentence_of
from rarr.records import Check, Edit, Evidence, Notice, Query, Verdict
from rarr.tools.document import Span

VETO_RELEVANCE = 0.6
"""Evidence of less than this share of the disagreeing evidence's relevance cannot hold an edit back."""


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Proposes an edit for each disagreeing query, the most relevant evidence first, and applies what holds.

    A query is edited for once. What was checked on a sentence that changed is stale: it is asked again, and
    no edit is made for it before.
    """
    text, edits, warnings = state["text"], list(state.get("edits", [])), list[Notice]()
    queries = moved(state["queries"], edits)
    tried, touched = list(state.get("tried", [])), set[str]()
    for asked in _disagreements(state):
        query_id = asked[0].query_id
        if query_id in touched or query_id in tried:
            continue
        tried.append(query_id)
        query = next(query for query in queries if query.id == query_id)
        try:
            done = await _proposed(text, query, asked, f"e{len(edits) + 1}", state, runtime.context)
        except Exception as error:
            warnings.append(failure("edit", "an edit could not be made", error, query_id=query_id))
            continue
        if done is None:
            continue
        edits.append(done)
        if done.accepted:
            touched |= _asked_about(text, done, queries)
            text = text[: done.start] + done.new + text[done.end :]
            queries = moved(queries, [done])
    checks = [c.model_copy(update={"stale": c.stale or c.query_id in touched}) for c in state["checks"]]
    return {"text": text, "edits": edits, "tried": tried, "checks": checks, "warnings": warnings}


def _disagreements(state: State) -> list[list[Check]]:
    """The checks of each disagreeing query, the most relevant first; queries by their best disagreement."""
    relevance = {one.id: one.relevance for one in state["evidence"]}
    by_query: dict[str, list[Check]] = defaultdict(list)
    for fresh in sorted(state["checks"], key=lambda check: -relevance[check.evidence_id]):
        if not fresh.stale:
            by_query[fresh.query_id].append(fresh)
    best = {
        query_id: relevance[check.evidence_id]
        for query_id, asked in by_query.items()
        if (check := _first(asked, "disagrees")) is not None
    }
    return [by_query[query_id] for query_id in sorted(best, key=lambda query_id: -best[query_id])]


def _first(asked: Sequence[Check], verdict: Verdict) -> Check | None:
    return next((check for check in asked if check.verdict == verdict), None)


async def _proposed(
    text: str, query: Query, asked: Sequence[Check], edit_id: str, state: State, components: Components
) -> Edit | None:
    """The editor's change as an edit, accepted or refused with the reason; None where it declines."""
    evidence = {one.id: one for one in state["evidence"]}
    check = _first(asked, "disagrees")
    change = await components.editor.edit(text, query, check, evidence[check.evidence_id]) if check else None
    if check is None or change is None:
        return None
    source = evidence[check.evidence_id]
    trial = Trial(text, change, state["context"], components)
    refusal = (
        _agreeing_source(asked, source, evidence)
        or trial.out_of_bounds()
        or await trial.unverified(source)
        or await trial.disputed(query, _heard(asked, source, evidence, "disagrees"), evidence)
    )
    return Edit(
        **change.model_dump(),
        id=edit_id,
        old=text[change.start : change.end],
        query_id=query.id,
        evidence_id=source.id,
        accepted=not refusal,
        reason=refusal or check.reason,
    )


def _heard(
    asked: Sequence[Check], source: Evidence, evidence: dict[str, Evidence], verdict: Verdict
) -> list[Check]:
    """The other checks with this verdict, of the same source or of evidence not much less relevant."""
    least = VETO_RELEVANCE * source.relevance
    others = [check for check in asked if check.verdict == verdict and check.evidence_id != source.id]
    return [
        check
        for check in others
        if (one := evidence[check.evidence_id]).relevance >= least or one.source == source.source
    ]


def _agreeing_source(asked: Sequence[Check], source: Evidence, evidence: dict[str, Evidence]) -> str:
    """Passages that do not say the same are no ground for an edit."""
    agreeing = _heard(asked, source, evidence, "agrees")
    return f"sources disagree: {agreeing[0].evidence_id} agrees with the text" if agreeing else ""


def _asked_about(text: str, done: Edit, queries: Sequence[Query]) -> set[str]:
    """The queries about the sentence that an edit changes."""
    sentence = sentence_of(text, done)
    return {q.id for q in queries if sentence and sentence.overlaps(Span(q.start, q.end))}
