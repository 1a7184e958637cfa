"""Step 5: change the text where evidence disagrees with it, as little as possible, or leave it."""

from collections import defaultdict
from collections.abc import Sequence

from langgraph.runtime import Runtime
from rapidfuzz.distance import Levenshtein

from rarr.agent.components import Components
from rarr.agent.settings import Settings
from rarr.agent.state import State
from rarr.agent.support import moved
from rarr.records import Change, Check, Edit, Evidence, Notice
from rarr.tools.document import Span, protected, sentences

VETO_RELEVANCE = 0.6
"""Evidence of less than this share of the disagreeing evidence's relevance cannot hold an edit back."""


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Proposes the edits of the disagreeing queries, most relevant evidence first, and applies what holds."""
    queries = {query.id: query for query in state["queries"]}
    evidence = {one.id: one for one in state["evidence"]}
    text, edits, warnings = state["text"], list[Edit](), list[Notice]()
    for check, doubt in _disagreements(state["checks"], evidence):
        place = moved(queries[check.query_id].start, queries[check.query_id].end, edits)
        query = queries[check.query_id].model_copy(update={"start": place.start, "end": place.end})
        source = evidence[check.evidence_id]
        try:
            change = await runtime.context.editor.edit(text, query, check, source)
            if change is None:
                continue
            refusal = doubt or _refusal(text, change, edits, runtime.context.settings)
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
            text = text[: done.start] + done.new + text[done.end :]
    checks = _marked_stale(state["checks"], state, edits)
    return {"text": text, "edits": edits, "checks": checks, "warnings": warnings}


def _disagreements(checks: Sequence[Check], evidence: dict[str, Evidence]) -> list[tuple[Check, str]]:
    """One disagreement a query, by relevance, each with the reason to doubt it or an empty string."""
    by_query: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        by_query[check.query_id].append(check)
    found: list[tuple[Check, str]] = []
    for asked in by_query.values():
        asked.sort(key=lambda check: -evidence[check.evidence_id].relevance)
        disagreeing = [check for check in asked if check.verdict == "disagrees"]
        if disagreeing:
            found.append((disagreeing[0], _doubt(asked, disagreeing, evidence)))
    found.sort(key=lambda pair: -evidence[pair[0].evidence_id].relevance)
    return found


def _doubt(asked: Sequence[Check], disagreeing: Sequence[Check], evidence: dict[str, Evidence]) -> str:
    """Passages that do not say the same are no ground for an edit; much less relevant sources have no say."""
    first = evidence[disagreeing[0].evidence_id]
    heard = [
        check
        for check in asked
        if evidence[check.evidence_id].relevance >= VETO_RELEVANCE * first.relevance
        or evidence[check.evidence_id].source == first.source
    ]
    agreeing = next((check for check in heard if check.verdict == "agrees"), None)
    if agreeing is not None:
        return f"sources disagree: {agreeing.evidence_id} agrees with the text"
    answers = {c.evidence_answer.casefold(): c.evidence_id for c in heard if c.verdict == "disagrees"}
    return (
        f"sources disagree among themselves: {', '.join(sorted(answers.values()))}"
        if len(answers) > 1
        else ""
    )


def _refusal(text: str, change: Change, edits: Sequence[Edit], settings: Settings) -> str:
    """Why a change may not be made, or an empty string."""
    place = Span(change.start, change.end)
    old = place.of(text)
    sentence = next((s for s in sentences(text) if s.start <= place.start and place.end <= s.end), None)
    if sentence is None:
        return "the change does not lie within one sentence"
    if any(place.overlaps(span) for span in protected(text, *sentence)):
        return "the change touches code, a link or a citation"
    if any(
        e.accepted and place.overlaps(moved(e.start, e.start + len(e.new), _after(e, edits))) for e in edits
    ):
        return "the place was edited already"
    changed = Levenshtein.distance(old, change.new)
    if changed > settings.max_edit_chars:
        return f"it changes {changed} characters, over max_edit_chars ({settings.max_edit_chars})"
    if changed > settings.max_edit_share * (sentence.end - sentence.start):
        return f"it changes more than max_edit_share ({settings.max_edit_share}) of the sentence"
    return ""


async def _unverified(
    text: str, change: Change, context: str | None, evidence: Evidence, components: Components
) -> str:
    """Why verification refuses the change, or an empty string: support by the evidence must rise."""
    sentence = next(s for s in sentences(text) if s.start <= change.start < s.end)
    revised = text[: change.start] + change.new + text[change.end :]
    after = Span(sentence.start, sentence.end + len(change.new) - (change.end - change.start))
    [before_support] = await components.verifier.support(text, context, [sentence], evidence)
    [after_support] = await components.verifier.support(revised, context, [after], evidence)
    if before_support is None or after_support is None:
        return "whether support rises could not be judged"
    if after_support <= before_support:
        return f"support does not rise: {before_support:.2f} before, {after_support:.2f} after"
    return ""


def _after(one: Edit, edits: Sequence[Edit]) -> Sequence[Edit]:
    return edits[edits.index(one) + 1 :]


def _marked_stale(checks: Sequence[Check], state: State, edits: Sequence[Edit]) -> list[Check]:
    """Checks that looked at a sentence that an accepted edit changed are stale."""
    queries = {query.id: query for query in state["queries"]}
    spans = sentences(state["text"])

    def sentence_of(query_id: str) -> Span | None:
        return next((s for s in spans if s.start <= queries[query_id].start < s.end), None)

    changed = {sentence_of(e.query_id) for e in edits if e.accepted}
    return [
        check.model_copy(update={"stale": True}) if sentence_of(check.query_id) in changed else check
        for check in checks
    ]


def _failed(error: Exception, query_id: str) -> Notice:
    return Notice(
        code="edit_failed",
        message=f"an edit could not be made: {type(error).__name__}: {error}",
        node="edit",
        query_id=query_id,
    )
