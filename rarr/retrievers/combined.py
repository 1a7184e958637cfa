"""Retrievers made of others: several sources at once, given passages first, and documents cut anew."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from rarr.components import KeepsText, Retriever
from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.web.domain_and_date_limits import normalised
from rarr.retrievers.web.service_requests import outcomes
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter

OnFailure = Callable[[str, RetrievalError], None]


class CombinedRetriever:
    """Searches several sources at once and merges their passages.

    `on_failure` is called for each source that failed while another source did not. It is called in the
    task that searched, so the context variables of that task name the right run among many.
    """

    def __init__(self, retrievers: Mapping[str, Retriever], *, on_failure: OnFailure) -> None:
        self._retrievers, self._on_failure = dict(retrievers), on_failure

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of `k` documents: the best document of each source, then each second best...

        A document or a text that several sources return comes once. Raises `RetrievalError` if all fail.
        """
        results = await outcomes([retriever.retrieve(query, k) for retriever in self._retrievers.values()])
        by_name = list(zip(self._retrievers, results, strict=True))
        failed = [(name, result) for name, result in by_name if isinstance(result, RetrievalError)]
        if failed and len(failed) == len(by_name):
            raise RetrievalError("; ".join(f"{name}: {error}" for name, error in failed))
        for name, error in failed:
            self._on_failure(name, error)
        return _merged([result for _, result in by_name if not isinstance(result, RetrievalError)], k)


def _merged(results: Sequence[Sequence[Passage]], k: int) -> list[Passage]:
    documents: dict[str, list[Passage]] = {}
    seen: set[str] = set()
    ranks = zip_longest(*(_documents(passages).items() for passages in results))
    for name, passages in filter(None, chain.from_iterable(ranks)):
        if name in documents:
            continue
        texts = {" ".join(passage.text.split()): passage for passage in passages}
        fresh = [passage for text, passage in texts.items() if text not in seen]
        if fresh and len(documents) < k:
            documents[name] = fresh
            seen.update(texts)
    return [passage for passages in documents.values() for passage in passages]


def _documents(passages: Sequence[Passage]) -> dict[str, list[Passage]]:
    """Groups passages by document. Documents stand in the order of their first passages."""
    documents: dict[str, list[Passage]] = {}
    for passage in passages:
        documents.setdefault(normalised(passage.source), []).append(passage)
    return documents


class GivenFirst(CombinedRetriever):
    """Searches the passages given with a call (`source`) and the configured retriever (`rest`) together."""

    def __init__(self, source: GivenPassages, rest: Retriever, *, on_failure: OnFailure) -> None:
        super().__init__({"the given sources": source, "the other sources": rest}, on_failure=on_failure)
        self.source = source
        self.skipped: Sequence[tuple[str, str]] = getattr(rest, "skipped", ())


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
