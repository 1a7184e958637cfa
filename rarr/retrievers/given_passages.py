"""Searches passages that the caller gives, and the documents of the caller's LangChain retriever."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from rarr.errors import InputError
from rarr.records import UNNAMED, Passage
from rarr.retrievers.combined import by_document
from rarr.retrievers.corpus.chunking import cut_passages
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.extract.documents import Complain, parsed_date
from rarr.retrievers.reranking import OverlapIndex, nearest
from rarr.tools.concurrency import work
from rarr.tools.text.wording import kind_of, safe_text
from rarr.valid_unicode import valid

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

SHOWN_CHARACTERS = 12_000
"""The most characters (3,000 tokens) of all given passages for which a model sees all of them."""
Given: TypeAlias = "Passage | str | Document | Mapping[str, Any]"
"""A text, a record `Passage`, a document of LangChain, or a search result with its text and address."""

_HEADING = re.compile(r"\s*#{1,6}\s+(?P<title>.*\S)")
# The names under which loaders, splitters and search services store the text, the source and the date.
_TEXTS = ("text", "content", "page_content", "snippet", "body", "raw_content", "description")
_SOURCES = ("source", "url", "link", "href", "path", "file_path", "filename", "file_name")
_DATES = ("published_at", "published", "published_date", "publish_date", "date")


class GivenPassages:
    """A retriever that searches only the given `passages`.

    A passage without an address has the source "passage 1", "passage 2", and so on, by its place in the list.
    Long texts are cut into windows of `window` sentences. A text without a title gets the Markdown heading at
    its start as title. A `Passage` stays as it is, because its offsets point into another text.
    """

    offline = True  # the setting `offline` allows it

    def __init__(self, passages: Sequence[Given], *, window: int, name: str = "passages") -> None:
        """Raises `InputError` if `passages` is no list of passages. Messages name the argument by `name`."""
        if isinstance(passages, str | bytes | bytearray) or not isinstance(passages, Sequence):
            raise InputError(f"{name} is {kind_of(passages)}: give a list, such as [text]")
        self.undated: list[str] = []  # a line about each date that cannot be read
        complain = self.undated.append
        wholes = [given_passage(it, n, f"passage {n}", complain) for n, it in enumerate(passages, 1)]
        self.sources = [whole.source for whole in wholes]
        """The source of each given passage, in order."""
        self._passages: list[Passage] = []
        for given, whole in zip(passages, wholes, strict=True):
            heading = None if whole.title else _HEADING.match(whole.text)
            titled = whole.model_copy(update={"title": heading["title"]}) if heading else whole
            self._passages += [given] if isinstance(given, Passage) else cut_passages(titled, window)
        fit = sum(len(whole.text) for whole in wholes) <= SHOWN_CHARACTERS
        self.passages_if_all_fit = tuple(self._passages) if fit else ()
        """All passages if their texts have at most `SHOWN_CHARACTERS` together, else ()."""
        self._index = OverlapIndex(self._passages)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

        A source that shares no word with `query` is returned too, since the caller gave it for this text.
        """
        sources = by_document(await work(self._index.ranked_passages, query))
        return [it for best in [*sources.values()][:k] for it in best[:PASSAGES_PER_DOCUMENT]]

    def passages_of_source(self, source: str) -> list[Passage]:
        return [passage for passage in self._passages if passage.source == source]


def given_passage(given: object, number: int, unnamed: str, complain: Complain = lambda _: None) -> Passage:
    """Makes one passage of the whole text of `given`. A `Passage` stays as it is.

    Reads the start, title, date and source under the names that loaders, splitters and search services use.
    `number`: the number of `given` in messages. `unnamed`: the source of the passage if `given` names none.
    `complain` gets a message about an unreadable date. Raises `InputError` for another kind or an empty text.
    """
    if isinstance(given, Mapping):
        facts: dict[str, Any] = valid(dict(given))
    elif isinstance(given, str | Passage):
        facts = {"text": given if isinstance(given, str) else given.text}
    elif isinstance(content := getattr(given, "page_content", None), str):
        facts = {"text": content, "metadata": getattr(given, "metadata", None)}
    else:
        known = "a text, a rarr.Passage, a document of LangChain, or a search result with text and url"
        raise InputError(f"passage {number} is {kind_of(given)}: give {known}")
    held = [facts[name] for name in _TEXTS if facts.get(name)]
    text = valid(next((it for it in held if isinstance(it, str)), ""))
    if not text.strip():
        keys = "" if facts.keys() & {*_TEXTS} else f", and has {', '.join(map(str, facts)) or 'no key'}"
        cure = "give it the key text" if keys else "give a text, or leave it out"
        what = f"has {kind_of(held[0])} as its text" if held and not text else f"is empty{keys}"
        raise InputError(f"passage {number} {what}: {cure}")
    if isinstance(given, Passage):
        return given
    if isinstance(metadata := facts.get("metadata"), Mapping):
        facts = {**metadata, **{name: value for name, value in facts.items() if value is not None}}
    start = max(at, 0) if isinstance(at := facts.get("start_index"), int) else 0
    source, date = (next(filter(None, map(facts.get, names)), None) for names in (_SOURCES, _DATES))
    if date and parsed_date(date) is None:
        complain(f"the date of passage {number} cannot be read ({safe_text(str(date), 30)}): give YYYY-MM-DD")
    return Passage(
        text=text,
        source=str(source or unnamed),
        title=str(facts.get("title") or ""),
        start=start,
        end=start + len(text),
        retrieved_at=datetime.now(UTC),
        published_at=parsed_date(date),
    )


class LangChainRetriever:
    """A retriever that asks a LangChain retriever, and cuts its documents into windows of sentences."""

    def __init__(self, retriever: "BaseRetriever", window: int) -> None:
        self._retriever, self._window = retriever, window

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the best passages of each found document; `k` has no effect. Raises LangChain's errors."""
        return await work(self._nearest_passages, await self._retriever.ainvoke(query), query)

    def _nearest_passages(self, documents: Sequence["Document"], query: str) -> list[Passage]:
        passages: list[Passage] = []
        for number, document in enumerate(documents, start=1):
            if (text := document.page_content).strip():
                # A document without a source gets its id, or a hash of its text, as source.
                name = document.id or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
                passages += cut_passages(given_passage(document, number, UNNAMED + name), self._window)
        return [it for of_source in by_document(passages).values() for it in nearest(of_source, query)]
