"""What is asked of Wikipedia, what becomes of its articles, and how its failures end."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.retrievers.web.wikipedia import SPARE, Wikipedia
from retrievers.caches import opened
from retrievers.services import Said, Service
from retrievers.wikis import PEACHES, Wiki

pytestmark = pytest.mark.loopback

AGENT = "rarr-tests/1.0 (https://example.org; me@example.org)"
Using = Callable[..., Any]


@pytest.fixture
async def using(tmp_path: Path) -> AsyncIterator[Using]:
    """Wikipedia at some address, closed when the test ends."""
    async with AsyncExitStack() as stack:

        def make(base_url: str, **options: Any) -> Wikipedia:
            settings: dict[str, Any] = {"user_agent": AGENT, "window": 4, "step": 1} | options
            wiki = Wikipedia(cache=opened(tmp_path / "cache"), base_url=base_url, **settings)
            stack.push_async_callback(wiki.aclose)
            return wiki

        yield make


async def test_wikipedia_text_can_be_shown_with_its_offsets(using: Using) -> None:
    with Service(Wiki(Peach=PEACHES)) as service:
        wiki = using(service.url)
        passages = await wiki.retrieve("peach", 5)
        text = await wiki.extracted("https://wiki.example.org/wiki/Peach")
    assert text is not None
    assert [text[passage.start : passage.end] for passage in passages] == [
        passage.text for passage in passages
    ]
    assert text.count("## ") == 3
    assert "Smith" not in text
    assert "Volume" not in text


async def test_wikipedia_requests_follow_its_api_etiquette(using: Using) -> None:
    with Service(Wiki(Peach=PEACHES)) as service:
        await using(service.url).retrieve("peach", 3)
    search, page = service.asked
    assert search.path == "/w/api.php"
    assert (search.headers["user-agent"], search.fields["maxlag"]) == (AGENT, "5")
    assert (search.fields["srlimit"], page.fields["redirects"]) == (str(3 + SPARE), "1")


async def test_wikipedia_search_is_repeated_with_the_content_words(using: Using) -> None:
    with Service(Wiki(Peach=PEACHES)) as service:
        assert await using(service.url).retrieve('Which state did "intitle:peach -tree" mention?', 1)
    searches = [request.fields["srsearch"] for request in service.asked if "srsearch" in request.fields]
    assert searches == [
        "Which state did intitle peach tree mention",
        "state intitle peach tree mention",
        "state OR intitle OR peach OR tree OR mention",
    ]


async def test_wikipedia_disambiguation_gives_way_to_the_next_article(using: Using) -> None:
    wiki = Wiki(Peach="Peach may refer to a tree.", Orchard="A peach grows here.")
    wiki.disambiguations = {"Peach"}
    with Service(wiki) as service:
        passages = await using(service.url).retrieve("peach", 1)
    assert [passage.title for passage in passages] == ["Orchard"]


@pytest.mark.slow
async def test_wikipedia_without_extracts_is_parsed(using: Using) -> None:
    wiki = Wiki(
        Peach='California grows most peaches.<sup id="x" class="reference">[1]</sup> Georgia follows.'
    )
    wiki.has_extracts = False
    with Service(wiki) as service:
        [passage] = await using(service.url).retrieve("peach", 1)
    assert passage.text == "California grows most peaches. Georgia follows."


async def test_wikipedia_survives_a_broken_article_with_a_warning(using: Using) -> None:
    wiki = Wiki(Peach=PEACHES, Orchard="A peach grows here.")
    wiki.broken = {"Peach"}
    with Service(wiki) as service, metered() as meter:
        passages = await using(service.url).retrieve("peach", 2)
    assert {passage.title for passage in passages} == {"Orchard"}
    [notice] = meter.warnings
    assert notice.code == "page_failed"
    assert f"{service.url}/wiki/Peach: " in notice.message
    assert "the page Peach is broken" in notice.message


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Said({"error": {"code": "badvalue", "info": "no\nsuch value"}}), "no.such value"),
        (Said("Forbidden", 403), "403.*address to write to"),
        (Said("slow down", 429, {"Retry-After": "3600"}), "429.*try again later"),
    ],
)
async def test_wikipedia_failure_is_one_line_with_a_cure(using: Using, failure: Said, message: str) -> None:
    wiki = Wiki(Peach=PEACHES)
    wiki.failures = [failure]
    with Service(wiki) as service, pytest.raises(RetrievalError, match=message) as caught:
        await using(service.url, attempts=1).retrieve("peach", 1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        Said({}),
        Said({"query": {"search": None}}),
        Said("<html>a portal</html>"),
        Said("<html>Not found</html>", 404),
        Said({"detail": "Method not allowed"}, 405),
    ],
)
async def test_server_that_is_not_a_wiki_is_a_wikipedia_failure(using: Using, answer: Said) -> None:
    cure = "set wikipedia_url to the address of a wiki's api.php"
    with Service(lambda asked: answer) as service, pytest.raises(RetrievalError, match=cure):
        await using(service.url, attempts=1).retrieve("peach", 1)


async def test_server_that_is_not_wikipedia_is_named_without_its_password(using: Using) -> None:
    with Service(lambda asked: Said("no", 404)) as service, pytest.raises(RetrievalError) as caught:
        await using(service.url.replace("//", "//me:secret@")).retrieve("peach", 1)
    assert "secret" not in str(caught.value)
