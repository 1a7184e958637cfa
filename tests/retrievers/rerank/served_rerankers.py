"""Servers with a reranker behind /rerank, and what a client gets from them."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.rerank.endpoint import EndpointReranker
from rarr.testing import RETRIEVED_AT, Failure, Request
from rarr.testing.http_listener import Listener, Reply
from rarr.testing.replies import instead
from rarr.tools.models.retries import Limiter

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
