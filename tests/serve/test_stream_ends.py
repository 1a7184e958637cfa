"""Streams that end in another way than they should: their text goes out, and no end is made up."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from rarr import Settings
from rarr.serve.answers import TextWork
from rarr.serve.gate import Call
from rarr.serve.jobs import Desk
from rarr.serve.request_options import RequestOptions
from rarr.serve.streams import BrokenOffError, ChatStream, ResponseStream
from serve.serving import RIGHT, WRONG, KnownRunner

DONE = "[DONE]"
TEXT = f"It is {WRONG} high."
Event = dict[str, Any] | str


async def sent(kind: type[ChatStream | ResponseStream], *came: Event) -> list[Any]:
    """The events that go out for those that came, and None at the end if the stream broke off."""
    call = Call("local", "POST", "/v1", b"", [], b"")
    work = TextWork(Desk(KnownRunner(), lambda *_: None), call, RequestOptions(mode="revise"), [], Settings())
    items, out = kind(work).items(_body(came)), list[Any]()
    try:
        async for item in items:
            made = item if isinstance(item, bytes) else await item()
            out += [line[6:] for line in made.decode().splitlines() if line.startswith("data: ")]
    except BrokenOffError:
        out.append(None)
    return [event if event in (None, DONE) else json.loads(event) for event in out]


async def _body(came: tuple[Event, ...]) -> AsyncIterator[bytes]:
    for event in came:
        await asyncio.sleep(0)
        yield f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def chunk(content: str | None = None, finish: str | None = None, **more: Any) -> Event:
    delta = {} if content is None else {"content": content}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, **more}]}


def words(out: list[Any]) -> str:
    """The text of all chunks of a chat completion."""
    choices = [choice for event in out if isinstance(event, dict) for choice in event["choices"]]
    return "".join((choice["delta"] or {}).get("content") or "" for choice in choices)


async def test_text_without_a_finish_reason_goes_out_and_the_stream_breaks_off_before_its_end() -> None:
    out = await sent(ChatStream, chunk(TEXT), DONE)
    assert words(out) == TEXT.replace(WRONG, RIGHT)
    assert out[-1] is None
    assert DONE not in out


async def test_text_of_a_stream_without_any_end_goes_out() -> None:
    out = await sent(ChatStream, chunk(TEXT))
    assert (words(out), out[-1]) == (TEXT.replace(WRONG, RIGHT), None)


async def test_chunk_after_the_finish_reason_does_not_open_the_choice_again() -> None:
    usage: Any = {**chunk(""), "usage": {"total_tokens": 3}}  # type: ignore[dict-item]
    out = await sent(ChatStream, chunk(TEXT), chunk(finish="stop"), usage, DONE)
    assert out[-2:] == [usage, DONE]
    assert words(out) == TEXT.replace(WRONG, RIGHT)


async def test_text_before_a_call_of_a_tool_goes_out_before_it() -> None:
    call = chunk(delta={"tool_calls": [{"index": 0, "function": {"name": "look_up"}}]})
    out = await sent(ChatStream, chunk(TEXT), call, chunk(finish="tool_calls"), DONE)
    deltas = [event["choices"][0]["delta"] for event in out[:2]]
    assert [list(delta) for delta in deltas] == [["content"], ["tool_calls"]]


@pytest.mark.parametrize("kind", ["response.incomplete", "response.failed", "error"])
async def test_open_texts_of_a_response_go_out_before_its_end(kind: str) -> None:
    names = {"item_id": "m1", "output_index": 0, "content_index": 0}
    delta = {"type": "response.output_text.delta", **names, "delta": TEXT}
    part = {"type": "output_text", "text": TEXT}
    end = {"type": kind, "response": {"output": [{"content": [part]}]}}
    _, block, last = await sent(ResponseStream, {"type": "response.created"}, delta, end)
    assert {name: block[name] for name in names} == names
    assert block["delta"] == TEXT.replace(WRONG, RIGHT)
    assert last["response"]["output"][0]["content"][0]["text"] == block["delta"]


async def test_text_of_a_response_without_an_end_goes_out() -> None:
    block, end = await sent(ResponseStream, {"type": "response.output_text.delta", "delta": TEXT})
    assert (block["delta"], end) == (TEXT.replace(WRONG, RIGHT), None)
