"""A reranker behind /rerank that fails: what counts as a failure, what is asked again, and what it says."""

import pytest

from rarr.testing import Failure
from rarr.testing.http_listener import Reply
from retrievers.rerank.served_rerankers import (
    KEY,
    TOO_LONG,
    answered,
    fails,
    planned,
    serving,
)

pytestmark = pytest.mark.loopback

ONE, OTHER = {"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.2}


@pytest.mark.parametrize(
    "results",
    [
        [ONE],
        [ONE, ONE],
        [ONE, OTHER, OTHER],
        [ONE, OTHER, {"index": 2, "relevance_score": 0.3}],
        [ONE, {"index": -1, "relevance_score": 0.2}],
        [ONE, {"index": "1", "relevance_score": 0.2}],
        [ONE, {"index": [1], "relevance_score": 0.2}],
        [ONE, {"index": 1, "relevance_score": float("nan")}],
        [ONE, {"index": 1, "relevance_score": float("inf")}],
        [ONE, {"index": 1, "relevance_score": 10**400}],
        [ONE, {"index": 1, "relevance_score": None}],
        [ONE, {"index": 1, "relevance_score": True}],
        [ONE, {"index": 1, "relevance_score": "0.2"}],
        [ONE, {"index": 1, "score": 0.2}],
        [ONE, 1],
        {"0": ONE, "1": OTHER},
        "results",
        None,
    ],
)
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
