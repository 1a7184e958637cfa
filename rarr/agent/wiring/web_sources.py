"""The sources on the web by name. A new source is a function here, and its entry in `WEB`."""

from collections.abc import Callable

from rarr.agent.wiring.opened import Opened
from rarr.components import Retriever
from rarr.errors import SettingsError
from rarr.retrievers.web.source_domains import Limits
from rarr.settings import Settings


def limits_of(settings: Settings) -> Limits:
    """Which domains and dates of sources on the web the settings allow."""
    return Limits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


def _wikipedia(settings: Settings, opened: Opened) -> Retriever:
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


def _tavily(settings: Settings, opened: Opened) -> Retriever:
    from rarr.retrievers.web.tavily import Tavily

    key = settings.tavily_key
    tavily = Tavily(
        key.get_secret_value() if key else None,
        cache=opened.cache,
        window=settings.window,
        step=settings.step,
        limits=limits_of(settings),
        base_url=settings.tavily_url,
    )
    return opened.keep(tavily)


def _searxng(settings: Settings, opened: Opened) -> Retriever:
    from rarr.retrievers.fetch.fetching import Fetcher
    from rarr.retrievers.fetch.pages import PageReader
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
    found = SearXNG(settings.searxng_url, reader=reader, cache=opened.cache, limits=limits_of(settings))
    return opened.keep(found)


WEB: dict[str, Callable[[Settings, Opened], Retriever]] = {
    "wikipedia": _wikipedia,
    "tavily": _tavily,
    "searxng": _searxng,
}
"""How the source on the web of each name is made."""
