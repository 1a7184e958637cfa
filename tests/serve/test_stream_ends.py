"""Streams event by event: what goes out for what came, and how a stream ends that breaks off."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, strategies

from rarr import Settings
from rarr.serve.bodies import ProxyOptions, Refusal
from rarr.serve.gate import Call
from rarr.serve.jobs import Desk
from rarr.serve.protocols import Chat, Protocol, Responses
from rarr.serve.streams import Paragraphs, Stream
from rarr.serve.text_work import TextWork
from serve.serving import RIGHT, WRONG, KnownRunner

DONE = "[DONE]"
TEXT = f"It is {WRONG} high."
Event = dict[str, Any] | str


async def sent(protocol: Protocol, *came: Event) -> list[Any]:
    """The events that go out for those that came, and None at the end if the stream broke off."""
    call = Call("local", "POST", "/v1", b"", [], b"")
    work = TextWork(Desk(KnownRunner()), call, ProxyOptions(), "revise", [], Settings())
    out = list[Any]()
    try:
        async for made in Stream(protocol, work, 10).pieces(_body(came)):
            out += [line[6:] for line in made.decode().splitlines() if line.startswith("data: ")]
    except Refusal:
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


@pytest.mark.parametrize("came", [[chunk(TEXT), DONE], [chunk(TEXT)]])
async def test_text_without_a_finish_reason_goes_out_and_the_stream_breaks_off(came: list[Event]) -> None:
    out = await sent(Chat, *came)
    assert words(out) == TEXT.replace(WRONG, RIGHT)
    assert out[-1] is None
    assert DONE not in out


async def test_text_in_the_chunk_of_the_finish_reason_goes_out_before_it() -> None:
    first, last, done = await sent(Chat, chunk(TEXT, "stop"), DONE)
    assert (words([first]), words([last]), done) == (TEXT.replace(WRONG, RIGHT), "", DONE)
    assert (last["choices"][0]["finish_reason"], len(last["rarr"]["results"])) == ("stop", 1)


async def test_chunk_after_the_finish_reason_does_not_open_the_choice_again() -> None:
    usage: Any = {**chunk(""), "usage": {"total_tokens": 3}}  # type: ignore[dict-item]
    out = await sent(Chat, chunk(TEXT), chunk(finish="stop"), usage, DONE)
    assert out[-2:] == [usage, DONE]
    assert words(out) == TEXT.replace(WRONG, RIGHT)


async def test_text_before_a_call_of_a_tool_goes_out_before_it() -> None:
    call = chunk(delta={"tool_calls": [{"index": 0, "function": {"name": "look_up"}}]})
    out = await sent(Chat, chunk(TEXT), call, chunk(finish="tool_calls"), DONE)
    deltas = [event["choices"][0]["delta"] for event in out[:2]]
    assert [list(delta) for delta in deltas] == [["content"], ["tool_calls"]]


async def test_choices_that_come_together_are_kept_apart() -> None:
    two: Any = [{"index": n, "delta": {"content": f"{n}: {TEXT}"}, "finish_reason": "stop"} for n in (0, 1)]
    out = await sent(Chat, {"choices": two}, DONE)
    assert words(out) == "".join(f"{n}: {TEXT.replace(WRONG, RIGHT)}" for n in (0, 1))
    assert [event["choices"][0]["index"] for event in out[:-1]] == [0, 0, 1, 1]


@pytest.mark.parametrize("kind", ["response.incomplete", "response.failed", "error"])
async def test_open_texts_of_a_response_go_out_before_its_end(kind: str) -> None:
    names = {"item_id": "m1", "output_index": 0, "content_index": 0}
    delta = {"type": "response.output_text.delta", **names, "delta": TEXT}
    part = {"type": "output_text", "text": TEXT}
    end = {"type": kind, "response": {"output": [{"content": [part]}]}}
    _, block, last = await sent(Responses, {"type": "response.created"}, delta, end)
    assert {name: block[name] for name in names} == names
    assert block["delta"] == TEXT.replace(WRONG, RIGHT)
    assert last["response"]["output"][0]["content"][0]["text"] == block["delta"]


async def test_text_of_a_response_without_an_end_goes_out() -> None:
    block, end = await sent(Responses, {"type": "response.output_text.delta", "delta": TEXT})
    assert (block["delta"], end) == (TEXT.replace(WRONG, RIGHT), None)


def paragraphs(pieces: list[str], *, whole: bool = False) -> list[str]:
    stream = Paragraphs(whole=whole)
    return [*(block for piece in pieces for block in stream.add(piece)), stream.rest()]


PIECES = ["It is high. ", "\n", "\n\n", "```\n", "| a | b |\n", "# Title\n", "- one. ", "x", " "]


@given(strategies.lists(strategies.sampled_from(PIECES), max_size=40))
def test_paragraphs_together_are_the_text_however_it_comes(pieces: list[str]) -> None:
    assert "".join(made := paragraphs(pieces)) == "".join(pieces)
    assert paragraphs(list("".join(pieces))) == made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\nTwo.", ["One.\n\n", "Two."]),
        ("# Title\n\nOne.\n\nTwo.", ["# Title\n\nOne.\n\n", "Two."]),
        ("```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```\n\n", "c"]),
        ("- A is.\n- B is.\n\n- C is.", ["- A is.\n- B is.\n\n", "- C is."]),
    ],
)
def test_blank_line_outside_of_code_ends_a_paragraph(text: str, expected: list[str]) -> None:
    assert paragraphs([text]) == paragraphs(list(text)) == expected
    assert paragraphs([text], whole=True) == [text]
