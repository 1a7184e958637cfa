"""No test reaches the network, unless it is marked."""

import asyncio
import contextlib
import socket
from collections.abc import Callable

import pytest


def connect(host: str) -> None:
    with socket.socket() as client:
        client.connect((host, 9))


def serve() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


async def survive() -> None:
    with contextlib.suppress(Exception):
        await asyncio.to_thread(connect, "192.0.2.1")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: connect("127.0.0.1"), r"127\.0\.0\.1"),
        (lambda: connect("192.0.2.1"), r"192\.0\.2\.1"),
        (lambda: socket.getaddrinfo("example.org", 80), r"'example\.org'"),
        (lambda: socket.getaddrinfo(b"example.org", 80), r"'example\.org'"),
        (serve, "mark the test loopback"),
        (lambda: asyncio.run(survive()), r"192\.0\.2\.1"),  # code that catches exceptions does not catch it
    ],
)
def test_no_test_connects_looks_up_a_name_or_serves(call: Callable[[], object], message: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=message):
        call()


@pytest.mark.loopback
async def test_marked_test_reaches_a_server_on_this_machine() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()
