"""Shares servers among the tests of a file: a server takes longer to start than most tests."""

from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import httpx2
import pytest
from openai import OpenAI

from rarr.serve import requests
from rarr.testing import Request, ScriptedServer
from serve.serving import Served

ASK: Any = [{"role": "user", "content": "How high is it?"}]
Log = SimpleQueue[dict[str, Any]]
PARAGRAPHS = "The dam is 212 metres high.\n\nIt was opened in 1936.\n\n- one\n- two"


def script(request: Request) -> str:
    """Answers with the last user message after "say:", or with the paragraphs."""
    _, said, words = request.user.partition("say:")
    return words if said else PARAGRAPHS


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer(script) as server:
        yield server


@pytest.fixture(scope="module")
def served(upstream: ScriptedServer) -> Iterator[Served]:
    with Served(serve_upstream_url=upstream.url) as server:
        yield server


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    """The facts of the log of requests, each of which comes when its response is out."""
    lines: Log = SimpleQueue()
    monkeypatch.setattr(requests._log, "info", lambda event, extra: lines.put(extra))
    return lines


@pytest.fixture
def http(served: Served) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=served.root, timeout=60) as client:
        yield client


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=served.url, api_key="sk-of-the-caller", max_retries=0) as client:
        yield client
