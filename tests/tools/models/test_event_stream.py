"""Streams as servers send them: with other ends, comments, errors, reasoning, and parts that do not fit."""

import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.models import event_stream
from rarr.tools.models.chat import Adapted, Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.openai_protocol import OpenAIProtocol
from rarr.tools.models.repetition import REPETITION
from tools.asking import ASK, KEY, TEXT

DONE = "data: [DONE]\n\n"
USAGE = {"prompt_tokens": 30, "completion_tokens": 5}


def event(*choices: Any, **more: Any) -> str:
    return f"data: {json.dumps({'choices': choices, **more})}\n\n"


def part(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    delta = more.pop("delta", {} if content is None else {"content": content})
    return {"index": 0, "delta": delta, "finish_reason": finish, **more}


def call(arguments: str, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **more.pop("function", {})}
    return part(delta={"tool_calls": [{"function": function, **more}]})


WHOLE = event(part('{"span": ')) + event(part('"1976"}')) + event(part(finish="stop"), usage=USAGE)


async def read(stream: str, ask: ChatRequest = ASK, kind: str = "text/event-stream") -> Answer:
    """The answer in this stream."""
    chat = OpenAIProtocol("vllm:canned", base_url="http://canned.test/v1", api_key=KEY, timeout_s=2.0)
    response = httpx2.Response(200, content=stream.encode(), headers={"Content-Type": kind})
    transport = httpx2.MockTransport(lambda _: response)
    chat._clients = PerLoop(lambda: httpx2.AsyncClient(transport=transport), httpx2.AsyncClient.aclose)
    async with aclosing(chat):
        return await chat.complete(ask)


async def failed(stream: str, ask: ChatRequest = ASK) -> CallFailure:
    with pytest.raises(CallFailure) as caught:
        await read(stream, ask)
    return caught.value


@pytest.mark.parametrize(
    "stream",
    [
        WHOLE + DONE,
        WHOLE,  # no mark of the end
        WHOLE.rstrip(),
        WHOLE.replace("\n", "\r\n") + DONE,
        WHOLE.replace("data: ", "data:"),
        ": ping\n\nid: 7\nevent: message\nretry: 10\n" + WHOLE + DONE,
        event() + event(part(delta={"role": "assistant", "content": ""})) + WHOLE + DONE,
        WHOLE + event(usage=USAGE) + DONE + "data: nonsense\n\n",
        WHOLE.replace('"stop"', "null") + DONE,  # no reason why it ended
        WHOLE.replace('"index": 0, ', ""),
    ],
)
async def test_whole_answer_is_read(stream: str) -> None:
    assert await read(stream) == Answer((TEXT,), Tokens(30, 5))


async def test_kind_of_the_stream_may_have_a_charset() -> None:
    assert (await read(WHOLE, kind="Text/Event-Stream; charset=utf-8")).texts == (TEXT,)


@pytest.mark.parametrize("stream", ["", event(part('{"span": ')), ": ping\n\n", event()])
async def test_stream_that_ends_early_is_a_lost_connection(stream: str) -> None:
    failure = await failed(stream)
    assert failure.kind == "connection"
    assert str(failure) == "vllm:canned broke off in the middle of its answer"


@pytest.mark.parametrize(
    "stream",
    [
        "data: <html>\n\n",
        "data: [1]\n\n",
        'data: {"choices": 5}\n\n',
        event(None),
        event(part({"a": 1})),
        event(part("x", index="x")),
        event(part("x", index=1)),
        event(part("x", index=-1)),
        event(*(call("{}", index=number) for number in range(17))),
    ],
)
async def test_event_of_another_form_is_a_failure_of_the_server(stream: str) -> None:
    failure = await failed(stream)
    assert failure.kind == "server"
    assert str(failure).startswith("vllm:canned did not stream a completion: ")


async def test_stream_without_a_text_is_a_failure_of_the_server() -> None:
    assert (await failed(DONE)).kind == "server"


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        ({"error": {"message": f"out of memory, {KEY}", "code": 500}}, "server", "500: out of memory, ***"),
        ({"error": {"message": "busy", "code": 429}}, "busy", "429: busy"),
        ({"error": {"message": "boom", "code": "internal"}}, "server", "500: boom"),
        ({"error": "boom"}, "server", "500: boom"),
        ({"object": "error", "message": "too long", "code": 400}, "refused", "400: too long"),
    ],
)
async def test_error_in_a_stream_has_its_status(error: Any, kind: str, reason: str) -> None:
    failure = await failed(event(part("{")) + f"data: {json.dumps(error)}\n\n")
    assert (failure.kind, str(failure)) == (kind, f"vllm:canned answered with status {reason}")


