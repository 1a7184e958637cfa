"""Searches the web with Tavily."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import urldefrag

from rarr.errors import RetrievalError, SetupError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import UnreadableError, published
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.extract.web_page_text import MOST_CHARACTERS, without_furniture
from rarr.retrievers.fetch.cached_page_passages import Extracted, Shelf
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, host_of
from rarr.retrievers.web.service_requests import JsonService, Probe, outcomes, readable
from rarr.tools.text.wording import shown

MOST_RESULTS = 20  # of one search, which is Tavily's limit
MOST_BYTES = 20_000_000
"""The most bytes of one answer, which holds the texts of all pages."""
_LONGEST_QUERY = 400  # characters, which is Tavily's limit
_CURES = {
    0: "check the connection, or set search to wikipedia, or corpus to your own documents",
    400: "Tavily does not take this search: check the domains and dates in the settings",
    401: "check the key, TAVILY_API_KEY, at https://app.tavily.com",
    **dict.fromkeys((403, 432, 433), "check what the plan of this key allows, at https://app.tavily.com"),
    429: "try again later, or raise the limits of the plan at https://app.tavily.com",
}


class Tavily:
    """Searches the web, and cuts the page texts that Tavily extracts into windows of sentences."""

    def __init__(
        self,
        api_key: str | None,
        *,
        cache: Cache,
        window: int,
        step: int,
        limits: SourceLimits = SourceLimits(),  # noqa: B008  # it is frozen
        base_url: str | None = None,
        timeout_s: float = 30.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one request. Raises `SetupError` where the API key is missing."""
        key = (api_key or "").strip()
        if not key:
            raise SetupError("Tavily needs a key: get one at https://app.tavily.com and set TAVILY_API_KEY")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise SetupError("the key of Tavily holds characters that a key cannot have: copy it once more")
        self._key, self._options = key, _options(limits)
        self._url = (base_url or "https://api.tavily.com").rstrip("/")
        self._cache, self._shelf = cache, Shelf(cache, "tavily", window=window, step=step)
        self._service = JsonService(
            "Tavily", cures=_CURES, timeout_s=timeout_s, attempts=attempts, api_key=key, most=MOST_BYTES
        )

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns from each of the `k` best pages the passages nearest to `query`. Raises `RetrievalError`.

        Where Tavily does not have the text of a page, the passage is its quotation of the page. It gets an
        address of its own, which leads to the page, since it is not the page's text.
        """
        wanted = _shortened(query)
        if not wanted or k < 1:
            return []
        request = self._options | {"query": wanted, "max_results": min(k, MOST_RESULTS)}
        results = await self._cache.search(["tavily", request], partial(self._search, request))
        documents = await outcomes([self._passages(result, query) for result in results])
        return readable(query, [result["url"] for result in results], documents)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._shelf.text(url)

    def probe(self) -> Probe:
        """Describes a free request for the usage of the API key. A gateway's status 404 is good too."""
        return Probe(f"{self._url}/usage", {}, {"Authorization": f"Bearer {self._key}"}, (200, 404), _CURES)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _search(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        results = (await self._service.post(f"{self._url}/search", request)).get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"Tavily did not answer with results: {_CURES[0]}")
        with_url = [
            result for result in results if isinstance(result, dict) and isinstance(result.get("url"), str)
        ]
        return [result for result in with_url if host_of(result["url"])]

    async def _passages(self, result: Mapping[str, Any], query: str) -> Sequence[Passage]:
        url, raw = result["url"], result.get("raw_content")
        try:
            text = await extracted(page_text, raw) if isinstance(raw, str) and raw.strip() else ""
        except UnreadableError as error:
            raise RetrievalError(f"{shown(url)} cannot be used: {error}") from error
        if not text:
            text = str(result.get("content") or "")
            # Quotations differ from search to search.
            url = f"{urldefrag(url).url}#quoted-by-tavily-{sha256(text.encode()).hexdigest()[:12]}"

        async def made() -> Extracted:
            date = published(result.get("published_date"))
            return Extracted(url=url, text=text, title=str(result.get("title") or ""), published_at=date)

        return await self._shelf.nearest(url, made, query)


def _options(limits: SourceLimits) -> dict[str, Any]:
    """Builds the options of a search, with the domains and dates of `limits` that Tavily applies."""
    days = {"start_date": limits.after, "end_date": limits.before}
    return {
        "search_depth": "basic",  # the depth that costs one credit
        "topic": "general",
        "include_raw_content": "markdown",
        "include_domains": list(limits.include) or None,
        "exclude_domains": list(limits.exclude) or None,
        **{name: _day(moment) for name, moment in days.items()},
    }


def _day(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()


def _shortened(query: str) -> str:
    words = " ".join(query.split())
    return words if len(words) <= _LONGEST_QUERY else words[:_LONGEST_QUERY].rpartition(" ")[0]


def page_text(markdown: str) -> str:
    """Removes images, link addresses and menus from a page in Markdown; "" if nothing is left.

    Raises `UnreadableError` if it is too long.
    """
    if len(markdown) > MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {MOST_CHARACTERS:,} characters")
    text = without_furniture(_plain(markdown))
    return text if text.strip() else ""


_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\((?:https?:|/|#|mailto:)[^)\n]{0,2000}\)")


def _plain(markdown: str) -> str:
    """Removes images and the addresses of links from Markdown, since addresses are no sentences."""
    return _LINK.sub(r"\1", _IMAGE.sub("", markdown))
