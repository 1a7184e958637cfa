"""Answers in one piece through the proxy, with the client of OpenAI."""

import asyncio
import logging
import math
import pickle
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from hypothesis import given, strategies
from openai import OpenAI

from rarr.batches.jobs import ENDED_TWICE, picklable_error
from rarr.errors import RarrError
from rarr.serve.proxy import _answer_headers, _body_without_key
from rarr.serve.requests import json_bytes, json_object
from rarr.testing import Failure, ScriptedServer
from serve.conftest import ASK, PARAGRAPHS, Log
from serve.serving import RIGHT, SOURCE, WRONG, Served, serving

pytestmark = pytest.mark.loopback

BOTH = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
OTHER = "not checked: not a chat completion"
DEFECT = pickle.loads(pickle.dumps(picklable_error(KeyError("secret"))))


def post(url: str, body: Any, path: str = "chat/completions", **more: Any) -> httpx2.Response:
    asked = {"model": "scripted", "messages": ASK, **body}
    return httpx2.post(f"{url}/{path}", json=asked, timeout=60, **more)


def body_of(text: str, **options: Any) -> dict[str, Any]:
    """Returns the body of a request whose answer is `text`, with options of rarr."""
    return {"messages": [{"role": "user", "content": f"say:{text}"}], "rarr": options}


def test_answer_of_a_chat_comes_back_revised_and_cited(client: OpenAI) -> None:
    message: Any = client.chat.completions.create(model="scripted", messages=ASK).choices[0].message
    assert message.content == PARAGRAPHS.replace(WRONG, RIGHT)
    [annotation] = message.annotations
    citation = annotation.url_citation
    assert message.content[citation.start_index : citation.end_index] == RIGHT
    assert (citation.url, citation.title) == (SOURCE, "Dam")


@pytest.mark.parametrize(
    ("body", "notice"),
    [
        ({"rarr": {"mode": "off"}}, None),
        ({"logprobs": True}, "not checked: logprobs"),
        ({"response_format": {"type": "json_object"}}, "not checked: structured output"),
        ({"modalities": ["text", "audio"]}, "not checked: audio"),
        (body_of("  "), "not checked: no text"),
        *(({"path": it}, OTHER) for it in ("responses", "completions", "messages", "chat/completions/c1")),
    ],
)
def test_answer_that_is_not_text_passes_as_it_is_and_a_header_says_so(
    served: Served, upstream: ScriptedServer, log: Log, body: dict[str, Any], notice: str | None
) -> None:
    path = body.pop("path", "chat/completions")
    through = post(served.url, body, path)
    outcomes = iter(lambda: log.get(timeout=30)["outcome"], None)  # that of the test before may come late
    assert (notice or "passed: off").replace("not checked", "passed") in outcomes
    body.pop("rarr", None)
    direct = post(upstream.url, body, path)
    assert through.json() | {"id": "", "created": 0} == direct.json() | {"id": "", "created": 0}
    assert through.headers.get("x-rarr-notice") == notice


@given(strategies.from_regex(r"-?[1-9][0-9]{0,3}(\.[0-9]{1,3})?[eE]\+?[0-9]{3,4}", fullmatch=True))
def test_number_too_large_for_a_float_passes_unchanged(number: str) -> None:
    written = f'{{"a": [{number}, "{number}"]}}'.encode()
    assert float(number) not in (math.inf, -math.inf) or json_bytes(json_object(written)) == written


def test_server_that_is_told_to_end_sends_the_originals_first() -> None:
    with serving(f"wait {WRONG}", serve_shutdown_s=0.5) as (served, _), ThreadPoolExecutor(8) as threads:
        asking = [threads.submit(post, served.url, {"stream": number % 2 == 1}) for number in range(8)]
        while len(served.known.jobs) < 8:
            time.sleep(0.01)
        served.stop()
        for each in asking:
            assert f"wait {WRONG}" in each.result().text
            assert "not checked: the server is shutting down" in each.result().text


