"""Searches Wikipedia or another MediaWiki: its queries, its articles, and their texts as Markdown."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import telling
from rarr.retrievers.fetch.cached_page_passages import Extracted, Shelf
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.searches import WebSearch, as_object
from rarr.retrievers.web.service_requests import JsonService
from rarr.settings import Settings
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

SPARE = 5  # titles beyond `k`, since some titles are not articles
_TIMEOUT_S = 5.0  # for one request: few, so that a user learns within 10 s that nobody answers
_LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z]+)*", re.IGNORECASE)
_API = "wikipedia_url, the address of a wiki's api.php"
_ELSE = "or set corpus to search your own documents"
_UNQUOTED = ";@$!*(),/~:"  # characters that MediaWiki leaves unquoted in addresses
_QUERY = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}
_PAGE = {
    "prop": "extracts|info|pageprops",
    "redirects": "1",
    "explaintext": "1",
    "exsectionformat": "wiki",
    "inprop": "url",
    "ppprop": "disambiguation",
}

_LONGEST_QUERY = 250  # characters; Wikipedia refuses more than 300
_OPERATORS = re.compile(r"[\"“”„«»!?*~:|&/\\(){}\[\]<>^=`;]+")
_LEADING = re.compile(r"(?<!\S)[-–—+']+|[,.']+(?!\S)")

_MARKED = re.compile(r"(#{1,6}) (.*)")
_FORMULA = re.compile(r"\s*\{\\displaystyle (.*)\}\s*")
# Headings of sections that are not about the subject, in the languages of the largest editions.
_NO_SUBJECTS = """
    references; external links; see also; further reading; notes; bibliography; sources; footnotes;
    einzelnachweise; weblinks; siehe auch; literatur; notes et références; liens externes; voir aussi;
    bibliographie; referencias; enlaces externos; véase también; bibliografía; note; collegamenti esterni;
    referências; ligações externas; ver também; bronnen, noten en/of referenties; przypisy; примечания;
    ссылки; литература; 脚注; 外部リンク; 関連項目; 参考文献; 参考资料; 外部链接; 参见
