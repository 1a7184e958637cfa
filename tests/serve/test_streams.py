"""Streamed answers through the proxy, with the client of OpenAI."""

import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from openai import OpenAI

from rarr.testing import Failure, ScriptedServer
from serve.serving import RIGHT, WRONG, Served, answers

pytestmark = pytest.mark.loopback

ASK: Any = [{"role": "user", "content": "How high is it?"}]
BLOCKS = [f"The dam is {RIGHT} high.\n\n", "It was opened in 1936.\n\n", "- one\n- two"]


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=served.url, api_key="x", max_retries=0) as client:
        yield client


def chunks(client: OpenAI, text: str | None = None, **more: Any) -> list[Any]:
    ask: Any = ASK if text is None else [{"role": "user", "content": f"say:{text}"}]
    return list(client.chat.completions.create(model="scripted", messages=ask, stream=True, **more))


def texts(chunks: list[Any], index: int = 0) -> list[str]:
    choices = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
    return [choice.delta.content for choice in choices if choice.delta.content]


def test_text_goes_out_by_paragraphs_each_in_the_light_of_those_before(
    client: OpenAI, served: Served
) -> None:
    seen = chunks(client, stream_options={"include_usage": True})
    assert texts(seen) == BLOCKS
    assert seen[-1].usage.total_tokens > 0
    job = next(job for job in reversed(served.known.jobs) if job.text == BLOCKS[1])
    assert job.context == [*ASK, {"role": "assistant", "content": f"The dam is {WRONG} high.\n\n"}]


def test_stream_that_breaks_off_breaks_off_here_too_after_its_text() -> None:
    came: list[str] = []
    with (
        ScriptedServer(answers(f"The dam is {WRONG} high and"), plan=[Failure("die")]) as upstream,
        Served(serve_upstream_url=upstream.url) as served,
        OpenAI(base_url=served.url, api_key="x", max_retries=0) as client,
        pytest.raises((httpx2.RemoteProtocolError, openai.APIConnectionError)),
    ):
        for chunk in client.chat.completions.create(model="scripted", messages=ASK, stream=True):
            came += texts([chunk])
    assert "".join(came).startswith("The dam is")


def test_comments_keep_a_silent_stream_open() -> None:
    with (
        ScriptedServer(answers(f"wait {WRONG}")) as upstream,
        Served(serve_upstream_url=upstream.url, serve_keep_alive_s=0.02, serve_deadline_s=0.2) as served,
    ):
        body = {"model": "scripted", "messages": ASK, "stream": True}
        response = httpx2.post(f"{served.url}/chat/completions", json=body, timeout=10)
    assert response.text.count(": keep-alive\n\n") > 2
    assert f'"content": "wait {WRONG}"' in response.text  # the original, at its deadline
    assert response.text.endswith("data: [DONE]\n\n")


def test_client_that_leaves_stops_the_server_behind() -> None:
    with (
        ScriptedServer(answers("x"), plan=[Failure("stall")]) as upstream,
        Served(serve_upstream_url=upstream.url) as served,
    ):
        body = {"model": "scripted", "messages": ASK, "stream": True, "rarr": {"mode": "off"}}
        with httpx2.stream("POST", f"{served.url}/chat/completions", json=body, timeout=10) as response:
            next(response.iter_raw())
        while upstream.requests[0].left is None:
            time.sleep(0.01)
        while served.tasks() > 3:  # the server's own, and the task that counts
            time.sleep(0.01)


def test_client_that_leaves_stops_the_work(served: Served) -> None:
    served.known.cancelled.clear()
    body = {"model": "scripted", "messages": [{"role": "user", "content": "say:wait"}]}
    with pytest.raises(httpx2.ReadTimeout):
        httpx2.post(f"{served.url}/chat/completions", json=body, timeout=0.3)
    assert served.known.cancelled.wait(5)
