"""Nobody reaches a file, an address or another caller's run, and each gets a status and one clear line."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from typing import Any

import httpx2
import pytest

from rarr import Settings
from rarr.errors import SettingsError
from rarr.serve.server import Application
from rarr.testing import ScriptedServer
from serve.serving import ALICE, BOB, KnownRunner, Served

pytestmark = pytest.mark.loopback

TOKEN = {"Authorization": f"Bearer {ALICE}"}
CALLER = "additional_provider_specific_params"
CHAT, GUARDRAIL = "/v1/chat/completions", "/beta/litellm_basic_guardrail_api"
LEADS = "the path leads elsewhere"
ELSEWHERE = ["../admin", "%2e%2e/admin", "%252e%252e/admin", "..%2fadmin", "%5c..%5cadmin"]
ELSEWHERE += ["/evil.example/x", "models%00.txt", "x%0d%0aHost:%20evil"]
JSON = {"Content-Type": "application/json"}
UNKNOWN = [f"Bearer {ALICE[:-1]}", f"Bearer {ALICE}x", f"Bearer {ALICE},{BOB}", f"Basic {ALICE}"]
UNKNOWN += ["Bearer \xff\xfe"]
HEADS: list[tuple[str, dict[str, str], int, str]] = [
    ("GET /v1/models", {}, 401, "send a token of this server"),
    *(("GET /v1/models", {"Authorization": it}, 401, "send a token of this server") for it in UNKNOWN),
    ("GET /v1/models", {"Cookie": f"token={ALICE}"}, 401, "send a token of this server"),
    (f"GET /v1/models?token={ALICE}", {}, 401, "send a token of this server"),
    (f"POST {GUARDRAIL}", {}, 401, "send a token of this server"),
    *((f"GET /v1/{path}", TOKEN, 400, LEADS) for path in ELSEWHERE),
    ("GET /v1/%252525252e", TOKEN, 400, "the path is encoded several times"),
    ("GET http://evil.example/v1/models", TOKEN, 404, "there is no such route"),
    ("GET /../../etc/passwd", TOKEN, 404, "there is no such route"),
    ("CONNECT evil.example:443", TOKEN, 404, "there is no such route"),
    ("GET /v1/revise", TOKEN, 405, "takes only POST"),
    ("POST /", {"Content-Length": "9"}, 405, "takes only GET"),  # a stranger's body is not waited for
    ("GET /v1/models", TOKEN | {"Origin": "https://evil.example"}, 403, "answers no pages of other sites"),
    ("GET /v1/models", TOKEN | {"Origin": "null"}, 403, "answers no pages of other sites"),
    ("GET /v1/models", TOKEN | {"Cookie": "x" * 100_000}, 431, "the headers have more than"),
    ("POST /v1/revise", TOKEN | {"Content-Length": "999999999999"}, 413, "the body has more than 0.01 MB"),
    ("POST /v1/revise", TOKEN | {"Content-Length": "9"}, 408, "the body took more than 0.3 s"),
    ("POST /v1/revise", TOKEN | {"Content-Length": "abc"}, 400, "Invalid HTTP"),
]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"text": 1}, "body.text: give a text"),
    ({"text": "\ud800"}, "body.text: it is no valid Unicode: leave out"),
    ({"context": [5]}, "body.context: give a text, or messages with role"),
    ({"text": " "}, "body.text: it is empty: give a text"),
    ({"corpus": "../.."}, "body.corpus: unknown key: give sources,"),
    ({"sources": "y"}, "body.sources: give a list"),
    ({"sources": ["y", {"path": "/etc/passwd"}]}, "body.sources: passage 2 is empty, and has path: give it"),
    ({"sources": []}, "body.sources: it is empty: give at least one, or leave it out"),
    ({"sources": ["y"] * 1001}, "body.sources: List should have at"),
    ({"search": "http://evil"}, "body.search: give 'given'"),
    ({"search": "given"}, "there are no sources: add sources"),
    ({"deadline_s": 1e9}, "body.deadline_s: give a number less than"),
    ({"deadline_s": float("inf")}, "body.deadline_s: give a finite number"),
]
WRONG_OPTIONS: list[tuple[Any, str]] = [
    ({"mode": "delete"}, "rarr.mode: give 'revise', 'cite', 'check'"),
    ("off", "rarr: give an object"),
    ({"upstream": "http://evil"}, "rarr.upstream: unknown key: give"),
    ({"sources": [{"url": "http://169.254.169.254"}]}, "rarr.sources: passage 1 is empty"),
]
NO_OBJECTS = [b"{", b"[]", b'{"text": "\xff"}', b'{"text": ' + b"[" * 5000]
BODIES: list[tuple[str, Any, dict[str, str], int, str]] = [
    *(("/v1/revise", body, JSON, 400, "it is no JSON object") for body in NO_OBJECTS),
    ("/v1/revise", {"text": "x"}, {"Content-Type": "text/plain"}, 400, "Content-Type: application/json"),
    *(("/v1/revise", {"text": "x"} | body, JSON, 400, says) for body, says in WRONG),
    *((CHAT, {"model": "x", "messages": [], "rarr": it}, JSON, 400, says) for it, says in WRONG_OPTIONS),
    (GUARDRAIL, {}, JSON, 400, "body.input_type: it is missing"),
    (GUARDRAIL, {"input_type": "response", CALLER: {"corpus": "x"}}, JSON, 400, f"{CALLER}.corpus: unknown"),
    *(("/v1/revise", b"x" * size, JSON, 413, "the body has more than 0.01 MB") for size in (20_000, 99_000)),
]


@pytest.fixture(scope="module")
def guarded(upstream: ScriptedServer) -> Iterator[Served]:
    limits: dict[str, Any] = {"serve_max_body_mb": 0.01, "serve_body_timeout_s": 0.3}
    limits |= {"serve_token": f"{ALICE}, {BOB}"}
    with Served(serve_upstream_url=upstream.url, **limits) as server:
        yield server


def require_refusal(served: Served, upstream: ScriptedServer, sent: bytes, status: int, says: str) -> None:
    """Sends the bytes, and requires the status and the message of the response."""
    before, jobs = len(upstream.requests), len(served.known.jobs)
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(sent)
        (response := HTTPResponse(connection)).begin()
        body = response.read()
    message = json.loads(body)["error"]["message"] if body.startswith(b"{") else body.decode()
    assert response.status == status
    assert says in message and len(message.splitlines()) <= 1
    assert (len(upstream.requests), len(served.known.jobs)) == (before, jobs)


def http_bytes(line: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in ({"Host": "127.0.0.1"} | headers).items())
    return f"{line} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body


@pytest.mark.parametrize(("line", "headers", "status", "says"), HEADS)
def test_hostile_head_gets_a_status_and_one_line(
    guarded: Served, upstream: ScriptedServer, line: str, headers: dict[str, str], status: int, says: str
) -> None:
    sent = http_bytes(line, headers, b"x" if line.startswith("POST") else b"")
    require_refusal(guarded, upstream, sent, status, says)


@pytest.mark.parametrize("case", BODIES)
def test_hostile_body_is_one_line(guarded: Served, upstream: ScriptedServer, case: Any) -> None:
    path, body, headers, status, says = case
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sized = TOKEN | headers | {"Content-Length": str(len(data))}
    require_refusal(guarded, upstream, http_bytes(f"POST {path}", sized, data), status, says)
    chunked = TOKEN | headers | {"Transfer-Encoding": "chunked"}
    pieces = b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data)
    require_refusal(guarded, upstream, http_bytes(f"POST {path}", chunked, pieces), status, says)


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": f"bearer   {ALICE}"},
        {"X-Rarr-Token": ALICE, "Authorization": "Bearer sk-for-the-server-behind"},
        {"X-Rarr-Token": ALICE, "Authorization": f"Bearer {ALICE}", "X-Copy": ALICE},
    ],
)
def test_token_never_goes_on(guarded: Served, upstream: ScriptedServer, headers: dict[str, str]) -> None:
    assert httpx2.get(f"{guarded.url}/models/org%2Fname?a=b%20c", headers=headers).status_code == 404
    sent = upstream.requests[-1].headers
    assert ALICE not in str(sent) and upstream.requests[-1].path == "/v1/models/org%2Fname"
    assert sent.get("authorization") == ("Bearer sk-for-the-server-behind" if len(headers) == 2 else None)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::2]", ""])
def test_name_of_another_machine_is_refused_without_tokens(host: str) -> None:
    with Served() as served:
        response = httpx2.get(f"{served.url}/models", headers={"Host": host})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "wrong_host")


def test_too_many_requests_at_once_are_told_to_come_again() -> None:
    with Served(serve_concurrency=1) as served, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(httpx2.post, f"{served.url}/revise", json={"text": "wait"}, timeout=60)
        served.known.started.wait(60)
        response = httpx2.get(f"{served.url}/models", timeout=60)
        served.stop()
        assert waiting.result().status_code == 200
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"serve_token": f"{ALICE},short"}, "give 16 or more letters, digits and signs; openssl rand"),
        ({"serve_token": "a token of five words"}, "has other characters"),
        ({"serve_upstream_key": "ключ"}, "no HTTP header can carry"),
        ({"serve_host": "0.0.0.0"}, r"^--host 0.0.0.0 lets other machines in: set RARR_SERVE_TOKEN"),
        *(({"serve_host": host}, "lets other machines in") for host in ("::", "example.org")),
    ],
)
def test_key_or_token_that_is_unfit_or_missing_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Application(Settings(**given), KnownRunner())
    Application(Settings(**given | {"serve_token": ALICE, "serve_upstream_key": ""}), KnownRunner())
