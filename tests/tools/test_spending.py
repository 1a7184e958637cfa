"""What a run spends on its calls: budgets are kept, costs counted, and every request is noted."""

import asyncio
from typing import Any

import pytest

from rarr.errors import BudgetError
from rarr.testing import (
    Hang,
    NoUsage,
    ScriptedModel,
    ScriptedServer,
)
from rarr.tools.models.chat import Answer, CallFailure, Tokens, estimated_tokens
from rarr.tools.models.run_budget import Meter, ModelCall
from tools.asking import ANSWERS, ASK, PROMPT, TEXT, metered, outcome, patient, protocol

loopback = pytest.mark.loopback


async def of(server: ScriptedServer, **options: Any) -> Answer | CallFailure:
    return await outcome(patient(protocol(server), **options))


def down(message: str = "down") -> CallFailure:
    return CallFailure("server", message)


@loopback
async def test_budget_deadline_ends_a_slow_call() -> None:
    over = pytest.raises(BudgetError, match=r"deadline_s \(0.1\) is over: raise it for more")
    with ScriptedServer(ANSWERS, plan=[Hang()]) as server, metered(deadline_s=0.1), over:
        await of(server)
    assert len(server.requests) == 1


async def test_budget_deadline_ends_a_wait_for_the_limiter() -> None:
    model = ScriptedModel(ANSWERS, latency=5)
    asked = patient(model, most=1, timeout_s=9)
    first = asyncio.create_task(asked.complete(ASK))
    await asyncio.sleep(0.01)
    with metered(deadline_s=0.05), pytest.raises(BudgetError, match="deadline_s"):
        await asked.complete(ASK)
    first.cancel()
    assert len(model.calls) == 1


async def test_budget_calls_hold_with_many_requests_at_once() -> None:
    model = ScriptedModel(ANSWERS, latency=0.01)
    asked = patient(model)
    with metered(max_calls=7) as meter:
        results = await asyncio.gather(*(asked.complete(ASK) for _ in range(50)), return_exceptions=True)
    assert sum(isinstance(result, BudgetError) for result in results) == 43
    assert (len(model.calls), meter.total.model_calls) == (7, 7)


@pytest.mark.parametrize(
    ("limits", "sent"), [({"max_tokens": 1000}, 4), ({"max_cost": 0.05}, 4), ({"max_cost": 0.0}, 0)]
)
async def test_budget_counts_requests_under_way(limits: dict[str, Any], sent: int) -> None:
    """A request is expected to need 7 tokens in and 200 out."""
    model = ScriptedModel(ANSWERS, latency=0.01)
    asked = patient(model, price=(0.0, 60.0))
    with metered(**limits):
        await asyncio.gather(*(asked.complete(ASK) for _ in range(50)), return_exceptions=True)
    assert len(model.calls) == sent


@pytest.mark.parametrize(("price", "cost"), [((), None), ((2.0, 10.0), 0.0025), ((2.0, 10.0, 0.5), 0.00175)])
def test_prices_are_per_million_tokens(price: tuple[float, ...], cost: float | None) -> None:
    asked = patient(ScriptedModel(ANSWERS), price=price)
    assert asked.cost(Tokens(input=1000, output=50, cached=500)) == (cost and pytest.approx(cost))


async def test_call_is_recorded_with_its_answer() -> None:
    calls: list[ModelCall] = []
    with metered(Meter(on_call=calls.append)) as meter, meter.step("edit"):
        await patient(ScriptedModel(ANSWERS)).complete(ASK)
    [call] = calls
    assert (call.node, call.model, call.prompt, call.messages) == ("edit", "scripted", PROMPT, ASK.messages)
    assert (call.texts, call.tokens, call.error) == ((TEXT,), Tokens(7, 4), "")


@pytest.mark.loopback
async def test_budget_counts_an_estimate_without_reported_usage() -> None:
    with ScriptedServer(ANSWERS, plan=[NoUsage()] * 2) as server, metered() as meter:
        model = patient(protocol(server))
        await asyncio.gather(model.complete(ASK), model.complete(ASK))
        await model.aclose()
    assert meter.total.input_tokens >= 2 * estimated_tokens(["Edit."])
    assert [notice.code for notice in meter.warnings] == ["usage_estimated"]
