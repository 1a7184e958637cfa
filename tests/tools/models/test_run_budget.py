"""The usage of a run is counted at the node that caused it, and kept within the budget."""

import asyncio
from typing import Any

import pytest

from rarr.errors import BudgetError
from rarr.testing import Failure, ScriptedModel, ScriptedServer
from rarr.tools.models.chat import CallFailure, Tokens, estimated_tokens
from rarr.tools.models.run_budget import Budget, Meter, meter
from tools.asking import ANSWERS, ASK, KEY, chat_at, fast_chat, metered_run


async def spend(node: str, tokens: int) -> None:
    with meter().step(node):
        await asyncio.sleep(0)
        with meter().request(tokens):
            await asyncio.sleep(0)
            meter().spend(Tokens(input=tokens), cost=1.0)


async def test_usage_is_counted_for_the_node_of_the_task() -> None:
    with metered_run() as whole:
        await asyncio.gather(spend("edit", 3), spend("check_agreement", 5), spend("edit", 7))
    tokens = {node: (tally.calls, tally.input_tokens) for node, tally in whole.by_node.items()}
    assert tokens == {"edit": (2, 10), "check_agreement": (1, 5)}
    assert (whole.total.model_calls, whole.total.input_tokens, whole.total.cost) == (3, 15, 3.0)


async def test_budget_deadline_ends_slow_work_and_a_wait_for_the_limiter() -> None:
    with pytest.raises(BudgetError, match=r"deadline_s \(0.02\) is over: raise it for more"):
        async with Meter(Budget(deadline_s=0.02)).in_time():
            await asyncio.sleep(5)
    model = ScriptedModel(ANSWERS, latency=5)
    asked = fast_chat(model, most=1, timeout_s=9)
    first = asyncio.create_task(asked.complete(ASK))
    await asyncio.sleep(0.01)
    with metered_run(deadline_s=0.05), pytest.raises(BudgetError, match="deadline_s"):
        await asked.complete(ASK)
    first.cancel()
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    ("limits", "sent"),
    [({"max_tokens": 1000}, 4), ({"max_cost": 0.05}, 4), ({"max_cost": 0.0}, 0), ({"max_calls": 7}, 7)],
)
async def test_budget_counts_requests_under_way(limits: dict[str, Any], sent: int) -> None:
    """A request is expected to need 7 tokens in and 200 out."""
    model = ScriptedModel(ANSWERS, latency=0.01)
    asked = fast_chat(model, price=(0.0, 60.0))
    with metered_run(**limits):
        await asyncio.gather(*(asked.complete(ASK) for _ in range(50)), return_exceptions=True)
    assert len(model.calls) == sent


@pytest.mark.parametrize(("price", "cost"), [((), None), ((2.0, 10.0), 0.0025), ((2.0, 10.0, 0.5), 0.00175)])
def test_prices_are_per_million_tokens(price: tuple[float, ...], cost: float | None) -> None:
    asked = fast_chat(ScriptedModel(ANSWERS), price=price)
    assert asked.cost(Tokens(input=1000, output=50, cached=500)) == (cost and pytest.approx(cost))


@pytest.mark.loopback
async def test_budget_counts_an_estimate_without_reported_usage() -> None:
    with ScriptedServer(ANSWERS, plan=[Failure("no_usage")] * 2) as server, metered_run() as meter:
        model = fast_chat(chat_at(server))
        await asyncio.gather(model.complete(ASK), model.complete(ASK))
        await model.aclose()
    assert meter.total.input_tokens >= 2 * estimated_tokens(["Edit."])
    assert [notice.code for notice in meter.warnings] == ["usage_estimated"]


async def test_prompt_of_a_request_that_was_cut_off_is_counted() -> None:
    slow, unreached = ScriptedModel(ANSWERS, latency=5), chat_at("http://127.0.0.1:1")
    cases = (slow, 0.05, 9.0, 7), (slow, None, 0.05, 7), (unreached, None, 2.0, 0)
    for chat, deadline_s, timeout_s, tokens in cases:
        with metered_run(deadline_s=deadline_s) as meter, pytest.raises((BudgetError, CallFailure)):
            await fast_chat(chat, timeout_s=timeout_s, price=(2e6, 1e6)).complete(ASK)
        used = meter.total
        assert (used.input_tokens, used.output_tokens, used.cost) == (tokens, 0, 2.0 * tokens)
        assert [it.code for it in meter.warnings] == ["usage_estimated"] * bool(tokens)


async def test_answer_far_beyond_its_limit_is_cut_off_without_half_a_key() -> None:
    class Careless(ScriptedModel):
        secrets = (KEY,)

    whole = 20_000
    answer = await fast_chat(Careless({"": "x" * (whole - 10) + KEY + "y" * 5_000_000})).complete(ASK)
    assert (answer.cut, len(answer.texts[0]) <= whole, "sk-" in answer.texts[0]) == (True, True, False)
    assert answer.texts[0].startswith("x" * (whole - 1_000))
    assert not (await fast_chat(ScriptedModel({"": "x" * whole})).complete(ASK)).cut
