"""Searches Wikipedia (or another MediaWiki), and the web with Tavily and SearXNG, through the cache."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from textwrap import shorten
from typing import Any
from urllib.parse import quote, urlsplit

from rarr.errors import RetrievalError, SettingsError, SetupError
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import query_words
from rarr.retrievers.extract.documents import Document, parsed_date
from rarr.retrievers.extract.limited_calls import run_in_worker
from rarr.retrievers.extract.pages import extract_page
from rarr.retrievers.reranking import nearest
from rarr.retrievers.web.cache import Cache, CachedPages, CutPage, PageReader
from rarr.retrievers.web.domain_and_date_limits import allowed_passages, allows_domain, host_of, page_key
from rarr.retrievers.web.service_requests import JsonService, await_all
from rarr.settings import Settings
from rarr.tools.models.run_budget import meter
from rarr.tools.text.wording import safe_text


class WebSearch(CachedPages, ABC):
    """A retriever that asks a web service. A subclass finds pages, and returns the passages of each page."""

    def __init__(self, service: JsonService, cache: Cache, settings: Settings, source: str = "web") -> None:
        super().__init__(cache, settings, source)
        self._service, self.aclose = service, service.aclose

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` best pages: from each page, the passages with most words of `query`.

        A page without passages is replaced by the next page. An unreadable page is left out with a warning.
        Raises `RetrievalError` if the service fails, or if no page can be read.
        """
        words = " ".join(query.split())
        pages = await self._find_pages(words, k) if k > 0 and words else []
        documents = await await_all([self._nearest_passages(page, query) for page in pages[:k]], pages=True)
        missing = sum(not document for document in documents)
        more = [self._nearest_passages(page, query) for page in pages[k : k + missing]]
        documents += await await_all(more, pages=True)
        results = list(zip(pages, documents, strict=False))
        failed = [(page["url"], it) for page, it in results if isinstance(it, RetrievalError)]
        passages = [it for _, found in results if not isinstance(found, RetrievalError) for it in found]
        if failed and not passages:  # the failed page may have had the passages
            raise failed[0][1]
        for url, error in failed:
            message = " ".join(str(error).split())
            named = message if safe_text(url) in message else f"{safe_text(url)}: {message}"
            meter().warn("page_failed", f"a page was left out: {named}")
        return passages

    @abstractmethod
    async def _find_pages(self, words: str, k: int) -> list[dict[str, Any]]:
        """Returns a dict for each page, best first. A dict has `url`, and the data that `_passages` needs."""

    @abstractmethod
    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        """Returns the passages of `page` (from `_find_pages`), in order; [] for a page without a text."""

    async def _nearest_passages(self, page: Mapping[str, Any], query: str) -> Sequence[Passage]:
        return await asyncio.to_thread(nearest, await self._passages(page), query)


