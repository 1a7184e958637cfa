"""Step 7: scores attribution before and after, preservation, and their harmonic mean."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.attribution_scores import JudgedTexts, attribution_scores, judged_by_report
from rarr.ledger.card_report import card_attribution, scores_of_shares
from rarr.ledger.next_round import next_round
from rarr.ledger.preservation import pres_lev
from rarr.ledger.sentence_support import own_support
from rarr.records import Notice, Scores
from rarr.state import SentenceSupport, State, failure, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter


async def evaluate(state: State, runtime: Runtime[Components]) -> State:
    """Scores the original and the revised text by the passages of the report, and by all evidence of the run.

    Also decides for which sentences another round of research is due. Before the last round, only
    preservation is scored.
    """
    components, settings = runtime.context, runtime.context.settings
    # A baseline rewrites a text only once, and a search of the same words or none finds nothing more.
    reader = components.card_reader
    embedded = reader is not None and not reader.is_model
    once = components.rewriter is not None or embedded or not components.searches
    following = await work(next_round, state, 1 if once else settings.rounds)
    kept = await work(pres_lev, state["original"], state["text"])
    if following["lacking"]:
        return {"scores": Scores(preservation=kept), **following}
    intent, failed = await _intent(state, components)
    if components.card_reader is not None and "supports" not in state:
        shares = await work(card_attribution, state)
        scores = scores_of_shares(shares, kept, intent)
        return {"scores": scores, "attributed": shares, "warnings": failed, **following}
    judged, failures = await _judged(state, components)
    scores = attribution_scores(judged, usable(state), state["report"].evidence_ids, kept, intent)
    return {
        "scores": scores,
        # Repeated for the trace: that of a run that was killed and resumed may lack the update of attribute.
        "relevances": state.get("relevances", {}),
        "judged": (judged.before, judged.after),
        "warnings": failures + failed,
        **following,
    }


async def _judged(state: State, components: Components) -> tuple[JudgedTexts, list[Notice]]:
    """Judges both texts, original and revised, sentence by sentence, by the passages of the report.

    An unchanged text is judged only once. The original is also judged by the evidence of its own queries.
    """
    text, original = state["text"], state["original"]
    after, failures = await judged_by_report("evaluate", state, text, state.get("supports", []), components)
    if text == original:
        return JudgedTexts(after, after), failures
    found, unjudged = await own_support("evaluate", state, original, state["queries"], components)
    before = [SentenceSupport(support.span, support.by_evidence, support.searched) for support in found]
    before, others = await judged_by_report("evaluate", state, original, before, components)
    return JudgedTexts(before, after), failures + unjudged + others


async def _intent(state: State, components: Components) -> tuple[float | None, list[Notice]]:
    """Asks the intent judge; None without a judge or for a failure, and 1 for an unchanged text."""
    if components.intent_judge is None:
        return None, []
    if state["text"] == state["original"]:
        return 1.0, []
    try:
        async with meter().in_time():
            judge = components.intent_judge.preserved
            return await judge(state["original"], state["text"], state["context"]), []
    except Exception as error:
        return None, [failure("evaluate", "whether the intent is kept could not be judged", error)]
