"""Nobody reaches a file, an address or another caller's run, and each gets a status and one clear line."""

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from starlette.types import Message, Receive, Scope, Send

from rarr import Settings
from rarr.errors import SettingsError
from rarr.serve import gate as module
from rarr.serve.gate import Callers, Gate
from rarr.testing import ScriptedServer
from serve.conftest import script
from serve.hostile_cases import CASES, Case
from serve.serving import ALICE, BOB, Served

pytestmark = pytest.mark.loopback

SETTINGS: dict[str, Any] = {
    "serve_token": f"{ALICE}, {BOB}",
    "serve_corpora": {"dams": "examples/corpus"},
    "serve_max_body_mb": 0.01,
    "serve_body_timeout_s": 0.3,
}


@pytest.fixture(scope="module")
def behind() -> Iterator[ScriptedServer]:
    with ScriptedServer(script) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(behind: ScriptedServer) -> Iterator[Served]:
    with Served(serve_upstream_url=behind.url, **SETTINGS) as server:
        yield server


def received(served: Served, sent: bytes) -> bytes:
    """What comes back until the response is whole, or the connection ends."""
    data = b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
        connection.sendall(sent)
        while not _is_whole(data) and (more := connection.recv(65_536)):
            data += more
    return data


def _is_whole(data: bytes) -> bool:
    """Without a length, only the end of the connection ends an answer."""
    head, blank, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(blank) and length is not None and len(body) >= int(length[1])


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_hostile_caller_gets_a_status_and_one_line(
    guarded: Served, behind: ScriptedServer, case: Case
) -> None:
    before, jobs = len(behind.requests), len(guarded.known.jobs)
    head, _, body = received(guarded, case.sent()).partition(b"\r\n\r\n")
    message = json.loads(body)["error"]["message"] if body.startswith(b"{") else body.decode()
    assert int(head.split()[1]) == case.status
    assert case.says in message and len(message.splitlines()) <= 1
    assert (len(behind.requests), len(guarded.known.jobs)) == (before, jobs)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {ALICE}"},
        {"authorization": f"bearer   {ALICE}"},
        {"X-Rarr-Token": ALICE, "Authorization": "Bearer sk-for-the-server-behind"},
        {"X-Rarr-Token": ALICE, "Authorization": f"Bearer {ALICE}", "X-Copy": ALICE},
    ],
)
def test_token_never_reaches_the_server_behind(
    guarded: Served, behind: ScriptedServer, headers: dict[str, str]
) -> None:
    assert httpx2.get(f"{guarded.url}/models/org%2Fname?a=b%20c", headers=headers).status_code == 404
    sent = behind.requests[-1].headers
    assert ALICE not in str(sent) and behind.requests[-1].path == "/v1/models/org%2Fname"
    assert sent.get("authorization") == ("Bearer sk-for-the-server-behind" if len(headers) == 2 else None)


def test_key_of_the_server_replaces_that_of_the_caller(behind: ScriptedServer) -> None:
    with Served(serve_upstream_url=behind.url, serve_upstream_key="sk-of-the-server") as served:
        httpx2.get(f"{served.url}/models", headers={"Authorization": "Bearer sk-of-the-caller"})
    assert behind.requests[-1].headers["authorization"] == "Bearer sk-of-the-server"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::2]", ""])
def test_name_of_another_machine_is_refused_without_tokens(host: str) -> None:
    with Served() as served:
        response = httpx2.get(f"{served.url}/models", headers={"Host": host})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "wrong_host")


def test_too_many_requests_at_once_are_told_to_come_again() -> None:
    with Served(serve_concurrency=1) as served, ThreadPoolExecutor(1) as threads:
        body = {"text": "wait", "deadline_s": 0.4}
        waiting = threads.submit(httpx2.post, f"{served.url}/revise", json=body, timeout=5)
        while not served.known.jobs:
            time.sleep(0.01)
        response = httpx2.get(f"{served.url}/models")
        assert waiting.result().status_code == 200
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")


async def test_client_that_does_not_read_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def answers(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Message) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "SEND_S", 0.01)
    gate = Gate(answers, Settings())
    scope: Scope = {"type": "http", "method": "GET", "path": "/v1/x", "raw_path": b"/v1/x"}
    await gate({**scope, "query_string": b"", "headers": [(b"host", b"localhost")]}, receive, send)
    assert gate._in_flight == 0


@pytest.mark.parametrize("token", ["short", f"{ALICE},short"])
def test_short_token_is_refused(token: str) -> None:
    with pytest.raises(SettingsError, match="fewer than 16 characters: openssl rand"):
        Callers(SecretStr(token), "127.0.0.1", "serve_token")
