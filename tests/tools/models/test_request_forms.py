"""What goes to a server of vllm:NAME, and how the request is adapted to what the server accepts."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from rarr.testing import CutOff, Endless, Request, ScriptedServer, Status
from rarr.tools.models.chat import CallFailure, Tokens
from tools.asking import ANSWERS, ASK, KEY, SCHEMA, TEXT, patient, protocol

pytestmark = pytest.mark.loopback

THREE = replace(ASK, samples=3, temperature=0.7)


async def bodies(server: ScriptedServer, *asks: Any, **options: Any) -> list[dict[str, Any]]:
    """What was sent for these questions, one after the other."""
    async with aclosing(patient(protocol(server, **options))) as model:
        for ask in asks:
            await model.complete(ask)
    return [dict(request.body) for request in server.requests]


async def test_structured_request_has_our_schema() -> None:
    with ScriptedServer(ANSWERS) as server:
        [body] = await bodies(server, ASK)
    schema = {"name": "edit", "schema": SCHEMA, "strict": True}
    assert body == {
        "model": "scripted",
        "messages": [message._asdict() for message in ASK.messages],
        "max_tokens": 1000,
        "temperature": 0.0,
        "stream": False,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


async def test_structured_request_is_accepted_by_openai() -> None:
    with ScriptedServer(ANSWERS, dialect="openai") as server:
        assert len(await bodies(server, ASK, THREE)) == 2


async def test_samples_are_one_request() -> None:
    with ScriptedServer(lambda request: str(request.sample)) as server:
        async with aclosing(protocol(server)) as model:
            answer = await model.complete(THREE)
    assert answer.texts == ("0", "1", "2")
    assert (server.requests[0].n, server.requests[0].body["temperature"]) == (3, 0.7)


async def test_structured_format_falls_back_to_plain_text_and_is_remembered() -> None:
    with ScriptedServer(ANSWERS, dialect="plain") as server:
        sent = await bodies(server, ASK, ASK)
    formats = [body.get("response_format", {}).get("type") for body in sent]
    assert formats == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize(
    "said",
    [
        "This response_format type is unavailable now",
        "Invalid schema for response_format 'edit': no 'a'",
    ],
)
async def test_json_mode_has_the_schema_in_the_prompt(said: str) -> None:
    def no_schema(request: Request) -> Status | None:
        refused = request.body.get("response_format", {}).get("type") == "json_schema"
        return Status(400, message=said) if refused else None

    with ScriptedServer(ANSWERS, plan=no_schema) as server:
        first, second = await bodies(server, ASK)
    system, user = second["messages"]
    assert second["response_format"] == {"type": "json_object"}
    assert system["content"].startswith(f"{first['messages'][0]['content']}\n\nAnswer with one JSON object")
    assert json.loads(system["content"].partition("schema: ")[2]) == SCHEMA
    assert user == first["messages"][1]


async def test_samples_are_asked_for_without_n_where_it_is_refused() -> None:
    with ScriptedServer(ANSWERS, dialect="plain") as server:
        sent = await bodies(server, ASK, THREE, THREE)
    assert [body.get("n") for body in sent[3:]] == [3, None, None]


async def test_refused_temperature_is_left_out_afterwards() -> None:
    with ScriptedServer(ANSWERS, rejects=["temperature"]) as server:
        sent = await bodies(server, ASK, ASK)
    assert ["temperature" in body for body in sent] == [True, False, False]
    assert all("response_format" in body for body in sent)


async def test_concurrent_first_calls_all_succeed() -> None:
    with ScriptedServer(ANSWERS, dialect="plain", rejects=["temperature"], latency=0.01) as server:
        async with aclosing(patient(protocol(server), attempts=1)) as model:
            answers = await asyncio.gather(*(model.complete(THREE) for _ in range(8)))
    assert [answer.texts for answer in answers] == [(TEXT,)] * 8


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_model_name_in_an_error_does_not_change_the_format(status: int) -> None:
    plan = [Status(status, message="The model `strict-tools` is not there")]
    with ScriptedServer(ANSWERS, plan=plan) as server:
        async with aclosing(protocol(server, name="vllm:strict-tools")) as model:
            with pytest.raises(CallFailure, match="is not there"):
                await model.complete(ASK)


@pytest.mark.parametrize("part", ["max_tokens", "max_completion_tokens"])
async def test_limit_of_the_answer_has_the_name_that_the_server_knows(part: str) -> None:
    def refuse(request: Request) -> Status | None:
        said = f"'{part}' is not supported: use max_completion_tokens" if part in request.body else ""
        return Status(400, message=said) if said else None

    with ScriptedServer(ANSWERS, plan=refuse) as server:
        sent = await bodies(server, ASK)
    assert part not in sent[-1]
    assert sent[-1].get("max_completion_tokens" if part == "max_tokens" else "max_tokens") == 1000


async def test_seed_is_sent_and_left_out_where_it_is_refused() -> None:
    with ScriptedServer(ANSWERS, rejects=["seed"]) as server:
        sent = await bodies(server, replace(ASK, seed=7), ASK)
    assert [body.get("seed") for body in sent] == [7, None, None]


@pytest.mark.parametrize(("key", "header"), [(None, "Bearer none"), (KEY, f"Bearer {KEY}")])
async def test_key_is_sent_where_there_is_one(key: str | None, header: str | None) -> None:
    with ScriptedServer(ANSWERS, requires_key=key) as server:
        await bodies(server, ASK, api_key=key)
    assert server.requests[0].headers.get("authorization") == header


async def test_extra_fields_go_into_the_body() -> None:
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    with ScriptedServer(ANSWERS) as server:
        [body] = await bodies(server, ASK, extra_body=extra)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize("end", ["", "/"])
async def test_base_url_may_end_with_a_slash(end: str) -> None:
    with ScriptedServer(ANSWERS) as server:
        async with aclosing(protocol(server.url + end)) as model:
            await model.complete(ASK)
    assert server.requests[0].path == "/v1/chat/completions"


async def test_tokens_are_counted_with_the_cached_ones() -> None:
    with ScriptedServer({"": "x" * 8}) as server:
        async with aclosing(protocol(server)) as model:
            ask = replace(ASK, messages=(ASK.messages[0]._replace(content="y" * 128),))
            assert [(await model.complete(ask)).tokens for _ in range(2)] == [
                Tokens(32, 2),
                Tokens(32, 2, 32),
            ]


async def test_name_by_which_the_server_answers_is_told() -> None:
    with ScriptedServer(ANSWERS) as server:
        async with aclosing(protocol(server, name="vllm:Qwen/Qwen3-8B")) as model:
            assert (await model.complete(ASK)).served == "Qwen/Qwen3-8B"


async def test_free_check_finds_the_model() -> None:
    with ScriptedServer({}) as server:
        async with aclosing(protocol(server)) as model:
            assert await model.probe() == f"served by {server.url}"
    assert [request.method for request in server.requests] == ["GET"]


@pytest.mark.parametrize(
    ("options", "name", "said"),
    [
        ({"requires_key": KEY}, "vllm:scripted", "status 401"),
        ({}, "vllm:other", "the server has scripted alone"),
    ],
)
async def test_free_check_tells_a_wrong_key_and_another_model(
    options: dict[str, Any], name: str, said: str
) -> None:
    with ScriptedServer({}, **options) as server:
        async with aclosing(protocol(server, name=name)) as model:
            with pytest.raises(CallFailure, match=said):
                await model.probe()


@pytest.mark.parametrize(("plan", "part"), [(CutOff(), TEXT[:8]), (Endless("again "), "again again ")])
async def test_text_that_was_cut_off_is_kept_with_its_tokens(plan: Any, part: str) -> None:
    with ScriptedServer(ANSWERS, plan=[plan]) as server:
        async with aclosing(patient(protocol(server))) as model:
            answer = await model.complete(replace(ASK, max_tokens=50))
            whole = await model.complete(ASK)
    assert answer.cut and answer.texts[0].startswith(part)
    assert answer.tokens.output > 0
    assert (whole.cut, whole.texts, len(server.requests)) == (False, (TEXT,), 2)