def test_errors_are_those_of_the_server_behind_byte_by_byte() -> None:
    plan = lambda request: Failure(429, message="é \\u00e9", retry_after=7)  # noqa: E731
    with serving("x", plan) as (served, upstream):
        through, direct = post(served.url, {}), post(upstream.url, {})
    assert (through.status_code, through.content) == (429, direct.content)
    own = {"date", "connection"}
    assert dict(through.headers) | dict.fromkeys(own) == dict(direct.headers) | dict.fromkeys(own)


@pytest.mark.parametrize(
    ("text", "error", "notice"),
    [
        ("refuse", None, "the text is refused: give another"),
        ("It is.", RarrError(ENDED_TWICE), ENDED_TWICE),
        ("It is.", DEFECT, "a defect of rarr, KeyError"),
    ],
)
def test_text_that_cannot_be_checked_goes_out_as_it_came_and_says_why(
    served: Served, monkeypatch: pytest.MonkeyPatch, text: str, error: Any, notice: str
) -> None:
    monkeypatch.setattr(logging.getLogger("rarr.serve"), "disabled", True)
    monkeypatch.setattr(served.known, "fails", error)
    answer = post(served.url, body_of(text)).json()
    assert answer["choices"][0]["message"]["content"] == text
    [result] = answer["rarr"]["results"]
    assert (result["outcome"], result["notice"]) == ("failed", f"not checked: {notice}")


def test_mode_and_deadline_of_the_server_hold(upstream: ScriptedServer) -> None:
    with Served(serve_upstream_url=upstream.url, serve_mode="check", serve_deadline_s=0.05) as served:
        answer = post(served.url, body_of("wait")).json()
    [late] = answer["rarr"]["results"]
    assert (late["mode"], late["outcome"]) == ("check", "deadline")
    assert late["notice"] == "not checked: the deadline of 0.05 s came first"
    assert answer["choices"][0]["message"]["content"] == "wait"


def test_server_behind_that_is_silent_is_waited_for_a_while() -> None:
    with serving("x", [Failure("hang")], serve_upstream_timeout_s=0.2) as (served, _):
        late = post(served.url, {})
    assert (late.status_code, late.json()["error"]["code"]) == (504, "upstream_timeout")
    assert "raise serve_upstream_timeout_s" in late.json()["error"]["message"]


KEY = "sk-of-the-server/0123"


@pytest.mark.parametrize("own_key", [True, False])
@pytest.mark.parametrize("stream", [True, False])
def test_key_that_the_server_behind_repeats_is_hidden(own_key: bool, stream: bool) -> None:
    plan = [Failure(401, message=f"wrong key: {KEY}"), None, None]
    answer, own = f"I was sent {KEY[:-4]}{KEY[-4:]}. It is {WRONG}.", KEY if own_key else ""
    with serving(answer, plan, serve_upstream_key=own) as (served, upstream):
        for mode in ("revise", "off", "revise"):
            asked = {"stream": stream, "rarr": {"mode": mode}}
            got = post(served.url, asked, headers={"Authorization": f"Bearer {KEY}"})
            assert KEY not in got.text and KEY not in str(got.headers)
    assert upstream.requests[0].headers["authorization"] == f"Bearer {KEY}"


@given(strategies.binary(max_size=40), strategies.lists(strategies.integers(0, 60), max_size=6))
def test_key_is_hidden_wherever_the_pieces_of_an_answer_end(rest: bytes, cuts: list[int]) -> None:
    key, escaped = b"ab/ab+abd", b"ab\\/ab\\u002Babd"
    body = rest + b"ab/ab/ab+abd" + escaped + rest + b"ab/ab"

    class Response:
        async def aiter_bytes(self) -> AsyncIterator[bytes]:
            for begin, end in pairwise([0, *sorted(cuts), len(body)]):
                yield body[begin:end]

    async def read() -> bytes:
        return b"".join([piece async for piece in _body_without_key(Response(), key)])  # type: ignore[arg-type]

    assert asyncio.run(read()) == body.replace(key, b"*" * 9).replace(escaped, b"*" * 15)


def test_server_behind_cannot_say_that_an_answer_was_checked() -> None:
    answer = httpx2.Response(200, headers={"X-Rarr-Outcome": "finished", "X-Other": "1", **BOTH})
    assert _answer_headers(answer, b"") == [(b"x-other", b"1")]  # two lengths are none
