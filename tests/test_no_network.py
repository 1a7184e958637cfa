"""No test reaches the network, unless it is marked."""

import asyncio
import contextlib
import socket

import pytest


def connect(host: str) -> None:
    with socket.socket() as client:
        client.connect((host, 9))


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"])
def test_no_test_can_connect(host: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=host):
        connect(host)


@pytest.mark.parametrize("host", ["example.org", b"example.org"])
def test_no_test_can_look_up_a_name(host: str | bytes) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"'example\.org'"):
        socket.getaddrinfo(host, 80)


def test_no_test_can_serve() -> None:
    with socket.socket() as server, pytest.raises(pytest.fail.Exception, match="mark the test loopback"):
        server.bind(("127.0.0.1", 0))


async def test_refusal_is_not_caught_by_code_that_catches_exceptions() -> None:
    async def survive() -> None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(connect, "192.0.2.1")

    with pytest.raises(pytest.fail.Exception):
        await asyncio.gather(survive())


@pytest.mark.loopback
async def test_marked_test_reaches_a_server_on_this_machine() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()
