"""Finds the source that a citation names, and its passages that are nearest to the cited sentence."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urldefrag

from rarr.agent.evidence import windows_of
from rarr.components import Components, KeepsText
from rarr.records import Passage
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.web.nearest_passages import nearest
from rarr.tools.concurrency import work

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

        `label` is the label of the mark, `target` the entry of the text's list or the address. Raises
        `RetrievalError` if the sources cannot be searched.
        """
        found = await self._named(target, sentence) if target else self._numbered(label)
        return await work(nearest, found, sentence, _PASSAGES) if found else None

    def _numbered(self, label: str) -> Sequence[Passage]:
        number = int(label) if label.isdecimal() else 0
        if self._given is None or not 1 <= number <= len(self._given.sources):
            return []
        return self._given.of_source(self._given.sources[number - 1])

    async def _named(self, target: str, sentence: str) -> list[Passage]:
        """Returns the passages of the sources that `target` names; all of a source whose text can be read."""
        query = f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_path(target)).stem}"
        retrieved = [*await self._once(self._retrieve, query), *await self._once(self._retrieve, sentence)]
        named = await work(named_passages, [*self._known, *retrieved], target)
        read: list[Passage] = []
        for source, passage in {each.source: each for each in named}.items():
            text = await self._once(self._text, source)
            if text is None:
                read += [each for each in named if each.source == source]
            else:
                read += await work(windows_of, text, passage, self._components.settings)
        return read

    async def _once(self, make: Callable[[str], Coroutine[Any, Any, Any]], key: str) -> Any:
        """Returns `make(key)`, awaited once for all sentences that need it; an error is not kept."""
        name = (make.__name__, key)
        async with self._turns[name]:
            if name not in self._made:
                self._made[name] = await make(key)
            return self._made[name]

    async def _retrieve(self, words: str) -> Sequence[Passage]:
        return await self._components.retriever.retrieve(words, self._components.settings.documents_per_query)

    async def _text(self, source: str) -> str | None:
        for opened in self._components.opened:
            text = await opened.extracted(source) if isinstance(opened, KeepsText) else None
            if text is not None:
                return text
        return None


def named_passages(passages: Sequence[Passage], target: str) -> list[Passage]:
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
    """Has the entry the words of the title, one after another?

    An address in the entry belongs to another page here, so the title must be a sentence of the entry.
    """
    title, rest = _words(passage.title), _ADDRESS.sub(" ", target)
    if rest != target:
        return bool(title) and any(_words(each) == title for each in rest.split(". "))
    return bool(title) and f" {' '.join(title)} " in f" {' '.join(_words(target))} "


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


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
