import asyncio
import time
from urllib.parse import quote

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
    ("rule", "path", "fits"),
    [
        ("/", "/", True),
        ("/fish", "/fish", True),
        ("/fish", "/fishheads/yummy.html?a=b", True),
        ("/fish", "/Fish", False),
        ("/fish", "/a/fish", False),
        ("/fish/", "/fish", False),
        ("/*.php", "/folder/name.php5?q", True),
        ("/*.php", "/name.PHP", False),
        ("/*.php$", "/name.php", True),
        ("/*.php$", "/name.php?q", False),
        ("/*.php$", "/name.php.php", True),
        ("/fish*.php", "/fish/x.php?id=1", True),
        ("/fish*", "/fish", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a*b*c$", "/a-b-c", True),
        ("/a*b*c$", "/a-c-b", False),
        ("/a*aa$", "/aa", False),
        ("/a*aa$", "/aaa", True),
        ("*$", "/anything", True),
        ("$", "/", False),
        ("/*/*/", "/a/b/c", True),
        ("/m%C3%BCnchen", "/münchen", True),
        ("/münchen", "/m%c3%bcnchen", True),
        ("/%2A", "/x", False),
        ("fish", "/fish", False),
        ("/a", "//a", False),
        ("//a", "//a", True),
    ],
)
def test_rule_matches_as_the_standard_says(rule: str, path: str, fits: bool) -> None:
    assert may(f"User-agent: *\nDisallow: {rule}", quote(path, safe="/%?=&")) is not fits


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


def test_undecodable_bytes_in_the_rules_are_skipped() -> None:
    site_rules = rules(b"\xff\xfe\nUser-agent: *\nDisallow: /a", "rarr")
    assert not allowed(site_rules, "https://site.org/a", "rarr")


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


async def test_number_of_remembered_sites_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "_SITES", 2)
    site, known = Site(200), Robots("rarr", 10)
    for name in ("a", "b", "c", "c", "a"):
        await site.require(known, httpx2.URL(f"https://{name}.org/"))
    assert [url[8] for url in site.asked] == ["a", "b", "c", "a"]
