"""`RarrRunnable` where something fails or is late: the original goes out, and the next answer works."""

import threading
from typing import Any

import pytest
from agent.dams import ANSWER, HEIGHT, RIGHT, WRONG, run_once
from langchain_core.messages import AIMessage

from integrations.chat_models import QUESTION
from rarr.agent import runs
from rarr.agent.wiring.components import wire
from rarr.integrations.langchain import RarrRunnable
from rarr.testing import ScriptedModel

GIVEN: dict[str, Any] = {"answer": WRONG, "question": QUESTION, "sources": [HEIGHT]}


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    run_once()


def test_dead_model_behind_the_step_lets_the_original_out() -> None:
    dead = ScriptedModel({}, failures=[OSError("connection refused")] * 1000)
    result: Any = RarrRunnable(model=dead).invoke({"answer": AIMessage(ANSWER), "sources": [HEIGHT]})
    assert (result["answer"].content, result["rarr"].outcome) == (ANSWER, "failed")
    assert "connection refused" in result["answer"].response_metadata["rarr"]["notice"]


async def test_models_that_were_too_late_are_ready_for_the_next_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, released = [], threading.Event()

    def slow(*arguments: Any) -> Any:
        made.append(arguments)
        released.wait(30)
        return wire(*arguments)

    monkeypatch.setattr(runs, "wire", slow)
    step = RarrRunnable(deadline_s=0.01)
    first: Any = await step.ainvoke(GIVEN)
    released.set()
    assert first["rarr"].outcome == "deadline"
    step._deadline_s = None
    assert (await step.ainvoke(GIVEN))["answer"] == RIGHT
    assert len(made) == 1
