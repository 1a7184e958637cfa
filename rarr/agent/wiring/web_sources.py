"""Makes the web sources that `search` may name. A new source needs a function and an entry here."""

from collections.abc import Callable
from typing import Any

from rarr.agent.wiring.resources import Resources
from rarr.errors import SettingsError
from rarr.retrievers.web.allowed_sources import SourceLimits
from rarr.settings import Settings


def _wikipedia(settings: Settings, opened: Resources) -> Any:
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


def _tavily(settings: Settings, opened: Resources) -> Any:
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


def _searxng(settings: Settings, opened: Resources) -> Any:
    from rarr.retrievers.fetch.fetching import Fetcher
    from rarr.retrievers.fetch.page_reader import PageReader
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


def source_limits(settings: Settings) -> SourceLimits:
    return SourceLimits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


WEB_SOURCES: dict[str, Callable[[Settings, Resources], Any]] = {
    "wikipedia": _wikipedia,
    "tavily": _tavily,
    "searxng": _searxng,
}
