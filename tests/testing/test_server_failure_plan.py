"""Each failure of a plan, seen from a client."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from rarr.testing import (
    CutOff,
    DieMidAnswer,
    Drip,
    Endless,
    Hang,
    NoUsage,
    ScriptedServer,
    Stall,
    Status,
)
from rarr.testing.server_failure_plan import Entry
from rarr.tools.models.chat import Tokens
from testing.conftest import Ask

pytestmark = pytest.mark.loopback


@contextmanager
def planned(*plan: Entry | None, for_ever: bool = False) -> Iterator[ScriptedServer]:
    with ScriptedServer({"": "12345678"}, plan=plan, plan_for_ever=for_ever) as server:
        yield server


def test_each_request_takes_one_plan_entry_and_later_ones_succeed(ask: Ask) -> None:
    with planned(Status(500), None, Status(503)) as server:
        assert [ask(server).status_code for _ in range(5)] == [500, 200, 503, 200, 200]


def test_plan_for_ever_repeats(ask: Ask) -> None:
    with planned(Status(500), None, for_ever=True) as server:
        assert [ask(server).status_code for _ in range(4)] == [500, 200, 500, 200]


def test_plan_may_be_a_function_of_the_request(ask: Ask) -> None:
    with ScriptedServer({"": "x"}, plan=lambda r: Status(500) if "bad" in r.user else None) as server:
        assert [ask(server, user).status_code for user in ("bad", "good", "bad")] == [500, 200, 500]


def test_status_has_its_message_and_retry_after(ask: Ask) -> None:
    with planned(Status(429, retry_after=0.2), Status(400, message="no such thing")) as server:
        busy, wrong = ask(server), ask(server)
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "0.2")
    assert busy.json()["error"]["message"] == "Too Many Requests"
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "no such thing")
    assert "retry-after" not in wrong.headers


def test_hanging_request_ends_when_the_client_has_gone(ask: Ask) -> None:
    with planned(Hang()) as server:
        with pytest.raises(httpx2.ReadTimeout):
            ask(server, timeout=0.05)
        deadline = time.perf_counter() + 2
        while server.requests[0].left is None and time.perf_counter() < deadline:
            time.sleep(0.01)
        assert server.log[0]["status"] is None
        assert server.requests[0].left is not None


@pytest.mark.parametrize("entry", [Hang(), Drip()], ids=["hang", "drip"])
def test_closing_ends_hanging_requests(ask: Ask, entry: Entry) -> None:
    with planned(entry) as server:
        errors: list[Exception] = []

        def wait() -> None:
            try:
                ask(server).json()
            except (httpx2.HTTPError, ValueError) as error:
                errors.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        while not server.requests:
            time.sleep(0.005)
        start = time.perf_counter()
        server.close()
        assert time.perf_counter() - start < 10
        waiting.join(2)
        assert len(errors) == 1


def test_connection_can_end_within_the_answer(ask: Ask) -> None:
    with planned(DieMidAnswer()) as server:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(server)
        assert ask(server).status_code == 200
        assert server.tokens.output == 2


def test_answer_can_be_cut_off(ask: Ask) -> None:
    with planned(CutOff()) as server:
        completion = ask(server).json()
    assert completion["choices"][0]["finish_reason"] == "length"
    assert completion["choices"][0]["message"]["content"] == "1234"
    assert completion["usage"]["completion_tokens"] == 1


@pytest.mark.parametrize("stream", [False, True])
def test_answer_can_lack_usage(ask: Ask, stream: bool) -> None:
    with planned(NoUsage()) as server:
        response = ask(server, stream=stream, stream_options={"include_usage": True})
        assert '"prompt_tokens"' not in response.text
        assert ("1234" in response.text, "5678" in response.text) == (True, True)
        assert server.tokens == Tokens()


@pytest.mark.parametrize("stream", [False, True])
def test_answer_can_stall(client: httpx2.Client, stream: bool) -> None:
    body = {"messages": [{"role": "user", "content": "?"}], "stream": stream}
    received = ""
    with planned(Stall(1)) as server, pytest.raises(httpx2.ReadTimeout):
        url = f"{server.url}/chat/completions"
        with client.stream("POST", url, json=body, timeout=0.1) as response:
            for piece in response.iter_text():
                received += piece
    assert ("1234" in received, "5678" in received) == (stream, False)


def test_answer_in_one_piece_without_end_stops_at_the_limit(ask: Ask) -> None:
    with planned(Endless("again")) as server:
        choice = ask(server, max_tokens=10).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("again" * 8, "length")


def test_stream_can_have_no_end(client: httpx2.Client) -> None:
    body = {"messages": [{"role": "user", "content": "?"}], "stream": True, "max_tokens": 10}
    with (
        planned(Endless()) as server,
        client.stream("POST", f"{server.url}/chat/completions", json=body) as response,
    ):
        lines = (line for line in response.iter_lines() if line)
        assert len({next(lines) for _ in range(100)}) == 100
