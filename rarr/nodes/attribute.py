"""Step 6: the report: at most M evidences that cover the queries best, and a status for every sentence."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.settings import Kind, Settings
from rarr.agent.sources import Side, heard
from rarr.agent.state import State, usable
from rarr.agent.support import Support, moved, own_support
from rarr.records import Check, Evidence, Report, Sentence, Status, Verdict
from rarr.tools.worker import work

# Up to this many subsets, all are tried; above, the greedy choice is close to the best.
EXHAUSTIVE_SUBSETS = 2000
# Evidence of less than this share of the relevance of what agrees does not make a tie a dispute.
FURTHER = 0.85

Place = tuple[str, int, int]  # source, start, end: where a passage stands


async def attribute(state: State, runtime: Runtime[Components]) -> State:
    """Aligns the sentences of the revised text to evidence and says where each stands."""
    queries = await work(moved, state.get("queries", []), state.get("edits", []))
    supports, failures = await own_support("attribute", state, state["text"], queries, runtime.context)
    return {"report": await work(_report, state, supports, runtime.context.settings), "warnings": failures}


def _report(state: State, supports: Sequence[Support], settings: Settings) -> Report:
    outcomes = _Outcomes(state, settings.source_kinds)
    chosen, coverage = select(usable(state), settings.report_size)
    sentences = [_sentence(state, one, outcomes, settings.support_threshold) for one in supports]
    return Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=tuple(sentences))


def select(evidence: Sequence[Evidence], most: int) -> tuple[list[str], float]:
    """At most `most` evidences that maximise coverage: the sum over queries of the best relevance.

    Gao et al. 2023, section 3.4. One passage that was kept for several queries covers them all.
    """
    passages: dict[Place, dict[str, float]] = defaultdict(dict)
    names: dict[Place, str] = {}
    for one in evidence:
        place = (one.source, one.start, one.end)
        passages[place][one.query_id] = max(one.relevance, passages[place].get(one.query_id, 0.0))
        names.setdefault(place, one.id)
    places = list(passages)
    size = min(most, len(places))
    if comb(len(places), size) <= EXHAUSTIVE_SUBSETS:
        best = max(combinations(places, size), key=lambda subset: _coverage(passages[p] for p in subset))
        chosen = list(best)
    else:
        chosen = _greedy(places, passages, size)
    return [names[place] for place in chosen], _coverage(passages[place] for place in chosen)


def _coverage(relevances: Iterable[dict[str, float]]) -> float:
    best: dict[str, float] = {}
    for relevance in relevances:
        for query_id, value in relevance.items():
            best[query_id] = max(value, best.get(query_id, 0.0))
    return sum(best.values())


def _greedy(places: list[Place], passages: dict[Place, dict[str, float]], size: int) -> list[Place]:
    """Coverage is submodular, so adding the best next one each time is within 1 - 1/e of the best."""
    chosen: list[Place] = []
    covered: dict[str, float] = {}

    def gain(place: Place) -> float:
        return sum(max(0.0, value - covered.get(q, 0.0)) for q, value in passages[place].items())

    while len(chosen) < size:
        best = max((place for place in places if place not in chosen), key=gain)
        chosen.append(best)
        covered |= {q: max(value, covered.get(q, 0.0)) for q, value in passages[best].items()}
    return chosen


class _Outcomes:
    """What became of each query: its checks on the text as it now is, and whether its research failed.

    Evidence that was not checked, because that step failed, is `unknown` among the `verdicts`.
    """

    def __init__(self, state: State, kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds
        self.questions = {query.id: query.text for query in state.get("queries", [])}
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
            c.evidence_id: c.verdict for c in self.checks[query_id] if c.verdict in ("agrees", "disagrees")
        }
        if "disagrees" not in sides.values():
            return []
        found = [self.evidence[one] for one in sides]
        found = heard(found, max(found, key=lambda one: one.relevance))
        against = Side([one for one in found if sides[one.id] == "disagrees"], self.kinds)
        agreeing = Side([one for one in found if sides[one.id] == "agrees"], self.kinds)
        question = self.questions[query_id]
        if agreeing.outweighs(against, question):
            return []
        # Where they weigh the same, what is clearly further from the question makes no dispute: a namesake.
        tie = not against.outweighs(agreeing, question)
        return [] if tie and against.relevance < FURTHER * agreeing.relevance else list(sides)

    def agreeing(self, query_id: str) -> list[str]:
        """The most relevant evidence that agrees."""
        return [check.evidence_id for check in self.checks[query_id] if check.verdict == "agrees"][:1]


def _sentence(state: State, one: Support, outcomes: _Outcomes, threshold: float) -> Sentence:
    status, evidence_ids = _status(one, outcomes, threshold)
    return Sentence(
        text=one.span.of(state["text"]),
        start=one.span.start,
        end=one.span.end,
        status=status,
        evidence_ids=tuple(dict.fromkeys(evidence_ids)),
        support=one.best,
    )


def _status(one: Support, outcomes: _Outcomes, threshold: float) -> tuple[Status, list[str]]:
    """Contradiction outweighs support; what failed is never passed off as what was not found."""
    if against := [e for query_id in one.query_ids for e in outcomes.contradicting(query_id)]:
        return "contradicted", against
    if one.by_evidence and one.best is not None and one.best >= threshold:
        best = max(one.by_evidence, key=lambda e: one.by_evidence[e] or 0.0)
        return "supported", [best, *(e for q in one.query_ids for e in outcomes.agreeing(q))]
    if any(query_id in outcomes.failed for query_id in one.query_ids):
        return "retrieval_failed", []
    if not one.searched or None in one.by_evidence.values():
        return "unjudged", []
    verdicts = {verdict for query_id in one.query_ids for verdict in outcomes.verdicts[query_id]}
    return ("no_evidence", []) if verdicts <= {"irrelevant"} else ("unjudged", [])
