"""A client that cancels its call, or goes away, stops the run."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest
from mcp import Client

from integrations.mcp.calls import RIGHT, WRONG, records
from rarr import Settings
from rarr.integrations.mcp import ToolServer
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
        revised = await records(client, "revise_text", text=WRONG, sources=given, search="given")
        assert revised["text"] == RIGHT  # the server goes on
    await server.aclose()
