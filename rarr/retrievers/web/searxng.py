"""Web search by an instance of SearXNG; the pages that it finds are read here."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.nearest_passages import nearest
from rarr.retrievers.web.probes import Probe
from rarr.retrievers.web.publication_dates import published
from rarr.retrievers.web.search_requests import Asking, JsonService, outcomes
from rarr.retrievers.web.source_domains import Limits, allowed, host_of, normalised
from rarr.retrievers.web.unread_pages import readable

_CURES = {
    0: "check searxng_url and that SearXNG runs there, or search elsewhere",
    403: "let it answer in JSON: in its settings.yml add json to formats, under search",
    429: "its limiter is on: switch it off for this machine in limiter.toml, or try again later",
}


_OPTIONS = {"format": "json", "language": "all"}
_HEADERS = {"Accept": "application/json"}


class Reads(Protocol):
    """What reads pages: `rarr.retrievers.fetch.pages.PageReader`."""

    async def read(self, url: str) -> list[Passage]:
        """The passages of the page at `url`. Raises `RetrievalError`."""

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""


class SearXNG:
    """A retriever of web pages that SearXNG at `base_url` finds and `reader` reads."""

    def __init__(
        self,
        base_url: str,
        *,
        reader: Reads,
        cache: Cache,
        limits: Limits = Limits(),  # noqa: B008  # it is frozen
        timeout_s: float = 10.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one search. Raises `SettingsError` for a base URL that is none."""
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(f"no SearXNG at {shown(base_url)!r}: write it as in http://localhost:8080")
        self._url = f"{base_url.rstrip('/').removesuffix('/search')}/search"
        self._host = f"{address.hostname}:{address.port}{address.path}"
        self._reader, self._cache, self._limits = reader, cache, limits
        asking = Asking("SearXNG", cures=_CURES, timeout_s=timeout_s, attempts=attempts)
        self._service = JsonService(asking, _HEADERS)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` best pages, the nearest to `query` of each. Raises `RetrievalError`.

        A page that cannot be read is left out with a warning as long as another can: what a search engine
        quotes from it is no source.
        """
        words = " ".join(query.split())
        if not words or k < 1:
            return []

        async def search() -> bytes:
            return json.dumps(await self._search(words)).encode()

        entry = await self._cache.through("search", ["searxng", self._host, _OPTIONS, words], search)
        results = [one for one in json.loads(entry.value) if self._allowed(one["url"])]
        found = await outcomes([self._passages(one, query) for one in results[:k]])
        return readable(query, [one["url"] for one in results[:k]], found)

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""
        return await self._reader.extracted(url)

    def probe(self) -> Probe:
        """Without words nothing is searched, and whether it may answer in JSON it looks at first."""
        return Probe(self._url, {"format": "json"}, _HEADERS, (200, 400), _CURES)

    async def aclose(self) -> None:
        """Closes the connections of this event loop."""
        await self._service.aclose()

    async def _search(self, words: str) -> list[dict[str, Any]]:
        """The pages found, each once, best first."""
        answer = await self._service.get(self._url, _OPTIONS | {"q": words})
        results = answer.get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"what answers at {self._host} is no SearXNG: check searxng_url")
        found: dict[str, dict[str, Any]] = {}
        for one in results:
            url = str(one.get("url", "")) if isinstance(one, dict) else ""
            if url.startswith(("http://", "https://")) and host_of(url):
                found.setdefault(normalised(url), {"url": url, "date": one.get("publishedDate")})
        silent = answer.get("unresponsive_engines")
        if not found and silent:
            said = "; ".join(": ".join(map(str, one)) for one in silent if isinstance(one, list))
            cure = "choose other engines in its settings.yml, or try again later"
            raise RetrievalError(f"SearXNG's engines do not answer ({shown(said)}): {cure}")
        return list(found.values())

    def _allowed(self, url: str) -> bool:
        return allowed(url, self._limits.include, self._limits.exclude)

    async def _passages(self, result: Mapping[str, Any], query: str) -> Sequence[Passage]:
        passages = await self._reader.read(result["url"])
        if passages and passages[0].published_at is None and (date := published(result["date"])):
            passages = [passage.model_copy(update={"published_at": date}) for passage in passages]
        # Again, because a page may have led to another site.
        return await asyncio.to_thread(lambda: nearest(self._limits.keep(passages), query))
