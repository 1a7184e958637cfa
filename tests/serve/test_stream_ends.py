"""Streams event by event: what goes out for what came, and how a stream ends that breaks off."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, strategies

from rarr import Settings
from rarr.serve.chat import TextWork
from rarr.serve.jobs import Desk
from rarr.serve.requests import Call, ProxyOptions, Refusal
from rarr.serve.streams import Paragraphs, Stream
from serve.serving import RIGHT, WRONG, KnownRunner

DONE = "[DONE]"
TEXT = f"It is {WRONG} high."
Event = dict[str, Any] | str


async def sent(*came: Event) -> list[Any]:
    """The events that go out for those that came, and None at the end if the stream broke off."""
    call = Call("local", "POST", "/v1", b"", [], b"")
    work = TextWork(Desk(KnownRunner()), call, ProxyOptions(), "revise", [], Settings())
    out = list[Any]()
    try:
        async for made in Stream(work, 10).pieces(_body(came)):
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
    out = await sent(*came)
    assert words(out) == TEXT.replace(WRONG, RIGHT)
    assert out[-1] is None
    assert DONE not in out


async def test_chunk_after_the_finish_reason_does_not_open_the_choice_again() -> None:
    usage: Any = {**chunk(""), "usage": {"total_tokens": 3}}  # type: ignore[dict-item]
    out = await sent(chunk(TEXT), chunk(finish="stop"), usage, DONE)
    assert out[-2:] == [usage, DONE]
    assert words(out) == TEXT.replace(WRONG, RIGHT)


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
