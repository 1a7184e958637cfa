"""How often and how long a failing model is asked, and when it is paused."""

import asyncio
import time
from contextlib import aclosing
from itertools import repeat
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from rarr.testing import Failure, ScriptedModel, ScriptedServer
from rarr.tools import trace_spans
from rarr.tools.models import retries
from rarr.tools.models.chat import Answer, CallFailure, FailureKind, Tokens
from rarr.tools.models.retries import BudgetedChat, Limiter
from tools.asking import ANSWERS, ASK, chat_at, fast_chat, outcome

loopback = pytest.mark.loopback
LASTING: list[tuple[Failure, dict[str, Any], str, int]] = [
    (Failure(429), {"attempts": 2}, "busy", 2),
    (Failure(500), {"attempts": 2}, "server", 2),
    (Failure(500), {"attempts": 9}, "resting", 3),  # retried in one layer alone
    (Failure("html"), {"attempts": 2}, "server", 2),
    (Failure("die"), {"attempts": 2}, "server", 2),
    (Failure(400), {}, "refused", 1),
    (Failure(408), {}, "timeout", 1),
    (Failure("hang"), {"timeout_s": 0.2}, "timeout", 1),
    (Failure("drip"), {"timeout_s": 0.2}, "timeout", 1),
    (Failure(429, retry_after=3600), {}, "busy", 1),
]


@loopback
@pytest.mark.parametrize(("entry", "options", "kind", "requests"), LASTING)
async def test_lasting_faults_end(entry: Failure, options: dict[str, Any], kind: str, requests: int) -> None:
    started = time.perf_counter()
    with ScriptedServer(ANSWERS, plan=repeat(entry)) as server:
        failure = await outcome(fast_chat(chat_at(server), **options))
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == (kind, requests)
    assert time.perf_counter() - started >= options.get("timeout_s", 0.0)


@loopback
async def test_faults_with_retry_after_wait_for_that_time() -> None:
    with ScriptedServer(ANSWERS, plan=[Failure(429, retry_after=0.3)]) as server:
        assert isinstance(await outcome(fast_chat(chat_at(server))), Answer)
    first, second = server.requests
    assert second.arrived - first.arrived >= 0.3


@loopback
async def test_limiter_is_shared_by_models() -> None:
    with ScriptedServer(ANSWERS, latency=0.02) as server:
        limiter = Limiter(3)
        models = [BudgetedChat(chat_at(server), limiter, attempts=1, timeout_s=2.0) for _ in range(2)]
        async with aclosing(models[0]), aclosing(models[1]):
            await asyncio.gather(*(model.complete(ASK) for model in models for _ in range(6)))
        assert server.in_flight_most == 3


@pytest.mark.parametrize(
    ("planned", "pauses", "outcomes"),
    [
        (["server"] * 4, [0, 0, 0, 0, 0.06, 0, 0.06], [*["server"] * 3, "resting", "server", "resting", ""]),
        (["server", "server", None] * 2, [0] * 6, ["server", "server", ""] * 2),
        (["busy"] * 5, [0] * 5, ["busy"] * 5),
        (["refused"] * 5, [0] * 5, ["refused"] * 5),
    ],
)
async def test_faults_three_in_a_row_make_the_model_rest(
    planned: list[Any], pauses: list[float], outcomes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "REST_S", 0.05)
    model = ScriptedModel(ANSWERS, failures=[kind and CallFailure(kind, kind) for kind in planned])
    asked, kinds = fast_chat(model, attempts=1), list[str]()
    for pause in pauses:
        await asyncio.sleep(pause)
        kinds.append(getattr(await outcome(asked), "kind", ""))
    assert kinds == outcomes
    assert len(model.calls) == len(outcomes) - outcomes.count("resting")


@pytest.mark.parametrize(("kind", "calls"), [("connection", 2), ("busy", 2), ("refused", 1), ("timeout", 1)])
async def test_fault_that_may_pass_is_tried_again(kind: FailureKind, calls: int) -> None:
    model = ScriptedModel(ANSWERS, failures=[CallFailure(kind, "why")])
    await outcome(fast_chat(model, attempts=2))
    assert len(model.calls) == calls


async def test_timeout_error_of_a_model_is_its_own_and_not_our_limit() -> None:
    with pytest.raises(TimeoutError, match="the queue is full"):
        await outcome(fast_chat(ScriptedModel(ANSWERS, failures=[TimeoutError("the queue is full")])))


async def test_each_attempt_is_stored_before_the_next_also_a_failed_one_that_was_paid_for() -> None:
    recorder = Mock(**{"now.return_value": 0.0, "flush_if_resumable": AsyncMock()})
    steps = list[str]()
    recorder.end_span.side_effect = lambda span: steps.append(span.error.partition(":")[0])
    recorder.flush_if_resumable.side_effect = lambda: steps.append("saved")
    paid = CallFailure("declined", "no", tokens=Tokens(30, 5))
    model = ScriptedModel(ANSWERS, failures=[CallFailure("server", "half"), paid, None])
    with trace_spans.using_recorder(recorder):
        assert await outcome(asked := fast_chat(model)) is paid
        assert isinstance(await outcome(asked), Answer)
    assert steps == [*("CallFailure", "saved") * 2, "", "saved"]
