"""What goes to a server that speaks OpenAI's protocol, and how it is adapted to what the server knows."""

import asyncio
import gc
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from rarr.testing import Request, ScriptedServer, Status
from rarr.tools.models.chat import Adapted, Answer, CallFailure, RequestForm, Tokens
from rarr.tools.models.openai_protocol import _answer
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
        "stream": True,
        "stream_options": {"include_usage": True},
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
    formats = [body.get("response_format", {}).get("type") or "tools" in body for body in sent]
    assert formats == ["json_schema", True, "json_object", False, False]


async def test_samples_are_asked_for_without_n_where_it_is_refused() -> None:
    with ScriptedServer(ANSWERS, dialect="plain") as server:
        sent = await bodies(server, ASK, THREE, THREE)
    assert [body.get("n") for body in sent[4:]] == [3, None, None]


async def test_structured_answer_by_a_function_call() -> None:
    def no_format(request: Request) -> Status | None:
        refused = "response_format" in request.body
        return Status(400, message="response_format is not supported") if refused else None

    with ScriptedServer(ANSWERS, plan=no_format) as server:
        async with aclosing(patient(protocol(server))) as model:
            answer = await model.complete(ASK)
    function = {"name": "edit", "description": "Gives the answer.", "parameters": SCHEMA}
    assert answer.texts == (TEXT,)
    assert server.requests[-1].body["tools"] == [{"type": "function", "function": function}]
    assert server.requests[-1].body["tool_choice"] == {"type": "function", "function": {"name": "edit"}}


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


async def test_adaptation_is_raised() -> None:
    with ScriptedServer(ANSWERS, dialect="plain") as server:
        async with aclosing(protocol(server)) as model:
            with pytest.raises(Adapted, match="response_format is not supported"):
                await model.complete(ASK)


@pytest.mark.parametrize(("key", "header"), [(None, None), (KEY, f"Bearer {KEY}")])
async def test_key_is_sent_where_there_is_one(key: str | None, header: str | None) -> None:
    with ScriptedServer(ANSWERS, requires_key=key) as server:
        await bodies(server, ASK, api_key=key)
    assert server.requests[0].headers.get("authorization") == header


async def test_known_form_is_sent_first() -> None:
    known = RequestForm("json_object", frozenset({"n", "temperature"}))
    with ScriptedServer(ANSWERS) as server:
        [body] = await bodies(server, THREE, form=known)
    assert body["response_format"] == {"type": "json_object"}
    assert not {"n", "temperature"} & body.keys()


async def test_known_form_that_is_refused_is_adapted() -> None:
    with ScriptedServer(ANSWERS, dialect="plain") as server:
        sent = await bodies(server, ASK, form=RequestForm("json_object"))
    assert ["response_format" in body for body in sent] == [True, False]


@pytest.mark.parametrize(
    ("message", "usage", "reasoned"),
    [
        ({}, {}, False),
        ({"reasoning_content": "The sky?"}, {}, True),
        ({"reasoning": "The sky?"}, {}, True),
        ({"reasoning_content": None}, {"completion_tokens_details": {"reasoning_tokens": 0}}, False),
        ({}, {"completion_tokens_details": {"reasoning_tokens": 64}}, True),
        ({}, {"completion_tokens_details": None}, False),
    ],
)
def test_reasoning_beside_the_answer_is_seen(
    message: dict[str, Any], usage: dict[str, Any], reasoned: bool
) -> None:
    choice = {"message": {"content": TEXT, **message}}
    assert _answer({"choices": [choice], "usage": usage}, "vllm:m", "edit", ()).reasoned is reasoned


async def test_extra_fields_go_into_the_body() -> None:
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    with ScriptedServer(ANSWERS) as server:
        [body] = await bodies(server, ASK, extra=extra)
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


@pytest.mark.slow
def test_two_event_loops_one_after_the_other() -> None:
    async def ask() -> Answer:
        async with aclosing(model):
            return await model.complete(ASK)

    with ScriptedServer(ANSWERS) as server:
        model = protocol(server)
        assert [asyncio.run(ask()).texts, asyncio.run(ask()).texts] == [(TEXT,), (TEXT,)]
    gc.collect()  # what is left open warns now, and a warning is an error


async def test_closed_model_opens_again() -> None:
    with ScriptedServer(ANSWERS) as server:
        model = protocol(server)
        for _ in range(2):
            async with aclosing(model):
                await model.complete(ASK)
    assert len(server.requests) == 2


LIKELY = replace(ASK, probability=True)


async def test_probability_of_an_answer_is_the_product_of_its_tokens() -> None:
    with ScriptedServer(ANSWERS, probability=0.25) as server:
        async with aclosing(protocol(server)) as model:
            asked = await model.complete(replace(LIKELY, samples=2))
            unasked = await model.complete(ASK)
    assert asked.probabilities == pytest.approx((0.25, 0.25))
    assert [sample.text for sample in asked.samples] == [TEXT, TEXT]
    assert unasked.samples == [(TEXT, None)]
    assert ["logprobs" in request.body for request in server.requests] == [True, False]


async def test_missing_probabilities_are_not_a_failure() -> None:
    with ScriptedServer(ANSWERS) as server:
        async with aclosing(protocol(server)) as model:
            assert (await model.complete(LIKELY)).probabilities == ()


async def test_refused_logprobs_are_left_out_afterwards() -> None:
    with ScriptedServer(ANSWERS, rejects=["logprobs"]) as server:
        sent = await bodies(server, LIKELY, LIKELY)
    assert ["logprobs" in body for body in sent] == [True, False, False]
    assert all("response_format" in body for body in sent)


@pytest.mark.parametrize(
    "logprobs",
    [
        {},
        {"content": None},
        {"content": []},
        {"content": [{"logprob": "?"}]},
        {"content": [{"logprob": "nan"}]},
    ],
)
async def test_malformed_probabilities_are_left_out(logprobs: object) -> None:
    choice = {"message": {"content": TEXT}, "finish_reason": "stop", "logprobs": logprobs}
    assert _answer({"choices": [choice]}, "vllm:m", "edit", ()).probabilities == ()
