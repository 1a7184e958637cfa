"""The gate frees the place of a client that does not read its response."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from rarr import Settings
from rarr.serve import gate as module
from rarr.serve.gate import Gate

SCOPE: dict[str, Any] = {
    "type": "http",
    "method": "GET",
    "path": "/v1/models",
    "raw_path": b"/v1/models",
    "query_string": b"",
    "headers": [(b"host", b"localhost")],
}


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def test_client_that_does_not_read_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Message) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "SEND_S", 0.01)
    gate = Gate(answers, Settings())
    await gate({**SCOPE}, receive, send)
    assert gate._in_flight == 0