def as_object(value: Any) -> dict[str, Any]:
    """Returns `value` if it is a JSON object; else an empty object."""
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

    If Tavily lacks the text of a page, the passage is the short quotation in Tavily's answer. The quotation
    gets an address of its own, because it is not the text of the page. This address leads to the page too.
    """

    def __init__(self, settings: Settings, cache: Cache) -> None:
        key = settings.tavily_key.get_secret_value() if settings.tavily_key else ""
        if not key or " " in key:
            raise SetupError("Tavily needs a key: get one at https://app.tavily.com and set TAVILY_API_KEY")
        self._url = (settings.tavily_url or "https://api.tavily.com").rstrip("/")
        self._options = {
            "search_depth": "basic",  # the depth that costs one credit
            "topic": "general",
            "include_raw_content": "markdown",
            "include_domains": settings.include_domains or None,
            "exclude_domains": settings.exclude_domains or None,
            "start_date": _iso_day(settings.published_after),
            "end_date": _iso_day(settings.published_before),
        }
        service = JsonService("Tavily", _TAVILY_CURES, timeout_s=30.0, api_key=key, most=_MOST_BYTES)
        super().__init__(service, cache, settings, "tavily")

    async def _find_pages(self, words: str, k: int) -> list[dict[str, Any]]:
        words = words if len(words) <= _LONGEST_QUERY else words[:_LONGEST_QUERY].rpartition(" ")[0]
        request = self._options | {"query": words, "max_results": min(k, _MOST_RESULTS)}
        entry = await self._cache.entry("search", ["tavily", request], partial(self._search, request))
        return list(entry.value)

    async def _search(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        results = (await self._service.ask(f"{self._url}/search", json=request)).get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"Tavily did not answer with results: {_TAVILY_CURES[0]}")
        return [it for it in map(as_object, results) if isinstance(it.get("url"), str) and host_of(it["url"])]

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        url, raw = page["url"], page.get("raw_content")
        if isinstance(raw, str) and raw.strip():
            text = (await run_in_worker(url, extract_page, raw.encode(), "text/markdown", None)).text
        else:  # each search has another quotation, so its address has a hash
            text = str(page.get("content") or "")
            url = f"{url.partition('#')[0]}#quoted-by-tavily-{sha256(text.encode()).hexdigest()[:12]}"
        date = parsed_date(page.get("published_date"))
        document = Document(text, str(page.get("title") or ""), published_at=date)
        return await self.passages_of_page(url, partial(self.make_page, url, document))


def _iso_day(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).date().isoformat() if moment else None


_SEARXNG_CURES = {
    0: "check searxng_url and that SearXNG runs there, or search elsewhere",
    403: "let it answer in JSON: in its settings.yml add json to formats, under search",
    429: "its limiter is on: switch it off for this machine in limiter.toml, or try again later",
}
_OPTIONS = {"format": "json", "language": "all"}


class SearXNG(WebSearch):
    """Searches with the SearXNG server of the user. `reader` fetches the pages that the settings allow."""

    def __init__(self, settings: Settings, cache: Cache, reader: PageReader) -> None:
        given = settings.searxng_url or ""
        address = urlsplit(given)
        if address.scheme not in ("http", "https") or not address.hostname:
            wrong = f", not {safe_text(given)!r}" if given else ""
            cure = f"give searxng_url, such as http://localhost:8080{wrong}"
            raise SettingsError(f"searxng needs its address: {cure}")
        self._url = f"{given.rstrip('/').removesuffix('/search')}/search"
        self._host = f"{address.hostname}:{address.port}{address.path}"
        self._reader, self._limits = reader, settings
        headers = {"Accept": "application/json"}
        super().__init__(JsonService("SearXNG", _SEARXNG_CURES, headers=headers), cache, settings)

    async def _find_pages(self, words: str, k: int) -> list[dict[str, Any]]:
        key = ["searxng", self._host, _OPTIONS, words]
        pages = (await self._cache.entry("search", key, partial(self._search, words))).value
        return [page for page in pages if allows_domain(self._limits, page["url"])]

    async def _search(self, words: str) -> list[dict[str, Any]]:
        """Asks SearXNG. Returns a dict of `url` and `date` for each found page. Raises `RetrievalError`."""
        answer = await self._service.ask(self._url, params=_OPTIONS | {"q": words})
        results = answer.get("results")
        if not isinstance(results, list):
            raise RetrievalError(f"the server at {self._host} is not SearXNG: check searxng_url")
        pages: dict[str, dict[str, Any]] = {}
        for result in map(as_object, results):
            url = str(result.get("url", ""))
            if url.startswith(("http://", "https://")) and host_of(url):
                pages.setdefault(page_key(url), {"url": url, "date": result.get("publishedDate")})
        if not pages and (silent := answer.get("unresponsive_engines")):
            cure = "choose other engines in its settings.yml, or try again later"
            raise RetrievalError(f"SearXNG's engines do not answer ({safe_text(str(silent))}): {cure}")
        return list(pages.values())

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        passages = await self._reader.read(page["url"])
        if passages and passages[0].published_at is None and (date := parsed_date(page["date"])):
            passages = [passage.model_copy(update={"published_at": date}) for passage in passages]
        # Checked again, because a page may have redirected to another site.
        return await asyncio.to_thread(allowed_passages, self._limits, passages)


SPARE_TITLES = 5  # titles beyond `k`, since some titles are not articles
_WIKI_TIMEOUT_S = 5.0  # for one request: a user learns within 10 s that the wiki does not answer
_LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z]+)*", re.IGNORECASE)
_WIKI_API = "wikipedia_url, the address of a wiki's api.php"
_ELSE = "or set corpus to search your own documents"
_WIKI_QUERY = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}
_WIKI_FACTS = {"prop": "extracts|info|pageprops", "redirects": "1", "inprop": "url"}
_WIKI_PAGE = _WIKI_FACTS | {"explaintext": "1", "exsectionformat": "wiki", "ppprop": "disambiguation"}

_LONGEST_WIKI_QUERY = 250  # characters; Wikipedia refuses more than 300
_OPERATORS = re.compile(r"[\"“”„«»!?*~:|&/\\(){}\[\]<>^=`;]+")
_LEADING = re.compile(r"(?<!\S)[-–—+']+|[,.']+(?!\S)")

# Headings of sections that are not about the subject, in the languages of the largest Wikipedias.
_DROPPED_TITLES = """
    references; external links; see also; further reading; notes; bibliography; sources; footnotes;
    einzelnachweise; weblinks; siehe auch; literatur; notes et références; liens externes; voir aussi;
    bibliographie; referencias; enlaces externos; véase también; bibliografía; note; collegamenti esterni;
    referências; ligações externas; ver também; bronnen, noten en/of referenties; przypisy; примечания;
    ссылки; литература; 脚注; 外部リンク; 関連項目; 参考文献; 参考资料; 外部链接; 参见
