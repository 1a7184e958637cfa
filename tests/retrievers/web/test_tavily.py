"""Tavily, as a server on this machine."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import RetrievalError, SetupError
from rarr.retrievers.web.domain_and_date_limits import SourceLimits
from rarr.retrievers.web.tavily import Tavily
from retrievers.caches import opened
from retrievers.services import Said, Service

pytestmark = pytest.mark.loopback

KEY = "tvly-dev-0123456789abcdef"
RAW = """# Peaches

![logo](https://example.org/logo.png)

We use cookies to improve this site.

California grows [most peaches](https://example.org/peaches). Georgia follows.

## History

The tree came from China."""
RESULT = {
    "url": "https://example.org/fruit",
    "title": "Fruit",
    "content": "California grows most peaches.",
    "score": 0.9,
    "raw_content": RAW,
}
Using = Callable[..., Any]


def search_answer(*results: dict[str, Any]) -> Said:
    return Said({"query": "q", "answer": None, "images": [], "results": list(results), "response_time": 1.0})


@pytest.fixture
async def using(tmp_path: Path) -> AsyncIterator[Using]:
    """Tavily at some address, closed when the test ends."""
    async with AsyncExitStack() as stack:

        def make(base_url: str, **options: Any) -> Tavily:
            settings: dict[str, Any] = {"window": 4, "step": 1} | options
            tavily = Tavily(KEY, cache=opened(tmp_path / "cache"), base_url=base_url, **settings)
            stack.push_async_callback(tavily.aclose)
            return tavily

        yield make


@pytest.mark.slow
async def test_tavily_gives_passages_of_raw_content(using: Using) -> None:
    with Service(lambda asked: search_answer(RESULT)) as service:
        tavily = using(service.url)
        first, second = await tavily.retrieve("Where do most peaches grow?", 5)
        text = await tavily.extracted(first.source)
    assert first.text == "California grows most peaches. Georgia follows."
    assert second.text == "The tree came from China."
    assert (first.source, first.title) == ("https://example.org/fruit", "Fruit")
    assert text[first.start : first.end] == first.text


BARE = {**RESULT, "raw_content": None}


async def test_tavily_quotation_is_not_kept_as_the_page(using: Using) -> None:
    answers = [
        search_answer(BARE),
        search_answer({**BARE, "content": "Georgia follows."}),
        search_answer(RESULT),
    ]
    with Service(lambda asked: answers.pop(0)) as service:
        tavily = using(service.url)
        quoted = [passage for query in ("a", "b") for passage in await tavily.retrieve(query, 5)]
        assert await tavily.extracted(RESULT["url"]) is None
        passages = [*quoted, *await tavily.retrieve("c", 5)]
        texts = [await tavily.extracted(passage.source) for passage in passages]
    assert [text[passage.start : passage.end] for text, passage in zip(texts, passages, strict=True)] == [
        *("California grows most peaches.", "Georgia follows."),
        *("California grows most peaches. Georgia follows.", "The tree came from China."),
    ]
    assert len({passage.source for passage in passages}) == 3


async def test_tavily_is_asked_with_the_key_and_the_limits(using: Using) -> None:
    limits = SourceLimits(["a.org"], ["b.org"], datetime(2024, 1, 1), datetime(2024, 2, 1, tzinfo=UTC))
    with Service(lambda asked: search_answer(RESULT)) as service:
        await using(service.url, limits=limits).retrieve("peaches " * 100, 3)
    [asked] = service.asked
    assert (asked.path, asked.headers["authorization"]) == ("/search", f"Bearer {KEY}")
    assert len(asked.fields.pop("query")) <= 400
    assert asked.fields == {
        "include_raw_content": "markdown",
        "include_domains": ["a.org"],
        "exclude_domains": ["b.org"],
        "start_date": "2024-01-01",
        "end_date": "2024-02-01",
        "search_depth": "basic",
        "topic": "general",
        "max_results": 3,
    }


async def test_tavily_hit_with_an_invalid_address_is_skipped_alone(using: Using) -> None:
    hits = [RESULT | {"url": url} for url in ("", "http://[", "https://\ud800.org/", "https://b.org/\ud800")]
    with Service(lambda asked: search_answer(*hits)) as service:
        passages = await using(service.url).retrieve("peaches", 5)
    assert {passage.source for passage in passages} == {"https://b.org/\ufffd"}


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Said({"detail": {"error": f"no such key {KEY}"}}, 401), "status 401: .*no such key .*check the key"),
        (Said({"detail": {"error": "too long"}}, 400), "status 400: .*too long.*domains and dates"),
        (Said({"detail": {"error": "plan"}}, 432), "status 432: .*plan.*the plan of this key"),
        (Said({"detail": "many"}, 429), "status 429: .*many.*: try again later"),
        (Said("oops", 500), "500"),
        (Said("<html>"), "did not answer with a JSON object"),
        (Said({"results": None}), "did not answer with results"),
    ],
)
async def test_tavily_failure_is_one_line_without_the_key(using: Using, failure: Said, message: str) -> None:
    with Service(lambda asked: failure) as service, pytest.raises(RetrievalError, match=message) as caught:
        await using(service.url, attempts=1).retrieve("peaches", 5)
    assert "0123456789" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", [None, "", " "])
def test_tavily_needs_a_key(key: str | None, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="get one at"):
        Tavily(key, cache=opened(tmp_path / "c"), window=4, step=1)


async def test_key_repeated_by_tavily_is_redacted(using: Using) -> None:
    with Service(
        lambda asked: search_answer(RESULT | {"title": KEY, "raw_content": f"{RAW} The key is {KEY}."})
    ) as service:
        passages = await using(service.url).retrieve("Where do most peaches grow?", 5)
    assert passages[0].title == "***"
    assert not [passage for passage in passages if KEY in passage.text]
