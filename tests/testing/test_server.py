"""The scripted server as a client sees it, what it records, and each planned failure."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import openai
import pytest

from rarr.testing import Failure, ScriptedServer
from rarr.tools.models.chat import Tokens

pytestmark = pytest.mark.loopback

SCHEMA = {"type": "json_schema", "json_schema": {"name": "edit", "schema": {}}}
Ask = Callable[..., httpx2.Response]


@pytest.fixture
def ask(client: httpx2.Client) -> Ask:
    """Asks a server: `ask(server, "user message", temperature=0)`."""

    def post(server: ScriptedServer, user: str = "Hello?", **fields: Any) -> httpx2.Response:
        options = {name: fields.pop(name) for name in ("headers", "timeout") if name in fields}
        messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": user}]
        body = {"model": "scripted", "messages": messages, **fields}
        return client.post(f"{server.url}/chat/completions", json=body, **options)

    return post


def texts(response: httpx2.Response) -> list[str]:
    return [choice["message"]["content"] for choice in response.json()["choices"]]


def test_answers_by_a_part_of_the_request(ask: Ask) -> None:
    with ScriptedServer({"open": {"year": 1976}, "Hello": "Hi."}) as server:
        assert texts(ask(server, "When did it open?")) == ['{"year": 1976}']
        assert texts(ask(server)) == ["Hi."]
        assert ask(server, "Else").status_code == 400


async def test_openai_client_reads_the_answer_whole_and_streamed() -> None:
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    with ScriptedServer({"": "one two"}) as server:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0) as client:
            create = client.chat.completions.create
            whole = await create(**asked)
            stream = await create(**asked, stream=True, stream_options={"include_usage": True})
            chunks = [chunk async for chunk in stream]
            models = await client.models.list()
    assert whole.choices[0].message.content == "one two"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == "one two"
    assert chunks[-1].usage == whole.usage
    assert [model.id for model in models.data] == ["scripted"]


def test_request_is_recorded_with_its_outcome(ask: Ask) -> None:
    with ScriptedServer({"": "x"}, latency=0.02) as server:
        ask(server, "a", response_format=SCHEMA)
        ask(server, "b", temperature=0)
        first, other = server.requests
    assert (first.user, first.system, first.text, first.model) == ("a", "Answer.", "Answer.\na", "scripted")
    assert (first.prompt, first.path, first.headers["content-type"]) == (
        "edit", "/v1/chat/completions", "application/json",
    )  # fmt: skip
    assert (first.status, first.tokens, other.body["temperature"]) == (200, Tokens(3, 1), 0)
    assert first.left is not None and first.arrived + 0.02 <= first.left < other.arrived


def test_refusals_of_a_server(ask: Ask) -> None:
    key = {"headers": {"Authorization": "Bearer sk-right"}}
    with ScriptedServer({"": "x"}, requires_key="sk-right", rejects=["temperature", "n"]) as server:
        wrong, none = ask(server, headers={"Authorization": "Bearer sk-wrong"}), ask(server)
        rejected = ask(server, temperature=0, **key)
        accepted, several = ask(server, n=1, **key), ask(server, n=2, **key)
        empty = httpx2.post(f"{server.url}/chat/completions", content=b"[1]", **key)  # type: ignore[arg-type]
    assert (wrong.status_code, none.status_code, empty.status_code) == (401, 401, 400)
    assert wrong.json()["error"]["message"] == "Incorrect API key provided: sk-wrong."
    assert (
        rejected.json()["error"]["message"]
        == "Unsupported value: 'temperature' does not support 0 with this model."
    )
    assert (accepted.status_code, several.status_code) == (200, 400)


@contextmanager
def planned(*plan: Failure | None, for_ever: bool = False) -> Iterator[ScriptedServer]:
    with ScriptedServer({"": "12345678"}, plan=plan, plan_for_ever=for_ever) as server:
        yield server


def test_each_request_takes_one_entry_of_the_plan(ask: Ask) -> None:
    with planned(Failure(500), None, Failure(503)) as server:
        assert [ask(server).status_code for _ in range(5)] == [500, 200, 503, 200, 200]
    with planned(Failure(500), None, for_ever=True) as server:
        assert [ask(server).status_code for _ in range(4)] == [500, 200, 500, 200]
    with ScriptedServer({"": "x"}, plan=lambda r: Failure(500) if "bad" in r.user else None) as server:
        assert [ask(server, user).status_code for user in ("bad", "good", "bad")] == [500, 200, 500]


def test_hanging_request_ends_when_the_client_has_gone(ask: Ask) -> None:
    with planned(Failure("hang")) as server:
        with pytest.raises(httpx2.ReadTimeout):
            ask(server, timeout=0.05)
        deadline = time.perf_counter() + 30
        while server.requests[0].left is None and time.perf_counter() < deadline:
            time.sleep(0.01)
        assert server.requests[0].status is None
        assert server.requests[0].left is not None


def test_connection_can_end_within_the_answer(ask: Ask) -> None:
    with planned(Failure("die")) as server:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(server)
        assert ask(server).status_code == 200
        assert server.tokens.output == 2


@pytest.mark.parametrize(
    ("failure", "text", "finish"),
    [(Failure("cut"), "1234", "length"), (Failure("endless", "again"), "again" * 8, "length")],
)
def test_answer_can_be_cut_off(ask: Ask, failure: Failure, text: str, finish: str) -> None:
    with planned(failure) as server:
        choice = ask(server, max_tokens=10).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, finish)
