"""Whether a fetcher asks a site what it may fetch, and keeps to it."""

import asyncio
import gzip
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.fetch import robots as robots_module
from rarr.retrievers.fetch.public_ip_addresses import Resolve
from rarr.retrievers.fetch.robots import MOST_BYTES
from retrievers.fetches import PAGE, SHORT_S, fetch, make, refusal
from retrievers.hostile import Hostile, Script, answer, forever, moved, reset, silent

pytestmark = pytest.mark.loopback

FORBIDS = b"User-agent: *\nDisallow: /\n"
ALLOWS = b"User-agent: *\nDisallow:\n"


def site(robots: Script, **more: Script) -> Hostile:
    return Hostile(
        {"/": answer(PAGE), "/robots.txt": robots, **{f"/{path}": to for path, to in more.items()}}
    )


@pytest.mark.parametrize(
    "robots",
    [
        answer(ALLOWS),
        answer(ALLOWS, kind=None),
        answer(b"User-agent: rarr-test\nAllow: /\n" + FORBIDS),
        answer(FORBIDS, status="404 Not Found"),
        answer(FORBIDS, status="403 Forbidden"),
        answer(b""),
        answer(b"", status="204 No Content"),
        answer(b"\xff\x00" * 1000),
        answer(b"#" * MOST_BYTES + b"\n" + FORBIDS),
        forever(b"HTTP/1.1 404 Not Found\r\n\r\n", b"x", 0.02),
        forever(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000),
        answer(gzip.compress(b" " * MOST_BYTES * 10 + FORBIDS, mtime=0), "Content-Encoding: gzip"),
    ],
)
async def test_fetch_where_robots_txt_allows_it(robots: Script) -> None:
    async with site(robots) as server:
        assert (await fetch(server.url(), respect_robots=True)).content == PAGE
    assert server.paths == ["/robots.txt", "/"]


@pytest.mark.parametrize(
    ("robots", "why"),
    [
        (answer(FORBIDS), "forbids it"),
        (answer(FORBIDS, kind="image/png"), "forbids it"),
        (answer(FORBIDS + b"#" * MOST_BYTES), "forbids it"),
        (answer(b"User-agent: rarr-test\nDisallow: /"), "forbids it"),
        (answer(gzip.compress(FORBIDS, mtime=0), "Content-Encoding: gzip"), "forbids it"),
        (answer(FORBIDS, "Content-Encoding: br"), "cannot be read"),
        (answer(ALLOWS, status="500 Hm"), "answered 500"),
        (answer(ALLOWS, status="503 Hm"), "answered 503"),
        (answer(ALLOWS, status="304 Hm").removesuffix(ALLOWS), "answered 304"),
        (moved("http://10.0.0.1/robots.txt"), "not a public one"),
        (moved("file:///etc/passwd"), "only http and https"),
        (moved("/robots.txt"), "more than 5 times"),
        (reset, "cannot be read"),
        (b"nonsense\r\n\r\n", "cannot be read"),
    ],
)
async def test_fetch_where_robots_txt_forbids_it(robots: Script, why: str) -> None:
    async with site(robots) as server:
        assert why in await refusal(server.url(), respect_robots=True)
    assert "/" not in server.paths


@pytest.mark.parametrize(
    "robots",
    [forever(b"HTTP/1.1 200 OK\r\n\r\n", b"#", 0.02), forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n")],
)
async def test_fetch_times_out_on_a_slow_robots_txt(robots: Script) -> None:
    async with site(robots) as server:
        assert "was not sent in time" in await refusal(server.url(), respect_robots=True, timeout_s=SHORT_S)


async def test_fetches_from_a_dead_site_share_one_request_for_its_rules() -> None:
    async with site(silent) as server:
        fetcher = make(respect_robots=True, timeout_s=SHORT_S)
        results = await asyncio.gather(
            *(fetcher.fetch(server.url()) for _ in range(5)), return_exceptions=True
        )
    assert all(isinstance(result, RetrievalError) for result in results)
    assert server.paths == ["/robots.txt"]


async def nowhere(name: str, port: int) -> Sequence[str]:
    raise OSError("Name or service not known")


async def inside(name: str, port: int) -> Sequence[str]:
    return ["10.0.0.1"]


@pytest.mark.parametrize(
    ("find", "why"),
    [(nowhere, "cannot be looked up (Name or service not known): check the"), (inside, "not a public one")],
)
async def test_fetch_of_a_refused_host_is_not_blamed_on_robots(find: Resolve, why: str) -> None:
    fetcher = make(respect_robots=True, find=find)
    for path in ("a", "b"):
        with pytest.raises(
            RetrievalError, match=rf"^http://site\.org/{path}: the host 'site\.org' "
        ) as caught:
            await fetcher.fetch(f"http://site.org/{path}")
        assert why in str(caught.value)
        assert "robots" not in str(caught.value)


async def test_fetch_keeps_to_the_rules_at_every_redirect() -> None:
    forbids = answer(b"User-agent: *\nDisallow: /secret")
    async with site(forbids, open=moved("/secret"), secret=answer(PAGE)) as server:
        with pytest.raises(RetrievalError, match=r"/secret is not fetched: .* forbids it"):
            await fetch(server.url("/open"), respect_robots=True)
    assert "/secret" not in server.paths


@pytest.mark.slow
async def test_fetch_keeps_the_event_loop_free_of_robots(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            threads.append(threading.current_thread())
            return function(*args)

        return noted

    monkeypatch.setattr(robots_module, "rules", note(robots_module.rules))
    monkeypatch.setattr(robots_module, "allowed", note(robots_module.allowed))
    async with site(answer(b"User-agent: *\n" + b"Disallow: /a\n" * 40_000)) as server:
        fetcher = make(respect_robots=True)
        for _ in range(2):
            await fetcher.fetch(server.url())
    assert server.paths == ["/robots.txt", "/", "/"]
    assert len(threads) == 3  # parsed once
    assert threading.main_thread() not in threads
