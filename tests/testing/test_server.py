"""The scripted server as a client sees it, and what it records."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import openai
import pytest

from rarr.testing import Request, ScriptedServer
from testing.conftest import Ask

pytestmark = pytest.mark.loopback

SCHEMA = {"type": "json_schema", "json_schema": {"name": "edit", "schema": {}}}
TOOL = {"type": "function", "function": {"name": "edit", "parameters": {}}}


def texts(response: httpx2.Response) -> list[str]:
    return [choice["message"]["content"] for choice in response.json()["choices"]]


def error_message(response: httpx2.Response) -> str:
    return str(response.json()["error"]["message"])


def test_answers_by_a_part_of_the_request(ask: Ask) -> None:
    with ScriptedServer({"open": {"year": 1976}, "Hello": "Hi.", "": "nothing"}) as server:
        assert texts(ask(server, "When did it open?")) == ['{"year": 1976}']
        assert texts(ask(server)) == ["Hi."]


def test_function_is_asked_for_each_sample(ask: Ask) -> None:
    with ScriptedServer(lambda request: f"{request.user} {request.sample}/{request.n}") as server:
        assert texts(ask(server, "a", n=3)) == ["a 0/3", "a 1/3", "a 2/3"]


def test_function_that_fails_is_seen(ask: Ask) -> None:
    with ScriptedServer(lambda request: request.body["a"]) as server:
        response = ask(server, "a")
    assert (response.status_code, error_message(response)) == (500, "the script raised KeyError: 'a'")


@pytest.mark.parametrize(
    ("fields", "prompt"), [({"response_format": SCHEMA}, "edit"), ({"tools": [TOOL]}, "edit"), ({}, None)]
)
def test_request_names_its_prompt(ask: Ask, fields: dict[str, object], prompt: str | None) -> None:
    seen: list[Request] = []
    with ScriptedServer(lambda request: seen.append(request) or "x") as server:  # type: ignore[func-returns-value]
        ask(server, "a", system="b", **fields)
    [request] = seen
    assert (request.prompt, request.user, request.system, request.text, request.model) == (
        prompt,
        "a",
        "b",
        "b\na",
        "scripted",
    )


def test_function_call_is_answered_by_a_function_call(ask: Ask) -> None:
    with ScriptedServer({"": {"span": ""}}) as server:
        message = ask(server, tools=[TOOL]).json()["choices"][0]["message"]
    assert message["content"] is None
    assert message["tool_calls"][0]["function"] == {"name": "edit", "arguments": '{"span": ""}'}


async def test_openai_client_reads_the_answer_whole_and_streamed() -> None:
    with ScriptedServer({"": "one two"}) as server:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0) as client:
            create = client.chat.completions.create
            whole = await create(model="m", messages=[{"role": "user", "content": "?"}])
            stream = await create(
                model="m",
                messages=[{"role": "user", "content": "?"}],
                stream=True,
                stream_options={"include_usage": True},
            )
            chunks = [chunk async for chunk in stream]
            models = await client.models.list()
    assert whole.choices[0].message.content == "one two"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == "one two"
    assert chunks[-1].usage == whole.usage
    assert [model.id for model in models.data] == ["scripted"]


@pytest.mark.parametrize("body", [b"", b"[1]", b"{no", b'{"messages": []}'])
def test_body_without_messages_is_refused(client: httpx2.Client, body: bytes) -> None:
    with ScriptedServer({}) as server:
        response = client.post(f"{server.url}/chat/completions", content=body)
    assert (response.status_code, error_message(response)) == (400, "Missing required parameter: 'messages'.")


def test_answer_takes_its_latency_and_the_time_of_its_longest_text(ask: Ask) -> None:
    with ScriptedServer(lambda r: "x" * 40 * r.sample, latency=0.02, tokens_a_second=500) as server:
        start = time.perf_counter()
        ask(server, n=2)
        assert time.perf_counter() - start >= 0.04


def test_requests_are_recorded_in_the_order_of_arrival(ask: Ask) -> None:
    with ScriptedServer({"": "x"}) as server:
        ask(server, "a")
        ask(server, "b", temperature=0)
        first, other = server.requests
    assert (first.user, other.user, other.body["temperature"]) == ("a", "b", 0)
    assert (first.path, first.headers["content-type"]) == ("/v1/chat/completions", "application/json")
    assert first.left is not None
    assert first.arrived < first.left < other.arrived


def test_most_requests_at_once_are_counted(ask: Ask) -> None:
    together = threading.Barrier(5)
    with (
        ScriptedServer(lambda request: str(together.wait(5) and "")) as server,
        ThreadPoolExecutor(5) as pool,
    ):
        list(pool.map(lambda _: ask(server), range(5)))
        assert (server.in_flight_most, len(server.requests)) == (5, 5)


def test_log_is_json_without_keys(ask: Ask) -> None:
    lines: list[dict[str, object]] = []
    with ScriptedServer({"": "x"}, on_request=lines.append) as server:
        ask(server, response_format=SCHEMA, headers={"Authorization": "Bearer sk-secret"})
        [line] = server.log
    assert lines == [line]
    assert "sk-secret" not in json.dumps(line)
    assert (line["status"], line["prompt"], line["model"], line["n"]) == (200, "edit", "scripted", 1)
    assert line["tokens"] == {"input": 4, "output": 1, "cached": 0}
