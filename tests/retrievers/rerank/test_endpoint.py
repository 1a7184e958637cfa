"""A reranker behind /rerank: what it is sent, and how its scores are read."""

import asyncio
from contextlib import aclosing

import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.rerank.endpoint import MOST_DOCUMENTS
from rarr.testing import Request
from rarr.testing.replies import Reply, failed
from rarr.tools.models.retries import Limiter
from retrievers.rerank.served_rerankers import (
    KEY,
    TOO_LONG,
    asked,
    fails,
    is_control,
    logits,
    passage,
    ranked,
    reranker_at,
    scores,
    serving,
)

pytestmark = pytest.mark.loopback


async def test_scores_come_in_the_order_of_the_passages() -> None:
    with serving() as (url, record):
        assert await scores(url, "long document 0.25", "b 0.75", "some 0.5") == [0.25, 0.75, 0.5]
    [request] = asked(record)
    assert request.path == "/v1/rerank"
    assert request.body == {
        "model": "bge",
        "query": "When?",
        "documents": ["b 0.75", "some 0.5", "long document 0.25"],
        "top_n": 3,
    }


async def test_title_stands_before_the_text() -> None:
    with serving() as (url, record):
        await scores(url, passage("It opened. 1", "The library"))
    assert asked(record)[0].body["documents"] == ["The library\nIt opened. 1"]


async def test_base_url_may_end_in_a_slash_and_have_no_version() -> None:
    with serving() as (url, record):
        await scores(url.removesuffix("v1"), "a 1")
    assert record.requests[0].path == "/rerank"


async def test_no_passages_are_no_request() -> None:
    assert await scores("http://nowhere.invalid") == []


async def test_key_is_sent() -> None:
    with serving() as (url, record):
        await scores(url, "a 1", api_key=KEY)
        await scores(url, "a 1")
    assert [request.headers.get("authorization") for request in asked(record)] == [f"Bearer {KEY}", None]


async def test_many_documents_are_sent_in_batches_of_similar_length() -> None:
    def slowly(request: Request) -> Reply:
        return Reply(200, ranked(request).body, wait=0.05)

    many = [f"{'x' * (index * 7 % 150)} {index / 150}" for index in range(150)]
    with serving(slowly) as (url, record):
        assert await scores(url, *many) == [index / 150 for index in range(150)]
    sizes = [[len(document) for document in request.body["documents"]] for request in asked(record)]
    assert sorted(map(len, sizes)) == [22, MOST_DOCUMENTS, MOST_DOCUMENTS]
    assert [size for batch in sorted(sizes) for size in batch] == sorted(map(len, many))
    assert record.in_flight_most >= 3


async def test_limiter_bounds_the_requests_at_once() -> None:
    with serving() as (url, record):
        await scores(url, *["a 1"] * 300, limiter=Limiter(1))
    assert (len(asked(record)), record.in_flight_most) == (5, 1)


async def test_logits_become_relevances() -> None:
    with serving(logits) as (url, _):
        relevances = await scores(url, "a 0", "b -2", "c 2", "d 5000", "e -5000")
    assert relevances == pytest.approx([0.5, 0.1192029, 0.8807971, 1.0, 0.0])


@pytest.mark.parametrize("control", [(8.0, 0.2), (0.7, -0.1)])
async def test_logits_are_detected_before_the_first_score(control: tuple[float, float]) -> None:
    with serving(lambda request: ranked(request, control)) as (url, _):
        assert await scores(url, "a 0") == [0.5]


async def test_scale_is_detected_once() -> None:
    with serving(logits) as (url, record):
        async with aclosing(reranker_at(url)) as reranker:
            many = await asyncio.gather(*(reranker.score("When?", [passage("0")]) for _ in range(9)))
    assert (many, sum(map(is_control, record.requests))) == ([[0.5]] * 9, 1)


async def test_score_of_another_scale_is_a_failure() -> None:
    with serving() as (url, _):
        async with aclosing(reranker_at(url)) as reranker:
            assert await reranker.score("When?", [passage("0.2")]) == [0.2]
            with pytest.raises(RetrievalError, match="gave the score 3, and other scores from 0 to 1: serve"):
                await reranker.score("When?", [passage("0.2"), passage("3")])


async def test_rounding_beyond_1_is_not_taken_for_logits() -> None:
    with serving(lambda request: ranked(request, (1.0000001, -0.0001))) as (url, _):
        assert await scores(url, "a 1.0000001", "b 0.5", "c -0.0001") == [1.0, 0.5, 0.0]


async def test_model_with_an_undetectable_scale_gives_no_scores() -> None:
    def without_control(request: Request) -> Reply:
        return failed(400, "no") if is_control(request) else ranked(request)

    with serving(without_control) as (url, _):
        assert "status 400" in await fails(url)


def cuts(request: Request) -> Reply:
    """As vLLM with a model of 512 tokens."""
    cut = is_control(request) or "truncate_prompt_tokens" in request.body
    return ranked(request) if cut else failed(400, TOO_LONG)


async def test_server_truncates_documents_that_are_too_long() -> None:
    with serving(cuts) as (url, record):
        assert await scores(url, *["a 0.5"] * 65, limiter=Limiter(1)) == [0.5] * 65
    assert [request.body.get("truncate_prompt_tokens") for request in asked(record)] == [None, -1, -1]