"""
_DROPPED_SECTIONS = frozenset(" ".join(_DROPPED_TITLES.split()).split("; "))


class Wikipedia(WebSearch):
    """Searches the articles of Wikipedia or another wiki, and cuts them into windows of sentences."""

    def __init__(self, settings: Settings, cache: Cache) -> None:
        """The setting `wikipedia_url` is the address of a wiki's api.php, or the part before /w/api.php.

        The wiki needs the extension TextExtracts, which comes with MediaWiki. Wikimedia wants a user agent
        that names the application and an address to write to. Raises `SettingsError` for a wrong setting.
        """
        if settings.published_after or settings.published_before:
            told = "wikipedia has no dates of publication"
            raise SettingsError(f"{told}: leave out published_after and published_before")
        language, agent = settings.wikipedia_language, settings.user_agent.strip()
        if not _LANGUAGE.fullmatch(language):
            raise SettingsError(f"no language {safe_text(language)!r}: write an edition, as in en or zh-yue")
        if not (agent and agent.isascii() and agent.isprintable()):
            raise SettingsError(f"no user agent {safe_text(agent)!r}: write ASCII, as in 'app/1 (me@my.org)'")
        address = settings.wikipedia_url or f"https://{language.lower()}.wikipedia.org"
        url = urlsplit(address)
        if url.scheme not in ("http", "https") or not url.hostname:
            cure = "write its address as wikipedia_url, such as https://wiki.example.org"
            raise SettingsError(f"no wiki at {safe_text(address)!r}: {cure}")
        self._api = address if url.path.endswith("api.php") else f"{address.rstrip('/')}/w/api.php"
        # A name and password belong in requests, but not in the addresses of sources.
        self._root = f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
        self._name = f"the wiki at {url.hostname}" if settings.wikipedia_url else "Wikipedia"
        self._cure = f"check the connection and wikipedia_language or {_WIKI_API}, {_ELSE}"
        refused = "it may refuse the user agent: set one with an address to write to"
        cures = {0: self._cure, 403: refused, 429: f"try again later, {_ELSE}"}
        service = JsonService(self._name, cures, timeout_s=_WIKI_TIMEOUT_S, headers={"User-Agent": agent})
        super().__init__(service, cache, settings, "mediawiki")

    async def _find_pages(self, words: str, k: int) -> list[dict[str, Any]]:
        for search in searches_to_try(words):
            key = [f"{self._root}{urlsplit(self._api).path}", search, k + SPARE_TITLES]
            ask = partial(self._search, search, k + SPARE_TITLES)
            if titles := (await self._cache.entry("search", key, ask)).value:
                return [{"url": self._address(title), "title": title} for title in titles]
        return []

    async def _search(self, words: str, most: int) -> list[str]:
        params = {"list": "search", "srsearch": words, "srlimit": str(most), "srprop": ""}
        results = (await self._ask_wiki(params)).get("search")
        if not isinstance(results, list):
            raise RetrievalError(f"{self._name} answered a search without results: {self._cure}")
        return [str(result["title"]) for result in map(as_object, results) if result.get("title")]

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        return await self.passages_of_page(page["url"], partial(self._article, page["title"]))

    def _address(self, title: str) -> str:
        return f"{self._root}/wiki/{quote(title.replace(' ', '_'))}"

    async def _article(self, title: str) -> CutPage:
        """Requests an article. The text is "" if the article is missing, or only lists other articles."""
        pages = (await self._ask_wiki(_WIKI_PAGE | {"titles": title})).get("pages")
        page = as_object(pages[0]) if isinstance(pages, list) and pages else {"missing": True}
        text = ""
        if "missing" not in page and "disambiguation" not in as_object(page.get("pageprops")):
            if not isinstance(extract := page.get("extract"), str):
                cure = "install its extension TextExtracts, or set search to another source"
                raise RetrievalError(f"{self._name} gives no plain text of its articles: {cure}")
            text = await asyncio.to_thread(article_markdown, extract)
        # No date: the date of the last edit does not show how new the facts are.
        url = str(page.get("fullurl") or self._address(title))
        return await self.make_page(url, Document(text, str(page.get("title") or title)))

    async def _ask_wiki(self, params: Mapping[str, str]) -> dict[str, Any]:
        answer = await self._service.ask(self._api, params={**_WIKI_QUERY, **params})
        if wrong := answer.get("error"):
            message = safe_text(str(as_object(wrong).get("info", wrong)))
            raise RetrievalError(f"{self._name} answered with an error ({message}): try again later, {_ELSE}")
        return as_object(answer.get("query"))


def searches_to_try(question: str) -> list[str]:
    """Returns searches to try in order: for the question, for all its content words, for any of these words.

    Removes the operators of MediaWiki's search. Returns [] if there is nothing to search for.
    """
    plain = _LEADING.sub(" ", _OPERATORS.sub(" ", question))
    # In capital letters, these words are operators.
    words = [word.lower() if word in ("AND", "OR", "NOT") else word for word in plain.split()]
    content = query_words(" ".join(words))
    whole = [" ".join(words)] if len(" ".join(words)) <= _LONGEST_WIKI_QUERY else []
    searches = [*whole, _shortened_query(" ".join(content or words)), _shortened_query(" OR ".join(content))]
    return [search for search in dict.fromkeys(searches) if search]


def _shortened_query(words: str) -> str:
    return shorten(words, _LONGEST_WIKI_QUERY, placeholder="").removesuffix(" OR")


def article_markdown(extract: str) -> str:
    """Turns an article of the extension TextExtracts into Markdown, without sections such as References."""
    kept: list[str] = []
    dropped = 7  # the level of the heading of a section that is left out; 7: none
    for line in filter(None, map(str.strip, extract.split("\n"))):
        # A regular expression would take quadratic time for hostile lines.
        level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
        heading = line[level : len(line) - level].strip(" \t")
        if level and heading and level <= dropped:
            dropped = level if heading.casefold() in _DROPPED_SECTIONS else 7
        if dropped == 7:
            kept.append(f"{'#' * level} {heading}" if level and heading else line)
    return "\n\n".join(kept)
