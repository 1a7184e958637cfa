"""The scripted model in process."""

import json
from pathlib import Path

import pytest

from rarr.testing import ScriptedModel
from rarr.tools.models.chat import CallFailure, ChatRequest, Message


def asks(user: str = "When?", samples: int = 1) -> ChatRequest:
    messages = (Message("system", "Answer."), Message("user", user))
    return ChatRequest(prompt=("edit", "1", ""), messages=messages, schema={}, samples=samples)


async def test_each_call_takes_one_entry_of_the_failures() -> None:
    model = ScriptedModel(
        {"": "x"}, failures=[CallFailure("busy", "later"), None, CallFailure("timeout", "")]
    )
    with pytest.raises(CallFailure, match="later"):
        await model.complete(asks())
    assert (await model.complete(asks())).texts == ("x",)
    with pytest.raises(CallFailure):
        await model.complete(asks())
    assert (await model.complete(asks())).texts == ("x",)
    assert len(model.calls) == 4


async def test_script_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"When": {"year": "1976 é"}}), encoding="utf-8")
    assert (await ScriptedModel.from_file(path).complete(asks())).texts == ('{"year": "1976 é"}',)
