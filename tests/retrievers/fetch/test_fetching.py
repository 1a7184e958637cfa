"""Requests of a fetcher: their host, name and number, and only pages that a site's robots.txt allows."""

import asyncio
import gzip
import shutil
import ssl
import subprocess
import time
from asyncio import StreamWriter
from pathlib import Path
from unittest.mock import AsyncMock

import httpx2
import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.fetch import fetching
from rarr.retrievers.fetch.fetching import RULES_BYTES, RobotsRules, parse_rules
from rarr.retrievers.fetch.public_ip_addresses import UnreachableError
from retrievers.fetch.test_public_ip_addresses import resolver
from retrievers.fetches import PAGE, PATIENCE_S, SHORT_S, fetch, make, refusal
from retrievers.hostile import Hostile, Script, answer, forever, moved, reset, silent
from retrievers.makers import words

pytestmark = pytest.mark.loopback


async def test_fetch_connects_to_the_vetted_addresses_in_turn_and_vets_a_changed_answer_again() -> None:
    async with Hostile({"/a": answer(PAGE)}) as server:
        fetcher = make(find=resolver(["::1", "127.0.0.1"], ["10.0.0.1"]))
        url = server.url("/a", host="Site.ORG")
        assert (await fetcher.fetch(url)).content == PAGE
        with pytest.raises(RetrievalError, match="not a public one"):
            await fetcher.fetch(url)
    [head] = server.heads
    assert f"Host: site.org:{server.port}\r\n" in head


async def test_fetch_sends_no_identifying_header_but_its_user_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with Hostile({"/a?b=c": answer(PAGE)}) as server:
        await fetch(server.url("/a?b=c#d"))
    first, *head = server.heads[0].split("\r\n")
    assert first == "GET /a?b=c HTTP/1.1"
    names = {"host", "accept", "accept-encoding", "connection", "user-agent"}
    assert {line.partition(":")[0].lower() for line in head if line} == names
    assert {"User-Agent: rarr-test/1.0", "Accept-Encoding: gzip"} <= set(head)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Makes a certificate for site.org, and its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("needs openssl")
    made = tmp_path / "certificate.pem", tmp_path / "key.pem"
    options = words("-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=site.org")
    options += ["-addext", "subjectAltName=DNS:site.org", "-out", str(made[0]), "-keyout", str(made[1])]
    subprocess.run([openssl, "req", *options], check=True, capture_output=True)
    return made


async def test_certificate_must_be_trusted_and_for_the_name(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    find = resolver(["127.0.0.1"])
    async with Hostile({"/": answer(PAGE)}, tls) as server:
        site, *others = (server.url("/", host, "https") for host in ("site.org", "other.org", "127.0.0.1"))
        assert "CERTIFICATE_VERIFY_FAILED" in await refusal(site, find=find)
        trusted = ssl.create_default_context(cafile=certificate[0])
        monkeypatch.setattr("rarr.tools.guard.bounded_http_client.certificates", lambda: trusted)
        assert (await fetch(site, find=find)).content == PAGE
        for other in others:
            assert "certificate" in (await refusal(other, find=find)).lower()


async def slow(writer: StreamWriter) -> None:
    await asyncio.sleep(0.05)
    writer.write(answer(PAGE))


async def test_fetches_from_one_host_take_turns() -> None:
    fetcher = make()
    async with Hostile({"/": slow}) as server, asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(fetcher.fetch(server.url()) for _ in range(8)))
    assert server.most == fetching.AT_ONCE_PER_HOST


FORBIDS = b"User-agent: *\nDisallow: /\n"
ALLOWS = b"User-agent: *\nDisallow:\n"


def site(text: Script, **more: Script) -> Hostile:
    return Hostile({"/": answer(PAGE), "/robots.txt": text, **{f"/{path}": to for path, to in more.items()}})


