"""No configured server can make us hold more than a limit, counted as its answers are unpacked."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from families import few
from retrievers.caches import opened
from retrievers.hostile import Hostile, Script, answer, forever, moved

from rarr.cli.doctor import reached
from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.rerank.endpoint import EndpointReranker
from rarr.retrievers.web.searches import SearXNG, Tavily, Wikipedia
from rarr.retrievers.web.service_requests import Probe
from rarr.testing import RETRIEVED_AT
from rarr.tools.guard.bounded_http_client import LONGEST, bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.langchain_chat import langchain_chat
from rarr.tools.models.retries import Limiter
from tools.asking import ASK, KEY

pytestmark = pytest.mark.loopback

UNPACKED = 120_000_000  # bytes, more than any limit
SMALL = gzip.compress(b"{}", mtime=0)
BOMB = gzip.compress(b" " * UNPACKED, 6, mtime=0)
PACKED = "Content-Encoding: gzip"
MOST_MEMORY = 80_000_000  # of Python's own; the unpacked answer alone is more
Ask = Callable[[str, Path], Awaitable[object]]


def bomb(status: str = "200 OK") -> bytes:
    return answer(BOMB, PACKED, status=status, kind="application/json")


class Everywhere(dict[str, Script]):
    """One answer at all paths."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def get(self, key: str, default: Any = None) -> Script:
        return self._script


async def openai(url: str, folder: Path) -> object:
    async with aclosing(langchain_chat("openai:m", base_url=url, api_key=KEY, max_retries=0)) as chat:
        return await chat.complete(ASK)


async def probed(url: str, folder: Path) -> object:
    async with aclosing(langchain_chat("vllm:m", base_url=url, api_key=KEY, max_retries=0)) as chat:
        return await chat.probe()


async def searxng(url: str, folder: Path) -> object:
    reader: Any = None
    cache = opened(folder / "cache")
    async with aclosing(SearXNG(url, reader=reader, cache=cache, attempts=1)) as source:
        return await source.retrieve("peaches", 2)


async def mediawiki(url: str, folder: Path) -> object:
    options: dict[str, Any] = {"cache": opened(folder / "cache"), "user_agent": "t", "window": 4, "step": 1}
    async with aclosing(Wikipedia(base_url=url, attempts=1, timeout_s=20, **options)) as source:
        return await source.retrieve("peaches", 2)


async def tavily(url: str, folder: Path) -> object:
    cache = opened(folder / "cache")
    async with aclosing(Tavily("key", base_url=url, cache=cache, window=4, step=1, attempts=1)) as source:
        return await source.retrieve("peaches", 2)


async def reranker(url: str, folder: Path) -> object:
    passage = Passage(text="a", source="a.md", start=0, end=1, retrieved_at=RETRIEVED_AT)
    options: dict[str, Any] = {"api_key": None, "limiter": Limiter(1), "timeout_s": 20, "attempts": 1}
    async with aclosing(EndpointReranker("m", base_url=url, **options)) as ranking:
        return await ranking.score("peaches", [passage])


CLIENTS: list[Ask] = [openai, probed, searxng, mediawiki, tavily, reranker]


async def refused(ask: Ask, script: Script, folder: Path) -> str:
    """What is said of the answer, which takes little memory."""
    async with Hostile(Everywhere(script)) as server:
        tracemalloc.start()
        try:
            with pytest.raises((CallFailure, RetrievalError)) as caught:
                async with asyncio.timeout(30):
                    await ask(server.url(""), folder)
            assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
        finally:
            tracemalloc.stop()
    return str(caught.value)


@pytest.mark.parametrize("ask", CLIENTS)
@pytest.mark.parametrize("status", few(["200 OK", "500 Hm"], every=2))
async def test_compressed_answer_is_bounded(ask: Ask, status: str, tmp_path: Path) -> None:
    most = 20 if ask is tavily else LONGEST // 1_000_000
    assert f"answered with more than {most} MB" in await refused(ask, bomb(status), tmp_path)


@pytest.mark.parametrize("ask", [openai, mediawiki, reranker])
async def test_answer_without_end_is_bounded(ask: Ask, tmp_path: Path) -> None:
    endless = forever(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" " * 1_000_000)
    assert "answered with more than" in await refused(ask, endless, tmp_path)


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, gzip"])
async def test_answer_with_an_unrequested_encoding_is_refused(coding: str, tmp_path: Path) -> None:
    script = answer(BOMB, f"Content-Encoding: {coding}")
    assert f"it is packed as {coding}, which the request did not allow" in await refused(
        openai, script, tmp_path
    )


@pytest.mark.parametrize(
    "packed",
    [b"{}", SMALL[:-9], SMALL[:12] + b"\xff", SMALL + SMALL],
    ids=["not packed", "cut", "damaged", "two members"],
)
async def test_badly_compressed_answer_is_bounded_and_refused(packed: bytes, tmp_path: Path) -> None:
    assert "its gzip data" in await refused(searxng, answer(packed, PACKED), tmp_path)


async def test_body_of_a_redirect_is_bounded(tmp_path: Path) -> None:
    there = moved("/else").split(b"\r\n\r\n")[0] + b"\r\n"
    head = there.replace(b"Content-Length: 0", b"Content-Length: %d" % len(BOMB))
    script = head + b"Content-Encoding: gzip\r\n\r\n" + BOMB
    assert "answered with more than 10 MB" in await refused(mediawiki, script, tmp_path)


async def test_answers_to_the_doctor_are_bounded() -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    async with Hostile(Everywhere(head % len(BOMB) + BOMB)) as server:
        finding = await reached("search x", Probe(server.url(), {}, {}, (200,), {0: "mend it"}))
    assert (finding.state, "more than 10 MB" in finding.detail) == ("broken", True)


@pytest.mark.parametrize("length", [0, 1, 99, 100])
async def test_answer_of_exactly_the_maximum_size_is_complete(length: int) -> None:
    body = b"x" * length
    packed = answer(gzip.compress(body, mtime=0), PACKED)
    scripts: dict[str, Script] = {"/plain": answer(body), "/packed": packed}
    async with Hostile(scripts) as server, bounded_client("it", most=100) as client:
        bodies = [(await client.get(server.url(path))).content for path in scripts]
    assert bodies == [body, body]


async def test_connection_is_closed_after_an_oversized_answer() -> None:
    async with Hostile({"/": answer(b"x" * 101)}) as server, bounded_client("it", most=100) as client:
        for _ in range(3):
            with pytest.raises(CallFailure):
                await client.get(server.url())
        pool: Any = client._transport
        assert isinstance(pool, httpx2.AsyncHTTPTransport)
        assert pool._pool.connections == []


@pytest.mark.parametrize("name", ["Accept-Encoding", "accept-encoding", "ACCEPT-ENCODING"])
async def test_each_header_is_sent_once(name: str) -> None:
    given = {name: "br, zstd", "Authorization": "Bearer a", "X-Trace": "1"}
    async with bounded_client("it", headers=given) as client:
        sent = client.build_request("GET", "http://canned.test/").headers
    assert sent.get_list("accept-encoding") == ["gzip"]
    assert all(len(sent.get_list(header)) == 1 for header in sent)
    assert (sent["authorization"], sent["x-trace"]) == ("Bearer a", "1")
