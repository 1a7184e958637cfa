"""Nobody reaches a file, an address or another caller's run, and each gets a status and one clear line."""

import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from rarr import Settings
from rarr.errors import SettingsError
from rarr.serve.gate import Callers
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


def answer(served: Served, sent: bytes) -> tuple[int, str]:
    """The status and the message of the answer; 0 if the connection ends without one."""
    data = b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
        connection.sendall(sent)
        while not _is_whole(data) and (more := connection.recv(65_536)):
            data += more
    head, _, body = data.partition(b"\r\n\r\n")
    if b"chunked" in head:
        body = body.split(b"\r\n")[1]
    try:
        message = json.loads(body)["error"]["message"]
    except ValueError:
        message = body.decode()
    return int(head.split()[1]) if head else 0, message


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
    status, message = answer(guarded, case.sent())
    expected: object = (case.status, Containing(case.says))
    assert (status, message) == expected
    assert len(message.splitlines()) <= 1
    assert (len(behind.requests), len(guarded.known.jobs)) == (before, jobs)


class Containing:
    """Equals every text that contains these words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.words in other

    def __repr__(self) -> str:
        return f"...{self.words}..."


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {ALICE}"},
        {"authorization": f"bearer   {ALICE}"},
        {"X-Api-Key": ALICE},
        {"X-Rarr-Token": ALICE},
        {"X-Rarr-Token": ALICE, "Authorization": "Bearer sk-for-the-server-behind"},
        {"X-Rarr-Token": ALICE, "Authorization": f"Bearer {ALICE}", "X-Api-Key": ALICE, "X-Copy": ALICE},
    ],
)
def test_token_never_reaches_the_server_behind(
    guarded: Served, behind: ScriptedServer, headers: dict[str, str]
) -> None:
    assert httpx2.get(f"{guarded.url}/models", headers=headers).status_code == 200
    sent = behind.requests[-1].headers
    assert ALICE not in str(sent)
    assert sent.get("authorization") == ("Bearer sk-for-the-server-behind" if len(headers) == 2 else None)


def test_key_of_the_server_replaces_that_of_the_caller(behind: ScriptedServer) -> None:
    with Served(serve_upstream_url=behind.url, serve_upstream_key="sk-of-the-server") as served:
        httpx2.get(f"{served.url}/models", headers=bearer("sk-of-the-caller"))
    assert behind.requests[-1].headers["authorization"] == "Bearer sk-of-the-server"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "[::2]", ""])
def test_name_of_another_machine_is_refused_without_tokens(behind: ScriptedServer, host: str) -> None:
    with Served(serve_upstream_url=behind.url) as served:
        response = httpx2.get(f"{served.url}/models", headers={"Host": host})
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "wrong_host"


def test_head_that_does_not_end_is_not_waited_for(guarded: Served) -> None:
    assert answer(guarded, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ") == (0, "")


def test_second_head_that_does_not_end_is_not_waited_for(guarded: Served) -> None:
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=5) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        data = b""
        while not _is_whole(data):
            data += connection.recv(65_536)
        connection.sendall(b"GET /healthz HTT")
        assert connection.recv(65_536) == b""


def test_too_many_requests_at_once_are_told_to_come_again() -> None:
    with Served(serve_concurrency=1) as served, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(
            httpx2.post, f"{served.url}/revise", json={"text": "wait", "deadline_s": 0.4}, timeout=5
        )
        while not served.known.jobs:
            time.sleep(0.01)
        response = httpx2.get(f"{served.url}/models")
        assert waiting.result().status_code == 200
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")


@pytest.mark.parametrize("token", ["short", f"{ALICE},short"])
def test_short_token_is_refused(token: str) -> None:
    with pytest.raises(SettingsError, match="fewer than 16 characters: openssl rand"):
        Callers(Settings(serve_token=token))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
