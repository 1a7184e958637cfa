"""Tests the scripted server: answers, recorded requests, refusals, and the command."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from rarr import prompts
from rarr.testing import Failure, ScriptedServer
from rarr.tools.models.chat import Tokens

pytestmark = pytest.mark.loopback

SCHEMA = {"type": "json_schema", "json_schema": {"name": "edit", "schema": {}}}
Ask = Callable[..., httpx2.Response]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(verify=False, trust_env=False, timeout=30) as http:  # certificates take time to load
        yield http


@pytest.fixture
def ask(client: httpx2.Client) -> Ask:
    """Returns a function that asks a server: `ask(server, "user message", temperature=0)`."""

    def post(server: ScriptedServer, user: str = "Hello?", **fields: Any) -> httpx2.Response:
        options = {name: fields.pop(name) for name in ("headers", "timeout") if name in fields}
        messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": user}]
        body = {"model": "scripted", "messages": messages, **fields}
        return client.post(f"{server.url}/chat/completions", json=body, **options)

    return post


def test_request_is_recorded_with_its_outcome(ask: Ask) -> None:
    with ScriptedServer({"": "x"}, latency=0.02) as server:
        ask(server, "a", response_format=SCHEMA)
        ask(server, "b", temperature=0)
        first, other = server.requests
    assert (first.user, first.system, first.text) == ("a", "Answer.", "Answer.\na")
    assert (first.model_name, first.prompt, first.path) == ("scripted", "edit", "/v1/chat/completions")
    assert first.headers["content-type"] == "application/json"
    assert (first.status, first.tokens, other.body["temperature"]) == (200, Tokens(3, 1), 0)
    assert first.left is not None and first.arrived + 0.02 <= first.left < other.arrived


RIGHT, WRONG = ({"headers": {"Authorization": f"Bearer sk-{it}"}} for it in ("right", "wrong"))
UNSUPPORTED = "Unsupported value: {} with this model.".format


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        (WRONG, 401, "Incorrect API key provided: sk-wrong."),
        ({}, 401, "Incorrect API key provided: ."),
        (RIGHT | {"messages": []}, 400, "Missing required parameter: 'messages'."),
        (RIGHT | {"temperature": 0}, 400, UNSUPPORTED("'temperature' does not support 0")),
        (RIGHT | {"n": 2}, 400, UNSUPPORTED("'n' does not support 2")),
        (RIGHT | {"user": "Else"}, 400, "none of the 1 keys of the script is in the request: add a key"),
        (RIGHT | {"n": 1}, 200, ""),
    ],
)
def test_refusals_of_a_server(ask: Ask, asked: dict[str, Any], status: int, message: str) -> None:
    with ScriptedServer({"Hello": "x"}, requires_key="sk-right", rejects=["temperature", "n"]) as server:
        response = ask(server, **asked)
    assert (response.status_code, response.json().get("error", {}).get("message", "")) == (status, message)


def test_hanging_request_ends_when_the_client_has_gone(ask: Ask) -> None:
    with ScriptedServer({}, plan=[Failure("hang")]) as server:
        with pytest.raises(httpx2.ReadTimeout):
            ask(server, timeout=0.05)
        deadline = time.monotonic() + 30
        while server.requests[0].left is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert server.requests[0].status is None


def test_answer_that_breaks_off_counts_no_tokens(ask: Ask) -> None:
    with ScriptedServer({"": "x"}, plan=[Failure("die")]) as server:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(server)
        assert (ask(server).status_code, server.tokens.output) == (200, 1)


@pytest.mark.slow
def test_command_serves_until_interrupted(ask: Ask) -> None:
    command = [sys.executable, "-m", "rarr.testing", "--port", "0"]
    asked = {"sources": "P1: Library\n(P1.1) The Ferry Library opened in 1976.", "context": "", "before": ""}
    user = prompts.load("check_agreement").render(text="[S1] The Ferry Library opened in 1967.", **asked)
    form = {"type": "json_schema", "json_schema": {"name": "check_agreement"}}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        line = child.stdout.readline()
        served: Any = type("Served", (), {"url": re.findall(r"http://[\d.:]+/v1", line)[0]})
        response = ask(served, user, response_format=form)
        child.send_signal(signal.SIGINT)
    assert f"--model vllm:rules --base-url {served.url}" in line
    assert "1976" in response.json()["choices"][0]["message"]["content"]
    assert child.returncode == 0
