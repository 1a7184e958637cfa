"""Step 7: scores the attribution before and after the edits, the preservation, and their harmonic mean."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_report import card_support_before_and_after
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

    Decides which sentences need another round of research. Before such a round, scores only preservation.
    """
    components, settings = runtime.context, runtime.context.settings
    # A rewriting baseline has one round. Without new questions or a search, a round would find nothing new.
    reader = components.card_reader
    embedded = reader is not None and not reader.is_model
    once = components.rewriter is not None or embedded or not components.searches
    rounds, texts = 1 if once else settings.rounds, (state["original"], state["text"])
    following, kept = await work(lambda: (next_round_update(state, rounds), pres_lev(texts)))
    if following["lacking"]:
        return {"scores": Scores(preservation=kept), **following}
    attributed, failures = await _support_before_and_after(state, components)
    return {
        "scores": scores_of(attributed, kept),
        # The trace of a resumed run may lack the update of the node attribute, which has the relevances.
        "relevances": state.get("relevances", {}),
        "attributed": attributed,
        "warnings": failures,
        **following,
    }


async def _support_before_and_after(state: State, components: Components) -> tuple[Attributed, list[Notice]]:
    """Returns the support of each sentence, in the original and in the revised text, and the warnings.

    If the text is unchanged, no judge is asked: the node attribute has asked already.
    """
    if "supports" not in state:
        return await work(card_support_before_and_after, state), []
    ids, after = state["report"].evidence_ids, state["supports"]
    before, failures = after, list[Notice]()
    if state["text"] != state["original"]:
        before, failures = await sentence_support(
            "evaluate", state, state["original"], state["queries"], ids, components
        )
    return ([best_support(it, ids) for it in before], [best_support(it, ids) for it in after]), failures


def next_round_update(state: State, rounds: int) -> State:
    """Decides whether another round of research follows, and returns the update of the state for it.

    `lacking` in the update lists sentences for another round. It is empty if no sentence lacks support,
    if `rounds` (the most rounds of a run) or the budget are used up, or if this round did not help. A round
    after the first helps if it brings more supported sentences or more accepted edits.
    """
    done, sentences = state.get("round", 1), state["report"].sentences
    reached = (
        sum(sentence.status == "supported" for sentence in sentences),
        sum(edit.accepted for edit in state.get("edits", [])),
    )
    helped = done == 1 or any(now > was for now, was in zip(reached, state["reached"], strict=True))
    if done >= rounds or not helped or meter().is_exhausted or not (lacking := _sentences_to_research(state)):
        return {"lacking": []}
    return {"lacking": lacking, "round": done + 1, "reached": reached}


def _sentences_to_research(state: State) -> list[Span]:
    """Returns the places of the sentences that are neither supported nor contradicted.

    If a query failed, leaves out the sentences of this query. After any other failure, returns [].
    """
    failed = {warning.query_id for warning in state["warnings"] if is_failure(warning)}
    if None in failed:  # a failure that is not about a single query
        return []
    queries = moved_queries(state.get("queries", []), state.get("edits", []))
    places = [Span(query.start, query.end) for query in queries if query.id in failed]
    spans = (
        Span(sentence.start, sentence.end)
        for sentence in state["report"].sentences
        if sentence.status in ("no_evidence", "unconfirmed", "unjudged")
    )
    return [span for span in spans if not any(span.overlaps(place) for place in places)]
