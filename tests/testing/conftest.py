"""A client for the scripted server."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from rarr.testing import ScriptedServer

Ask = Callable[..., httpx2.Response]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(verify=False, trust_env=False, timeout=5) as http:  # certificates take time to load
        yield http


@pytest.fixture
def ask(client: httpx2.Client) -> Ask:
    """Asks a server: `ask(server, "user message", temperature=0)`."""

    def post(
        server: ScriptedServer, user: str = "Hello?", system: str = "Answer.", **fields: Any
    ) -> httpx2.Response:
        options = {name: fields.pop(name) for name in ("headers", "timeout") if name in fields}
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = {"model": "scripted", "messages": messages, **fields}
        return client.post(f"{server.url}/chat/completions", json=body, **options)

    return post