"""
_DROPPED = frozenset(" ".join(_NO_SUBJECTS.split()).split("; "))


class Wikipedia(WebSearch):
    """Searches articles, and cuts their texts into windows of sentences."""

    def __init__(self, settings: Settings, cache: Cache) -> None:
        """`wikipedia_url` is another wiki: the address above its /w/api.php, or the address of its api.php.

        It needs the extension TextExtracts, which comes with MediaWiki. The user agent names the application
        and an address to write to, which Wikimedia asks for. Raises `SettingsError`.
        """
        if settings.published_after or settings.published_before:
            cure = "leave out published_after and published_before"
            raise SettingsError(f"wikipedia has no dates of publication: {cure}")
        language, agent = settings.wikipedia_language, settings.user_agent.strip()
        if not _LANGUAGE.fullmatch(language):
            raise SettingsError(f"no language {shown(language)!r}: write an edition's, as in en or zh-yue")
        if not agent or not (agent.isascii() and agent.isprintable()):
            cure = "write ASCII, as in 'app/1 (me@my.org)'"
            raise SettingsError(f"no user agent {shown(agent)!r}: {cure}")
        address = settings.wikipedia_url or f"https://{language.lower()}.wikipedia.org"
        url = urlsplit(address)
        if url.scheme not in ("http", "https") or not url.hostname:
            cure = "write its address as wikipedia_url, such as https://wiki.example.org"
            raise SettingsError(f"no wiki at {shown(address)!r}: {cure}")
        self._api = address if url.path.endswith("api.php") else f"{address.rstrip('/')}/w/api.php"
        # A name and password belong into requests, not into citations.
        self._root = f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
        self._name = f"the wiki at {url.hostname}" if settings.wikipedia_url else "Wikipedia"
        self._cure = f"check the connection and wikipedia_language or {_API}, {_ELSE}"
        cures = {
            0: self._cure,
            403: "it may refuse the user agent: set one with an address to write to",
            429: f"try again later, {_ELSE}",
        }
        headers = {"User-Agent": agent}
        service = JsonService(self._name, cures, timeout_s=_TIMEOUT_S, headers=headers)
        super().__init__(service, Shelf(cache, "mediawiki", settings), cache)

    async def _found(self, words: str, k: int) -> list[dict[str, Any]]:
        most = k + SPARE
        for search in search_words(words):
            key = [f"{self._root}{urlsplit(self._api).path}", search, most]
            if titles := await self._cache.search(key, partial(self._search, search, most)):
                return [{"url": self._address(title), "title": title} for title in titles]
        return []

    async def _search(self, words: str, most: int) -> list[str]:
        params = {"list": "search", "srsearch": words, "srlimit": str(most), "srprop": ""}
        results = (await self._query(params)).get("search")
        if not isinstance(results, list):
            raise RetrievalError(f"{self._name} answered a search without results: {self._cure}")
        return [str(result["title"]) for result in map(as_object, results) if result.get("title")]

    async def _passages(self, page: Mapping[str, Any]) -> Sequence[Passage]:
        return await self._shelf.passages(page["url"], partial(self._article, page["title"]))

    def _address(self, title: str) -> str:
        return f"{self._root}/wiki/{quote(title.replace(' ', '_'), safe=_UNQUOTED)}"

    async def _article(self, title: str) -> Extracted:
        """Asks for the text of an article; empty for a page that is none, such as a disambiguation."""
        pages = (await self._query(_PAGE | {"titles": title})).get("pages")
        page = as_object(pages[0]) if isinstance(pages, list) and pages else {"missing": True}
        text = ""
        if "missing" not in page and "disambiguation" not in as_object(page.get("pageprops")):
            if not isinstance(extract := page.get("extract"), str):
                cure = "install its extension TextExtracts, or set search to another source"
                raise RetrievalError(f"{self._name} gives no plain text of its articles: {cure}")
            text = valid(await asyncio.to_thread(article_text, extract))
        # No date: that of the last edit does not tell how new the facts are.
        url = str(page.get("fullurl") or self._address(title))
        return Extracted(url=url, text=text, title=str(page.get("title") or title))

    async def _query(self, params: Mapping[str, str]) -> dict[str, Any]:
        answer = await self._service.ask(self._api, params={**_QUERY, **params})
        if wrong := answer.get("error"):
            message = shown(str(as_object(wrong).get("info", wrong)))
            raise RetrievalError(f"{self._name} answered with an error ({message}): try again later, {_ELSE}")
        return as_object(answer.get("query"))


def search_words(question: str) -> list[str]:
    """Returns searches to try in turn: the question, all its content words, any of its content words.

    No word is an operator of MediaWiki's search. The list is empty where there is nothing to search for.
    """
    plain = _LEADING.sub(" ", _OPERATORS.sub(" ", question))
    # Written in capitals, these words are operators.
    words = [word.lower() if word in ("AND", "OR", "NOT") else word for word in plain.split()]
    content = telling(" ".join(words))
    whole = [" ".join(words)] if len(" ".join(words)) <= _LONGEST_QUERY else []
    searches = [*whole, _fitting(content, " ") or _fitting(words, " "), _fitting(content, " OR ")]
    return [search for search in dict.fromkeys(searches) if search]


def _fitting(words: list[str], joined: str) -> str:
    kept = ""
    for word in words:
        longer = f"{kept}{joined}{word}" if kept else word[:_LONGEST_QUERY]
        if len(longer) > _LONGEST_QUERY:
            break
        kept = longer
    return kept


def article_text(extract: str) -> str:
    """Turns a plain text of TextExtracts into Markdown, without references and similar sections."""
    kept: list[str] = []
    dropped = 7  # the level of the heading whose section is left out; 7: no section is
    for block in map(_with_mark, filter(None, map(str.strip, _with_plain_formulas(extract)))):
        if heading := _MARKED.fullmatch(block):
            level = len(heading[1])
            if level <= dropped:
                dropped = level if heading[2].casefold() in _DROPPED else 7
        if dropped == 7:
            kept.append(block)
    return "\n\n".join(kept)


def _with_mark(line: str) -> str:
    """Turns == Fruit == into ## Fruit. A pattern would take quadratic time for hostile lines."""
    level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
    words = line[level : len(line) - level].strip(" \t")
    return f"{'#' * level} {words}" if level and words else line


def _with_plain_formulas(extract: str) -> list[str]:
    """Returns the lines of an extract, with a formula as TeX in its sentence instead of a tree of letters."""
    lines, is_open = [""], False
    for line in extract.split("\n"):
        if formula := _FORMULA.fullmatch(line):
            lines[-1] = f"{lines[-1].rstrip()} {formula[1]}".strip()
            is_open = True
        elif line.strip() and not line.startswith("  "):
            if is_open and line[0] in " ,.;:)":  # the sentence goes on
                lines[-1] += line.rstrip()
            else:
                lines.append(line)
            is_open = False
    return lines
