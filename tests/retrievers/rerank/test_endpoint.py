"""A reranker behind /rerank: what it is sent, and how its scores are read."""

from contextlib import aclosing

import pytest

from rarr.testing import Request
from rarr.testing.http_listener import Reply
from rarr.testing.replies import failed
from retrievers.rerank.served_rerankers import (
    KEY,
    TOO_LONG,
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
    [request] = record.requests
    assert request.path == "/v1/rerank"
    assert request.body == {
        "model": "bge",
        "query": "When?",
        "documents": ["long document 0.25", "b 0.75", "some 0.5"],
        "top_n": 3,
    }


async def test_key_is_sent() -> None:
    with serving() as (url, record):
        await scores(url, "a 1", api_key=KEY)
        await scores(url, "a 1")
    assert [request.headers.get("authorization") for request in record.requests] == [f"Bearer {KEY}", None]


async def test_logits_become_relevances_from_the_first_that_is_no_probability() -> None:
    with serving() as (url, _):
        async with aclosing(reranker_at(url)) as reranker:
            first = [passage(f"a {score}") for score in (0, -2, 2, 5000, -5000)]
            relevances = await reranker.score("When?", first)
            assert await reranker.score("When?", [passage("a 0")]) == [0.5]
    assert relevances == pytest.approx([0.5, 0.1192029, 0.8807971, 1.0, 0.0])


async def test_rounding_beyond_1_is_not_taken_for_logits() -> None:
    with serving() as (url, _):
        assert await scores(url, "a 1.0000001", "b 0.5", "c -0.0001") == [1.0, 0.5, 0.0]


async def test_server_truncates_documents_that_are_too_long() -> None:
    def cuts(request: Request) -> Reply:
        """As vLLM with a model of 512 tokens."""
        return ranked(request) if "truncate_prompt_tokens" in request.body else failed(400, TOO_LONG)

    with serving(cuts) as (url, record):
        async with aclosing(reranker_at(url)) as reranker:
            for _ in range(2):
                assert await reranker.score("When?", [passage("a 0.5")]) == [0.5]
    assert [request.body.get("truncate_prompt_tokens") for request in record.requests] == [None, -1, -1]
