"""Streamed answers: through the proxy with the client of OpenAI, and event by event."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given, strategies
from openai import OpenAI
from starlette.datastructures import Headers

from rarr.batches.jobs import Job
from rarr.serve.chat import FallbackRunner, TextPostprocessor, postprocess_answer
from rarr.serve.requests import Call, Refusal
from rarr.serve.streams import AnswerStream, ParagraphSplitter
from rarr.settings import ServeMode
from rarr.testing import Failure
from serve.conftest import ASK
from serve.serving import RIGHT, WRONG, KnownRunner, Served, serving

pytestmark = pytest.mark.loopback

BLOCKS = [f"The dam is {RIGHT} high.\n\n", "It was opened in 1936.\n\n", "- one\n- two"]


def texts_of_stream(client: OpenAI, **more: Any) -> Iterator[Any]:
    """Yields the text of each event of a streamed answer; for the event with the usage, the usage."""
    for chunk in client.chat.completions.create(model="scripted", messages=ASK, stream=True, **more):
        yield "".join(choice.delta.content or "" for choice in chunk.choices) or chunk.usage


def test_paragraphs_go_out_each_in_the_light_of_those_before(client: OpenAI, served: Served) -> None:
    *seen, usage = filter(None, texts_of_stream(client, stream_options={"include_usage": True}))
    assert seen == BLOCKS and usage.total_tokens > 0
    job = next(job for job in reversed(served.known.jobs) if job.text == BLOCKS[1])
    assert job.context == [*ASK, {"role": "assistant", "content": f"The dam is {WRONG} high.\n\n"}]


def test_stream_that_breaks_off_breaks_off_here_too_after_its_text() -> None:
    came: list[str] = []
    with (
        serving(f"The dam is {WRONG} high and", [Failure("die")]) as (served, _),
        OpenAI(base_url=served.url, api_key="x", max_retries=0) as client,
        pytest.raises((httpx2.RemoteProtocolError, openai.APIConnectionError)),
    ):
        came.extend(filter(None, texts_of_stream(client)))
    assert "".join(came).startswith("The dam is")


def test_stream_whose_text_is_held_back_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.serve.proxy.COMMENT_INTERVAL_S", 0.05)
    with (
        serving("Please wait.\n\nThe dam.", serve_deadline_s=0.4) as (served, _),
        OpenAI(base_url=served.url, api_key="x") as client,
    ):
        assert "".join(filter(None, texts_of_stream(client))) == "Please wait.\n\nThe dam."
        asked = {"model": "scripted", "messages": ASK, "stream": True}
        came = httpx2.post(f"{served.url}/chat/completions", json=asked).text
    assert 3 < came.count(": rarr is at work\n\n") < 20
    assert {event[:6] for event in came.split("\n\n") if event} == {"data: ", ": rarr"}


def test_client_that_leaves_stops_the_server_behind() -> None:
    with serving("x", [Failure("stall")]) as (served, upstream):
        body = {"model": "scripted", "messages": ASK, "stream": True, "rarr": {"mode": "off"}}
        with httpx2.stream("POST", f"{served.url}/chat/completions", json=body, timeout=60) as response:
            next(response.iter_raw())
        while upstream.requests[0].left is None:
            time.sleep(0.01)
        while served.tasks() > 2:  # the server's own
            time.sleep(0.01)


DONE = "[DONE]"
TEXT = f"It is {WRONG} high."
BESIDE = [("tool_calls", "tool calls"), ("function_call", "tool calls")]
BESIDE += [(it, it) for it in ("images", "annotations", "logprobs")]
SECOND = {"index": 1, "delta": {}}
Event = dict[str, Any] | str | threading.Event  # what comes, or what must happen before the next one comes


def postprocessor(mode: ServeMode = "revise", runner: KnownRunner | None = None) -> TextPostprocessor:
    call = Call("local", "POST", "/v1", b"", Headers(), b"")
    job = Job("postprocess", "", "", deadline_s=30, options={"mode": mode})
    return TextPostprocessor(FallbackRunner(runner or KnownRunner()), call, job, [])


async def events_sent(
    *came: Event, mode: ServeMode = "revise", key: str = "", runner: KnownRunner | None = None
) -> list[Any]:
    """Returns the events that the proxy sends for those in `came`; None last, if the stream broke off."""
    work, out = postprocessor(mode, runner), list[Any]()
    try:
        async for made in AnswerStream(work, key).output_pieces(_stream_of(came)):
            out += [line[6:] for line in made.decode().splitlines() if line.startswith("data: ")]
    except Refusal:
        out.append(None)
    return [event if event in (None, DONE) else json.loads(event) for event in out]


async def _stream_of(came: tuple[Event, ...]) -> AsyncIterator[bytes]:
    for event in came:
        if isinstance(event, threading.Event):
            assert await asyncio.to_thread(event.wait, 60)
            continue
        await asyncio.sleep(0)
        yield f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def chunk(content: str | None = None, finish: str | None = None, **more: Any) -> Event:
    more = more if content is None else {"content": content}
    return {"choices": [{"index": 0, "delta": more, "finish_reason": finish}]}


def text_of(out: list[Any]) -> str:
    """Returns the text of all events of a chat completion."""
    choices = [choice for event in out if isinstance(event, dict) for choice in event["choices"]]
    return "".join((choice["delta"] or {}).get("content") or "" for choice in choices)


async def test_paragraph_is_worked_on_while_the_next_one_is_written() -> None:
    started = (runner := KnownRunner()).started
    assert await events_sent(chunk(f"{TEXT}\n\nIt"), started, chunk(" is old.", "stop"), DONE, runner=runner)
    assert [job.text for job in runner.jobs] == [f"{TEXT}\n\n", "It is old."]


@pytest.mark.parametrize(("end", "last"), [([DONE], DONE), ([], None)])
async def test_stream_without_a_finish_reason_ends_if_it_says_so(end: list[Event], last: Any) -> None:
    out = await events_sent(chunk(TEXT), *end)
    assert text_of(out) == TEXT.replace(WRONG, RIGHT)
    assert (out[-1], "rarr" in str(out)) == (last, bool(end))


@pytest.mark.parametrize("mode", ["revise", "cite", "check"])
@pytest.mark.parametrize("other", [*({"delta": {it: [1]}, it: [1]} for it, _ in BESIDE), SECOND])
async def test_text_of_a_stream_beside_something_else_passes_as_it_is(mode: ServeMode, other: Any) -> None:
    event = {"choices": [other]}
    out = await events_sent(chunk(TEXT), event, chunk(None, "stop"), DONE, mode=mode)
    assert out[1:] == [event, chunk(None, "stop"), DONE] and text_of(out) == TEXT


async def test_log_has_the_worst_outcome_of_a_stream_and_why_its_end_passed() -> None:
    work, text = postprocessor(), chunk(f"partial {TEXT}\n\nIt is.\n\nIt")
    body = _stream_of((text, chunk(tool_calls=[1]), chunk(None, "stop")))
    assert [event async for event in AnswerStream(work, "").output_pieces(body)]
    assert (work.call.log["outcome"], work.call.log["passed"]) == ("partial", "tool calls")


@pytest.mark.parametrize(("key", "told"), BESIDE)
async def test_text_of_an_answer_beside_something_else_passes_as_it_is(key: str, told: str) -> None:
    choice: Any = {"message": {"content": TEXT, key: [1]}, key: [1]}
    found = await postprocess_answer({"choices": [choice]}, postprocessor())
    assert (*found, choice["message"]["content"]) == ([], told, TEXT)


async def test_text_in_the_parts_of_a_content_is_revised() -> None:
    message: Any = {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": TEXT}]}
    await postprocess_answer({"choices": [{"message": message}]}, postprocessor())
    assert message["content"][1] == {"type": "text", "text": TEXT.replace(WRONG, RIGHT)}
    alone: Any = {"choices": [{"message": {"content": message["content"][1]}}]}
    assert await postprocess_answer(alone, postprocessor()) == ([], "no text")


@pytest.mark.parametrize("mode", ["revise", "check"])
@given(strategies.sets(strategies.integers(1, 50)), strategies.booleans())
def test_reasoning_passes_and_is_never_checked(mode: ServeMode, cuts: set[int], closed: bool) -> None:
    thought, runner = f"<think>{TEXT}\n\n{TEXT}" + "</think>\n\n<think>A</think>\n\n" * closed, KnownRunner()
    said, after = thought + TEXT * closed, TEXT if mode == "check" else TEXT.replace(WRONG, RIGHT)
    pieces = [chunk(said[begin:end]) for begin, end in pairwise(sorted({0, len(said), *cuts}))]
    *out, last, _ = asyncio.run(events_sent(*pieces, chunk(None, "stop"), DONE, mode=mode, runner=runner))
    assert text_of(out) == thought + after * closed and [job.text for job in runner.jobs] == [TEXT] * closed
    assert [it["start"] for it in (last["rarr"]["results"] if closed else ())] == [len(thought)] * closed


@pytest.mark.parametrize("mode", ["revise", "check"])
@given(cuts=strategies.sets(strategies.integers(1, 40)), at_end=strategies.booleans())
def test_key_that_comes_in_several_events_is_hidden(mode: ServeMode, cuts: set[int], at_end: bool) -> None:
    key, said = "sk-0123456789-abcdef", "sk-0 sk-0123456789-abcdef. It is high."
    pieces = [said[begin:end] for begin, end in pairwise(sorted({0, len(said), *cuts}))]
    tools = [chunk(tool_calls=[{"function": {"arguments": it}}]) for it in pieces]
    last = chunk(pieces.pop() if at_end else None, "stop")
    out = asyncio.run(events_sent(*map(chunk, pieces), *tools, last, DONE, mode=mode, key=key))
    calls = [it["choices"][0]["delta"].get("tool_calls") for it in out if it != DONE]
    for told in (text_of(out), "".join(it[0]["function"]["arguments"] for it in calls if it)):
        assert key[:9] not in told and "abcdef" not in told and told.endswith(". It is high.")


def test_long_text_in_small_pieces_takes_linear_time() -> None:
    stream, started = ParagraphSplitter(), time.process_time()
    assert not any(stream.add_text("word") for _ in range(1_000_000))
    assert stream.last_paragraph() == "word" * 1_000_000 and time.process_time() - started < 10


def paragraphs_of(pieces: list[str], *, whole: bool = False) -> list[str]:
    stream = ParagraphSplitter(whole=whole)
    return [*(block for piece in pieces for block in stream.add_text(piece)), stream.last_paragraph()]


PIECES = ["It is high. ", "\n", "\n\n", "```\n", "| a | b |\n", "# Title\n", "- one. ", "x", " "]


@given(strategies.lists(strategies.sampled_from(PIECES), max_size=40))
def test_paragraphs_together_are_the_text_however_it_comes(pieces: list[str]) -> None:
    assert "".join(made := paragraphs_of(pieces)) == "".join(pieces)
    assert paragraphs_of(list("".join(pieces))) == made


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
    assert paragraphs_of([text]) == paragraphs_of(list(text)) == expected
    assert paragraphs_of([text], whole=True) == [text]
