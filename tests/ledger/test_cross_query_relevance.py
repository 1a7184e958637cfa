"""Cover(A) of the paper: every query is scored against every passage. Values computed by hand."""

import pytest
from makers import evidence, query, runtime, state

from rarr.ledger.cross_query_relevance import all_relevances
from rarr.ledger.evidence_selection import select_evidence
from rarr.records import Passage
from rarr.testing import ScriptedReranker

QUERIES = [query(id=f"q{n}", text=f"Question {n}?") for n in (1, 2, 3)]
FOUND = [
    evidence("First.", id="q1.1", relevance=0.9),
    evidence("Second.", id="q2.1", relevance=0.8, start=500),
    evidence("Third.", id="q3.1", relevance=0.7, start=900),
]
OTHERS = {
    "q1": {"q2.1": 0.1, "q3.1": 0.6},
    "q2": {"q1.1": 0.2, "q3.1": 0.7},
    "q3": {"q1.1": 0.1, "q2.1": 0.3},
}


def test_coverage_of_the_paper_is_the_best_relevance_of_any_passage() -> None:
    """One passage: 0.9 + 0.2 + 0.1, 0.1 + 0.8 + 0.3, or 0.6 + 0.7 + 0.7, which is last by its own query."""
    assert select_evidence(FOUND, 1) == (["q1.1"], 0.9)
    chosen, coverage = select_evidence(FOUND, 1, OTHERS)
    assert chosen == ["q3.1"]
    assert coverage == pytest.approx(2.0)


def test_coverage_of_two_passages_takes_the_better_of_both_for_each_query() -> None:
    """First and third: 0.9 + 0.7 + 0.7 = 2.3; first and second: 0.9 + 0.8 + 0.3 = 2.0."""
    chosen, coverage = select_evidence(FOUND, 2, OTHERS)
    assert chosen == ["q1.1", "q3.1"]
    assert coverage == pytest.approx(2.3)


class CountedScores:
    """Scores by the table, and keeps the questions with their passages."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str]]] = []

    async def score(self, asked: str, passages: list[Passage]) -> list[float]:
        self.calls.append((asked, [passage.text for passage in passages]))
        return [len(passage.text) / 100 for passage in passages]


async def test_passages_of_other_queries_are_scored_once() -> None:
    reranker = CountedScores()
    asked = state(queries=QUERIES, found=[*FOUND, evidence("First.", id="q3.2")])
    relevances, notices = await all_relevances(asked, runtime(reranker=reranker).context)
    assert reranker.calls == [
        ("Question 1?", ["Second.", "Third."]),
        ("Question 2?", ["First.", "Third."]),
        ("Question 3?", ["Second."]),  # its own passages hold the first place
    ]
    assert relevances["q1"] == {"q2.1": 0.07, "q3.1": 0.06}
    assert notices == []
    again, _ = await all_relevances({**asked, "relevances": relevances}, runtime(reranker=reranker).context)
    assert (again, len(reranker.calls)) == (relevances, 3)


async def test_query_without_evidence_is_covered_by_others() -> None:
    asked = state(queries=QUERIES[:2], found=FOUND[:1])
    relevances, _ = await all_relevances(asked, runtime(reranker=CountedScores()).context)
    assert relevances == {"q2": {"q1.1": 0.06}}
    assert select_evidence(FOUND[:1], 5, relevances)[1] == pytest.approx(0.96)


async def test_query_with_the_same_words_takes_the_known_relevance() -> None:
    reranker = CountedScores()
    twins = [QUERIES[0], QUERIES[1].model_copy(update={"text": QUERIES[0].text})]
    relevances, _ = await all_relevances(
        state(queries=twins, found=FOUND[:2]), runtime(reranker=reranker).context
    )
    assert (relevances, reranker.calls) == ({"q1": {"q2.1": 0.8}, "q2": {"q1.1": 0.9}}, [])


async def test_follow_up_is_not_scored() -> None:
    reranker = CountedScores()
    follow_up = QUERIES[1].model_copy(update={"follows": "e1"})
    await all_relevances(
        state(queries=[QUERIES[0], follow_up], found=FOUND[:1]), runtime(reranker=reranker).context
    )
    assert reranker.calls == []


async def test_suspicious_passage_is_not_scored() -> None:
    reranker = CountedScores()
    bad = FOUND[1].model_copy(update={"suspicious": "speaks to a model"})
    await all_relevances(
        state(queries=QUERIES[:2], found=[FOUND[0], bad]), runtime(reranker=reranker).context
    )
    assert reranker.calls == [("Question 2?", ["First."])]


async def test_failed_score_leaves_the_query_to_its_own_passages_with_a_warning() -> None:
    failing = runtime(reranker=ScriptedReranker(TimeoutError("no answer")))
    relevances, notices = await all_relevances(state(queries=QUERIES[:2], found=FOUND[:2]), failing.context)
    assert relevances == {}
    assert [(notice.code, notice.query_id) for notice in notices] == [
        ("coverage_incomplete", "q1"),
        ("coverage_incomplete", "q2"),
    ]