async def test_error_in_a_stream_may_refuse_a_part_of_the_request() -> None:
    error = {"error": {"message": "response_format is not supported", "code": 400}}
    with pytest.raises(Adapted, match="response_format"):
        await read(f"data: {json.dumps(error)}\n\n")


@pytest.mark.parametrize(
    "calls",
    [
        [call('{"span": ', index=0, function={"name": "edit"}), call('"1976"}', index=0)],
        [call('{"span": ', function={"name": "edit"}), call('"1976"}', function={"name": "edit"})],
    ],
)
async def test_function_call_is_put_together(calls: list[Any]) -> None:
    stream = "".join(map(event, calls)) + event(part(finish="tool_calls"))
    assert (await read(stream)).texts == (TEXT,)


async def test_call_of_another_function_is_no_answer() -> None:
    stream = event(call("{}", function={"name": "delete_all"})) + event(part(finish="tool_calls"))
    assert "called the function 'delete_all'" in str(await failed(stream))


async def test_refusal_is_put_together() -> None:
    stream = event(part(delta={"refusal": "I "})) + event(part(delta={"refusal": "cannot."}, finish="stop"))
    failure = await failed(stream)
    assert (failure.kind, "'I cannot.'" in str(failure)) == ("declined", True)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_reasoning_is_no_answer_and_may_repeat_itself(name: str) -> None:
    thought = event(part(delta={name: "Wait, "}))
    assert (await read(thought + WHOLE)).texts == (TEXT,)
    failure = await failed(thought * 41 + WHOLE)
    assert failure.kind == "repeating"
    assert failure.tokens == Tokens(7, 60)


async def test_usage_so_far_counts_where_a_repeating_answer_is_left() -> None:
    failure = await failed(event(part("again "), usage=USAGE) * 100)
    assert (failure.kind, failure.tokens) == ("repeating", Tokens(30, 5))


async def test_server_may_name_the_repetition_itself() -> None:
    failure = await failed(event(part("again and again", finish=REPETITION)))
    assert (failure.kind, "wrote the same again and again" in str(failure)) == ("repeating", True)


async def test_text_behind_its_end_is_ignored() -> None:
    assert (await read(WHOLE + event(part("more")) + DONE)).texts == (TEXT,)


def likely(content: str, *logprobs: Any) -> str:
    tokens = [{"token": content, "logprob": logprob} for logprob in logprobs]
    return event(part(content, logprobs={"content": tokens}))


LIKELY = replace(ASK, probability=True)


async def test_probability_is_that_of_all_tokens() -> None:
    stream = likely('{"a": "', -5.0) + likely("x", -0.5) + likely("y", -0.25) + likely('"}', 0.0) + DONE
    [sample] = (await read(stream, LIKELY)).samples
    assert sample.probability == pytest.approx(0.472, abs=0.001)


@pytest.mark.parametrize(
    "gap",
    [
        event(part("x")),
        event(part("x", logprobs=None)),
        event(part("x", logprobs={"content": []})),
        event(part("x", logprobs={"content": "x"})),
        event(part("x", logprobs={"content": [{"token": "x"}]})),
        event(part("x", logprobs=[1])),
    ],
)
async def test_probability_is_unknown_where_a_token_lacks_it(gap: str) -> None:
    stream = likely('{"a": "', 0.0) + gap + likely('"}', 0.0) + DONE
    assert (await read(stream, LIKELY)).probabilities == ()


async def test_probability_is_known_where_an_event_without_text_lacks_it() -> None:
    stream = event(part(delta={"role": "assistant"})) + likely("x", -0.5) + event(part(finish="stop"))
    assert len((await read(stream, LIKELY)).probabilities) == 1


async def test_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LONGEST", 1000)
    failure = await failed("data: " + "x" * 2000)
    assert (failure.kind, str(failure)) == (
        "refused",
        "vllm:canned answered with a line of more than 0.001 MB",
    )


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_reasoning_beside_the_answer_is_noticed(name: str) -> None:
    assert (await read(event(part(delta={name: "Let me see."})) + WHOLE + DONE)).reasoned
    assert not (await read(WHOLE + DONE)).reasoned
