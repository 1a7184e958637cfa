"""How often a model is asked that fails, how long, and when it is left alone."""

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import pytest
from tenacity import AsyncRetrying, RetryCallState

from rarr.testing import (
    DieMidAnswer,
    Drip,
    Empty,
    Hang,
    NotJson,
    ScriptedModel,
    ScriptedServer,
    Status,
    refused_url,
)
from rarr.tools.concurrency import PerLoop
from rarr.tools.models.chat import Answer, CallFailure
from rarr.tools.models.retries import LONGEST_WAIT_S, Limiter
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import Meter, ModelCall
from tools.asking import ANSWERS, ASK, KEY, metered, outcome, patient, protocol

loopback = pytest.mark.loopback


async def of(server: ScriptedServer, **options: Any) -> Answer | CallFailure:
    return await outcome(patient(protocol(server), **options))


def down(message: str = "down") -> CallFailure:
    return CallFailure("server", message)


async def fails(model: BudgetedChat) -> str:
    with pytest.raises(CallFailure) as caught:
        await model.complete(ASK)
    return caught.value.kind


@loopback
@pytest.mark.parametrize(
    ("entry", "kind", "requests"),
    [
        (Status(429), "busy", 2),
        (Status(500), "server", 2),
        (Status(503), "server", 2),
        (NotJson(), "server", 2),
        (Empty(), "server", 2),
        (DieMidAnswer(), "connection", 2),
        (Status(400), "refused", 1),
        (Status(404), "refused", 1),
        (Status(408), "timeout", 1),
        (Status(429, retry_after=3600), "busy", 1),
    ],
)
async def test_permanent_faults_end_after_the_last_attempt(entry: Any, kind: str, requests: int) -> None:
    with ScriptedServer(ANSWERS, plan=[entry], plan_for_ever=True) as server:
        failure = await of(server, attempts=2)
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == (kind, requests)


@loopback
@pytest.mark.parametrize("entry", [Hang(), Drip()])
async def test_timeout_faults_are_not_repeated(entry: Any) -> None:
    started = time.perf_counter()
    with ScriptedServer(ANSWERS, plan=[entry], plan_for_ever=True) as server:
        failure = await of(server, timeout_s=0.2)
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == ("timeout", 1)
    assert time.perf_counter() - started >= 0.2


@loopback
async def test_faults_with_retry_after_wait_for_that_time() -> None:
    with ScriptedServer(ANSWERS, plan=[Status(429, retry_after=0.3)]) as server:
        assert isinstance(await of(server), Answer)
    first, second = server.requests
    assert second.arrived - first.arrived >= 0.3


@loopback
async def test_faults_connection_refused_is_tried_again() -> None:
    calls: list[ModelCall] = []
    with metered(Meter(on_call=calls.append)):
        failure = await outcome(patient(protocol(refused_url()), attempts=2))
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(calls)) == ("connection", 2)
    assert str(failure).startswith("vllm:scripted at http://127.0.0.1:")


@loopback
@pytest.mark.parametrize("echo_key", [True, False])
async def test_faults_about_keys_do_not_show_the_key(echo_key: bool) -> None:
    with ScriptedServer(ANSWERS, requires_key="another", echo_key=echo_key) as server:
        failure = await outcome(patient(protocol(server, api_key=KEY)))
    message = "vllm:scripted answered with status 401: Incorrect API key provided: ***"
    assert (message in str(failure), KEY in str(failure), len(server.requests)) == (True, False, 1)


@loopback
@pytest.mark.parametrize("userinfo", [f"me:{KEY}", KEY])
async def test_faults_do_not_show_a_key_in_the_url(userinfo: str) -> None:
    with ScriptedServer(ANSWERS, requires_key="another", echo_key=True) as server:
        url = server.url.replace("://", f"://{userinfo}@")
        failure = await outcome(patient(protocol(url)))
    assert "Incorrect API key provided: Basic ***." in str(failure)


@loopback
async def test_faults_are_retried_in_only_one_layer() -> None:
    with ScriptedServer(ANSWERS, plan=[Status(500)], plan_for_ever=True) as server:
        failure = await of(server, attempts=9)
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == ("resting", 3)


@loopback
async def test_limiter_is_shared_by_models() -> None:
    with ScriptedServer(ANSWERS, latency=0.02) as server:
        limiter = Limiter(3)
        options: dict[str, Any] = {"attempts": 1, "timeout_s": 2.0}
        models = [BudgetedChat(protocol(server), limiter, **options) for _ in range(2)]
        async with aclosing(models[0]), aclosing(models[1]):
            await asyncio.gather(*(model.complete(ASK) for model in models for _ in range(6)))
        assert server.in_flight_most == 3


def test_limiter_serves_one_event_loop_after_the_other() -> None:
    asked = patient(ScriptedModel(ANSWERS, latency=0.001), most=1)

    async def two() -> list[Answer]:
        return await asyncio.gather(*(asked.complete(ASK) for _ in range(2)))

    assert [len(asyncio.run(two())), len(asyncio.run(two()))] == [2, 2]


@pytest.mark.parametrize("attempt", [1, 5, 20])
def test_faults_never_wait_longer_than_the_longest_wait(attempt: int) -> None:
    state = RetryCallState(AsyncRetrying(), None, (), {})
    state.attempt_number = attempt
    assert patient(ScriptedModel(ANSWERS))._attempts._wait(state) <= 1.25 * LONGEST_WAIT_S


def test_ended_event_loops_leave_nothing_behind() -> None:
    made = PerLoop(asyncio.get_running_loop)  # what holds its loop

    async def use() -> None:
        made.get()

    for _ in range(5):
        asyncio.run(use())
    assert len(made._made) <= 1


@pytest.mark.slow
def test_event_loops_in_many_threads_have_separate_values() -> None:
    made: PerLoop[object] = PerLoop(object)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    async def distinct() -> object:
        return made.get()

    def loops(_: int) -> list[object]:
        return [asyncio.run(distinct()) for _ in range(40)]

    try:
        with ThreadPoolExecutor(8) as pool:
            values = [value for each in pool.map(loops, range(8)) for value in each]
    finally:
        sys.setswitchinterval(before)
    assert len(set(map(id, values))) == len(values) == 320
