"""Searches the web with an instance of SearXNG, and reads the pages of its results."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import published
from rarr.retrievers.fetch.cached_page_passages import PageReader
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, allowed, host_of, normalised
from rarr.retrievers.web.nearest_passages import nearest
from rarr.retrievers.web.service_requests import JsonService, Probe, outcomes, readable
from rarr.tools.text.wording import shown

_CURES = {
    0: "check searxng_url and that SearXNG runs there, or search elsewhere",
    403: "let it answer in JSON: in its settings.yml add json to formats, under search",
    429: "its limiter is on: switch it off for this machine in limiter.toml, or try again later",
}


_OPTIONS = {"format": "json", "language": "all"}
_HEADERS = {"Accept": "application/json"}


class SearXNG:
    """A retriever of the web pages that SearXNG at `base_url` finds and `reader` reads."""

    def __init__(
        self,
        base_url: str,
        *,
        reader: PageReader,
        cache: Cache,
        limits: SourceLimits = SourceLimits(),  # noqa: B008  # it is frozen
        timeout_s: float = 10.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one search. Raises `SettingsError` for a base URL that is not an address."""
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(f"no SearXNG at {shown(base_url)!r}: write it as in http://localhost:8080")
        self._url = f"{base_url.rstrip('/').removesuffix('/search')}/search"
        self._host = f"{address.hostname}:{address.port}{address.path}"
        self._reader, self._cache, self._limits = reader, cache, limits
        self._service = JsonService(
            "SearXNG", cures=_CURES, timeout_s=timeout_s, attempts=attempts, headers=_HEADERS
        )

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns from each of the `k` best pages the passages nearest to `query`. Raises `RetrievalError`.

        Pages outside of `limits` are left out. A page that cannot be read is left out with a warning, as long
        as another page can be read: the snippet that a search engine shows of it is no source.
        """
        words = " ".join(query.split())
        if not words or k < 1:
            return []
        key = ["searxng", self._host, _OPTIONS, words]
        found = await self._cache.search(key, lambda: self._search(words))
        results = [result for result in found if self._allowed(result["url"])]
        documents = await outcomes([self._passages(result, query) for result in results[:k]])
        return readable(query, [result["url"] for result in results[:k]], documents)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._reader.extracted(url)

    def probe(self) -> Probe:
        """Describes a request that searches nothing; SearXNG still checks whether JSON is allowed."""
        return Probe(self._url, {"format": "json"}, _HEADERS, (200, 400), _CURES)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _search(self, words: str) -> list[dict[str, Any]]:
        """Asks SearXNG, and returns address and date of each web page that it found, once, best first.

        Raises `RetrievalError` if nothing is found because the search engines do not answer.
        """
        answer = await self._service.get(self._url, _OPTIONS | {"q": words})
        results = answer.get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"the server at {self._host} is not SearXNG: check searxng_url")
        pages: dict[str, dict[str, Any]] = {}
        for result in results:
            url = str(result.get("url", "")) if isinstance(result, dict) else ""
            if url.startswith(("http://", "https://")) and host_of(url):
                pages.setdefault(normalised(url), {"url": url, "date": result.get("publishedDate")})
        silent = answer.get("unresponsive_engines")
        if not pages and silent:
            engines = "; ".join(": ".join(map(str, engine)) for engine in silent if isinstance(engine, list))
            cure = "choose other engines in its settings.yml, or try again later"
            raise RetrievalError(f"SearXNG's engines do not answer ({shown(engines)}): {cure}")
        return list(pages.values())

    def _allowed(self, url: str) -> bool:
        return allowed(url, self._limits.include, self._limits.exclude)

    async def _passages(self, result: Mapping[str, Any], query: str) -> Sequence[Passage]:
        passages = await self._reader.read(result["url"])
        if passages and passages[0].published_at is None and (date := published(result["date"])):
            passages = [passage.model_copy(update={"published_at": date}) for passage in passages]
        # Checked again, because a page may have redirected to another site.
        return await asyncio.to_thread(lambda: nearest(self._limits.keep(passages), query))
