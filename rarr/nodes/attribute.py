"""Step 6: makes the report: at most M evidences that cover the queries best, and each sentence's status."""

from collections import defaultdict

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_report import card_sentences, disagreement_notices
from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.evidence_selection import Place, Relevances, place_of, scores_by_query, select_evidence
from rarr.ledger.scores import judged_sentences, sentence_support, support_by
from rarr.records import Evidence, Notice, Query, Report
from rarr.state import SentenceSupport, State, failure, usable
from rarr.tools.concurrency import work


async def attribute(state: State, runtime: Runtime[Components]) -> State:
    """Builds the report: the passages that together cover the queries best, and the sentences.

    A sentence has its status by its card, for which code has looked up what it quotes. Without cards, a
    verifier scores how far each passage supports it. A judge that is named for this node scores besides.
    """
    components, text = runtime.context, state["text"]
    relevances, warnings = await all_relevances(state, components)
    # LaMDA's report holds all evidence of the run (Gao et al. 2023, section 4.2).
    all_of_it = components.baseline.editor == "lamda"
    size = len(usable(state)) if all_of_it else components.settings.report_size
    chosen, coverage = await work(select_evidence, usable(state), size, relevances)
    has_cards = components.card_reader is not None
    update: State = {"relevances": relevances}
    supports = list[SentenceSupport]()
    if not has_cards or "attribute" in components.settings.models:
        queries = await work(moved_queries, state.get("queries", []), state.get("edits", []))
        supports, failures = await sentence_support("attribute", state, text, queries, chosen, components)
        update["supports"] = supports
        warnings += failures
    if has_cards:
        best = {support.span.start: support_by(support) for support in supports}
        sentences = tuple(
            sentence.model_copy(update={"support": best.get(sentence.start)})
            for sentence in await work(card_sentences, state)
        )
        warnings += disagreement_notices(state)
    else:
        sentences = await work(judged_sentences, state, supports, components.settings.support_threshold)
    report = Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=sentences)
    return {**update, "report": report, "warnings": warnings}


async def all_relevances(
    state: State, components: Components
) -> tuple[dict[str, dict[str, float]], list[Notice]]:
    """Scores each query against the passages of all other queries (Gao et al. 2023, section 3.4).

    Returns the scores by query id and evidence id, with those of earlier rounds, and a notice for each query
    that could not be scored.
    """
    relevances = {query_id: dict(scores) for query_id, scores in state.get("relevances", {}).items()}
    missing, notices = await work(_to_score, state, relevances), list[Notice]()
    outcomes = await scores_by_query("coverage", missing, components.reranker)
    for (query, passages), scores in zip(missing.items(), outcomes, strict=True):
        if isinstance(scores, Exception):
            problem, code = "passages of other queries could not be weighed for it", "coverage_incomplete"
            notices.append(failure("attribute", problem, scores, code=code, query_id=query.id))
        else:
            ids = (passage.id for passage in passages)
            relevances.setdefault(query.id, {}).update(zip(ids, scores, strict=True))
    return relevances, notices


def _to_score(state: State, relevances: Relevances) -> dict[Query, list[Evidence]]:
    """Returns by query the passages of other queries that lack a score, each place by its first id."""
    first: dict[Place, Evidence] = {}
    done: dict[str, set[Place]] = defaultdict(set)
    for passage in usable(state):
        first.setdefault(place_of(passage), passage)
        for query_id in (passage.query_id, *(it for it in relevances if passage.id in relevances[it])):
            done[query_id].add(place_of(passage))
    missing = {
        query: [passage for place, passage in first.items() if place not in done[query.id]]
        for query in state.get("queries", [])
    }
    return {query: passages for query, passages in missing.items() if passages}
