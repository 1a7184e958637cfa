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


async def answers_in_a_group(scope: Scope, receive: Receive, send: Send) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(send({"type": "http.response.start", "status": 200, "headers": []}))  # type: ignore[arg-type]


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.parametrize("app", [answers, answers_in_a_group])
async def test_client_that_does_not_read_loses_its_place(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Message) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "SEND_S", 0.01)
    gate = Gate(app, Settings())
    await gate({**SCOPE}, receive, send)
    assert gate._in_flight == 0
