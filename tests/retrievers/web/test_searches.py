"""Requests to Wikipedia, Tavily and SearXNG, the use of their pages, and their failures."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from hypothesis import given, strategies as st
from makers import passage
from tools.asking import metered_run

from rarr.errors import RetrievalError, SetupError
from rarr.records import Passage
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.searches import SearXNG, Tavily, Wikipedia, article_markdown, searches_to_try
from rarr.settings import Settings
from rarr.testing.server import Listener, Reply
from retrievers.services import Wiki, reply

pytestmark = pytest.mark.loopback

KEY = "tvly-dev-0123456789abcdef"
AGENT = "rarr-tests/1.0 (https://example.org; me@example.org)"
Using = Callable[..., Any]


async def read_page(url: str) -> list[Passage]:
    """Reads a page as one passage. A page named gone fails, and a page named slow takes a minute."""
    if "slow" in url:
        await asyncio.sleep(60)
    if "gone" in url:
        raise RetrievalError(f"{url} cannot be read")
    return [passage(f"Of {url}.", url)]


@pytest.fixture
async def open_search(tmp_path: Path) -> AsyncIterator[Using]:
    """Opens a search at an address, and closes it when the test ends."""
    async with AsyncExitStack() as stack:

        def make(kind: Any, url: str, **options: Any) -> Any:
            cache = Cache(tmp_path / "cache")
            reader = [Mock(read=options.pop("read", read_page))] if kind is SearXNG else []
            at = {f"{kind.__name__.lower()}_url": url, "tavily_key": KEY, "user_agent": AGENT}
            made = kind(Settings(**(at | options)), cache, *reader)
            made._service._attempts.first_wait_s = 0.001
            stack.push_async_callback(made.aclose)
            return made

        yield make


ARTICLE = "The peach is a tree.\n\n\n== Production ==\nGeorgia follows.\n\n\n== References ==\nSmith, John."


async def test_wikipedia_text_can_be_shown_with_its_offsets(open_search: Using) -> None:
    with Listener(Wiki(Peach=ARTICLE)) as service:
        wiki = open_search(Wikipedia, service.url)
        passages = await wiki.retrieve("peach", 3)
        text = await wiki.extracted("https://wiki.example.org/wiki/Peach")
    assert [text[passage.start : passage.end] for passage in passages] == [each.text for each in passages]
    assert text.count("## ") == 1
    assert "Smith" not in text
    search, page = service.requests
    assert (search.path, search.headers["user-agent"], search.body["maxlag"]) == ("/v1/w/api.php", AGENT, "5")
    assert (search.body["srlimit"], page.body["redirects"]) == ("8", "1")


async def test_wikipedia_that_is_busy_is_asked_again(open_search: Using) -> None:
    wiki, busy = Wiki(Peach=ARTICLE), [reply({"error": {"code": "maxlag"}}, retry_after=0.01)]
    with Listener(lambda asked: busy.pop() if busy else wiki(asked)) as service:
        assert await open_search(Wikipedia, service.url).retrieve("peach", 3)
    assert len(service.requests) == 3


async def test_wikipedia_page_that_is_no_article_or_broken_gives_way_to_the_next(open_search: Using) -> None:
    several = {"extract": "Peach may refer to a tree.", "pageprops": {"disambiguation": ""}}
    gone, broken = {"missing": True, "note": "peach"}, ValueError("it broke, peach")
    wiki = Wiki(Peach=several, Gone=gone, Broken=broken, Orchard="A peach grows here.")
    with Listener(wiki) as service, metered_run() as meter:
        passages = await open_search(Wikipedia, service.url).retrieve("peach", 3)
    assert [passage.title for passage in passages] == ["Orchard"]
    [notice] = meter.warnings
    assert notice.code == "page_failed"
    assert f"{service.url.removesuffix('/v1')}/wiki/Broken: " in notice.message
    assert "it broke" in notice.message


RAW = """# Peaches\n\n![logo](https://example.org/logo.png)
California grows [most peaches](https://example.org/peaches).\n\n## History\n\nThe tree came from China."""
BARE = {"url": "https://example.org/fruit", "title": "Fruit", "content": "California grows most peaches."}
RESULT = BARE | {"raw_content": RAW}


def results(*found: Any, **more: Any) -> Reply:
    return reply({"results": [{"url": it} if isinstance(it, str) else it for it in found], **more})


async def test_tavily_page_and_its_quotations_are_kept_apart(open_search: Using) -> None:
    answers = [results(BARE), results({**BARE, "content": "Georgia follows."}), results(RESULT)]
    with Listener(lambda asked: answers.pop(0)) as service:
        tavily = open_search(Tavily, service.url)
        quoted = [passage for query in ("a", "b") for passage in await tavily.retrieve(query, 5)]
        assert await tavily.extracted(RESULT["url"]) is None
        passages = [*quoted, *await tavily.retrieve("c", 5)]
        texts = [await tavily.extracted(passage.source) for passage in passages]
    assert [text[passage.start : passage.end] for text, passage in zip(texts, passages, strict=True)] == [
        *("California grows most peaches.", "Georgia follows."),
        *("California grows most peaches.", "The tree came from China."),
    ]
    assert len({passage.source for passage in passages}) == 3
    assert {passage.title for passage in passages} == {"Fruit"}


async def test_tavily_is_asked_with_the_key_and_the_limits(open_search: Using) -> None:
    domains = {"include_domains": ["a.org"], "exclude_domains": ["b.org"]}
    dates = {"published_after": "2024-01-01", "published_before": "2024-02-01"}
    with Listener(lambda asked: results(BARE)) as service:
        await open_search(Tavily, service.url, **domains, **dates).retrieve("peaches " * 100, 3)
    [asked] = service.requests
    assert (asked.path, asked.headers["authorization"]) == ("/v1/search", f"Bearer {KEY}")
    assert len(asked.body["query"]) <= 400
    limits = domains | {"start_date": "2024-01-01", "end_date": "2024-02-01", "max_results": 3}
    kind = {"search_depth": "basic", "topic": "general", "include_raw_content": "markdown"}
    assert asked.body == {"query": asked.body["query"], **kind, **limits}


async def test_tavily_hit_with_an_invalid_address_is_skipped_alone(open_search: Using) -> None:
    hits = [BARE | {"url": url} for url in ("", "http://[", "https://\ud800.org/", "https://b.org/\ud800")]
    with Listener(lambda asked: results(*hits, 3, None)) as service:
        passages = await open_search(Tavily, service.url).retrieve("peaches", 5)
    assert {passage.source.partition("#")[0] for passage in passages} == {"https://b.org/\ufffd"}


@pytest.mark.parametrize("key", [None, "", " ", "a b"])
def test_tavily_needs_a_key(key: str | None, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="get one at"):
        Tavily(Settings(tavily_key=key), Cache(tmp_path / "c"))


async def test_key_that_a_server_repeats_is_redacted(open_search: Using) -> None:
    with Listener(lambda asked: results(BARE | {"title": KEY, "content": f"The key is {KEY}."})) as service:
        [passage] = await open_search(Tavily, service.url).retrieve("Where do peaches grow?", 5)
    assert (passage.title, passage.text) == ("***", "The key is ***.")


async def test_searxng_pages_are_read_once_each_and_within_the_limits(open_search: Using) -> None:
    urls = ("https://a.org/", "https://www.a.org", "ftp://b.org", "https://x.org/", "https://c.org/")
    read = AsyncMock(side_effect=read_page)
    with Listener(lambda asked: results(*urls, "https://d.org/")) as service:
        searxng = open_search(SearXNG, f"{service.url}/", read=read, exclude_domains=["x.org"])
        passages = await searxng.retrieve("Where do  peaches grow?", 2)
    assert [passage.text for passage in passages] == ["Of https://a.org/.", "Of https://c.org/."]
    assert [call.args[0] for call in read.await_args_list] == ["https://a.org/", "https://c.org/"]
    asked = {"q": "Where do peaches grow?", "format": "json", "language": "all"}
    assert (service.requests[0].path, service.requests[0].body) == ("/v1/search", asked)


NO_WIKI = "wikipedia_url, the address of a wiki's api.php"


@pytest.mark.parametrize(
    ("kind", "answer", "message"),
    [
        (Wikipedia, reply({"error": {"info": "no\nsuch value"}}), "no.such value"),
        (Wikipedia, reply("not with secret-1", 403), "403.*address to write to"),
        (Wikipedia, reply("slow down", 429, 3600), "429.*try again later"),
        (Wikipedia, reply({}), NO_WIKI),
        (Wikipedia, reply("<html>a portal</html>"), NO_WIKI),
        (Tavily, reply({"detail": {"error": f"no such key {KEY}"}}, 401), "401: .*no such key .*check the"),
        *((Tavily, reply(f"Bad key {KEY}", status), "Bad key|JSON object") for status in (200, 503)),
        (Tavily, reply({"detail": {"error": "plan"}}, 432), "432: .*plan.*the plan of this key"),
        (Tavily, reply({"results": None}), "did not answer with results"),
        (SearXNG, reply("not with secret-1", 403), "403.*settings.yml add json to formats"),
        (SearXNG, reply("<html>"), "with a JSON object: check searxng_url"),
        (SearXNG, results(unresponsive_engines=[["google", "CAPTCHA"]]), r"CAPTCHA.*: choose"),
    ],
)
async def test_failure_is_one_line_with_its_cure(
    open_search: Using, kind: Any, answer: Reply, message: str
) -> None:
    with Listener(lambda asked: answer) as service, pytest.raises(RetrievalError, match=message) as caught:
        await open_search(kind, service.url.replace("//", "//me:secret-1@")).retrieve("peaches", 5)
    assert not any(secret in str(caught.value) for secret in ("0123456789", "secret-1", "\n"))


async def test_page_that_is_slow_leaves_the_run_half_of_its_time(open_search: Using) -> None:
    pages = results("https://slow.org/", "https://b.org/")
    with Listener(lambda asked: pages) as service, metered_run(deadline_s=2.0) as meter:
        passages = await open_search(SearXNG, service.url).retrieve("q", 2)
        assert not meter.is_over
    assert [passage.source for passage in passages] == ["https://b.org/"]
    assert "half of the time that was left: raise deadline_s" in meter.warnings[0].message


async def test_pages_that_all_fail_are_an_error_without_warnings(open_search: Using) -> None:
    listener = Listener(lambda asked: results("https://gone.org/"))
    with listener as service, metered_run() as meter, pytest.raises(RetrievalError, match="gone"):
        await open_search(SearXNG, service.url).retrieve("q", 2)
    assert meter.warnings == []


@pytest.mark.parametrize("name", ["References", "SEE ALSO", "Einzelnachweise", "Voir aussi", "脚注"])
def test_wikipedia_reference_sections_are_left_out_with_their_subsections(name: str) -> None:
    assert article_markdown(f"Lead.\n== {name} ==\nx\n=== Y ===\ny\n== Z ==\nz") == "Lead.\n\n## Z\n\nz"


@pytest.mark.parametrize("line", ["== a" + " " * 300_000 + "b", "=" * 300_000, "= " * 150_000])
def test_wikipedia_hostile_heading_takes_as_long_as_the_line(line: str) -> None:
    assert article_markdown(f"One.\n{line}\nTwo.").endswith("Two.")


FIRST = {
    '"Emma" AND (intitle:x OR y*) ~z -w !v': "Emma and intitle x or y z w v",
    "What is Marie-Claire's 3.14, 1,000 and C#?": "What is Marie-Claire's 3.14 1,000 and C#",
    "東京の人口は？": "東京の人口は？",
}


def test_wikipedia_search_has_no_operators() -> None:
    assert {question: searches_to_try(question)[0] for question in FIRST} == FIRST


@given(st.text(max_size=600))
def test_wikipedia_searches_are_short_and_plain(question: str) -> None:
    for words in searches_to_try(question):
        assert 0 < len(words) <= 250
        assert not set(words) & set('"*~|!?:<>(){}[]')
