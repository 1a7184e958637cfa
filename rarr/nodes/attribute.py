"""Step 6: makes the report: the evidence that covers the queries best, and the status of each sentence."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_report import card_sentences, disagreement_notices
from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.evidence_selection import all_relevances, select_evidence
from rarr.ledger.scores import best_support, judged_sentences, sentence_support
from rarr.records import Report
from rarr.state import SentenceSupport, State, usable_evidence
from rarr.tools.concurrency import work


async def attribute(state: State, runtime: Runtime[Components]) -> State:
    """Builds the report: the passages that together cover the queries best, and the status of each sentence.

    The card of a sentence (the reader's judgement) gives the status. Without cards, a verifier scores how
    well each passage supports the sentence. A judge that the settings name also scores each sentence.
    """
    components, text = runtime.context, state["text"]
    relevances, warnings = await all_relevances(state, components)
    # LaMDA's report holds all evidence of the run (Gao et al. 2023, section 4.2).
    all_of_it = components.baseline.editor == "lamda"
    size = len(usable_evidence(state)) if all_of_it else components.settings.report_size
    chosen, coverage = await work(select_evidence, usable_evidence(state), size, relevances)
    has_cards = components.card_reader is not None
    update: State = {"relevances": relevances}
    supports = list[SentenceSupport]()
    if not has_cards or "attribute" in components.settings.models:
        queries = await work(moved_queries, state.get("queries", []), state.get("edits", []))
        supports, failures = await sentence_support("attribute", state, text, queries, chosen, components)
        update["supports"] = supports
        warnings += failures
    if has_cards:
        best = {support.span.start: best_support(support) for support in supports}
        sentences = tuple(
            sentence.model_copy(update={"support": best.get(sentence.start)})
            for sentence in await work(card_sentences, state)
        )
        warnings += disagreement_notices(state)
    else:
        sentences = await work(judged_sentences, state, supports, components.settings.support_threshold)
    report = Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=sentences)
    return {**update, "report": report, "warnings": warnings}
