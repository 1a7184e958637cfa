"""A reviser closes what it opens, as often as it is told, and keeps its event loop free."""

import asyncio
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import AsyncMock

import blocking
import pytest

from agent.dams import RIGHT, WRONG as TEXT
from rarr import Reviser, Settings, Trace, aanswer, arevise, averify, awrite
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import Resources
from rarr.errors import SettingsError
from rarr.retrievers.extract.limited_calls import IdleWorkerCloser
from rarr.testing import InMemoryRetriever

CORPUS = Path("examples/corpus/hoover-dam.md")


async def test_closed_parts_open_again_when_they_are_used() -> None:
    reviser = await asyncio.to_thread(Reviser, search="wikipedia", reranker="vllm:bge")
    services = [part._service for part in reviser._components.opened if hasattr(part, "_service")]
    assert len(services) == 2  # of the search and of the reranker
    for _ in range(2):
        clients = [service._clients.get() for service in services]
        assert not any(client.is_closed for client in clients)
        await reviser.aclose()
        await reviser.aclose()
        assert all(client.is_closed for client in clients)


def test_retriever_of_the_caller_stays_open() -> None:
    closed: list[str] = []
    retriever: Any = InMemoryRetriever()
    retriever.aclose = lambda: closed.append("retriever")
    with Reviser(search=retriever) as reviser:
        reviser.revise(TEXT)
    assert not closed


def test_opened_parts_are_closed_where_wiring_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IdleWorkerCloser, "aclose", closed := AsyncMock())
    with pytest.raises(SettingsError, match="give searxng_url"):
        wire(Settings(search="wikipedia,searxng"))
    closed.assert_awaited_once()


@pytest.mark.parametrize(
    "call",
    [partial(arevise, TEXT), partial(averify, TEXT, [RIGHT]), partial(awrite, "X"), partial(aanswer, "X?")],
)
async def test_what_a_cancelled_call_still_builds_is_closed(call: Any, monkeypatch: Any) -> None:
    entered, released, closed = Event(), Event(), Event()
    keep = Resources.__init__

    def late(opened: Resources, settings: Settings) -> None:
        entered.set()
        released.wait(30)
        keep(opened, settings)

    monkeypatch.setattr(Resources, "__init__", late)
    monkeypatch.setattr(IdleWorkerCloser, "aclose", AsyncMock(side_effect=closed.set))
    run = asyncio.create_task(call(corpus=CORPUS) if call.func is not averify else call())
    await asyncio.to_thread(entered.wait, 30)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    released.set()
    assert await asyncio.to_thread(closed.wait, 30)


async def test_embedded_run_computes_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = f"{TEXT} It has three floors. Falcon Bridge was built in 1950."
    # What must not be done with a long text must not be done with this one.
    monkeypatch.setattr(blocking, "LONG", len(draft) - 5)
    async with await asyncio.to_thread(lambda: Reviser(corpus=CORPUS)) as reviser:
        revision = await reviser.arevise(draft)
    assert revision.evidence != ()
    assert (await asyncio.to_thread(lambda: Trace.load(revision.run_id).revision)) == revision
