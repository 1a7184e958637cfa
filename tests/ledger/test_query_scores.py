from collections.abc import Sequence
from datetime import UTC, datetime

from rarr.ledger.query_scores import scores_by_query
from rarr.records import Passage, Query
from rarr.retrievers.rerank.overlap import OverlapReranker

QUERIES = [
    Query(id=f"q{n}", text=text, start=0, end=1, round=1) for n, text in enumerate(("a dam", "a mill"))
]
PASSAGES = [
    Passage(text=text, source="s", start=0, end=len(text), retrieved_at=datetime(2024, 1, 1, tzinfo=UTC))
    for text in ("The dam is high.", "The mill is old.")
]
WANTED = dict.fromkeys(QUERIES, PASSAGES)


class OneByOne:
    """Scores the queries apart, and fails for the mill."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        if "mill" in query:
            raise RuntimeError("no mill")
        return await OverlapReranker().score(query, passages)


class AllAtOnce(OverlapReranker):
    """Cannot score."""

    async def score_all(self, asked: Sequence[tuple[str, Sequence[Passage]]]) -> Sequence[Sequence[float]]:
        raise RuntimeError("no scores")


async def test_one_call_for_all_queries_gives_the_scores_of_single_calls() -> None:
    reranker = OverlapReranker()
    apart = [await reranker.score(query.text, PASSAGES) for query in QUERIES]
    assert await scores_by_query("rerank", WANTED, reranker) == apart


async def test_failure_of_one_query_leaves_the_others_their_scores() -> None:
    good, bad = await scores_by_query("rerank", WANTED, OneByOne())
    assert good == await OverlapReranker().score(QUERIES[0].text, PASSAGES)
    assert isinstance(bad, RuntimeError)


async def test_failure_of_one_call_is_the_failure_of_each_query() -> None:
    assert [str(it) for it in await scores_by_query("rerank", WANTED, AllAtOnce())] == ["no scores"] * 2
