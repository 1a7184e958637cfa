"""Step 7: scores the attribution before and after the edits, the preservation, and their harmonic mean."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_report import card_attribution
from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.scores import best_support, scores_of, sentence_support
from rarr.records import Notice, Scores
from rarr.records.cards_and_edits import pres_lev
from rarr.state import Attributed, State
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import is_failure


async def evaluate(state: State, runtime: Runtime[Components]) -> State:
    """Scores the original and the revised text, by the cards, or by the judge that the settings name.

    Also decides which sentences need another round of research. Before the last round, only preservation is
    scored.
    """
    components, settings = runtime.context, runtime.context.settings
    # A baseline rewrites a text only once, and a search of the same words or none finds nothing more.
    reader = components.card_reader
    embedded = reader is not None and not reader.is_model
    once = components.rewriter is not None or embedded or not components.searches
    rounds, texts = 1 if once else settings.rounds, (state["original"], state["text"])
    following, kept = await work(lambda: (next_round_update(state, rounds), pres_lev(texts)))
    if following["lacking"]:
        return {"scores": Scores(preservation=kept), **following}
    attributed, failures = await _attributed(state, components)
    return {
        "scores": scores_of(attributed, kept),
        # Repeated for the trace: that of a run that was killed and resumed may lack the update of attribute.
        "relevances": state.get("relevances", {}),
        "attributed": attributed,
        "warnings": failures,
        **following,
    }


async def _attributed(state: State, components: Components) -> tuple[Attributed, list[Notice]]:
    """Returns the support of each sentence by the report, in the original and in the revised text.

    An unchanged text is not judged again: the node attribute has judged it.
    """
    if "supports" not in state:
        return await work(card_attribution, state), []
    ids, after = state["report"].evidence_ids, state["supports"]
    before, failures = after, list[Notice]()
    if state["text"] != state["original"]:
        before, failures = await sentence_support(
            "evaluate", state, state["original"], state["queries"], ids, components
        )
    return ([best_support(it, ids) for it in before], [best_support(it, ids) for it in after]), failures


def next_round_update(state: State, rounds: int) -> State:
    """Decides whether another round of research follows, and returns the update of the state for it.

    `lacking` in the update lists the sentences for the next round. It is empty if no sentence lacks support,
    if `rounds` or the budget are used up, or if the last round (not the first) neither supported another
    sentence nor made another edit. `rounds` is the most rounds of a run.
    """
    done, sentences = state.get("round", 1), state["report"].sentences
    reached = (
        sum(sentence.status == "supported" for sentence in sentences),
        sum(edit.accepted for edit in state.get("edits", [])),
    )
    helped = done == 1 or any(now > was for now, was in zip(reached, state["reached"], strict=True))
    if done >= rounds or not helped or meter().is_exhausted or not (lacking := _lacking(state)):
        return {"lacking": []}
    return {"lacking": lacking, "round": done + 1, "reached": reached}


def _lacking(state: State) -> list[Span]:
    """Returns the sentences that are neither supported nor contradicted, and whose research did not fail.

    Returns [] after a failure that concerns more than one query.
    """
    failed = {warning.query_id for warning in state["warnings"] if is_failure(warning)}
    if None in failed:  # no single query is to blame
        return []
    queries = moved_queries(state.get("queries", []), state.get("edits", []))
    places = [Span(query.start, query.end) for query in queries if query.id in failed]
    spans = (
        Span(sentence.start, sentence.end)
        for sentence in state["report"].sentences
        if sentence.status in ("no_evidence", "unconfirmed", "unjudged")
    )
    return [span for span in spans if not any(span.overlaps(place) for place in places)]
