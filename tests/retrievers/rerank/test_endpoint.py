"""A reranker behind /rerank: what it is sent, what counts as an answer, and what is asked again."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.rerank.endpoint import CONTROL, MOST_DOCUMENTS, EndpointReranker
from rarr.testing import RETRIEVED_AT, Hang, NotJson, Request, Status, refused_url
from rarr.testing.http_listener import Listener
from rarr.testing.replies import Reply, failed, instead
from rarr.testing.request_log import RequestLog
from rarr.testing.server_failure_plan import Entry
from rarr.tools.models.concurrency_limit import Limiter

pytestmark = pytest.mark.loopback

KEY = "sk-test-0123456789abcdef"
TOO_LONG = "This model's maximum context length is 512 tokens. However, you requested 0 output tokens."


def passage(text: str, title: str = "") -> Passage:
    return Passage(text=text, title=title, source="a.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)


def answered(results: object) -> Reply:
    return Reply(200, json.dumps({"id": "rerank-1", "results": results}).encode())


def ranked(request: Request, control: tuple[float, float] = (0.99, 0.01)) -> Reply:
    """As vLLM: best first, and the score is the number at the end of the document, or as in `control`."""
    documents = request.body["documents"]
    scores = control if is_control(request) else [float(document.split()[-1]) for document in documents]
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    return answered(sorted(results, key=lambda result: -result["relevance_score"]))


def logits(request: Request) -> Reply:
    return ranked(request, (8.0, -11.0))


def is_control(request: Request) -> bool:
    return bool(request.body["query"] == CONTROL[0])


def planned(*entries: Entry) -> Callable[[Request], Reply]:
    """These first, and an answer to every request after them; the control is always answered."""
    left = list(entries)
    return lambda request: (not is_control(request) and left and instead(left.pop(0))) or ranked(request)


def asked(record: RequestLog) -> list[Request]:
    """The requests but for the control."""
    return [request for request in record.requests if not is_control(request)]


@contextmanager
def serving(reply_to: Callable[[Request], Reply] = ranked) -> Iterator[tuple[str, RequestLog]]:
    record = RequestLog()
    listener = Listener(0, record, reply_to)
    try:
        yield f"http://127.0.0.1:{listener.server_port}/v1", record
    finally:
        listener.close()


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


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b"\xff", b'{"results":\n\n' + b"[" * 100_000])
async def test_answer_of_another_shape_is_a_failure(body: bytes) -> None:
    with serving(lambda _: Reply(200, body)) as (url, _):
        assert "did not answer with a score for each document" in await fails(url, attempts=1)


@pytest.mark.parametrize("entry", [Status(429), Status(500), Status(503), NotJson()])
async def test_temporary_faults_are_tried_again(entry: Entry) -> None:
    with serving(planned(entry, entry)) as (url, record):
        assert await scores(url, "a 0.5") == [0.5]
    assert len(asked(record)) == 3


async def test_connection_that_ends_mid_answer_is_tried_again() -> None:
    left = [True]

    def dying(request: Request) -> Reply:
        return Reply(200, ranked(request).body, dies=bool(left and left.pop()))

    with serving(dying) as (url, _):
        assert await scores(url, "a 0.5") == [0.5]


@pytest.mark.parametrize(
    ("entry", "requests"), [(Status(503), 3), (Status(401), 1), (Status(404), 1), (Status(429, 3600.0), 1)]
)
async def test_permanent_faults_end_after_the_last_attempt(entry: Entry, requests: int) -> None:
    with serving(planned(*[entry] * 9)) as (url, record):
        message = await fails(url)
    assert message.startswith("reranker bge answered with status ")
    assert message.endswith("check its server, base URL and key, and the model's name")
    assert len(asked(record)) == requests


async def test_server_that_asks_to_wait_is_given_the_time() -> None:
    with serving(planned(Status(503, 0.2))) as (url, record):
        await scores(url, "a 0.5")
    first, second = asked(record)
    assert second.arrived - first.arrived >= 0.2


@pytest.mark.slow
async def test_request_that_times_out_is_not_repeated() -> None:
    with serving(planned(Hang())) as (url, record):
        assert "gave no answer within 0.5 s" in await fails(url, timeout_s=0.5)
    assert len(asked(record)) == 1


async def test_unreachable_server_is_a_failure() -> None:
    assert "reranker bge cannot be reached" in await fails(refused_url(), attempts=2)


async def test_failed_batch_cancels_the_others() -> None:
    def one_fails(request: Request) -> Reply:
        long = len(request.body["documents"][0]) > 5
        return Reply(200, b"", wait=30) if long else failed(400, "no")

    with serving(one_fails) as (url, _):
        async with asyncio.timeout(5):
            with pytest.raises(RetrievalError, match="status 400"):
                await scores(url, *["a 1"] * MOST_DOCUMENTS, "long document 1", timeout_s=60)


@pytest.mark.parametrize("answer", [f"Incorrect key {KEY}", f'{{"error": {{"message": "{KEY}"}}}}'])
async def test_keys_are_not_in_errors(answer: str) -> None:
    for status in (200, 401, 503):
        with serving(lambda _, status=status: Reply(status, answer.encode())) as (url, _):  # type: ignore[misc]
            message = await fails(url.replace("://", "://me:secret@"), api_key=KEY, attempts=1)
        assert not any(secret in message for secret in (KEY, KEY[3:], "secret"))


def cuts(request: Request) -> Reply:
    """As vLLM with a model of 512 tokens."""
    cut = is_control(request) or "truncate_prompt_tokens" in request.body
    return ranked(request) if cut else failed(400, TOO_LONG)


async def test_server_truncates_documents_that_are_too_long() -> None:
    with serving(cuts) as (url, record):
        assert await scores(url, *["a 0.5"] * 65, limiter=Limiter(1)) == [0.5] * 65
    assert [request.body.get("truncate_prompt_tokens") for request in asked(record)] == [None, -1, -1]


async def test_server_that_cannot_truncate_is_a_failure_that_says_why() -> None:
    with serving(planned(Status(400, message=TOO_LONG), Status(422, message="extra field"))) as (url, _):
        assert TOO_LONG in await fails(url)
