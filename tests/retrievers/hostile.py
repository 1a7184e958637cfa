"""A server on this machine that answers byte for byte with its scripts."""

import asyncio
import contextlib
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from typing import Self

Script = bytes | Callable[[StreamWriter], Awaitable[None]]


def answer(content: bytes = b"", *head: str, status: str = "200 OK", kind: str | None = "text/html") -> bytes:
    """Makes an answer like that of a usual server. `head` are additional lines."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *head]
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + content


def moved(there: str, status: str = "302 Found") -> bytes:
    return answer(b"", f"Location: {there}", status=status)


def forever(start: bytes, piece: bytes, pause: float = 0.0) -> Script:
    """Yields `start`, and then `piece` without end."""

    async def script(writer: StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return script


async def reset(writer: StreamWriter) -> None:
    """Resets the connection in the middle of the head."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-")
    writer.transport.abort()


async def half_closed(writer: StreamWriter) -> None:
    """Closes its side before the promised end, and keeps the connection."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<html>")
    writer.write_eof()
    await asyncio.sleep(60)


async def silent(*_: object) -> None:
    """Waits for a minute, also in place of a look-up."""
    await asyncio.sleep(60)


class Hostile:
    """Answers each path with its script, and a path without a script with 404. Counts its requests."""

    def __init__(self, scripts: dict[str, Script], tls: ssl.SSLContext | None = None) -> None:
        self._scripts, self._tls = scripts, tls
        self._tasks: set[asyncio.Task[None] | None] = set()
        self.heads: list[str] = []
        self.now = self.most = 0  # requests at once

    @property
    def paths(self) -> list[str]:
        return [head.split()[1] for head in self.heads]

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        tasks = [task for task in self._tasks if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        # The client has gone, or the server goes: a task of a server that is cancelled is logged.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                script = self._scripts.get(self.paths[-1], answer(status="404 Not Found"))
                await (_written(script, writer) if isinstance(script, bytes) else script(writer))
            finally:
                self.now -= 1
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _written(content: bytes, writer: StreamWriter) -> None:
    writer.write(content)
    await writer.drain()
