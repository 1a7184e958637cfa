import asyncio
import time

import httpx2
import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.fetch import robots
from rarr.retrievers.fetch.public_ip_addresses import UnreachableError
from rarr.retrievers.fetch.robots import Robots, allowed, product, rules

PAGE = httpx2.URL("https://site.org/page")


def may(text: str, path: str, name: str = "rarr") -> bool:
    return allowed(rules(text.encode(), name), f"https://site.org{path}", name)


@pytest.mark.parametrize(
    ("text", "path", "allows"),
    [
        ("", "/", True),
        ("User-agent: *\nDisallow:", "/", True),
        ("User-agent: *\nAllow: /\nDisallow: /private", "/private", False),
        ("User-agent: *\nDisallow: /\nAllow: /public", "/public", True),
        ("User-agent: *\nDisallow: /page\nAllow: /page", "/page", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: rarr\nAllow: /", "/page", True),
        ("User-agent: RARR/9.9\nDisallow: /", "/page", False),
        ("User-agent: rarrbot\nDisallow: /", "/page", True),
        ("User-agent: ra\nDisallow: /", "/page", True),
        ("User-agent: a\nUser-agent: rarr\nDisallow: /", "/page", False),
        ("User-agent: a\nCrawl-delay: 1\nUser-agent: rarr\nDisallow: /", "/page", False),
        ("User-agent: rarr\nCrawl-delay: 1\nUser-agent: a\nDisallow: /", "/page", False),
        ("User-agent: rarr\nDisallow: /a\nUser-agent: b\nUser-agent: rarr\nDisallow: /b", "/b", False),
        ("User-agent: rarr\nUser-agent: *\nDisallow:\n\nUser-agent: *\nDisallow: /", "/", True),
        ("Disallow: /\nUser-agent: other\nDisallow: /", "/", True),
        ("\ufeffuser-AGENT : * # all\r\n  disallow : /x#y\r\n", "/xz", False),
        ("<html><body>Not found</body></html>", "/", True),
        ("User-agent: *\nDisallow: /\x00\x1b", "/", True),
    ],
)
def test_groups_are_read_as_the_standard_says(text: str, path: str, allows: bool) -> None:
    assert may(text, path) is allows


def test_rule_with_many_wildcards_is_matched_quickly() -> None:
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 2000}b\n" * 100
    assert may(text, "/" + "a" * 4000)


@pytest.mark.parametrize(
    ("agent", "name"), [("Rarr/1.0 (+https://x.org)", "rarr"), ("my-bot_x", "my-bot_x"), ("/1", ""), ("", "")]
)
def test_product_name_is_read_from_the_user_agent(agent: str, name: str) -> None:
    assert product(agent) == name


class Site:
    """Answers for a robots.txt, and counts how often it is asked."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.asked: list[str] = []

    async def read(self, url: httpx2.URL) -> tuple[int, bytes]:
        self.asked.append(str(url))
        await asyncio.sleep(0)
        if not self.status:
            raise UnreachableError("nobody is there")
        return self.status, b""

    async def require(self, known: Robots, url: httpx2.URL = PAGE) -> None:
        async with asyncio.timeout(10):
            await known.require(url, self.read)


async def test_rules_are_requested_for_each_host_port_and_scheme() -> None:
    site, known = Site(200), Robots("rarr", 10)
    for url in ("https://site.org:8443/", "http://site.org/", "https://a.site.org/"):
        await site.require(known, httpx2.URL(url))
    assert len(site.asked) == 3


async def test_failure_is_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    site, known = Site(0), Robots("rarr", 10)
    for _ in range(2):
        with pytest.raises(RetrievalError, match="nobody is there"):
            await site.require(known)
    assert len(site.asked) == 1
    site.status = 200
    monkeypatch.setattr(robots, "monotonic", lambda: time.monotonic() + 31)
    await site.require(known)


async def test_rules_are_forgotten_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    site, known = Site(200), Robots("rarr", 10)
    await site.require(known)
    monkeypatch.setattr(robots, "monotonic", lambda: time.monotonic() + 90_000)
    await site.require(known)
    assert len(site.asked) == 2
