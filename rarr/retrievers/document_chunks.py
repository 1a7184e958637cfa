"""Searches a source for documents, and returns them in passages of a few hundred words."""

from collections.abc import Iterable, Sequence

from rarr.components import KeepsText, Retriever
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import chunks
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter


class DocumentChunks:
    """A retriever that cuts the whole text of each document that `source` finds into longer passages.

    A document whose text cannot be read again keeps the passages that were found.
    """

    def __init__(self, source: Retriever, opened: Iterable[object], words: int) -> None:
        """`opened` are the sources that can return whole texts. A passage has `words` words at most."""
        self.source = source
        self.skipped: Sequence[tuple[str, str]] = getattr(source, "skipped", ())
        self._texts = [each for each in opened if isinstance(each, KeepsText)]
        self._words = words

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the passages of the `k` best documents for `query`, document by document, best first.

        Raises `RetrievalError` if the source could not be searched.
        """
        found: dict[str, list[Passage]] = {}
        for passage in await self.source.retrieve(query, k):
            found.setdefault(passage.source, []).append(passage)
        return [chunk for passages in found.values() for chunk in await self._chunks(passages)]

    async def _chunks(self, passages: list[Passage]) -> Sequence[Passage]:
        """Returns the passages of one document. Each document is read and cut once in a run."""
        memo, key = meter().memo, (id(self), passages[0].source)
        if key not in memo:
            memo[key] = await self._cut(passages[0])
        return memo[key] or passages

    async def _cut(self, passage: Passage) -> list[Passage]:
        text = await self._text(passage.source)
        # A file that has changed since it was indexed has other places than the passages that were found.
        if text is None or text[passage.start : passage.end] != passage.text:
            return []
        places = await work(chunks, text, self._words)
        return [
            passage.model_copy(update={"text": text[start:end], "start": start, "end": end})
            for start, end in places
        ]

    async def _text(self, source: str) -> str | None:
        for kept in self._texts:
            if (text := await kept.extracted(source)) is not None:
                return text
        return None
