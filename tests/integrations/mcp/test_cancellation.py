"""A client that cancels its call, or goes away, stops the run."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import anyio
import pytest
from mcp import Client

from integrations.mcp.calls import RIGHT, WRONG, records
from rarr import Settings
from rarr.integrations.mcp import ToolServer
from rarr.integrations.mcp.server import serve_http
from rarr.records import Passage

Mode = Literal["legacy", "auto"]


class Silent:
    """A source that answers once `released`; it tells when it is asked, and when it is cancelled."""

    def __init__(self) -> None:
        self.asked, self.cancelled, self.released = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        self.asked.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return []


CALLS = [
    ("revise_text", {"text": WRONG}),
    ("cite_text", {"text": WRONG}),
    ("verify_claim", {"claim": WRONG}),
    ("find_evidence", {"query": WRONG}),
]


@pytest.fixture
def source() -> Silent:
    return Silent()


@pytest.fixture
def server(source: Silent) -> ToolServer:
    return ToolServer(Settings(search=source))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_a_cancelled_call_stops_its_search(
    server: ToolServer, source: Silent, mode: Mode, tool: str, arguments: dict[str, str]
) -> None:
    async with Client(server, mode=mode) as client:
        call = asyncio.create_task(client.call_tool(tool, arguments))
        await asyncio.wait_for(source.asked.wait(), 20)
        call.cancel()
        await asyncio.wait_for(source.cancelled.wait(), 20)
        with pytest.raises(asyncio.CancelledError):
            await call
        source.released.set()
        given = [{"text": "Hoover Dam is 221 metres high."}]
        revised = await records(client, "revise_text", text=WRONG, evidence=given, only_evidence=True)
        assert revised["text"] == RIGHT  # the server goes on
    await server.aclose()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_scope_of_the_client_stops_the_search(server: ToolServer, source: Silent, mode: Mode) -> None:
    async def leave(scope: anyio.CancelScope) -> None:
        await source.asked.wait()
        scope.cancel()

    async with Client(server, mode=mode) as client, anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            group.start_soon(leave, scope)
            await client.call_tool("revise_text", {"text": WRONG})
        assert scope.cancelled_caught
        await asyncio.wait_for(source.cancelled.wait(), 20)
    await server.aclose()


@pytest.mark.loopback
async def test_a_call_cancelled_over_http_stops_its_search(server: ToolServer, source: Silent) -> None:
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_http(server, "127.0.0.1", 0, None, ready.set_result))
    async with Client(await ready) as client:
        call = asyncio.create_task(client.call_tool("revise_text", {"text": WRONG}))
        await asyncio.wait_for(source.asked.wait(), 20)
        call.cancel()
        await asyncio.wait_for(source.cancelled.wait(), 20)
    serving.cancel()
    await asyncio.wait({serving})
    await server.aclose()
