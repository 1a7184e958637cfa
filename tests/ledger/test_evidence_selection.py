"""The evidence of the report: Cover(A) of the paper, against values computed by hand and all subsets."""

from collections.abc import Sequence
from itertools import combinations
from math import comb, e

import pytest
from component_doubles import ScriptedReranker
from hypothesis import given, strategies as st
from makers import evidence, query, runtime, state

from rarr.ledger import evidence_selection as ledger_coverage
from rarr.ledger.evidence_selection import all_relevances, scores_by_query, select_evidence
from rarr.records import Evidence, Passage
from rarr.retrievers.rerank.overlap import OverlapReranker


def coverage(chosen: Sequence[Evidence]) -> float:
    best: dict[str, float] = {}
    for candidate in chosen:
        best[candidate.query_id] = max(candidate.relevance, best.get(candidate.query_id, 0.0))
    return sum(best.values())


@st.composite
def findings(draw: st.DrawFn, most: int = 8) -> list[Evidence]:
    """Evidence of up to four queries, each at a place of its own."""
    pairs = draw(st.lists(st.tuples(st.integers(1, 4), st.floats(0, 1)), max_size=most))
    return [
        evidence(id=f"q{q}.{rank}", relevance=relevance, start=1000 * rank)
        for rank, (q, relevance) in enumerate(pairs)
    ]


@given(findings(), st.integers(1, 5))
def test_selection_is_the_best_of_all(evidences: list[Evidence], most: int) -> None:
    best = max(coverage(subset) for subset in combinations(evidences, min(most, len(evidences))))
    chosen, covered = select_evidence(evidences, most)
    assert covered == pytest.approx(best)
    assert covered == pytest.approx(
        coverage([candidate for candidate in evidences if candidate.id in chosen])
    )


@pytest.mark.slow
@given(findings(), st.integers(1, 5))
def test_greedy_selection_keeps_its_bound(evidences: list[Evidence], most: int) -> None:
    """Nemhauser, Wolsey and Fisher 1978: at least 1 - 1/e of the best."""
    _, best = select_evidence(evidences, most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_coverage, "EXHAUSTIVE_SUBSETS", 0)
        chosen, covered = select_evidence(evidences, most)
    assert covered == pytest.approx(
        coverage([candidate for candidate in evidences if candidate.id in chosen])
    )
    assert best * (1 - 1 / e) - 1e-9 <= covered <= best + 1e-9


@given(findings(most=40), st.integers(1, 10))
def test_selection_is_at_most_m_and_names_each_once(evidences: list[Evidence], most: int) -> None:
    chosen, _ = select_evidence(evidences, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(evidences))


def test_large_selections_are_greedy() -> None:
    assert comb(40, 5) > ledger_coverage.EXHAUSTIVE_SUBSETS
    evidences = [evidence(id=f"q{n}.1", relevance=n / 40, start=1000 * n) for n in range(1, 41)]
    assert select_evidence(evidences, 5)[0] == ["q40.1", "q39.1", "q38.1", "q37.1", "q36.1"]


def test_one_passage_covers_all_its_queries() -> None:
    shared = [evidence(id="q1.1", relevance=0.6), evidence(id="q2.1", relevance=0.6)]
    better = [evidence(id="q1.2", relevance=0.9, start=1000), evidence(id="q2.2", relevance=0.8, start=2000)]
    assert select_evidence([*better, *shared], 1) == (["q1.1"], 1.2)


def test_selection_of_nothing() -> None:
    assert select_evidence([], 5) == ([], 0.0)


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


WANTED = dict.fromkeys(QUERIES, FOUND)


class OneByOne:
    """Scores the queries apart, and fails for the second."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        if "2" in query:
            raise RuntimeError("no mill")
        return await OverlapReranker().score(query, passages)


class AllAtOnce(OverlapReranker):
    """Cannot score."""

    async def score_all(self, asked: Sequence[tuple[str, Sequence[Passage]]]) -> Sequence[Sequence[float]]:
        raise RuntimeError("no scores")


async def test_one_call_for_all_queries_gives_the_scores_of_single_calls() -> None:
    reranker = OverlapReranker()
    apart = [await reranker.score(query.text, FOUND) for query in QUERIES]
    assert await scores_by_query("rerank", WANTED, reranker) == apart


async def test_failure_of_one_query_leaves_the_others_their_scores() -> None:
    good, bad, _ = await scores_by_query("rerank", WANTED, OneByOne())
    assert good == await OverlapReranker().score(QUERIES[0].text, FOUND)
    assert isinstance(bad, RuntimeError)


async def test_failure_of_one_call_is_the_failure_of_each_query() -> None:
    assert [str(it) for it in await scores_by_query("rerank", WANTED, AllAtOnce())] == ["no scores"] * 3
