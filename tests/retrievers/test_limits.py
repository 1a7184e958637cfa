import asyncio
import gzip
from collections.abc import Sequence

import pytest

from retrievers.fetches import CAP, PAGE, SHORT_S, refusal, refused, served
from retrievers.hostile import Hostile, Script, answer, forever, half_closed, moved, reset, silent

loopback = pytest.mark.loopback


@pytest.mark.parametrize(
    "script",
    [
        answer(b"x" * (CAP + 1)),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10000000000\r\n\r\n",
        forever(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"x" * 10_000),
        forever(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"2710\r\n" + b"x" * 10_000 + b"\r\n",
        ),
        answer(gzip.compress(bytes(CAP + 1), mtime=0), "Content-Encoding: gzip"),
        forever(  # a name in the head of what is packed, which unpacks to nothing
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
            b"\x1f\x8b\x08\x08\0\0\0\0\0\3",
            b"x" * 10_000,
        ),
    ],
    ids=[
        "one byte more",
        "promised",
        "endless",
        "endless pieces",
        "packed",
        "packed nothing",
    ],
)
@loopback
async def test_fetch_of_too_much_ends(script: Script) -> None:
    assert f"longer than {CAP:,} bytes" in await refused(script)


@pytest.mark.parametrize(
    "script",
    [
        silent,
        forever(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"x", 0.02),
        forever(b"HTTP/1.1 200 OK\r\n", b"X", 0.02),
        forever(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.02),
        forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        forever(b"", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", 0.02),
    ],
    ids=["silence", "body", "head", "heads", "no end of continue", "hints"],
)
@loopback
async def test_fetch_of_a_dripping_answer_times_out(script: Script) -> None:
    assert "took more than 0.3 s" in await refused(script, timeout_s=SHORT_S)


@loopback
async def test_fetch_has_one_limit_for_all_its_redirects() -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(SHORT_S / 2)
        writer.write(moved("/"))

    assert "took more than" in await refused(slow, timeout_s=SHORT_S)


async def test_fetch_with_a_hanging_lookup_times_out() -> None:
    async def never(name: str, port: int) -> Sequence[str]:
        await asyncio.sleep(60)
        return []

    assert "took more than" in await refusal("http://site.org/", find=never, timeout_s=SHORT_S)


@pytest.mark.parametrize(
    "script",
    [
        b"",
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00" * 100,
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 9999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/html\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        answer(PAGE, f"X: {'y' * 1_000_000}"),
        forever(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 100),
        forever(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 1000),
        forever(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", b"y" * 1000),
        forever(b"", b"\x1b[31m" * 1000),
        reset,
        half_closed,
    ],
)
@loopback
async def test_fetch_of_a_broken_answer_is_an_error(script: Script) -> None:
    await refused(script)


@loopback
async def test_fetch_reads_no_more_than_the_content_length() -> None:
    lie = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nabc"
    assert (await served(lie)).content == b"ab"


@loopback
async def test_fetch_from_a_closed_port_is_an_error() -> None:
    async with Hostile({}) as server:
        gone = server.url()
    assert "no connection" in await refusal(gone)
