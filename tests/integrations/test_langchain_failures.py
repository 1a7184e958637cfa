"""`RarrRunnable` where something fails or is late: the original goes out, and the next answer works."""

from typing import Any

import pytest
from agent.dams import ANSWER, HEIGHT, WRONG, run_once
from langchain_core.messages import AIMessage

from integrations.chat_models import QUESTION
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
