"""What a run spends is counted at the node that spent it, and held to the budget."""

import asyncio

import pytest

from rarr.errors import BudgetError
from rarr.tools.models.chat import Tokens
from rarr.tools.models.run_budget import Budget, Meter, ModelCall, Tally, meter
from tools.asking import ASK, PROMPT, metered

CALL = ModelCall("", "scripted", PROMPT, ASK.messages, (), Tokens(), 0.0, "")


async def spend(node: str, tokens: int) -> None:
    with meter().step(node):
        await asyncio.sleep(0)
        with meter().request(tokens):
            await asyncio.sleep(0)
            meter().spend(Tokens(input=tokens), cost=1.0)


def test_meter_outside_of_a_run_limits_and_counts_nothing() -> None:
    with meter().request(10**9):
        pass
    assert meter().total == Tally()


async def test_usage_is_counted_for_the_node_of_the_task() -> None:
    with metered() as whole:
        await asyncio.gather(spend("edit", 3), spend("check_agreement", 5), spend("edit", 7))
    tokens = {node: (tally.calls, tally.input_tokens) for node, tally in whole.by_node.items()}
    assert tokens == {"edit": (2, 10), "check_agreement": (1, 5)}
    assert (whole.total.model_calls, whole.total.input_tokens, whole.total.cost) == (3, 15, 3.0)


async def test_usage_of_tasks_started_by_a_node_counts_for_the_node() -> None:
    async def ask() -> None:
        with meter().request(1):
            meter().spend(Tokens(output=2), cost=0.0)

    with metered() as whole, meter().step("edit"):
        await asyncio.gather(ask(), ask())
    assert (whole.by_node["edit"].model_calls, whole.by_node["edit"].output_tokens) == (2, 4)


def test_budget_of_calls_counts_requests_that_fail() -> None:
    whole = Meter(Budget(max_calls=1))
    with pytest.raises(ValueError, match="broken"), whole.request(1):
        raise ValueError("broken")
    with (
        pytest.raises(BudgetError, match=r"max_calls \(1\) is reached: raise it"),
        whole.request(1),
    ):
        pass


def test_budget_of_tokens_counts_requests_under_way() -> None:
    whole = Meter(Budget(max_tokens=100))
    with whole.request(60), pytest.raises(BudgetError, match="max_tokens"), whole.request(60):
        pass
    with whole.request(60):  # nothing is under way any more, and nothing was spent
        whole.spend(Tokens(input=30, output=20), cost=0.0)
    with pytest.raises(BudgetError, match=r"max_tokens \(100\) would be passed: raise it"), whole.request(60):
        pass


def test_budget_of_cost_counts_requests_under_way() -> None:
    whole = Meter(Budget(max_cost=0.1))
    with whole.request(1, 0.06), pytest.raises(BudgetError, match="max_cost"), whole.request(1, 0.06):
        pass
    with whole.request(1, 0.06):
        whole.spend(Tokens(), cost=0.05)
    with pytest.raises(BudgetError, match=r"max_cost \(0.1\) would be passed"), whole.request(1, 0.06):
        pass


async def test_budget_deadline_ends_slow_work() -> None:
    whole = Meter(Budget(deadline_s=0.02))
    with pytest.raises(BudgetError, match=r"deadline_s \(0.02\) is over: raise it for more"):
        async with whole.in_time():
            await asyncio.sleep(5)


async def test_nested_budget_deadlines_raise_one_error() -> None:
    whole = Meter(Budget(deadline_s=0.02))
    with pytest.raises(BudgetError):
        async with whole.in_time(), whole.in_time():
            await asyncio.sleep(5)


async def test_budget_deadline_is_not_blamed_for_other_timeouts() -> None:
    whole = Meter(Budget(deadline_s=5.0))
    with pytest.raises(TimeoutError, match="a socket"):
        async with whole.in_time():
            raise TimeoutError("a socket")
