"""A small corpus, and a server over it with the client of the package mcp."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from rarr import Settings
from rarr.integrations.mcp import ToolServer


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs/dam.md").write_text("# Hoover Dam\n\nHoover Dam is 221 metres high.\n", encoding="utf-8")


@pytest.fixture
def server() -> ToolServer:
    """A server over the corpus. It is made outside of the event loop, for which it would be a long call."""
    return ToolServer(Settings(corpus=Path("specs")))


@pytest.fixture(params=["legacy", "auto"])
async def client(request: pytest.FixtureRequest, server: ToolServer) -> AsyncIterator[Client]:
    """A client in memory: with the handshake of older clients, and without."""
    ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def connect() -> None:  # the same task has to enter and to leave
        async with Client(server, mode=request.param) as connected:
            ready.set_result(connected)
            await done.wait()

    connecting = asyncio.create_task(connect())
    yield await ready
    done.set()
    await connecting
    await server.aclose()


@pytest.fixture
def command() -> StdioServerParameters:
    """The real command over the corpus."""
    environment = {name: os.environ[name] for name in ("RARR_HOME", "PYTHONPATH") if name in os.environ}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "rarr", "mcp", "--corpus", "specs"],
        env=environment,
        cwd=Path.cwd(),
    )
