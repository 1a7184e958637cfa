"""The evidence of the report: Cover(A) of the paper, against values computed by hand and all subsets."""

from collections.abc import Sequence
from itertools import combinations
from math import e

import pytest
from component_doubles import ScriptedReranker
from hypothesis import given, strategies as st
from makers import evidence, query, runtime, state

from rarr.ledger import evidence_selection
from rarr.ledger.evidence_selection import EXHAUSTIVE_SUBSETS, all_relevances, select_evidence
from rarr.records import Evidence


def coverage(chosen: Sequence[Evidence]) -> float:
    best: dict[str, float] = {}
    for candidate in chosen:
        best[candidate.query_id] = max(candidate.relevance, best.get(candidate.query_id, 0.0))
    return sum(best.values())


@st.composite
def findings(draw: st.DrawFn) -> list[Evidence]:
    """Generates evidence of up to four queries, each at its own place."""
    pairs = draw(st.lists(st.tuples(st.integers(1, 4), st.floats(0, 1)), max_size=8))
    places = enumerate(pairs)
    return [evidence(id=f"q{q}.{n}", relevance=score, start=1000 * n) for n, (q, score) in places]


@pytest.mark.parametrize("exhaustive", [EXHAUSTIVE_SUBSETS, 0])
@given(findings(), st.integers(1, 5))
def test_selection_names_each_once_and_is_the_best_of_all_or_greedy_within_its_bound(
    exhaustive: int, evidences: list[Evidence], most: int
) -> None:
    """Nemhauser, Wolsey and Fisher 1978: a greedy selection has at least 1 - 1/e of the best."""
    best = max(coverage(subset) for subset in combinations(evidences, min(most, len(evidences))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence_selection, "EXHAUSTIVE_SUBSETS", exhaustive)
        chosen, covered = select_evidence(evidences, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(evidences))
    assert covered == pytest.approx(coverage([it for it in evidences if it.id in chosen]))
    assert best * (1 if exhaustive else 1 - 1 / e) - 1e-9 <= covered <= best + 1e-9


def test_one_passage_covers_all_its_queries() -> None:
    shared = [evidence(id="q1.1", relevance=0.6), evidence(id="q2.1", relevance=0.6)]
    better = [evidence(id="q1.2", relevance=0.9, start=1000), evidence(id="q2.2", relevance=0.8, start=2000)]
    assert select_evidence([*better, *shared], 1) == (["q1.1"], 1.2)


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


QUERIES = [query(id=f"q{n}", text=f"Question {n}?") for n in (1, 2, 3)]


def scored(reranker: ScriptedReranker) -> list[tuple[str, list[str]]]:
    """Returns the questions, each with the passages that were scored for it."""
    return [(asked, [passage.text for passage in passages]) for asked, passages in reranker.calls]


async def test_passages_of_other_queries_are_scored_once() -> None:
    reranker = ScriptedReranker({"Second.": 0.07, "Third.": 0.06})
    context = runtime(reranker=reranker).context
    asked = state(queries=QUERIES, found=[*FOUND, evidence("First.", id="q3.2")])
    relevances, notices = await all_relevances(asked, context)
    assert scored(reranker) == [
        ("Question 1?", ["Second.", "Third."]),
        ("Question 2?", ["First.", "Third."]),
        ("Question 3?", ["Second."]),  # its own passages hold the first place
    ]
    assert (relevances["q1"], notices) == ({"q2.1": 0.07, "q3.1": 0.06}, [])
    again, _ = await all_relevances({**asked, "relevances": relevances}, context)
    assert (again, len(reranker.calls)) == (relevances, 3)


async def test_suspicious_passage_is_not_scored() -> None:
    reranker = ScriptedReranker()
    bad = FOUND[1].model_copy(update={"suspicious": "speaks to a model"})
    asked = state(queries=QUERIES[:2], found=[FOUND[0], bad])
    await all_relevances(asked, runtime(reranker=reranker).context)
    assert scored(reranker) == [("Question 2?", ["First."])]


def test_coverage_of_the_paper_is_the_best_relevance_of_any_passage() -> None:
    """One passage: 0.9 + 0.2 + 0.1, 0.1 + 0.8 + 0.3, or 0.6 + 0.7 + 0.7, which is last by its own query."""
    assert select_evidence(FOUND, 1) == (["q1.1"], 0.9)
    chosen, coverage = select_evidence(FOUND, 1, OTHERS)
    assert chosen == ["q3.1"]
    assert coverage == pytest.approx(2.0)
