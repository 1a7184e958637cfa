"""Step 6: the report: at most M evidences that cover the queries best, and a status for every sentence."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.coverage import select_evidence
from rarr.ledger.parts import SURE_SUPPORT, AskedPlace, asked_places, is_converted, sentence_parts
from rarr.ledger.source_weight import Side, relevant_beside
from rarr.ledger.support import Support, moved_queries, own_support, with_refuting
from rarr.records import Check, Part, Query, Report, Sentence, Status, Verdict
from rarr.settings import Kind, Settings
from rarr.state import State, usable
from rarr.tools.concurrency.worker import work

# Evidence of less than this share of the relevance of what agrees does not make a tie a dispute.
DISPUTE_RELEVANCE_SHARE = 0.85
# A difference that is right less often than this contradicts no sentence.
LEAST_CONFIDENCE_TO_CONTRADICT = 0.55


async def attribute(state: State, runtime: Runtime[Components]) -> State:
    """Aligns the sentences of the revised text to evidence and says where each stands."""
    queries = await work(moved_queries, state.get("queries", []), state.get("edits", []))
    supports, failures = await own_support("attribute", state, state["text"], queries, runtime.context)
    supports, refusals = await with_refuting(state, supports, runtime.context)
    report = await work(_report, state, queries, supports, runtime.context.settings)
    return {"report": report, "warnings": failures + refusals}


def _report(
    state: State, queries: Sequence[Query], supports: Sequence[Support], settings: Settings
) -> Report:
    """`queries` have their places in the text as it now is."""
    outcomes = _QueryOutcomes(state, queries, settings.source_kinds)
    chosen, coverage = select_evidence(usable(state), settings.report_size)
    sentences = [_sentence(state, one, outcomes, settings.support_threshold) for one in supports]
    return Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=tuple(sentences))


def _is_sure(check: Check) -> bool:
    """Is it right often enough to contradict a sentence, and not only to suggest an edit?"""
    return check.confidence is None or check.confidence >= LEAST_CONFIDENCE_TO_CONTRADICT


class _QueryOutcomes:
    """What became of each query: its checks on the text as it now is, and whether its research failed.

    Evidence that was not checked, because that step failed, is `unknown` among the `verdicts`.
    """

    def __init__(self, state: State, queries: Sequence[Query], kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds
        self.queries = {query.id: query for query in queries}
        self.evidence = {one.id: one for one in usable(state)}
        self.failed = {query_id for query_id, why in state.get("unsearched", {}).items() if why == "failed"}
        self.checks: dict[str, list[Check]] = defaultdict(list)
        self.verdicts: dict[str, set[Verdict]] = defaultdict(set)
        fresh = {check.evidence_id: check for check in state.get("checks", []) if not check.stale}
        for one in usable(state):
            if check := fresh.get(one.id):
                self.checks[one.query_id].append(check)
            self.verdicts[one.query_id].add(check.verdict if check else "unknown")

    def contradicting(self, query_id: str) -> list[str]:
        """All evidence that took sides, where what disagrees with the text still is not outweighed."""
        sides = {
            check.evidence_id: check.verdict
            for check in self.checks[query_id]
            if check.verdict == "agrees" or (check.verdict == "disagrees" and _is_sure(check))
        }
        if "disagrees" not in sides.values():
            return []
        found = [self.evidence[one] for one in sides]
        found = relevant_beside(found, max(found, key=lambda one: one.relevance))
        against = Side([one for one in found if sides[one.id] == "disagrees"], self.kinds)
        agreeing = Side([one for one in found if sides[one.id] == "agrees"], self.kinds)
        question = self.queries[query_id].text
        if agreeing.outweighs(against, question):
            return []
        # Where they weigh the same, what is clearly further from the question makes no dispute: a namesake.
        tie = not against.outweighs(agreeing, question)
        return [] if tie and against.relevance < DISPUTE_RELEVANCE_SHARE * agreeing.relevance else list(sides)

    def agreeing(self, query_id: str) -> list[str]:
        """The most relevant evidence that agrees."""
        return [check.evidence_id for check in self.checks[query_id] if check.verdict == "agrees"][:1]

    def asked(self, text: str, one: Support) -> list[AskedPlace]:
        """What the queries about a sentence ask for."""
        return [
            asked
            for query_id in one.query_ids
            for asked in asked_places(text, one.span, self.queries[query_id], self.checks[query_id])
        ]

    def converted(self, one: Support) -> set[str]:
        """The evidence that says a number of a sentence in another way: rules compare these, not a reader."""
        checks = (check for query_id in one.query_ids for check in self.checks[query_id])
        return {check.evidence_id for check in checks if is_converted(check)}

    def judged(self, one: Support) -> bool:
        """Did a check say anything of a sentence? One that failed has neither verdict nor answers."""
        checks = (check for query_id in one.query_ids for check in self.checks[query_id])
        return any(c.verdict != "unknown" or c.text_answer or c.evidence_answer for c in checks)


def _sentence(state: State, one: Support, outcomes: _QueryOutcomes, threshold: float) -> Sentence:
    against = [e for query_id in one.query_ids for e in outcomes.contradicting(query_id)]
    asked = outcomes.asked(state["text"], one)
    converted = outcomes.converted(one)
    one = one._replace(refuting=one.refuting - converted, unclassified=one.unclassified - converted)
    left_out = one.refuting | one.unclassified
    evidence = {name: it for name, it in outcomes.evidence.items() if name not in left_out}
    parts = sentence_parts(state["text"], state["context"], one, asked, evidence, against)
    status, evidence_ids = _status(one, parts, outcomes, threshold, against)
    return Sentence(
        text=one.span.of(state["text"]),
        start=one.span.start,
        end=one.span.end,
        status=status,
        evidence_ids=tuple(dict.fromkeys(evidence_ids)),
        support=one.best,
        parts=tuple(parts),
    )


def _status(
    one: Support, parts: Sequence[Part], outcomes: _QueryOutcomes, threshold: float, against: list[str]
) -> tuple[Status, list[str]]:
    """Contradiction outweighs support; what failed is never passed off as what was not found."""
    if against:
        return "contradicted", against
    enough = threshold if parts else max(threshold, SURE_SUPPORT)
    reaching = {e: s for e, s in one.by_evidence.items() if s and s >= enough and e not in one.refuting}
    supporting = {e: score for e, score in reaching.items() if e not in one.unclassified}
    if supporting and all(part.state == "confirmed" for part in parts):
        best = max(supporting, key=lambda e: supporting[e])
        said = [part.evidence_id for part in parts]
        return "supported", [best, *said, *(e for q in one.query_ids for e in outcomes.agreeing(q))]
    if any(query_id in outcomes.failed for query_id in one.query_ids):
        return "retrieval_failed", []
    unclassified = bool(reaching) and not supporting
    if unclassified or not one.searched or None in one.by_evidence.values():
        return "unjudged", []
    verdicts = {verdict for query_id in one.query_ids for verdict in outcomes.verdicts[query_id]}
    if verdicts <= {"irrelevant"} and not (one.by_evidence and (one.best or 0.0) >= threshold):
        return "no_evidence", []
    if not outcomes.judged(one):
        return "unjudged", []
    return "unconfirmed", [part.evidence_id for part in parts if part.evidence_id]
