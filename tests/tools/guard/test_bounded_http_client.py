"""No configured server can make us hold more than a limit, counted as its answers are unpacked."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from retrievers.hostile import Hostile, Script, answer, forever

import rarr
from rarr.tools.guard.bounded_http_client import LONGEST, bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.langchain_chat import langchain_chat
from tools.asking import ASK, KEY

pytestmark = pytest.mark.loopback

UNPACKED = 120_000_000  # bytes, more than any limit
SMALL = gzip.compress(b"{}", mtime=0)
BOMB = gzip.compress(b" " * UNPACKED, 6, mtime=0)
PACKED = "Content-Encoding: gzip"
MOST_MEMORY = 80_000_000  # of Python's own; the unpacked answer alone is more
Ask = Callable[[str], Awaitable[object]]


def bomb(status: str = "200 OK") -> bytes:
    return answer(BOMB, PACKED, status=status, kind="application/json")


class Everywhere(dict[str, Script]):
    """One answer at all paths."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def get(self, key: str, default: Any = None) -> Script:
        return self._script


async def plain(url: str) -> object:
    async with bounded_client("it") as client:
        return await client.get(url)


async def openai(url: str) -> object:
    async with aclosing(langchain_chat("openai:m", base_url=url, api_key=KEY, max_retries=0)) as chat:
        return await chat.complete(ASK)


async def refused(ask: Ask, script: Script) -> str:
    """What is said of the answer, which takes little memory."""
    async with Hostile(Everywhere(script)) as server:
        tracemalloc.start()
        try:
            with pytest.raises(CallFailure) as caught:
                async with asyncio.timeout(30):
                    await ask(server.url(""))
            assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
        finally:
            tracemalloc.stop()
    return str(caught.value)


def test_every_client_of_the_package_reads_bounded_answers() -> None:
    """The proxy passes the bodies of its own server through, and pages are read by `pieces`."""
    folder = Path(rarr.__file__).parent
    files = (file for file in folder.rglob("*.py") if "AsyncClient(" in file.read_text(encoding="utf-8"))
    made = {file.relative_to(folder).as_posix() for file in files}
    assert made == {"tools/guard/bounded_http_client.py", "serve/proxy.py"}


@pytest.mark.parametrize("ask", [plain, openai])
async def test_compressed_answer_is_bounded(ask: Ask) -> None:
    for status in ("200 OK", "500 Hm"):
        assert f"more than {LONGEST // 1_000_000} MB" in await refused(ask, bomb(status))


async def test_answer_without_end_is_bounded() -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" " * 1_000_000)
    assert "it has more than" in await refused(openai, endless)


async def test_answer_with_an_unrequested_encoding_is_refused() -> None:
    script = answer(BOMB, "Content-Encoding: gzip, gzip")
    assert "it is packed as gzip, gzip, which the request did not allow" in await refused(openai, script)


@pytest.mark.parametrize(
    "packed",
    [b"{}", SMALL[:-9], SMALL[:12] + b"\xff", SMALL + SMALL],
    ids=["not packed", "cut", "damaged", "two members"],
)
async def test_badly_compressed_answer_is_bounded_and_refused(packed: bytes) -> None:
    assert "its gzip data" in await refused(plain, answer(packed, PACKED))
