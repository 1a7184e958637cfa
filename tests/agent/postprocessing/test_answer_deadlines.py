"""The deadline of an answer: the original goes out, whatever the components do, and the next answer works."""

import asyncio
import threading
from importlib import import_module
from typing import Any

import pytest

from agent.dams import ANSWER, HEIGHT, RIGHT, WRONG, Computing, Silent, Stubborn, run_once
from rarr import Postprocessed, Reviser, Settings, Trace, apostprocess, postprocess
from rarr.testing import ScriptedModel

SOON = 1.0
module = import_module("rarr.agent.revise")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Loads what a first run loads, which may take longer than the deadline."""
    run_once()
    postprocess(ANSWER, sources=[HEIGHT], mode="cite")


def assert_untouched(result: Postprocessed) -> None:
    assert (result.text, result.changed, result.outcome) == (ANSWER, False, "deadline")
    assert (result.revision, result.citations, result.marks) == (None, (), ())
    assert result.notice == "not checked: the deadline of 1 s came first"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["revise", "cite", "check", "annotate"])
async def test_silent_source_is_cancelled_at_the_deadline(mode: Any) -> None:
    source = Silent()
    assert_untouched(await apostprocess(ANSWER, search=source, mode=mode, deadline_s=SOON))
    assert await asyncio.to_thread(source.cancelled.wait, 30)


@pytest.mark.slow
def test_call_without_an_event_loop_keeps_the_deadline_of_a_silent_model() -> None:
    model = ScriptedModel({"": "never"}, latency=3600)
    assert_untouched(postprocess(ANSWER, sources=[HEIGHT], model=model, deadline_s=SOON))
    assert model.calls


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Stubborn, Computing])
async def test_source_that_cannot_be_cancelled_is_not_waited_for(kind: Any) -> None:
    source = kind()
    async with Reviser(Settings(search=source)) as reviser:
        try:
            assert_untouched(await reviser.apostprocess(ANSWER, deadline_s=SOON))
        finally:
            source.released.set()
        assert (await reviser.apostprocess(WRONG, sources=[HEIGHT], search="given")).text == RIGHT


@pytest.mark.slow
async def test_answers_at_once_have_deadlines_of_their_own_and_late_ones_are_recorded() -> None:
    async with Reviser(Settings(search=Silent())) as reviser:
        late = [reviser.apostprocess(ANSWER, deadline_s=SOON, run_id=f"late{n}") for n in range(5)]
        fast = [reviser.apostprocess(WRONG, sources=[HEIGHT], search="given") for _ in range(5)]
        results = await asyncio.gather(*late, *fast)
        ending = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*ending, return_exceptions=True)
    for result in results[:5]:
        assert_untouched(result)
    assert [result.text for result in results[5:]] == [RIGHT] * 5
    assert (Trace.load("late0").status, Trace.load("late0").file.error) == ("failed", "cancelled")


async def test_building_the_models_counts() -> None:
    result = await apostprocess(ANSWER, sources=[HEIGHT], deadline_s=1e-6)
    assert (result.text, result.outcome) == (ANSWER, "deadline")


async def test_reviser_that_is_built_too_late_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    released, closed = threading.Event(), threading.Event()

    class Late(Reviser):
        def __init__(self, **values: Any) -> None:
            released.wait(30)
            super().__init__(**values)

        def close(self) -> None:
            super().close()
            closed.set()

    monkeypatch.setattr(module, "Reviser", Late)
    result = await apostprocess(ANSWER, sources=[HEIGHT], deadline_s=0.01)
    released.set()
    assert result.outcome == "deadline"
    assert await asyncio.to_thread(closed.wait, 30)


async def test_answer_in_time_is_finished() -> None:
    result = await apostprocess(WRONG, sources=[HEIGHT], deadline_s=600)
    assert (result.text, result.outcome) == (RIGHT, "finished")


@pytest.mark.slow
async def test_caller_that_goes_away_cancels_the_search() -> None:
    source, asked = Silent(), asyncio.Event()

    class Telling(Silent):
        async def retrieve(self, query: str, k: int) -> Any:
            asked.set()
            return await source.retrieve(query, k)

    async with Reviser(Settings(search=Telling())) as reviser:
        call = asyncio.create_task(reviser.apostprocess(ANSWER, deadline_s=600))
        await asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(source.cancelled.wait, 30)
