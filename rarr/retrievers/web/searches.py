"""Searches the web with Wikipedia (or another MediaWiki), Tavily and SearXNG, through the cache."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urldefrag, urlsplit

from rarr.components import KeepsText
from rarr.errors import RetrievalError, SettingsError, SetupError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import UnreadableError, published
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.extract.web_page_text import extract_markdown
from rarr.retrievers.fetch.cached_page_passages import Extracted, PageReader, Shelf
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, allowed, host_of, normalised
from rarr.retrievers.web.mediawiki_queries_and_texts import article_text, search_words
from rarr.retrievers.web.nearest_passages import nearest
from rarr.retrievers.web.service_requests import JsonService, outcomes, readable
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

_NO_LIMITS = SourceLimits()


class WebSearch:
    """A retriever that asks a service for pages, and returns the passages of the best pages.

    A service is a subclass that says what a search finds and how a page becomes passages.
    """

    def __init__(self, service: JsonService, texts: KeepsText, cache: Cache) -> None:
        """`texts` stores the texts of the pages."""
        self._service, self._texts, self._cache = service, texts, cache

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns from each of the `k` best pages the passages nearest to `query`.

        A page without passages gives way to the next page. A page that cannot be read is left out with a
        warning, as long as another page can be read: the snippet that a service shows of it is no source.
        Raises `RetrievalError` if the service fails, or no page can be read.
        """
        pages = await self._found(query, k) if k > 0 and query.strip() else []
        documents = await outcomes([self._passages(page, query) for page in pages[:k]], pages=True)
        if missing := sum(not document for document in documents):
            more = [self._passages(page, query) for page in pages[k : k + missing]]
            documents += await outcomes(more, pages=True)
        return readable([page["url"] for page in pages[: len(documents)]], documents)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._texts.extracted(url)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _found(self, query: str, k: int) -> list[dict[str, Any]]:
        """Returns the pages that a search finds, best first: at least `url`, and what `_passages` needs."""
        raise NotImplementedError

    async def _passages(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        """Returns the passages of a page that are nearest to `query`; none for a page without a text."""
        raise NotImplementedError


SPARE = 5  # titles beyond `k`, since some titles are not articles
TIMEOUT_S = 5.0
"""Seconds for one request to Wikipedia: few, so that a user learns within 10 s that nobody answers."""
_LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_ELSE = "or set corpus to search your own documents"
_UNQUOTED = ";@$!*(),/~:"  # characters that MediaWiki leaves unquoted in addresses
_PAGE = {
    "prop": "extracts|info|pageprops",
    "redirects": "1",
    "explaintext": "1",
    "exsectionformat": "wiki",
    "inprop": "url",
    "ppprop": "disambiguation",
}


class Wikipedia(WebSearch):
    """Searches articles, and cuts their texts into windows of `window` sentences."""

    def __init__(
        self,
        *,
        cache: Cache,
        user_agent: str,
        window: int,
        step: int,
        language: str = "en",
        base_url: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = 2,
    ) -> None:
        """`base_url` is another wiki: the address above its /w/api.php, or the address of its api.php.

        It needs the extension TextExtracts, which comes with MediaWiki. `user_agent` names the application
        and an address to write to, which Wikimedia asks for. `timeout_s` is for one request. Raises
        `SettingsError`.
        """
        if not _LANGUAGE.fullmatch(language.lower()):
            raise SettingsError(
                f"no language {shown(language)!r}: write that of an edition, as in en or zh-yue"
            )
        if not user_agent.strip() or not (user_agent.isascii() and user_agent.isprintable()):
            raise SettingsError(
                f"no user agent {shown(user_agent)!r}: write ASCII, as in 'app/1 (me@my.org)'"
            )
        self._api, self._root = _addresses(base_url or f"https://{language.lower()}.wikipedia.org")
        self._wiki = f"{self._root}{urlsplit(self._api).path}"
        self._name = "Wikipedia" if base_url is None else f"the wiki at {urlsplit(self._api).hostname}"
        self._no_wiki = (
            "set wikipedia_url to the address of a wiki's api.php"
            if base_url
            else f"check the connection and wikipedia_language, and that no proxy answers instead, {_ELSE}"
        )
        cures = {
            0: f"check the connection, {self._no_wiki}" if base_url else self._no_wiki,
            403: "it may refuse the user agent: set one with an address to write to",
            429: f"try again later, {_ELSE}",
            **dict.fromkeys((400, 404, 405, 410, 501), f"it is not the API of a MediaWiki: {self._no_wiki}"),
        }
        headers = {"User-Agent": user_agent.strip()}
        service = JsonService(
            self._name, cures=cures, timeout_s=timeout_s, attempts=attempts, headers=headers
        )
        self._shelf = Shelf(cache, "mediawiki", window=window, step=step)
        super().__init__(service, self._shelf, cache)

    async def _found(self, query: str, k: int) -> list[dict[str, Any]]:
        most = k + SPARE
        for words in search_words(query):
            key = [self._wiki, words, most]
            if titles := await self._cache.search(key, partial(self._search, words, most)):
                return [{"url": self._address(title), "title": title} for title in titles]
        return []

    async def _search(self, words: str, most: int) -> list[str]:
        params = {"list": "search", "srsearch": words, "srlimit": str(most), "srprop": ""}
        results = (await self._query(params)).get("search")
        if not isinstance(results, list):
            raise RetrievalError(
                f"{self._wiki} is not the API of a MediaWiki (its answer to a search holds no results):"
                f" {self._no_wiki}"
            )
        return [str(result["title"]) for result in map(_object, results) if result.get("title")]

    async def _passages(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        return await self._shelf.nearest(page["url"], partial(self._article, page["title"]), query)

    def _address(self, title: str) -> str:
        return f"{self._root}/wiki/{quote(title.replace(' ', '_'), safe=_UNQUOTED)}"

    async def _article(self, title: str) -> Extracted:
        """Asks for the text of an article; empty for a page that is none, such as a disambiguation."""
        pages = (await self._query(_PAGE | {"titles": title})).get("pages")
        page = _object(pages[0]) if isinstance(pages, list) and pages else {"missing": True}
        text = ""
        if "missing" not in page and "disambiguation" not in _object(page.get("pageprops")):
            if not isinstance(extract := page.get("extract"), str):
                cure = "install its extension TextExtracts, or set search to another source"
                raise RetrievalError(f"{self._name} gives no plain text of its articles: {cure}")
            text = valid(await asyncio.to_thread(article_text, extract))
        # No date: that of the last edit does not tell how new the facts are.
        url = str(page.get("fullurl") or self._address(title))
        return Extracted(url=url, text=text, title=str(page.get("title") or title))

    async def _query(self, params: Mapping[str, str]) -> dict[str, Any]:
        fields = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5", **params}
        answer = await self._service.get(self._api, fields)
        if wrong := answer.get("error"):
            message = shown(str(_object(wrong).get("info", wrong)))
            raise RetrievalError(f"{self._name} answered with an error ({message}): try again later, {_ELSE}")
        return _object(answer.get("query"))


def _addresses(base_url: str) -> tuple[str, str]:
    """Returns the address of api.php, and the address of the site. Raises `SettingsError`."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise SettingsError(
            f"no wiki at {shown(base_url)!r}: write its address as wikipedia_url, such as https://wiki.example.org"
        )
    host = url.netloc.rpartition("@")[2]  # a name and password belong into requests, not into citations
    api = base_url if url.path.endswith("api.php") else f"{base_url.rstrip('/')}/w/api.php"
    return api, f"{url.scheme}://{host}"


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


MOST_RESULTS = 20  # of one search, which is Tavily's limit
MOST_BYTES = 20_000_000
"""The most bytes of one answer of Tavily, which holds the texts of all pages."""
_LONGEST_QUERY = 400  # characters, which is Tavily's limit
_TAVILY_CURES = {
    0: "check the connection, or set search to wikipedia, or corpus to your own documents",
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

    def __init__(
        self,
        api_key: str | None,
        *,
        cache: Cache,
        window: int,
        step: int,
        limits: SourceLimits = _NO_LIMITS,
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
        self._url = (base_url or "https://api.tavily.com").rstrip("/")
        self._options = {
            "search_depth": "basic",  # the depth that costs one credit
            "topic": "general",
            "include_raw_content": "markdown",
            "include_domains": list(limits.include) or None,
            "exclude_domains": list(limits.exclude) or None,
            "start_date": _day(limits.after),
            "end_date": _day(limits.before),
        }
        service = JsonService(
            "Tavily",
            cures=_TAVILY_CURES,
            timeout_s=timeout_s,
            attempts=attempts,
            api_key=key,
            most=MOST_BYTES,
        )
        self._shelf = Shelf(cache, "tavily", window=window, step=step)
        super().__init__(service, self._shelf, cache)

    async def _found(self, query: str, k: int) -> list[dict[str, Any]]:
        words = " ".join(query.split())
        if len(words) > _LONGEST_QUERY:
            words = words[:_LONGEST_QUERY].rpartition(" ")[0]
        request = self._options | {"query": words, "max_results": min(k, MOST_RESULTS)}
        return list(await self._cache.search(["tavily", request], partial(self._search, request)))

    async def _search(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        results = (await self._service.post(f"{self._url}/search", request)).get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"Tavily did not answer with results: {_TAVILY_CURES[0]}")
        addresses = [_object(result).get("url") for result in results]
        return [
            result
            for result, url in zip(results, addresses, strict=True)
            if isinstance(url, str) and host_of(url)
        ]

    async def _passages(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        url, raw = page["url"], page.get("raw_content")
        try:
            text = await extracted(extract_markdown, raw) if isinstance(raw, str) and raw.strip() else ""
        except UnreadableError as error:
            raise RetrievalError(f"{shown(url)} cannot be used: {error}") from error
        if not text:
            text = str(page.get("content") or "")
            # Quotations differ from search to search.
            url = f"{urldefrag(url).url}#quoted-by-tavily-{sha256(text.encode()).hexdigest()[:12]}"

        async def made() -> Extracted:
            date = published(page.get("published_date"))
            return Extracted(url=url, text=text, title=str(page.get("title") or ""), published_at=date)

        return await self._shelf.nearest(url, made, query)


def _day(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()


_SEARXNG_CURES = {
    0: "check searxng_url and that SearXNG runs there, or search elsewhere",
    403: "let it answer in JSON: in its settings.yml add json to formats, under search",
    429: "its limiter is on: switch it off for this machine in limiter.toml, or try again later",
}
_OPTIONS = {"format": "json", "language": "all"}
_HEADERS = {"Accept": "application/json"}


class SearXNG(WebSearch):
    """Searches with SearXNG at `base_url`; `reader` reads its pages, those outside of `limits` excepted."""

    def __init__(
        self,
        base_url: str,
        *,
        reader: PageReader,
        cache: Cache,
        limits: SourceLimits = _NO_LIMITS,
        timeout_s: float = 10.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one search. Raises `SettingsError` for a base URL that is not an address."""
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(f"no SearXNG at {shown(base_url)!r}: write it as in http://localhost:8080")
        self._url = f"{base_url.rstrip('/').removesuffix('/search')}/search"
        self._host = f"{address.hostname}:{address.port}{address.path}"
        self._reader, self._limits = reader, limits
        service = JsonService(
            "SearXNG", cures=_SEARXNG_CURES, timeout_s=timeout_s, attempts=attempts, headers=_HEADERS
        )
        super().__init__(service, reader, cache)

    async def _found(self, query: str, k: int) -> list[dict[str, Any]]:
        words = " ".join(query.split())
        key = ["searxng", self._host, _OPTIONS, words]
        pages = await self._cache.search(key, partial(self._search, words))
        include, exclude = self._limits.include, self._limits.exclude
        return [page for page in pages if allowed(page["url"], include, exclude)]

    async def _search(self, words: str) -> list[dict[str, Any]]:
        """Asks SearXNG, and returns address and date of each web page that it found, once, best first.

        Raises `RetrievalError` if nothing is found because the search engines do not answer.
        """
        answer = await self._service.get(self._url, _OPTIONS | {"q": words})
        results = answer.get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"the server at {self._host} is not SearXNG: check searxng_url")
        pages: dict[str, dict[str, Any]] = {}
        for result in map(_object, results):
            url = str(result.get("url", ""))
            if url.startswith(("http://", "https://")) and host_of(url):
                pages.setdefault(normalised(url), {"url": url, "date": result.get("publishedDate")})
        silent = answer.get("unresponsive_engines")
        if not pages and silent:
            engines = "; ".join(": ".join(map(str, engine)) for engine in silent if isinstance(engine, list))
            cure = "choose other engines in its settings.yml, or try again later"
            raise RetrievalError(f"SearXNG's engines do not answer ({shown(engines)}): {cure}")
        return list(pages.values())

    async def _passages(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        passages = await self._reader.read(page["url"])
        if passages and passages[0].published_at is None and (date := published(page["date"])):
            passages = [passage.model_copy(update={"published_at": date}) for passage in passages]
        # Checked again, because a page may have redirected to another site.
        return await asyncio.to_thread(lambda: nearest(self._limits.keep(passages), query))
