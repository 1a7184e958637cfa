"""Step 7: scores attribution before and after, preservation, and their harmonic mean."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.attribution_scores import auto_ais
from rarr.ledger.next_round import next_round
from rarr.ledger.preservation import f1_ap, pres_lev
from rarr.ledger.support import own_support
from rarr.records import Notice, Scores
from rarr.state import State, failure
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.meter import meter


async def evaluate(state: State, runtime: Runtime[Components]) -> State:
    """Scores both texts by all evidence of the run, of which the report names at most M.

    Also decides for which sentences another round of research is due. Intent is judged after the last round.
    """
    supports, failures = [sentence.support for sentence in state["report"].sentences], list[Notice]()
    originals: list[float | None] = supports
    if state["text"] != state["original"]:
        before_edits, failures = await own_support(
            "evaluate", state, state["original"], state["queries"], runtime.context
        )
        originals = [support.best for support in before_edits]
    before, after = _judged_in_both(originals, supports)
    kept = await work(pres_lev, state["original"], state["text"])
    # A baseline rewrites a text only once.
    rounds = 1 if runtime.context.rewriter else runtime.context.settings.rounds
    following = await work(next_round, state, rounds)
    intent, failed = await _intent(state, runtime.context) if not following["lacking"] else (None, [])
    scores = Scores(
        attribution_before=auto_ais(before),
        attribution_after=auto_ais(after),
        preservation=kept,
        f1_ap=f1_ap(auto_ais(after), kept),
        intent=intent,
    )
    judged = (list(before), list(after))
    return {"scores": scores, "judged": judged, "warnings": failures + failed, **following}


def _judged_in_both(
    before: Sequence[float | None], after: Sequence[float | None]
) -> tuple[Sequence[float | None], Sequence[float | None]]:
    """Selects the supports of sentences that were judged in both texts, so that no failure moves the mean.

    If an edit made more or fewer sentences, sentences cannot be paired, and all count.
    """
    if len(before) != len(after) or not any(support is not None for support in before):
        return before, after
    pairs = [(b, a) for b, a in zip(before, after, strict=True) if b is not None and a is not None]
    return [b for b, _ in pairs], [a for _, a in pairs]


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
