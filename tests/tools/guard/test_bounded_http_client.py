"""No configured server can make this process hold more bytes than a limit, counted as unpacked."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from retrievers.hostile import Hostile, Script, answer, forever

import rarr
from rarr.tools.guard.bounded_http_client import LONGEST, bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.langchain_chat import langchain_chat
from tools.asking import ASK, KEY

pytestmark = pytest.mark.loopback

SMALL = gzip.compress(b"{}", mtime=0)
BOMB = gzip.compress(b" " * 120_000_000, 6, mtime=0)  # bytes, more than any limit
MOST_MEMORY = 80_000_000  # of Python's own; the unpacked answer alone is more
Ask = Callable[[str], Awaitable[object]]


def packed(body: bytes, encoding: str = "gzip", status: str = "200 OK") -> Script:
    return answer(body, f"Content-Encoding: {encoding}", status=status, kind="application/json")


async def plain(url: str) -> object:
    async with bounded_client("it") as client:
        return await client.get(url)


async def openai(url: str) -> object:
    async with aclosing(langchain_chat("openai:m", base_url=url, api_key=KEY, max_retries=0)) as chat:
        return await chat.complete(ASK)


async def refused(ask: Ask, script: Script) -> str:
    """Returns the error about the answer, which takes little memory."""
    async with Hostile(dict.fromkeys(("/", "/chat/completions"), script)) as server:
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
    """The proxy passes the bodies of its own server on, and pages are read by `body_pieces`."""
    folder = Path(rarr.__file__).parent
    files = (file for file in folder.rglob("*.py") if "AsyncClient(" in file.read_text(encoding="utf-8"))
    made = {file.relative_to(folder).as_posix() for file in files}
    assert made == {"tools/guard/bounded_http_client.py", "serve/proxy.py"}


@pytest.mark.parametrize("ask", [plain, openai])
async def test_answer_that_is_too_long_is_refused_packed_or_without_end(ask: Ask) -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" " * 1_000_000)
    for script in (packed(BOMB), packed(BOMB, status="500 Hm"), endless):
        assert f"more than {LONGEST // 1_000_000} MB" in await refused(ask, script)


async def test_badly_compressed_answer_is_refused() -> None:
    said = await refused(openai, packed(BOMB, "gzip, gzip"))
    assert "it is packed as gzip, gzip, which the request did not allow" in said
    for body in (b"{}", SMALL[:-9], SMALL[:12] + b"\xff", SMALL + SMALL):
        assert "its gzip data" in await refused(plain, packed(body))
