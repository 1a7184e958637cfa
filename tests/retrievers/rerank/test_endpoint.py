"""A reranker behind /rerank: what it is sent, how its scores are read, and what its failures say."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.rerank.endpoint import EndpointReranker
from rarr.testing import RETRIEVED_AT, Failure, Request
from rarr.testing.http_listener import Listener, Reply
from rarr.testing.replies import failed, instead
from rarr.tools.models.retries import Limiter

pytestmark = pytest.mark.loopback

KEY = "sk-test-0123456789abcdef"
TOO_LONG = "This model's maximum context length is 512 tokens. However, you requested 0 output tokens."


def passage(text: str, title: str = "") -> Passage:
    return Passage(text=text, title=title, source="a.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)


def answered(results: object) -> Reply:
    return Reply(200, json.dumps({"id": "rerank-1", "results": results}).encode())


def ranked(request: Request) -> Reply:
    """As vLLM: best first, and the score is the number at the end of the document."""
    scores = [float(document.split()[-1]) for document in request.body["documents"]]
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    return answered(sorted(results, key=lambda result: -result["relevance_score"]))


def planned(*entries: Failure) -> Callable[[Request], Reply]:
    """These first, and an answer to every request after them."""
    left = list(entries)
    return lambda request: (left and instead(left.pop(0))) or ranked(request)


@contextmanager
def serving(reply_to: Callable[[Request], Reply] = ranked) -> Iterator[tuple[str, Listener]]:
    with Listener(reply_to) as listener:
        yield listener.url, listener


def reranker_at(url: str, **options: Any) -> EndpointReranker:
    given = {"api_key": None, "limiter": Limiter(8), "timeout_s": 2.0, "attempts": 3, "first_wait_s": 0.001}
    return EndpointReranker("bge", base_url=url, **(given | options))


async def scores(url: str, *passages: Passage | str, **options: Any) -> Sequence[float]:
    candidates = [given if isinstance(given, Passage) else passage(given) for given in passages]
    async with aclosing(reranker_at(url, **options)) as reranker:
        return await reranker.score("When?", candidates)


async def fails(url: str, **options: Any) -> str:
    """What the failure says."""
    with pytest.raises(RetrievalError) as caught:
        await scores(url, "a 0.1", "b 0.2", **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


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


async def test_server_truncates_documents_that_are_too_long() -> None:
    def cuts(request: Request) -> Reply:
        """As vLLM with a model of 512 tokens."""
        return ranked(request) if "truncate_prompt_tokens" in request.body else failed(400, TOO_LONG)

    with serving(cuts) as (url, record):
        async with aclosing(reranker_at(url)) as reranker:
            for _ in range(2):
                assert await reranker.score("When?", [passage("a 0.5")]) == [0.5]
    assert [request.body.get("truncate_prompt_tokens") for request in record.requests] == [None, -1, -1]


ONE, OTHER = {"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.2}
RESULTS: list[object] = [
    [ONE],
    [ONE, ONE],
    [ONE, OTHER, OTHER],
    [ONE, {"index": -1, "relevance_score": 0.2}],
    [ONE, {"index": [1], "relevance_score": 0.2}],
    *(
        [ONE, {"index": 1, "relevance_score": score}]
        for score in (math.nan, math.inf, 10**400, None, True, "0.2")
    ),
    [ONE, {"index": 1, "score": 0.2}],
    [ONE, 1],
    {"0": ONE, "1": OTHER},
    None,
]


@pytest.mark.parametrize("results", RESULTS)
async def test_answer_that_does_not_score_each_document_once_is_a_failure(results: object) -> None:
    with serving(lambda _: answered(results)) as (url, _):
        assert "did not answer with a score for each document" in await fails(url, attempts=1)


@pytest.mark.parametrize("answer", [f"Incorrect key {KEY}", f'{{"error": {{"message": "{KEY}"}}}}'])
async def test_keys_are_not_in_errors(answer: str) -> None:
    for status in (200, 401, 503):
        with serving(lambda _, status=status: Reply(status, answer.encode())) as (url, _):  # type: ignore[misc]
            message = await fails(url.replace("://", "://me:secret@"), api_key=KEY, attempts=1)
        assert not any(secret in message for secret in (KEY, KEY[3:], "secret"))


async def test_server_that_cannot_truncate_is_a_failure_that_says_why() -> None:
    with serving(planned(Failure(400, message=TOO_LONG), Failure(422, message="extra field"))) as (url, _):
        assert TOO_LONG in await fails(url)
