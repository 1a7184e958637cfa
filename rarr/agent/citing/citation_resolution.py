"""Finds the source that a citation of the text names, and its passages nearest to the sentence."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote, urldefrag

from rarr.components import Components, KeepsText
from rarr.records import Passage
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.web.nearest_passages import nearest
from rarr.tools.concurrency import work

Made = TypeVar("Made")

_SCHEME = re.compile(r"\A(?:https?:)?//(?:www\.)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://(?:\([^\s<>()]*\)|[^\s<>()\]])+(?<![.,;:!?])")
"""An address, with pairs of brackets but without marks behind it."""
_PASSAGES = 5
"""The passages of a cited source that are read for a sentence."""


class CitedSources:
    """Resolves citations among the sources that `components` can search.

    `known` are passages that the run found. `given` are the passages of the call: their numbers count where
    the text has no list of its own. Each source is read once, and each query is searched for once, however
    many marks name it.
    """

    def __init__(self, components: Components, known: Sequence[Passage], given: GivenPassages | None) -> None:
        self._components, self._known, self._given = components, known, given
        self._made: dict[tuple[str, str], Any] = {}
        self._turns = defaultdict[tuple[str, str], asyncio.Lock](asyncio.Lock)

    async def passages(self, label: str, target: str, sentence: str) -> Sequence[Passage] | None:
        """Returns the passages of the cited source that are nearest to `sentence`; None: no such source.

        `label` is that of the mark, `target` the entry of the text's list or the address. Raises
        `RetrievalError` if the sources cannot be searched.
        """
        if not target:
            return await work(self._numbered, label, sentence)
        query = f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_path(target)).stem}"
        retrieved = [*await self._once(self._retrieve, query), *await self._once(self._retrieve, sentence)]
        passages = await work(_named, [*self._known, *retrieved], target)
        if not passages:
            return None
        return await work(nearest, await self._whole(passages), sentence, _PASSAGES)

    async def _once(self, make: Callable[[str], Coroutine[Any, Any, Made]], key: str) -> Made:
        """Returns `make(key)`, awaited once for all sentences that need it; an error is not kept."""
        async with self._turns[make.__name__, key]:
            if (make.__name__, key) not in self._made:
                self._made[make.__name__, key] = await make(key)
            made: Made = self._made[make.__name__, key]
            return made

    async def _retrieve(self, words: str) -> Sequence[Passage]:
        k = self._components.settings.documents_per_query
        return await self._components.retriever.retrieve(words, k)

    def _numbered(self, label: str, sentence: str) -> Sequence[Passage] | None:
        sources = self._given.sources if self._given else []
        number = int(label) if label.isdecimal() else 0
        if self._given is None or not 1 <= number <= len(sources):
            return None
        return nearest(self._given.of_source(sources[number - 1]), sentence, _PASSAGES)

    async def _whole(self, passages: Sequence[Passage]) -> list[Passage]:
        """Replaces the passages of each source by all of its passages, where its whole text can be read."""
        read: list[Passage] = []
        for passage in {each.source: each for each in passages}.values():
            text = await self._once(self._text, passage.source)
            if text is None:
                read += [each for each in passages if each.source == passage.source]
            else:
                read += await work(self._cut, text, passage)
        return read

    def _cut(self, text: str, passage: Passage) -> list[Passage]:
        """Cuts `text`, the whole text of the source of `passage`, into passages."""
        return passages_of(
            text,
            source=passage.source,
            title=passage.title,
            window=self._components.settings.window,
            step=self._components.settings.step,
            retrieved_at=passage.retrieved_at,
            published_at=passage.published_at,
        )

    async def _text(self, source: str) -> str | None:
        for opened in self._components.opened:
            text = await opened.extracted(source) if isinstance(opened, KeepsText) else None
            if text is not None:
                return text
        return None


def _named(passages: Sequence[Passage], target: str) -> list[Passage]:
    """Selects the passages whose source `target` names: by address or path, else by title, else by file name.

    A passage that was found twice comes once.
    """
    distinct = list({(each.source, each.start, each.end): each for each in passages}.values())
    for names in (_has_address, _has_title, _has_file_name):
        if selected := [passage for passage in distinct if names(target, passage)]:
            return selected
    return []


def _has_address(target: str, passage: Passage) -> bool:
    if _has_whole(target, passage.source):
        return True
    return any(_path(address) == _path(passage.source) for address in _ADDRESS.findall(target))


def _has_title(target: str, passage: Passage) -> bool:
    """Does the entry have the words of the title, one after another? A link has no title.

    Beside an address, which is that of another page, the title must be a sentence or all of the entry.
    """
    title, words = (_WORD.findall(text.casefold()) for text in (passage.title, _ADDRESS.sub(" ", target)))
    if _ADDRESS.search(target):
        sentences = _ADDRESS.sub(" ", target).split(". ")
        return bool(title) and any(_WORD.findall(each.casefold()) == title for each in sentences)
    places = range(len(words) - len(title) + 1)
    return bool(title) and any(words[at : at + len(title)] == title for at in places)


def _has_file_name(target: str, passage: Passage) -> bool:
    name = PurePosixPath(_path(passage.source)).name.casefold()
    if "." not in name or _ADDRESS.match(passage.source):
        return False
    return _has_whole(_path(target).casefold(), name, not_behind=r"\w./-")


def _has_whole(target: str, name: str, not_behind: str = r"\w.-") -> bool:
    """Does the entry have the name or address, and not as a piece of a longer name or address?

    `not_behind` are characters that may not stand before it. A longer path may end with an address.
    """
    whole = rf"(?<![{not_behind}]){re.escape(name)}(?![\w/-]|[.?&=%~+]\w)"
    return re.search(whole, target) is not None


def _path(address: str) -> str:
    """Returns the address without its scheme, its fragment and a slash at the end, and without escapes."""
    return unquote(_SCHEME.sub("", urldefrag(address).url if "://" in address else address)).rstrip("/.")