DRIPS = [forever(b"HTTP/1.1 200 OK\r\n\r\n", b"#", 0.02), forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (answer(ALLOWS), ""),
        (answer(b"User-agent: rarr-test\nAllow: /\n" + FORBIDS), ""),
        (answer(FORBIDS, status="404 Not Found"), ""),
        (answer(b"", status="204 No Content"), ""),
        (answer(b"\xff\x00" * 1000), ""),
        (answer(b"#" * RULES_BYTES + b"\n" + FORBIDS), ""),
        (forever(b"HTTP/1.1 404 Not Found\r\n\r\n", b"x", 0.02), ""),
        (forever(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000), ""),
        (answer(gzip.compress(b" " * RULES_BYTES * 10 + FORBIDS, mtime=0), "Content-Encoding: gzip"), ""),
        (answer(FORBIDS, kind="image/png"), "forbids it"),
        (answer(FORBIDS + b"#" * RULES_BYTES), "forbids it"),
        (answer(gzip.compress(FORBIDS, mtime=0), "Content-Encoding: gzip"), "forbids it"),
        (answer(FORBIDS, "Content-Encoding: br"), "cannot be read"),
        (answer(ALLOWS, status="500 Hm"), "answered 500"),
        (answer(ALLOWS, status="304 Hm").removesuffix(ALLOWS), "answered 304"),
        (moved("http://10.0.0.1/robots.txt"), "not a public one"),
        (moved("file:///etc/passwd"), "only http and https"),
        (moved("/robots.txt"), "more than 5 times"),
        (reset, "cannot be read"),
        *((script, "was not sent in time") for script in DRIPS),
    ],
)
async def test_page_is_asked_for_where_robots_txt_allows_it(text: Script, why: str) -> None:
    async with site(text) as server:
        if why:
            limit = 1.0 if text in DRIPS else 10.0
            assert why in await refusal(server.url(), respect_robots=True, timeout_s=limit)
        else:
            assert (await fetch(server.url(), respect_robots=True)).content == PAGE
    assert ("/" in server.paths) is (why == "")


async def test_fetches_from_a_dead_site_share_one_request_for_its_rules() -> None:
    async with site(silent) as server:
        fetcher = make(respect_robots=True, timeout_s=SHORT_S)
        fetches = (fetcher.fetch(server.url()) for _ in range(5))
        results = await asyncio.gather(*fetches, return_exceptions=True)
    assert all(isinstance(result, RetrievalError) for result in results)
    assert server.paths == ["/robots.txt"]


async def test_fetch_of_a_refused_host_is_not_blamed_on_robots() -> None:
    fetcher = make(respect_robots=True, find=resolver(OSError("no such name")))
    why = r"the host 'site\.org' .* cannot be looked up \(no such name\): check the"
    for url in ("http://site.org/a", "http://site.org/b"):
        with pytest.raises(RetrievalError, match=f"^{url}: {why}") as caught:
            await fetcher.fetch(url)
        assert "robots" not in str(caught.value)


async def test_fetch_keeps_to_the_rules_at_every_redirect() -> None:
    forbids = answer(b"User-agent: *\nDisallow: /secret")
    async with site(forbids, open=moved("/secret"), secret=answer(PAGE)) as server:
        with pytest.raises(RetrievalError, match=r"/secret is not fetched: .* forbids it"):
            await fetch(server.url("/open"), respect_robots=True)
    assert "/secret" not in server.paths


def may_fetch(text: str, path: str) -> bool:
    return parse_rules(text.encode(), "rarr").can_fetch(f"https://site.org{path}", "rarr")


@pytest.mark.parametrize(
    ("text", "path", "allows"),
    [
        ("User-agent: *\nDisallow: /\nAllow: /public", "/public", True),
        ("User-agent: RARR/9.9\nDisallow: /", "/page", False),
        ("User-agent: rarrbot\nDisallow: /", "/page", True),
        ("User-agent: ra\nDisallow: /", "/page", True),
        ("User-agent: a\nCrawl-delay: 1\nUser-agent: rarr\nDisallow: /", "/page", False),
        ("User-agent: rarr\nCrawl-delay: 1\nUser-agent: a\nDisallow: /", "/page", False),
        ("User-agent: rarr\nUser-agent: *\nDisallow:\n\nUser-agent: *\nDisallow: /", "/", True),
        ("\ufeffuser-AGENT : * # all\r\n  disallow : /x#y\r\n", "/xz", False),
    ],
)
def test_groups_are_read_as_the_standard_says(text: str, path: str, allows: bool) -> None:
    assert may_fetch(text, path) is allows


def test_rule_with_many_wildcards_is_matched_quickly() -> None:
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 2000}b\n" * 100
    assert may_fetch(text, "/" + "a" * 4000)


async def test_rules_are_kept_for_a_day_and_failures_for_30_s(monkeypatch: pytest.MonkeyPatch) -> None:
    read = AsyncMock(side_effect=[UnreachableError("nobody is there"), *[(200, b"")] * 3])
    page, known, now = httpx2.URL("https://site.org/page"), RobotsRules("rarr", 10), time.monotonic()
    for _ in range(2):
        with pytest.raises(RetrievalError, match="nobody is there"):
            await known.require_allowed(page, read)
    assert read.await_count == 1
    for seconds, requests in [(31, 2), (86_000, 2), (90_000, 3)]:
        monkeypatch.setattr(fetching, "monotonic", lambda at=now + seconds: at)
        await known.require_allowed(page, read)
        assert read.await_count == requests
    await known.require_allowed(httpx2.URL("https://site.org:8443/"), read)
    read.assert_awaited_with(httpx2.URL("https://site.org:8443/robots.txt"))
