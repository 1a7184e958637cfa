"""Searches the web with Tavily and SearXNG, through the cache."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import urldefrag, urlsplit

from rarr.errors import RetrievalError, SettingsError, SetupError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import UnreadableError, published
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.extract.pages_and_office import extract_page
from rarr.retrievers.fetch.cached_page_passages import Extracted, PageReader, Shelf
from rarr.retrievers.rerank.overlap import nearest
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, host_of, normalised
from rarr.retrievers.web.service_requests import JsonService, outcomes, readable
from rarr.settings import Settings
from rarr.tools.text.wording import shown


class WebSearch:
    """Retrieves pages by a service: a subclass finds pages and cuts them into passages, stored on a shelf."""

    def __init__(self, service: JsonService, shelf: Shelf, cache: Cache) -> None:
        self._service, self._shelf, self._cache = service, shelf, cache

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns from each of the `k` best pages the passages nearest to `query`.

        A page without passages gives way to the next page. A page that cannot be read is left out with a
        warning, as long as another page can be read: the snippet that a service shows of it is no source.
        Raises `RetrievalError` if the service fails, or no page can be read.
        """
        words = " ".join(query.split())
        pages = await self._found(words, k) if k > 0 and words else []
        documents = await outcomes([self._nearest(page, query) for page in pages[:k]], pages=True)
        if missing := sum(not document for document in documents):
            more = [self._nearest(page, query) for page in pages[k : k + missing]]
            documents += await outcomes(more, pages=True)
        return readable([page["url"] for page in pages[: len(documents)]], documents)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._shelf.extracted(url)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _found(self, words: str, k: int) -> list[dict[str, Any]]:
        """Returns the pages that a search finds, best first: at least `url`, and what `_passages` needs."""
        raise NotImplementedError

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        """Returns the passages of a page, in order; none for a page without a text."""
        raise NotImplementedError

    async def _nearest(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        return await asyncio.to_thread(nearest, await self._passages(page), query)


def as_object(value: Any) -> dict[str, Any]:
    """Returns a JSON object of an answer; an empty object for any other value."""
    return value if isinstance(value, dict) else {}


_MOST_RESULTS = 20  # of one search, which is Tavily's limit
_MOST_BYTES = 20_000_000  # the texts of all pages come in one answer
_LONGEST_QUERY = 400  # characters, which is Tavily's limit
_TAVILY_CURES = {
    0: "check the connection, try again later, or set search to another source",
    400: "Tavily does not take this search: check the domains and dates in the settings",
    401: "check the key, TAVILY_API_KEY, at https://app.tavily.com",
    **dict.fromkeys((403, 432, 433), "check what the plan of this key allows, at https://app.tavily.com"),
    429: "try again later, or raise the limits of the plan at https://app.tavily.com",
}


class Tavily(WebSearch):
    """Searches the web, and cuts the page texts that Tavily extracts into windows of sentences.

    Where Tavily does not have the text of a page, the passage is its quotation of the page. It gets an
    address of its own, which leads to the page, since it is not the page's text.
    """

    def __init__(self, settings: Settings, cache: Cache) -> None:
        key = settings.tavily_key.get_secret_value().strip() if settings.tavily_key else ""
        if not key or not (key.isascii() and key.isprintable()) or " " in key:
            raise SetupError("Tavily needs a key: get one at https://app.tavily.com and set TAVILY_API_KEY")
        self._url = (settings.tavily_url or "https://api.tavily.com").rstrip("/")
        self._options = {
            "search_depth": "basic",  # the depth that costs one credit
            "topic": "general",
            "include_raw_content": "markdown",
            "include_domains": settings.include_domains or None,
            "exclude_domains": settings.exclude_domains or None,
            "start_date": _day(settings.published_after),
            "end_date": _day(settings.published_before),
        }
        service = JsonService("Tavily", _TAVILY_CURES, timeout_s=30.0, api_key=key, most=_MOST_BYTES)
        super().__init__(service, Shelf(cache, "tavily", settings), cache)

    async def _found(self, words: str, k: int) -> list[dict[str, Any]]:
        if len(words) > _LONGEST_QUERY:
            words = words[:_LONGEST_QUERY].rpartition(" ")[0]
        request = self._options | {"query": words, "max_results": min(k, _MOST_RESULTS)}
        return list(await self._cache.search(["tavily", request], partial(self._search, request)))

    async def _search(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        results = (await self._service.ask(f"{self._url}/search", json=request)).get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"Tavily did not answer with results: {_TAVILY_CURES[0]}")
        return [it for it in map(as_object, results) if isinstance(it.get("url"), str) and host_of(it["url"])]

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        url, raw, text = page["url"], page.get("raw_content"), ""
        if isinstance(raw, str) and raw.strip():
            try:
                text = (await extracted(extract_page, raw.encode(), "text/markdown", None)).text
            except UnreadableError as error:
                raise RetrievalError(f"{shown(url)} cannot be used: {error}") from error
        else:  # quotations differ from search to search
            text = str(page.get("content") or "")
            url = f"{urldefrag(url).url}#quoted-by-tavily-{sha256(text.encode()).hexdigest()[:12]}"

        async def made() -> Extracted:
            date = published(page.get("published_date"))
            return Extracted(url=url, text=text, title=str(page.get("title") or ""), published_at=date)

        return await self._shelf.passages(url, made)


def _day(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).date().isoformat() if moment else None


_SEARXNG_CURES = {
    0: "check searxng_url and that SearXNG runs there, or search elsewhere",
    403: "let it answer in JSON: in its settings.yml add json to formats, under search",
    429: "its limiter is on: switch it off for this machine in limiter.toml, or try again later",
}
_OPTIONS = {"format": "json", "language": "all"}


class SearXNG(WebSearch):
    """Searches with the user's SearXNG; `reader` reads its pages, those outside of the limits excepted."""

    def __init__(self, settings: Settings, cache: Cache, reader: PageReader) -> None:
        if settings.searxng_url is None:
            raise SettingsError("searxng needs its address: give searxng_url, such as http://localhost:8080")
        address = urlsplit(settings.searxng_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            where = shown(settings.searxng_url)
            raise SettingsError(f"no SearXNG at {where!r}: write it as in http://localhost:8080")
        self._url = f"{settings.searxng_url.rstrip('/').removesuffix('/search')}/search"
        self._host = f"{address.hostname}:{address.port}{address.path}"
        self._reader, self._limits = reader, SourceLimits.of(settings)
        headers = {"Accept": "application/json"}
        super().__init__(JsonService("SearXNG", _SEARXNG_CURES, headers=headers), reader, cache)

    async def _found(self, words: str, k: int) -> list[dict[str, Any]]:
        key = ["searxng", self._host, _OPTIONS, words]
        pages = await self._cache.search(key, partial(self._search, words))
        return [page for page in pages if self._limits.allows(page["url"])]

    async def _search(self, words: str) -> list[dict[str, Any]]:
        """Asks SearXNG, and returns address and date of each web page that it found, once, best first.

        Raises `RetrievalError` if nothing is found because the search engines do not answer.
        """
        answer = await self._service.ask(self._url, params=_OPTIONS | {"q": words})
        results = answer.get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"the server at {self._host} is not SearXNG: check searxng_url")
        pages: dict[str, dict[str, Any]] = {}
        for result in map(as_object, results):
            url = str(result.get("url", ""))
            if url.startswith(("http://", "https://")) and host_of(url):
                pages.setdefault(normalised(url), {"url": url, "date": result.get("publishedDate")})
        if not pages and (silent := answer.get("unresponsive_engines")):
            cure = "choose other engines in its settings.yml, or try again later"
            raise RetrievalError(f"SearXNG's engines do not answer ({shown(str(silent))}): {cure}")
        return list(pages.values())

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        passages = await self._reader.read(page["url"])
        if passages and passages[0].published_at is None and (date := published(page["date"])):
            passages = [passage.model_copy(update={"published_at": date}) for passage in passages]
        # Checked again, because a page may have redirected to another site.
        return await asyncio.to_thread(self._limits.keep, passages)
