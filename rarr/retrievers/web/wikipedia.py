"""Searches Wikipedia, or another MediaWiki, for articles and cuts them into passages."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.fetch.cached_page_passages import Extracted, Shelf
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.mediawiki_queries_and_texts import article_text, parsed_text, search_words
from rarr.retrievers.web.service_requests import JsonService, Probe, outcomes, readable
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

SPARE = 5  # titles beyond `k`, since some titles are not articles
_LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_ELSE = "or set corpus to search your own documents"
TIMEOUT_S = 5.0
"""Seconds for one request: few, so that a user learns within 10 s that nobody answers."""
_UNQUOTED = ";@$!*(),/~:"  # characters that MediaWiki leaves unquoted in addresses
_PAGE = {
    "prop": "extracts|info|pageprops",
    "redirects": "1",
    "explaintext": "1",
    "exsectionformat": "wiki",
    "inprop": "url",
    "ppprop": "disambiguation",
}


class Wikipedia:
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

        `user_agent` names the application and an address to write to, which Wikimedia asks for. `timeout_s`
        is for one request. Raises `SettingsError`.
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
        self._cache, self._shelf = cache, Shelf(cache, "mediawiki", window=window, step=step)
        self._no_wiki = (
            "set wikipedia_url to the address of a wiki's api.php"
            if base_url
            else f"check the connection and wikipedia_language, and that no proxy answers instead, {_ELSE}"
        )
        self._cures = {
            0: f"check the connection, {self._no_wiki}" if base_url else self._no_wiki,
            403: "it may refuse the user agent: set one with an address to write to",
            429: f"try again later, {_ELSE}",
            **dict.fromkeys((400, 404, 405, 410, 501), f"it is not the API of a MediaWiki: {self._no_wiki}"),
        }
        self._headers = {"User-Agent": user_agent.strip()}
        self._service = JsonService(
            self._name, cures=self._cures, timeout_s=timeout_s, attempts=attempts, headers=self._headers
        )

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the passages nearest to `query` of each of the `k` best articles.

        An article that cannot be read is left out with a warning, as long as another article can be read.
        Raises `RetrievalError` if Wikipedia fails, or no article can be read.
        """
        titles = await self._titles(query, k + SPARE) if k > 0 else []
        documents = await outcomes([self._passages(title, query) for title in titles[:k]])
        if missing := sum(not document for document in documents):  # mostly disambiguation pages
            documents += await outcomes([self._passages(title, query) for title in titles[k : k + missing]])
        return readable(query, [self._address(title) for title in titles[: len(documents)]], documents)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._shelf.text(url)

    def probe(self) -> Probe:
        """Describes a request for the wiki's description of itself, which shows whether it answers."""
        params = {"action": "query", "meta": "siteinfo", "format": "json"}
        return Probe(self._api, params, self._headers, (200,), self._cures)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _titles(self, query: str, most: int) -> list[str]:
        for words in search_words(query):
            key = [self._wiki, words, most]
            if titles := await self._cache.search(key, partial(self._search, words, most)):
                return list(titles)
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

    async def _passages(self, title: str, query: str) -> Sequence[Passage]:
        """Returns the passages of an article nearest to `query`; none if the page is not an article."""
        return await self._shelf.nearest(self._address(title), partial(self._article, title), query)

    def _address(self, title: str) -> str:
        return f"{self._root}/wiki/{quote(title.replace(' ', '_'), safe=_UNQUOTED)}"

    async def _article(self, title: str) -> Extracted:
        pages = (await self._query(_PAGE | {"titles": title})).get("pages")
        page = _object(pages[0]) if isinstance(pages, list) and pages else {"missing": True}
        is_article = "missing" not in page and "disambiguation" not in _object(page.get("pageprops"))
        # No date: that of the last edit does not tell how new the facts are.
        return Extracted(
            url=str(page.get("fullurl") or self._address(title)),
            text=valid(await self._text(page, title) if is_article else ""),
            title=str(page.get("title") or title),
        )

    async def _text(self, page: Mapping[str, Any], title: str) -> str:
        if isinstance(extract := page.get("extract"), str):
            return await asyncio.to_thread(article_text, extract)
        # A wiki without the extension TextExtracts.
        answer = await self._ask({"action": "parse", "page": title, "prop": "text", "redirects": "1"})
        html = str(_object(answer.get("parse")).get("text", ""))
        try:
            return await extracted(parsed_text, html)
        except UnreadableError as error:
            failure = f"{self._name} gave a page that cannot be read ({shown(str(error))})"
            raise RetrievalError(f"{failure}: leave it out, {_ELSE}") from error

    async def _query(self, params: Mapping[str, str]) -> dict[str, Any]:
        return _object((await self._ask({"action": "query", **params})).get("query"))

    async def _ask(self, params: Mapping[str, str]) -> dict[str, Any]:
        fields = {"format": "json", "formatversion": "2", "maxlag": "5", **params}
        answer = await self._service.get(self._api, fields)
        if wrong := answer.get("error"):
            message = shown(str(_object(wrong).get("info", wrong)))
            raise RetrievalError(f"{self._name} answered with an error ({message}): try again later, {_ELSE}")
        return answer


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
