"""Fetching in tests: no fetch may hang, and every refusal is one harmless line."""

import asyncio
from functools import partial
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.fetching import FetchedPage, Fetcher
from rarr.retrievers.fetch.public_ip_addresses import Resolve, ask_system_resolver, public_ips
from retrievers.hostile import Hostile, Script

PAGE = b"<html><body>Peaches</body></html>"
PATIENCE_S = 20  # until a test that hangs fails
SHORT_S = 0.3  # for a fetch that must run out of time
CAP = 100_000  # bytes


def make(*, find: Resolve = ask_system_resolver, allow_loopback: bool = True, **options: Any) -> Fetcher:
    look_up = partial(public_ips, find=find, allow_loopback=allow_loopback)
    usual: dict[str, Any] = {"user_agent": "rarr-test/1.0", "timeout_s": 10, "respect_robots": False}
    fetcher = Fetcher(look_up=look_up, **(usual | options))
    fetcher.max_bytes = CAP
    return fetcher


async def fetch(url: str, **options: Any) -> FetchedPage:
    async with asyncio.timeout(PATIENCE_S):
        return await make(**options).fetch(url)


async def refusal(url: str, **options: Any) -> str:
    """Returns the error about a page that is not fetched: one harmless line of limited length."""
    with pytest.raises(RetrievalError) as caught:
        await fetch(url, **options)
    message = str(caught.value)
    assert message.isprintable(), message
    assert len(message) < 600, message
    return message


async def served(script: Script, **options: Any) -> FetchedPage:
    async with Hostile({"/": script}) as server:
        return await fetch(server.url(), **options)


async def refused(script: Script, **options: Any) -> str:
    async with Hostile({"/": script}) as server:
        return await refusal(server.url(), **options)
