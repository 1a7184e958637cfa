"""Retrievers over other retrievers: to search several sources, and to cut documents into longer passages."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest

from rarr.components import Retriever, WholeTextSource
from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.web.domain_and_date_limits import page_key
from rarr.retrievers.web.service_requests import await_all
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter


class CombinedRetriever:
    """Searches several sources together. Warns about a source that fails, if another source works."""

    def __init__(self, retrievers: Mapping[str, Retriever]) -> None:
        self._retrievers = dict(retrievers)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of `k` documents: the best document of each source, then the second best of each.

        A document or text that several sources find comes once. Raises `RetrievalError` if all sources fail.
        """
        results = await await_all([retriever.retrieve(query, k) for retriever in self._retrievers.values()])
        by_name = list(zip(self._retrievers, results, strict=True))
        failed = {name: result for name, result in by_name if isinstance(result, RetrievalError)}
        if failed and len(failed) == len(by_name):
            raise RetrievalError("; ".join(f"{name}: {error}" for name, error in failed.items()))
        for name, error in failed.items():
            meter().warn("source_failed", f"{name} could not be searched, but other sources could: {error}")
        return _merge_results([result for _, result in by_name if not isinstance(result, RetrievalError)], k)


def _merge_results(results: Sequence[Sequence[Passage]], k: int) -> list[Passage]:
    merged, seen = dict[str, list[Passage]](), set[str]()
    ranks = zip_longest(*(by_document(passages, page_key).items() for passages in results))
    for name, passages in filter(None, chain.from_iterable(ranks)):
        texts = {" ".join(passage.text.split()): passage for passage in passages}
        fresh = [passage for text, passage in texts.items() if text not in seen]
        if name not in merged and fresh and len(merged) < k:
            merged[name] = fresh
            seen.update(texts)
    return [passage for passages in merged.values() for passage in passages]


def by_document(passages: Sequence[Passage], name: Callable[[str], str] = str) -> dict[str, list[Passage]]:
    """Maps the name of each document to its passages. `name` turns the source of a passage into this name."""
    documents: dict[str, list[Passage]] = {}
    for passage in passages:
        documents.setdefault(name(passage.source), []).append(passage)
    return documents


async def whole_text(sources: Sequence[object], url: str) -> str | None:
    """Returns the text of the document at `url` from the first source that has it; None if none has it."""
    for source in sources:
        if isinstance(source, WholeTextSource) and (text := await source.extracted(url)) is not None:
            return text
    return None


class ChunkRetriever:
    """Finds documents with the retriever `source`. Cuts documents with a known text into longer passages."""

    def __init__(self, source: Retriever, text_sources: Sequence[object], words: int) -> None:
        """`text_sources`: objects that may have texts of documents. `words`: the most words of a passage."""
        self.source, self._text_sources, self._words = source, text_sources, words

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns all passages of the `k` best documents, best document first. Reads each document once."""
        found, memo = by_document(await self.source.retrieve(query, k)), meter().memo
        for source, passages in found.items():
            if (id(self), source) not in memo:
                memo[id(self), source] = await self._longer_passages(passages[0])
        return [chunk for source, kept in found.items() for chunk in memo[id(self), source] or kept]

    async def _longer_passages(self, passage: Passage) -> list[Passage]:
        text = await whole_text(self._text_sources, passage.source)
        # If a file changed after it was indexed, the places of the found passages are wrong.
        if text is None or text[passage.start : passage.end] != passage.text:
            return []
        return [
            passage.model_copy(update={"text": text[start:end], "start": start, "end": end})
            for start, end in await work(chunks, text, self._words)
        ]
