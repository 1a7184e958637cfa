"""When a model that fails is paused, and when it is asked again."""

import asyncio
import contextlib
from typing import Any

import pytest

from rarr.testing import (
    ScriptedModel,
)
from rarr.tools.models import retries as patience
from rarr.tools.models.chat import Answer, CallFailure
from rarr.tools.models.retries import Limiter
from tools.asking import ANSWERS, ASK, patient
from tools.models.test_retries import down, fails


async def test_faults_three_in_a_row_make_the_model_rest() -> None:
    model = ScriptedModel(ANSWERS, failures=[down()] * 3)
    asked = patient(model, attempts=1)
    assert [await fails(asked) for _ in range(5)] == ["server"] * 3 + ["resting"] * 2
    assert len(model.calls) == 3


async def test_faults_resting_model_repeats_the_cure() -> None:
    unreachable = [CallFailure("connection", "it cannot be reached")] * 3
    asked = patient(ScriptedModel(ANSWERS, failures=unreachable), attempts=9)
    with pytest.raises(CallFailure, match=r"paused for 30 s: .*; start its server or fix base_url"):
        await asked.complete(ASK)


async def test_faults_success_resets_the_count() -> None:
    model = ScriptedModel(ANSWERS, failures=[down(), down(), None, down(), down()])
    asked = patient(model, attempts=1)
    assert [await fails(asked), await fails(asked)] == ["server"] * 2
    await asked.complete(ASK)
    assert [await fails(asked), await fails(asked)] == ["server"] * 2
    await asked.complete(ASK)


async def test_faults_success_ends_the_rest() -> None:
    slow = asyncio.Event()

    class Late(ScriptedModel):
        async def complete(self, ask: Any) -> Answer:
            late = not self.calls
            answer = await super().complete(ask)
            if late:
                await slow.wait()
            return answer

    asked = patient(Late(ANSWERS, failures=[None, down(), down(), down()]), attempts=1)
    first = asyncio.create_task(asked.complete(ASK))
    await asyncio.sleep(0.01)
    assert [await fails(asked) for _ in range(4)][-1] == "resting"
    slow.set()
    await first
    await asked.complete(ASK)


@pytest.mark.parametrize("kind", ["busy", "refused"])
async def test_faults_in_answers_of_the_server_do_not_make_it_rest(kind: Any) -> None:
    asked = patient(ScriptedModel(ANSWERS, failures=[CallFailure(kind, kind)] * 5), attempts=1)
    assert [await fails(asked) for _ in range(5)] == [kind] * 5


@pytest.mark.parametrize(("rests_after", "sent"), [((), 5), (("server",), 3), (("timeout",), 5)])
async def test_attempts_rest_after_the_configured_failures(rests_after: Any, sent: int) -> None:
    requests: list[int] = []

    async def failing() -> None:
        requests.append(1)
        raise down()

    attempts = patience.Attempts("a", Limiter(1), attempts=1, rests_after=rests_after)
    for _ in range(5):
        with pytest.raises(CallFailure):
            await attempts(failing)
    assert len(requests) == sent


@pytest.mark.parametrize(("answers_first", "sent"), [(False, 1), (True, 4)])
async def test_server_that_never_answered_rests_after_its_first_timeout(
    answers_first: bool, sent: int
) -> None:
    requests: list[int] = []

    async def hanging() -> None:
        requests.append(1)
        if not answers_first or len(requests) > 1:
            raise CallFailure("timeout", "no answer")

    rests: Any = ("timeout",)
    attempts = patience.Attempts("a", Limiter(1), attempts=1, rests_after=rests, known=False)
    for _ in range(6):
        with contextlib.suppress(CallFailure):
            await attempts(hanging)
    assert len(requests) == sent


async def test_faults_one_request_is_tried_after_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "REST_S", 0.05)
    model = ScriptedModel(ANSWERS, failures=[down()] * 4)
    asked = patient(model, attempts=1)
    assert [await fails(asked) for _ in range(4)][-1] == "resting"
    await asyncio.sleep(0.06)
    assert [await fails(asked), await fails(asked)] == ["server", "resting"]
    await asyncio.sleep(0.06)
    await asked.complete(ASK)
    assert len(model.calls) == 5
