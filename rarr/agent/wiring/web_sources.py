"""Makes the sources that `search` may name, except the corpus and the graph: those on the web, and any other.

A new source needs a function and an entry here. The command line imports this file for the names, so that
the rest of the package is imported where a source is made.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rarr.errors import SettingsError

if TYPE_CHECKING:
    from rarr.agent.wiring.resources import Resources
    from rarr.records import Passage
    from rarr.retrievers.web.domain_and_date_limits import SourceLimits
    from rarr.retrievers.web.service_requests import Probe
    from rarr.settings import Settings


@runtime_checkable
class NamedSource(Protocol):
    """A retriever that the settings name by a word, such as wikipedia."""

    async def retrieve(self, query: str, k: int) -> "Sequence[Passage]":
        """Returns passages of the `k` best documents. Raises `RetrievalError`."""

    def probe(self) -> "Probe | None":
        """Describes a free request that shows whether the source can be used; None if there is no request.

        A source without a server, such as a file, checks itself here, and raises `RetrievalError` with the
        cure.
        """


def source_limits(settings: "Settings") -> "SourceLimits":
    """Reads the limits on sources, by domain and date, from the settings."""
    from rarr.retrievers.web.domain_and_date_limits import SourceLimits

    return SourceLimits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


def _wikipedia(settings: "Settings", opened: "Resources") -> NamedSource:
    from rarr.retrievers.web.wikipedia import Wikipedia

    if settings.published_after or settings.published_before:
        raise SettingsError(
            "wikipedia has no dates of publication: leave out published_after and published_before"
        )
    wiki = Wikipedia(
        cache=opened.cache,
        user_agent=settings.user_agent,
        window=settings.window,
        step=settings.step,
        language=settings.wikipedia_language,
        base_url=settings.wikipedia_url,
    )
    return opened.keep(wiki)


def _tavily(settings: "Settings", opened: "Resources") -> NamedSource:
    from rarr.retrievers.web.tavily import Tavily

    key = settings.tavily_key
    tavily = Tavily(
        key.get_secret_value() if key else None,
        cache=opened.cache,
        window=settings.window,
        step=settings.step,
        limits=source_limits(settings),
        base_url=settings.tavily_url,
    )
    return opened.keep(tavily)


def _searxng(settings: "Settings", opened: "Resources") -> NamedSource:
    from rarr.retrievers.fetch.cached_page_passages import PageReader
    from rarr.retrievers.fetch.fetching import Fetcher
    from rarr.retrievers.web.searxng import SearXNG

    if settings.searxng_url is None:
        raise SettingsError("searxng needs its address: give searxng_url, such as http://localhost:8080")
    fetcher = Fetcher(
        user_agent=settings.user_agent,
        timeout_s=settings.page_timeout_s,
        max_bytes=settings.max_page_mb * 1_000_000,
        respect_robots=settings.robots,
    )
    reader = PageReader(opened.keep(fetcher), opened.cache, window=settings.window, step=settings.step)
    source = SearXNG(settings.searxng_url, reader=reader, cache=opened.cache, limits=source_limits(settings))
    return opened.keep(source)


WEB_SOURCES: dict[str, Callable[["Settings", "Resources"], NamedSource]] = {
    "wikipedia": _wikipedia,
    "tavily": _tavily,
    "searxng": _searxng,
}

SOURCES = ("corpus", "graph", *WEB_SOURCES)
"""The names that the setting `search` accepts."""
