"""Searches passages that the caller has at hand, such as those that a model was given for its answer."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.fetch.page_reader import passages_of
from rarr.retrievers.web.nearest_passages import nearest_by_source
from rarr.tools.text.plurals_and_articles import kind_of


class GivenPassages:
    """A retriever over `passages`, which are strings or records `Passage`, in the order of their numbers.

    A string has the source "passage 1", "passage 2", and so on. Long strings are cut into windows of `window`
    sentences, as documents are; a `Passage` stays as it is, because its offsets point into another text.
    """

    offline = True  # can be used with the setting `offline`

    def __init__(self, passages: Sequence[Passage | str], *, window: int, step: int) -> None:
        """Raises `InputError` for anything but a list of strings and passages, none of them empty."""
        if isinstance(passages, str) or not isinstance(passages, Sequence):
            raise InputError(f"passages is {kind_of(passages)}: give a list, such as [text]")
        self.sources: list[str] = []
        """The source of each given passage, in order."""
        self._passages: list[Passage] = []
        now = datetime.now(UTC)
        for number, given in enumerate(passages, start=1):
            if isinstance(given, Passage):
                self._passages.append(given)
                self.sources.append(given.source)
                continue
            if not isinstance(given, str):
                raise InputError(f"passage {number} is {kind_of(given)}: give a text or a rarr.Passage")
            if not given.strip():
                raise InputError(f"passage {number} is empty: give a text, or leave it out")
            self.sources.append(f"passage {number}")
            self._passages += passages_of(
                given, source=self.sources[-1], title="", window=window, step=step,
                retrieved_at=now, published_at=None,
            )  # fmt: skip

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

        A source without a word in common is returned too: it was given for this text.
        """
        return await asyncio.to_thread(nearest_by_source, self._passages, query, k)

    def of_source(self, source: str) -> list[Passage]:
        """Returns all passages of one source."""
        return [passage for passage in self._passages if passage.source == source]
