"""Searches several sources of evidence at once and merges their passages."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Protocol

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.domain_and_date_limits import normalised
from rarr.retrievers.web.service_requests import outcomes


class SearchSource(Protocol):
    """The interface of a retriever, as `CombinedRetriever` uses it."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` best documents. Raises `RetrievalError`."""


OnFailure = Callable[[str, RetrievalError], None]


class CombinedRetriever:
    """Searches several sources at once and merges their passages.

    `on_failure` is called for each source that failed while another source did not. It is called in the
    task that searched, so the context variables of that task name the right run among many.
    """

    def __init__(self, retrievers: Mapping[str, SearchSource], *, on_failure: OnFailure) -> None:
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
