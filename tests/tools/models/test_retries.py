"""How often a model is asked that fails, how long, and when it is left alone."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

import pytest

from rarr.testing import Failure, ScriptedModel, ScriptedServer
from rarr.tools.models import retries
from rarr.tools.models.chat import Answer, CallFailure
from rarr.tools.models.retries import BudgetedChat, Limiter
from tools.asking import ANSWERS, ASK, KEY, outcome, patient, protocol

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
        (Failure(429), "busy", 2),
        (Failure(500), "server", 2),
        (Failure("html"), "server", 2),
        (Failure("die"), "server", 2),
        (Failure(400), "refused", 1),
        (Failure(408), "timeout", 1),
        (Failure(429, retry_after=3600), "busy", 1),
    ],
)
async def test_permanent_faults_end_after_the_last_attempt(entry: Any, kind: str, requests: int) -> None:
    with ScriptedServer(ANSWERS, plan=[entry], plan_for_ever=True) as server:
        failure = await of(server, attempts=2)
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == (kind, requests)


@loopback
@pytest.mark.parametrize("entry", [Failure("hang"), Failure("drip")])
async def test_timeout_faults_are_not_repeated(entry: Any) -> None:
    started = time.perf_counter()
    with ScriptedServer(ANSWERS, plan=[entry], plan_for_ever=True) as server:
        failure = await of(server, timeout_s=0.2)
    assert isinstance(failure, CallFailure)
    assert (failure.kind, len(server.requests)) == ("timeout", 1)
    assert time.perf_counter() - started >= 0.2


@loopback
async def test_faults_with_retry_after_wait_for_that_time() -> None:
    with ScriptedServer(ANSWERS, plan=[Failure(429, retry_after=0.3)]) as server:
        assert isinstance(await of(server), Answer)
    first, second = server.requests
    assert second.arrived - first.arrived >= 0.3


@loopback
@pytest.mark.parametrize("userinfo", [f"me:{KEY}", KEY])
async def test_faults_do_not_show_a_key_in_the_url(userinfo: str) -> None:
    with ScriptedServer(ANSWERS, requires_key="another") as server:
        url = server.url.replace("://", f"://{userinfo}@")
        failure = await outcome(patient(protocol(url)))
    assert "Incorrect API key provided: Basic ***." in str(failure)


@loopback
async def test_faults_are_retried_in_only_one_layer() -> None:
    with ScriptedServer(ANSWERS, plan=[Failure(500)], plan_for_ever=True) as server:
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


@pytest.mark.parametrize(
    ("planned", "outcomes"),
    [
        (["server"] * 3, ["server"] * 3 + ["resting"] * 2),
        (
            ["server", "server", None, "server", "server", None],
            ["server", "server", "", "server", "server", ""],
        ),
        (["busy"] * 5, ["busy"] * 5),
        (["refused"] * 5, ["refused"] * 5),
    ],
)
async def test_faults_three_in_a_row_make_the_model_rest(planned: list[Any], outcomes: list[str]) -> None:
    failures = [kind and CallFailure(kind, kind) for kind in planned]
    asked = patient(ScriptedModel(ANSWERS, failures=failures), attempts=1)
    answers = [await outcome(asked) for _ in outcomes]
    assert [answer.kind if isinstance(answer, CallFailure) else "" for answer in answers] == outcomes


async def test_faults_one_request_is_tried_after_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "REST_S", 0.05)
    model = ScriptedModel(ANSWERS, failures=[down()] * 4)
    asked = patient(model, attempts=1)
    assert [await fails(asked) for _ in range(4)][-1] == "resting"
    await asyncio.sleep(0.06)
    assert [await fails(asked), await fails(asked)] == ["server", "resting"]
    await asyncio.sleep(0.06)
    await asked.complete(ASK)
    assert len(model.calls) == 5
