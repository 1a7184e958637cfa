"""Web search by Tavily, through its own client, which comes with the extra `tavily`."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import urldefrag

import httpx2

from rarr.errors import RetrievalError, SetupError
from rarr.records import Passage
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.isolated import extracted
from rarr.retrievers.extract.page_furniture import without_furniture
from rarr.retrievers.extract.page_text import MOST_CHARACTERS
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.fetch.pages import Extracted, Shelf
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.nearest_passages import nearest
from rarr.retrievers.web.probes import Probe
from rarr.retrievers.web.publication_dates import published
from rarr.retrievers.web.search_requests import Asking, outcomes
from rarr.retrievers.web.source_domains import Limits, host_of
from rarr.retrievers.web.unread_pages import readable
from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.guard.bounded_reader import bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.client_failures import failure_of, redacted, without_keys
from rarr.tools.models.openai_protocol import certificates
from rarr.unicode import valid

MOST_RESULTS = 20  # that Tavily gives
MOST_BYTES = 20_000_000
"""Of its answer, which holds the texts of all pages found."""
_LONGEST_QUERY = 400  # characters that Tavily takes
_CURES = {
    0: "check the connection, or search elsewhere with search=wikipedia or corpus=PATH",
    400: "Tavily does not take this search: check the domains and dates in the settings",
    401: "check the key, TAVILY_API_KEY, at https://app.tavily.com",
    403: "check what the plan of this key allows, at https://app.tavily.com",
    429: "try again later, or raise the limits of the plan at https://app.tavily.com",
}
# Its errors by name: they share no base class, and say little.
_STATUS = {
    "BadRequestError": 400,
    "InvalidAPIKeyError": 401,
    "ForbiddenError": 403,  # 432 and 433 as well: the plan's limits
    "UsageLimitExceededError": 429,
}


class Tavily:
    """A retriever of web pages, their texts as Tavily extracts them, cut into windows of sentences."""

    def __init__(
        self,
        api_key: str | None,
        *,
        cache: Cache,
        window: int,
        step: int,
        limits: Limits = Limits(),  # noqa: B008  # it is frozen
        base_url: str | None = None,
        timeout_s: float = 30.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one request. Raises `SetupError` where the key or the package is missing.

        Tavily's client would go without a key, as somebody else, and with other limits.
        """
        key = (api_key or "").strip()
        if not key:
            raise SetupError("Tavily needs a key: get one at https://app.tavily.com and set TAVILY_API_KEY")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise SetupError("the key of Tavily holds characters that no key has: copy it once more")
        try:
            from tavily import AsyncTavilyClient
        except ImportError as error:
            raise SetupError('Tavily needs a package: pip install "rarr[tavily]"') from error
        self._key, self._timeout_s, self._limits = key, timeout_s, limits
        self._window, self._step = window, step
        self._options = _options(limits)
        self._url = (base_url or "https://api.tavily.com").rstrip("/")
        self._cache, self._shelf = cache, Shelf(cache, "tavily")
        self._asking = Asking("Tavily", cures=_CURES, timeout_s=timeout_s, attempts=attempts)
        certified = certificates()
        self._clients = PerLoop(
            lambda: bounded_client("Tavily", most=MOST_BYTES, verify=certified), httpx2.AsyncClient.aclose
        )
        self._tavily = partial(AsyncTavilyClient, api_key=key, api_base_url=base_url)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` best pages, the nearest to `query` of each. Raises `RetrievalError`.

        Of a page whose text Tavily did not get, and is not kept either, the passage is what it quotes from
        it. That has an address of its own, which leads to the page: it is not the page's text.
        """
        wanted = _shortened(query)
        if not wanted or k < 1:
            return []
        request = self._options | {"query": wanted, "max_results": min(k, MOST_RESULTS)}

        async def search() -> bytes:
            found = await self._asking(lambda: self._search(request))
            return without_keys(json.dumps(found, ensure_ascii=True), (self._key,)).encode()

        entry = await self._cache.through("search", ["tavily", request], search)
        results = json.loads(entry.value)
        found = await outcomes([self._passages(result, query) for result in results])
        return readable(query, [result["url"] for result in results], found)

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""
        return await self._shelf.text(url)

    def probe(self) -> Probe:
        """What was used so far, since a search would cost. A gateway may have searches alone: 404."""
        return Probe(f"{self._url}/usage", {}, {"Authorization": f"Bearer {self._key}"}, (200, 404), _CURES)

    async def aclose(self) -> None:
        """Closes the connections of this event loop."""
        await self._clients.aclose()

    async def _search(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        try:
            client = self._tavily(client=self._clients.get())
            answer = valid(await client.search(**request, timeout=self._timeout_s))
        except Exception as error:
            raise _failure(error, self._key) from None
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise CallFailure("server", "Tavily answered with what are no results")
        named = [one for one in results if isinstance(one, dict) and isinstance(one.get("url"), str)]
        return [one for one in named if host_of(one["url"])]

    async def _passages(self, result: Mapping[str, Any], query: str) -> Sequence[Passage]:
        page, at = await self._page(result)
        passages = await page.passages(at, window=self._window, step=self._step)
        return await asyncio.to_thread(nearest, passages, query)

    async def _text(self, result: Mapping[str, Any]) -> str:
        """The page's own text; "" where Tavily did not get it. Raises `RetrievalError`."""
        raw = result.get("raw_content")
        try:
            return await extracted(page_text, raw) if isinstance(raw, str) and raw.strip() else ""
        except UnreadableError as error:
            raise RetrievalError(f"{shown(result['url'])} cannot be used: {error}") from error

    async def _page(self, result: Mapping[str, Any]) -> tuple[Extracted, datetime]:
        url = result["url"]
        text = await self._text(result)
        if not text:
            if kept := await self._shelf.kept(url):
                return kept
            text = str(result.get("content") or "")
            url = _quoted(url, text)

        async def made() -> Extracted:
            return _extracted(result, url, text)

        return await self._shelf.page(url, made)


def _options(limits: Limits) -> dict[str, Any]:
    """What of `limits` Tavily looks after."""
    days = {"start_date": limits.after, "end_date": limits.before}
    return {
        "search_depth": "basic",  # the one that costs one credit
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
    """The words of a page that Tavily gives as Markdown; "" where there are none."""
    if len(markdown) > MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {MOST_CHARACTERS:,} characters")
    text = without_furniture(_plain(markdown))
    return text if text.strip() else ""


def _quoted(url: str, quotation: str) -> str:
    """An address on the page at `url` for what was quoted from it, which differs from search to search."""
    return f"{urldefrag(url).url}#quoted-by-tavily-{sha256(quotation.encode()).hexdigest()[:12]}"


def _extracted(result: Mapping[str, Any], url: str, text: str) -> Extracted:
    return Extracted(
        url=url,
        text=text,
        title=str(result.get("title") or ""),
        published_at=published(result.get("published_date")),
    )


_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\((?:https?:|/|#|mailto:)[^)\n]{0,2000}\)")


def _plain(markdown: str) -> str:
    """Without images, and with the words of links alone: addresses are no sentences."""
    return _LINK.sub(r"\1", _IMAGE.sub("", markdown))


def _failure(error: Exception, key: str) -> CallFailure:
    name = type(error).__name__
    said = " ".join(redacted(str(error), (key,)).split())
    if status := _STATUS.get(name):
        kind: Literal["busy", "refused"] = "busy" if status == 429 else "refused"
        message = f"Tavily answered with status {status}: {said or 'nothing is said'}"
        return CallFailure(kind, message, status=status, said=said)
    if name == "TimeoutError":  # its own
        return CallFailure("timeout", f"Tavily cannot be reached ({said})")
    return failure_of(error, "Tavily", (key,))
