"""Step 6: makes the report: at most M evidences that cover the queries best, and each sentence's status.

A status says whether evidence supports or contradicts the sentence; each sentence also gets its parts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.asked_places import AskedPlace, agrees_on_other_amounts, asked_places
from rarr.ledger.card_report import card_sentences, disagreement_notices
from rarr.ledger.confirmed_parts import (
    SURE_SUPPORT,
    sentence_parts,
    told_in_swapped_roles,
)
from rarr.ledger.cross_query_relevance import all_relevances
from rarr.ledger.evidence_selection import Relevances, select_evidence
from rarr.ledger.passages_about_something_else import other_contexts
from rarr.ledger.sentence_support import Support, moved_queries, own_support, with_refuting
from rarr.ledger.shared_names import SharedName, shared_name
from rarr.ledger.source_weight import Side, relevant_beside
from rarr.records import Check, Notice, Part, Query, Report, Sentence, Status, Verdict
from rarr.settings import Kind, Settings
from rarr.state import SentenceSupport, State, usable
from rarr.tools.concurrency.worker_threads import work

# At equal weight, evidence below this share of the agreeing evidence's relevance makes no dispute.
DISPUTE_RELEVANCE_SHARE = 0.85
# A disagreement with less confidence does not contradict a sentence.
LEAST_CONFIDENCE_TO_CONTRADICT = 0.55


async def attribute(state: State, runtime: Runtime[Components]) -> State:
    """Builds the report: the status, parts and passages of each sentence of the current text.

    It also holds the passages that together cover the queries best.
    """
    if runtime.context.card_reader is not None:
        return await _attribute_cards(state, runtime.context)
    queries = await work(moved_queries, state.get("queries", []), state.get("edits", []))
    supports, failures = await own_support("attribute", state, state["text"], queries, runtime.context)
    supports, refusals = await with_refuting(state, supports, runtime.context)
    relevances, unscored = await all_relevances(state, runtime.context)
    report = await work(_report, state, queries, supports, relevances, runtime.context)
    shared = await work(shared_names, state, queries, supports, runtime.context.settings)
    return {
        "report": report,
        "relevances": relevances,
        "supports": [SentenceSupport(it.span, it.by_evidence, it.searched) for it in supports],
        "warnings": failures + refusals + unscored + shared,
    }


async def _attribute_cards(state: State, components: Components) -> State:
    """Builds the report by the cards: code has looked up what they quote.

    A judge that is named for this node scores support besides.
    """
    relevances, unscored = await all_relevances(state, components)
    size = len(usable(state)) if components.baseline.reports_all else components.settings.report_size
    chosen, coverage = await work(select_evidence, usable(state), size, relevances)
    sentences = await work(card_sentences, state)
    report = Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=sentences)
    update: State = {"report": report, "relevances": relevances}
    warnings = [*unscored, *disagreement_notices(state)]
    if "attribute" in components.settings.models:
        queries = await work(moved_queries, state.get("queries", []), state.get("edits", []))
        supports, failures = await own_support("attribute", state, state["text"], queries, components)
        update["supports"] = [SentenceSupport(it.span, it.by_evidence, it.searched) for it in supports]
        warnings += failures
    return {**update, "warnings": warnings}


def _report(
    state: State,
    queries: Sequence[Query],
    supports: Sequence[Support],
    relevances: Relevances,
    components: Components,
) -> Report:
    """Builds the report: the passages that cover the queries best, and the sentences with their statuses.

    `queries` have their places in the current text.
    """
    settings, evidence = components.settings, usable(state)
    size = len(evidence) if components.baseline.reports_all else settings.report_size
    chosen, coverage = select_evidence(evidence, size, relevances)
    sentences = judged_sentences(state, queries, supports, settings)
    return Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=sentences)


def judged_sentences(
    state: State, queries: Sequence[Query], supports: Sequence[Support], settings: Settings
) -> tuple[Sentence, ...]:
    """Gives each sentence its status and parts. `queries` have their places in the current text."""
    outcomes = _QueryOutcomes(state, queries, settings.source_kinds)
    return tuple(_sentence(state, support, outcomes, settings.support_threshold) for support in supports)


def shared_names(
    state: State, queries: Sequence[Query], supports: Sequence[Support], settings: Settings
) -> list[Notice]:
    """Returns a warning for each name that several pages bear and that leaves a sentence unconfirmed."""
    outcomes = _QueryOutcomes(state, queries, settings.source_kinds)
    found = (outcomes.shared_name(state, support) for support in supports)
    return list(dict.fromkeys(shared.notice() for shared in found if shared))


def _is_sure(check: Check) -> bool:
    """Is the check sure enough to contradict a sentence, and not only to suggest an edit?"""
    return check.confidence is None or check.confidence >= LEAST_CONFIDENCE_TO_CONTRADICT


class _QueryOutcomes:
    """Collects for each query its checks on the current text, and whether its search failed.

    In `verdicts`, evidence without a check on the current text is `unknown`.
    """

    def __init__(self, state: State, queries: Sequence[Query], kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds
        self.queries = {query.id: query for query in queries}
        self.evidence = {passage.id: passage for passage in usable(state)}
        self.failed = {query_id for query_id, why in state.get("unsearched", {}).items() if why == "failed"}
        self.checks: dict[str, list[Check]] = defaultdict(list)
        self.verdicts: dict[str, set[Verdict]] = defaultdict(set)
        fresh = {check.evidence_id: check for check in state.get("checks", []) if not check.stale}
        for passage in usable(state):
            if check := fresh.get(passage.id):
                self.checks[passage.query_id].append(check)
            self.verdicts[passage.query_id].add(check.verdict if check else "unknown")

    def contradicting(self, text: str, support: Support) -> list[str]:
        """Returns the ids of evidence for and against, if evidence contradicts an answer of the text.

        The checks of all queries about one place of the text count together. Empty if no check disagrees
        surely, or if the agreeing evidence weighs more, or weighs as much and is clearly more relevant. A
        passage about something else contradicts no value.
        """
        by_place: dict[tuple[int, int], list[Query]] = defaultdict(list)
        for query_id in support.query_ids:
            query = self.queries[query_id]
            by_place[query.start, query.end].append(query)
        return [
            name
            for queries in by_place.values()
            for name in self._disputed(
                queries, other_contexts(text, support.span, queries, self.checks, self.evidence)
            )
        ]

    def _disputed(self, queries: Sequence[Query], otherwise: Set[str]) -> list[str]:
        sides = {
            check.evidence_id: check.verdict
            for query in queries
            for check in self.checks[query.id]
            if check.verdict == "agrees"
            or (check.verdict == "disagrees" and _is_sure(check) and check.evidence_id not in otherwise)
        }
        if "disagrees" not in sides.values():
            return []
        passages = [self.evidence[name] for name in sides]
        passages = relevant_beside(passages, max(passages, key=lambda passage: passage.relevance))
        against = Side([passage for passage in passages if sides[passage.id] == "disagrees"], self.kinds)
        agreeing = Side([passage for passage in passages if sides[passage.id] == "agrees"], self.kinds)
        question = queries[0].text
        if agreeing.outweighs(against, question):
            return []
        # At equal weight, clearly less relevant evidence makes no dispute: it may be about a namesake.
        tie = not against.outweighs(agreeing, question)
        return [] if tie and against.relevance < DISPUTE_RELEVANCE_SHARE * agreeing.relevance else list(sides)

    def agreeing(self, query_id: str) -> list[str]:
        """Returns the id of the most relevant evidence that agrees; none if nothing agrees."""
        return [check.evidence_id for check in self.checks[query_id] if check.verdict == "agrees"][:1]

    def asked(self, text: str, support: Support) -> list[AskedPlace]:
        """Returns the places that the queries about a sentence ask for, with their checks."""
        return [
            asked
            for query_id in support.query_ids
            for asked in asked_places(text, support.span, self.queries[query_id], self.checks[query_id])
        ]

    def converted(self, support: Support) -> set[str]:
        """Returns the ids of evidence that agrees with a number of the sentence, converted or rounded."""
        checks = (check for query_id in support.query_ids for check in self.checks[query_id])
        return {check.evidence_id for check in checks if agrees_on_other_amounts(check)}

    def shared_name(self, state: State, support: Support) -> SharedName | None:
        """Finds a name that several pages bear which answer the sentence differently; None for none."""
        checks = [check for query_id in support.query_ids for check in self.checks[query_id]]
        return shared_name(state["text"], state["context"], checks, self.evidence)

    def ids_of(self, titles: Set[str]) -> frozenset[str]:
        """Returns the ids of the evidence with these titles."""
        return frozenset(name for name, passage in self.evidence.items() if passage.title in titles)

    def judged(self, support: Support) -> bool:
        """Was a check about the sentence judged? A failed check has neither verdict nor answers."""
        checks = (check for query_id in support.query_ids for check in self.checks[query_id])
        return any(c.verdict != "unknown" or c.text_answer or c.evidence_answer for c in checks)


def _sentence(state: State, support: Support, outcomes: _QueryOutcomes, threshold: float) -> Sentence:
    against = outcomes.contradicting(state["text"], support)
    against += told_in_swapped_roles(state["text"], state["context"], support, outcomes.evidence)
    shared = outcomes.shared_name(state, support)
    of_bearers = outcomes.ids_of(shared.titles) if shared else frozenset[str]()
    against = [name for name in against if name not in of_bearers]
    asked = outcomes.asked(state["text"], support)
    not_refuting = outcomes.converted(support)
    support = support._replace(
        refuting=support.refuting - not_refuting, unclassified=support.unclassified - not_refuting
    )
    left_out = support.refuting | support.unclassified | of_bearers
    evidence = {name: it for name, it in outcomes.evidence.items() if name not in left_out}
    parts = sentence_parts(state["text"], state["context"], support, asked, evidence, against)
    status, evidence_ids = _status(support, parts, outcomes, threshold, against)
    if shared and not against:  # nothing tells which of the things is meant
        status, evidence_ids = "unconfirmed", [passage.id for passage in shared.bearers]
    return Sentence(
        text=support.span.of(state["text"]),
        start=support.span.start,
        end=support.span.end,
        status=status,
        evidence_ids=tuple(dict.fromkeys(evidence_ids)),
        support=support.best,
        parts=tuple(parts),
    )


def _status(
    support: Support, parts: Sequence[Part], outcomes: _QueryOutcomes, threshold: float, against: list[str]
) -> tuple[Status, list[str]]:
    """Decides the status of a sentence, and returns it with the ids of its evidence.

    `contradicted` with evidence `against`; else `supported` if one evidence supports the whole sentence and
    all parts are confirmed. A failed search or judgement is never `no_evidence`.
    """
    if against:
        return "contradicted", against
    enough = threshold if parts else max(threshold, SURE_SUPPORT)
    reaching = {
        e: s for e, s in support.by_evidence.items() if s and s >= enough and e not in support.refuting
    }
    supporting = {e: score for e, score in reaching.items() if e not in support.unclassified}
    if supporting and all(part.state == "confirmed" for part in parts):
        best = max(supporting, key=lambda e: supporting[e])
        confirming = [part.evidence_id for part in parts]
        return "supported", [best, *confirming, *(e for q in support.query_ids for e in outcomes.agreeing(q))]
    if any(query_id in outcomes.failed for query_id in support.query_ids):
        return "retrieval_failed", []
    unclassified = bool(reaching) and not supporting
    # No query asks for a word such as "not", but supporting passages show whether they have it.
    if supporting and parts and not support.query_ids:
        return "unconfirmed", [max(supporting, key=lambda e: supporting[e])]
    if unclassified or not support.searched or None in support.by_evidence.values():
        return "unjudged", []
    verdicts = {verdict for query_id in support.query_ids for verdict in outcomes.verdicts[query_id]}
    if verdicts <= {"irrelevant"} and not (support.by_evidence and (support.best or 0.0) >= threshold):
        return "no_evidence", []
    if not outcomes.judged(support):
        return "unjudged", []
    return "unconfirmed", [part.evidence_id for part in parts if part.evidence_id]
