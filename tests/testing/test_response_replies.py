"""The scripted server as a client of the protocol of responses sees it."""

from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from openai import OpenAI

from rarr.testing import DieMidAnswer, ScriptedServer

pytestmark = pytest.mark.loopback

TOOL: Any = {"type": "function", "name": "look_up", "parameters": {"type": "object"}, "strict": False}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda request: f"{request.user} is answered") as server:
        yield server


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="x", max_retries=0) as client:
        yield client


def test_stream_ends_with_the_whole_response(client: OpenAI) -> None:
    with client.responses.stream(model="scripted", input="This") as stream:
        assert stream.get_final_response().output_text == "This is answered"


def test_stream_dies_as_planned() -> None:
    with (
        ScriptedServer(lambda request: "x" * 100, plan=[DieMidAnswer()]) as server,
        OpenAI(base_url=server.url, api_key="x", max_retries=0) as client,
        pytest.raises((openai.APIError, httpx2.HTTPError)),
    ):
        list(client.responses.create(model="scripted", input="This", stream=True))
