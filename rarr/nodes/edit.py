"""Step 5: change the text where evidence disagrees with it, as little as possible, or leave it."""

from collections import defaultdict
from collections.abc import Sequence

from langgraph.runtime import Runtime
from rapidfuzz.distance import Levenshtein

from rarr.agent.components import Components
from rarr.agent.settings import Settings
from rarr.agent.state import State
from rarr.agent.support import moved
from rarr.records import Change, Check, Edit, Evidence, Notice, Query
from rarr.tools.document import Span, protected, sentences

VETO_RELEVANCE = 0.6
"""Evidence of less than this share of the disagreeing evidence's relevance cannot hold an edit back."""


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Proposes an edit for each disagreeing query, the most relevant evidence first, and applies what holds.

    A query is edited for once. What was checked on a sentence that changed is stale: it is asked again, and
    no edit is made for it before.
    """
    evidence = {one.id: one for one in state["evidence"]}
    text, queries = state["text"], state["queries"]
    edits, warnings = list(state.get("edits", [])), list[Notice]()
    tried = {edit.query_id for edit in edits}
    touched: set[str] = set()
    for check, doubt in _disagreements(state["checks"], evidence):
        if check.query_id in tried | touched:
            continue
        query = next(query for query in queries if query.id == check.query_id)
        source = evidence[check.evidence_id]
        try:
            change = await runtime.context.editor.edit(text, query, check, source)
            if change is None:
                continue
            refusal = doubt or _refusal(text, change, runtime.context.settings)
            refusal = refusal or await _unverified(text, change, state["context"], source, runtime.context)
        except Exception as error:
            warnings.append(_failed(error, check.query_id))
            continue
        done = Edit(
            **change.model_dump(),
            id=f"e{len(edits) + 1}",
            old=text[change.start : change.end],
            query_id=check.query_id,
            evidence_id=check.evidence_id,
            accepted=not refusal,
            reason=refusal or check.reason,
        )
        edits.append(done)
        if done.accepted:
            touched |= _asked_about(_sentence(text, change), queries)
            text = text[: done.start] + done.new + text[done.end :]
            queries = moved(queries, [done])
    checks = [c.model_copy(update={"stale": c.stale or c.query_id in touched}) for c in state["checks"]]
    return {"text": text, "queries": queries, "edits": edits, "checks": checks, "warnings": warnings}


def _disagreements(checks: Sequence[Check], evidence: dict[str, Evidence]) -> list[tuple[Check, str]]:
    """One disagreement a query, by relevance, each with the reason to doubt it or an empty string."""
    by_query: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        if not check.stale:
            by_query[check.query_id].append(check)
    found: list[tuple[Check, str]] = []
    for asked in by_query.values():
        asked.sort(key=lambda check: -evidence[check.evidence_id].relevance)
        disagreeing = [check for check in asked if check.verdict == "disagrees"]
        if disagreeing:
            found.append((disagreeing[0], _doubt(asked, disagreeing[0], evidence)))
    found.sort(key=lambda pair: -evidence[pair[0].evidence_id].relevance)
    return found


def _doubt(asked: Sequence[Check], disagreeing: Check, evidence: dict[str, Evidence]) -> str:
    """Passages that do not say the same are no ground for an edit; much less relevant sources have no say."""
    first = evidence[disagreeing.evidence_id]

    def is_heard(one: Evidence) -> bool:
        return one.relevance >= VETO_RELEVANCE * first.relevance or one.source == first.source

    heard = [check for check in asked if is_heard(evidence[check.evidence_id])]
    agreeing = next((check for check in heard if check.verdict == "agrees"), None)
    if agreeing is not None:
        return f"sources disagree: {agreeing.evidence_id} agrees with the text"
    answers = {c.evidence_answer.casefold(): c.evidence_id for c in heard if c.verdict == "disagrees"}
    if len(answers) > 1:
        return f"sources disagree among themselves: {', '.join(sorted(answers.values()))}"
    return ""


def _refusal(text: str, change: Change, settings: Settings) -> str:
    """Why a change may not be made, or an empty string. Limits: Gao et al. 2023, section 3.3."""
    place = Span(change.start, change.end)
    sentence = _sentence(text, change)
    if sentence is None:
        return "the change does not lie within one sentence"
    if any(place.overlaps(span) for span in protected(text, *_lines(text, sentence))):
        return "the change touches code, a link or a citation"
    changed = Levenshtein.distance(place.of(text), change.new)
    if changed > settings.max_edit_chars:
        return f"it changes {changed} characters, over max_edit_chars ({settings.max_edit_chars})"
    if changed > settings.max_edit_share * (sentence.end - sentence.start):
        return f"it changes more than max_edit_share ({settings.max_edit_share}) of the sentence"
    return ""


async def _unverified(
    text: str, change: Change, context: str | None, evidence: Evidence, components: Components
) -> str:
    """Why verification refuses the change, or an empty string: support by the evidence must rise."""
    sentence = _sentence(text, change)
    if sentence is None:
        return "the change does not lie within one sentence"
    revised = text[: change.start] + change.new + text[change.end :]
    changed = Span(sentence.start, sentence.end + len(change.new) - (change.end - change.start))
    [before] = await components.verifier.support(text, context, [sentence], evidence)
    [after] = await components.verifier.support(revised, context, [changed], evidence)
    if before is None or after is None:
        return "whether support rises could not be judged"
    if after <= before:
        return f"support does not rise: {before:.2f} before, {after:.2f} after"
    return ""


def _sentence(text: str, change: Change) -> Span | None:
    """The sentence that a change lies in; None where it is in none, or in more than one."""
    return next((s for s in sentences(text) if s.start <= change.start <= change.end <= s.end), None)


def _lines(text: str, sentence: Span) -> Span:
    """The whole lines of a sentence: a link or code may reach over its end, none over that of a line."""
    end = text.find("\n", sentence.end)
    return Span(text.rfind("\n", 0, sentence.start) + 1, len(text) if end < 0 else end)


def _asked_about(sentence: Span | None, queries: Sequence[Query]) -> set[str]:
    """The queries about a sentence."""
    return {q.id for q in queries if sentence and sentence.overlaps(Span(q.start, q.end))}


def _failed(error: Exception, query_id: str) -> Notice:
    return Notice(
        code="edit_failed",
        message=f"an edit could not be made: {type(error).__name__}: {error}",
        node="edit",
        query_id=query_id,
    )
