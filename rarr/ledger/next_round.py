"""Decides whether another round of research is due, and for which sentences."""

from rarr.ledger.sentence_support import moved_queries
from rarr.state import State
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.warning_lines import is_failure


def next_round(state: State, rounds: int) -> State:
    """Decides about another round, and returns the update of the state for it.

    `lacking` holds the sentences of the round, and is empty if no round is due.

    No round is due if no sentence lacks support, if the settings or the budget allow no more, or if a later
    round neither supported another sentence nor changed the text. `rounds` is the most that a run may have.
    """
    done, sentences = state.get("round", 1), state["report"].sentences
    reached = (
        sum(sentence.status == "supported" for sentence in sentences),
        sum(edit.accepted for edit in state.get("edits", [])),
    )
    helped = done == 1 or any(now > was for now, was in zip(reached, state["reached"], strict=True))
    if done >= rounds or not helped or meter().exhausted or not (lacking := _lacking(state)):
        return {"lacking": []}
    return {"lacking": lacking, "round": done + 1, "reached": reached}


def _lacking(state: State) -> list[Span]:
    """Finds the sentences that are neither supported nor contradicted, without those whose research failed.

    Empty if a failure concerns no single query.
    """
    failed = {warning.query_id for warning in state["warnings"] if is_failure(warning)}
    if None in failed:  # no single query is to blame
        return []
    places = [
        Span(query.start, query.end)
        for query in moved_queries(state.get("queries", []), state.get("edits", []))
        if query.id in failed
    ]
    spans = (
        Span(sentence.start, sentence.end)
        for sentence in state["report"].sentences
        if sentence.status in ("no_evidence", "unconfirmed", "unjudged")
    )
    return [span for span in spans if not any(span.overlaps(place) for place in places)]
