"""Answers that are streamed: slow, stalled, repeating, broken off, without end, or not streamed at all."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from rarr.errors import BudgetError
from rarr.testing import CutOff, DieMidAnswer, Endless, Hang, NoUsage, Request, ScriptedServer, Stall, Status
from rarr.tools.models.chat import Answer, CallFailure, Tokens
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from tools.asking import ANSWERS, ASK, KEY, TEXT, metered, outcome, patient, protocol

pytestmark = pytest.mark.loopback

TIMEOUT_S = 0.3
LONG = {"answer": "It opened on 27 May 1937, after four years and four months of work."}
WORDS = str(LONG).replace("'", '"')  # 21 tokens


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """The first request of a process imports parts of the HTTP client: longer than a test waits."""
    with ScriptedServer(ANSWERS) as server:
        asyncio.run(outcome(patient(protocol(server))))


def asked(server: ScriptedServer, *, attempts: int = 1, **options: Any) -> BudgetedChat:
    return patient(protocol(server, **options), timeout_s=TIMEOUT_S, attempts=attempts)


async def failure(server: ScriptedServer, **options: Any) -> CallFailure:
    failed = await outcome(asked(server, **options))
    assert isinstance(failed, CallFailure)
    return failed


async def test_slow_answer_that_keeps_coming_is_whole() -> None:
    with ScriptedServer({"": LONG}, tokens_a_second=60) as server:
        started = time.perf_counter()
        answer = await outcome(asked(server))
        assert time.perf_counter() - started > TIMEOUT_S
    assert isinstance(answer, Answer)
    assert (answer.texts, answer.tokens.output) == ((WORDS,), 21)


async def test_stalled_answer_is_a_timeout_and_not_repeated() -> None:
    with ScriptedServer({"": LONG}, plan=[Stall(3)]) as server:
        failed = await failure(server, attempts=3)
        assert len(server.requests) == 1
    assert failed.kind == "timeout"
    assert str(failed) == "vllm:scripted stalled in its answer: no token came for 0.3 s"


async def test_answer_that_does_not_begin_is_a_timeout() -> None:
    with ScriptedServer({"": LONG}, plan=[Hang()]) as server:
        assert str(await failure(server)) == "vllm:scripted gave no answer within 0.3 s"


async def test_queue_of_a_server_with_one_slot_is_waited_for() -> None:
    with ScriptedServer(ANSWERS, latency=0.08, slots=1) as server:
        model = asked(server)
        await model.complete(ASK)
        answers = await asyncio.gather(*(model.complete(ASK) for _ in range(4)))
        await model.aclose()
        assert max(request.left - request.arrived for request in server.requests if request.left) > TIMEOUT_S
    assert [answer.texts for answer in answers] == [(TEXT,)] * 4


@pytest.mark.parametrize(
    ("piece", "words"),
    [("the bridge ", "the same 11 characters"), ("\n", "white space"), ("0", "the same 1 character")],
)
async def test_repeating_answer_is_left_and_counted(piece: str, words: str) -> None:
    with ScriptedServer(ANSWERS, plan=[Endless(piece)]) as server, metered() as meter:
        failed = await failure(server, attempts=3)
        assert len(server.requests) == 1
    assert failed.kind == "repeating"
    assert str(failed) == (
        f"vllm:scripted wrote {words} again and again, and its answer was cut off;"
        " name another model, or add one to fallbacks"
    )
    assert 20 < meter.total.output_tokens <= 250
    assert meter.total.input_tokens == 7


async def test_repeating_answer_in_one_piece_has_the_same_failure() -> None:
    with ScriptedServer(ANSWERS, plan=[Endless("the bridge ")], streams=False) as server, metered() as meter:
        failed = await failure(server)
    assert (failed.kind, meter.total.output_tokens) == ("repeating", 1000)


async def test_one_repeating_sample_leaves_the_others() -> None:
    def answer(request: Request) -> str:
        return "again " * 200 if request.sample == 1 else TEXT

    with ScriptedServer(answer, tokens_a_second=2000) as server:
        got = await outcome(asked(server), replace(ASK, samples=3))
    assert isinstance(got, Answer)
    assert got.texts == (TEXT, TEXT)
    assert got.tokens.output < 120


async def test_endless_answer_ends_where_it_is_longer_than_was_asked_for() -> None:
    with ScriptedServer(ANSWERS, plan=[Endless()]) as server, metered() as meter:
        failed = await outcome(asked(server), replace(ASK, max_tokens=50))
    assert isinstance(failed, CallFailure)
    assert failed.kind == "cut"
    assert 100 < meter.total.output_tokens < 150


async def test_deadline_of_the_run_ends_an_answer_that_keeps_coming() -> None:
    server = ScriptedServer({"": LONG}, tokens_a_second=20)
    with server, metered(deadline_s=0.2), pytest.raises(BudgetError, match="deadline_s"):
        await asked(server).complete(ASK)


async def test_answer_that_breaks_off_is_asked_for_again() -> None:
    with ScriptedServer(ANSWERS, plan=[DieMidAnswer()]) as server:
        answer = await outcome(asked(server, attempts=2))
        assert len(server.requests) == 2
    assert isinstance(answer, Answer)
    assert answer.texts == (TEXT,)


async def test_cut_off_answer_is_a_failure_with_its_tokens() -> None:
    with ScriptedServer({"": LONG}, plan=[CutOff()]) as server:
        failed = await failure(server)
    assert (failed.kind, failed.begun) == ("cut", True)
    assert str(failed).endswith("was cut off in its answer (length); raise max_answer_tokens")


async def test_server_that_refuses_to_stream_is_asked_without() -> None:
    with ScriptedServer(ANSWERS, rejects=["stream"]) as server:
        model = asked(server)
        assert [(await model.complete(ASK)).texts for _ in range(2)] == [(TEXT,)] * 2
        await model.aclose()
    streams = [("stream" in request.body, "stream_options" in request.body) for request in server.requests]
    assert streams == [(True, True), (False, False), (False, False)]


async def test_refused_usage_in_streams_is_left_out_alone() -> None:
    with ScriptedServer(ANSWERS, rejects=["stream_options"]) as server:
        answer = await outcome(asked(server))
    assert isinstance(answer, Answer)
    assert answer == Answer((TEXT,), Tokens())
    last = server.requests[-1].body
    assert (last["stream"], "stream_options" in last) == (True, False)


async def test_server_that_does_not_stream_is_not_asked_again_to() -> None:
    with ScriptedServer(ANSWERS, streams=False) as server:
        model = asked(server)
        assert [(await model.complete(ASK)).texts for _ in range(2)] == [(TEXT,)] * 2
        await model.aclose()
    assert ["stream" in request.body for request in server.requests] == [True, False]


async def test_answer_in_one_piece_has_to_come_whole_in_time() -> None:
    with ScriptedServer({"": LONG}, streams=False, tokens_a_second=60) as server:
        assert (await failure(server)).kind == "timeout"


async def test_streaming_can_be_switched_off_in_the_extra_body() -> None:
    with ScriptedServer(ANSWERS) as server:
        answer = await outcome(patient(protocol(server, extra={"stream": False})))
    assert isinstance(answer, Answer)
    assert server.requests[0].body["stream"] is False


async def test_missing_usage_counts_no_tokens() -> None:
    with ScriptedServer(ANSWERS, plan=[NoUsage()]) as server:
        assert await outcome(asked(server)) == Answer((TEXT,), Tokens())


async def test_function_call_is_read_from_its_parts() -> None:
    def no_format(request: Request) -> Status | None:
        refused = "response_format" in request.body
        return Status(400, message="response_format is not supported") if refused else None

    with ScriptedServer({"": LONG}, plan=no_format) as server:
        answer = await outcome(asked(server))
        assert "tools" in server.requests[-1].body
    assert isinstance(answer, Answer)
    assert answer.texts == (WORDS,)


async def test_server_without_a_schema_streams_plain_text() -> None:
    with ScriptedServer({"": LONG}, dialect="plain") as server:
        answer = await outcome(asked(server))
        assert server.requests[-1].body["stream"] is True
    assert isinstance(answer, Answer)
    assert answer.texts == (WORDS,)


@pytest.mark.parametrize(("known", "probabilities"), [(0.25, (0.25, 0.25)), (None, ())])
async def test_probabilities_are_those_of_an_answer_in_one_piece(
    known: float | None, probabilities: tuple[float, ...]
) -> None:
    likely = replace(ASK, samples=2, probability=True)
    with ScriptedServer(ANSWERS, probability=known) as server:
        answer = await outcome(asked(server), likely)
    assert isinstance(answer, Answer)
    assert answer.probabilities == pytest.approx(probabilities)


async def test_connection_is_used_again_after_a_stream() -> None:
    used = set[int]()
    with ScriptedServer(ANSWERS) as server:
        model = protocol(server)
        pool: Any = model._clients.get()._transport
        for _ in range(3):
            await model.complete(ASK)
            [connection] = pool._pool.connections
            used.add(id(connection))
        await model.aclose()
    assert len(used) == 1


async def test_keys_are_removed_from_a_streamed_answer() -> None:
    with ScriptedServer({"": f"The key is {KEY}."}, requires_key=KEY) as server:
        answer = await outcome(asked(server, api_key=KEY))
    assert isinstance(answer, Answer)
    assert answer.texts == ("The key is ***.",)
