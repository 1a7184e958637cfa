"""What does not depend on each other is asked at once, and the order of the answers makes no difference."""

import asyncio

import pytest

from agent.mills import Documents, WatchedModel, answer, settings_for, text_of
from rarr import Reviser, Settings
from rarr.testing import (
    ScriptedServer,
)

TEXT, RIGHT = text_of(8, wrong=5), text_of(8, wrong=0)


@pytest.mark.slow
async def test_same_question_of_a_run_is_not_asked_twice() -> None:
    model = WatchedModel()
    await Reviser(Settings(model=model, search=Documents())).arevise(TEXT)
    asked = model.asked("check_agreement") + model.asked("edit")
    assert len(asked) == len(set(asked))


@pytest.mark.slow
@pytest.mark.loopback
async def test_requests_at_once_are_limited_over_all_texts() -> None:
    with ScriptedServer(answer, latency=0.03) as server:
        async with Reviser(settings_for(server, concurrency=4)) as reviser:
            texts = [text_of(3, wrong=n % 3) for n in range(20)]
            revisions = await asyncio.gather(*map(reviser.arevise, texts))
        assert server.in_flight_most == 4
    assert all(revision.text == text_of(3, wrong=0) for revision in revisions)


@pytest.mark.slow
@pytest.mark.loopback
async def test_texts_at_once_have_usages_of_their_own() -> None:
    with ScriptedServer(answer, latency=0.01) as server:
        async with Reviser(settings_for(server)) as reviser:
            revisions = await asyncio.gather(*(reviser.arevise(text_of(n, wrong=0)) for n in (1, 3, 6)))
        assert sum(revision.usage.model_calls for revision in revisions) == len(server.requests)
    assert [revision.usage.model_calls for revision in revisions] == [2, 2, 2]


WHO, WHEN = "Who built Ude Mill?", "When was Ude Mill built?"
