"""Several sources of evidence as one."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Protocol

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.search_requests import outcomes
from rarr.retrievers.web.source_domains import normalised


class Source(Protocol):
    """What is searched: the interface of a retriever."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` best documents. Raises `RetrievalError`."""


OnFailure = Callable[[str, RetrievalError], None]


class Several:
    """Searches all of `retrievers` at once.

    `on_failure` is told of each that failed while another did not, in the task that searched, so that it
    finds the run by its context variables, whichever of many runs at once that is.
    """

    def __init__(self, retrievers: Mapping[str, Source], *, on_failure: OnFailure) -> None:
        self._retrievers, self._on_failure = dict(retrievers), on_failure

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` best documents: the best of each source, then the second best of each...

        A document, and a text, that several found comes once. Raises `RetrievalError` if all sources fail.
        """
        found = await outcomes([one.retrieve(query, k) for one in self._retrievers.values()])
        named = list(zip(self._retrievers, found, strict=True))
        failed = [(name, one) for name, one in named if isinstance(one, RetrievalError)]
        if failed and len(failed) == len(named):
            raise RetrievalError("; ".join(f"{name}: {error}" for name, error in failed))
        for name, error in failed:
            self._on_failure(name, error)
        return _merged([one for _, one in named if not isinstance(one, RetrievalError)], k)


def _merged(found: Sequence[Sequence[Passage]], k: int) -> list[Passage]:
    documents: dict[str, list[Passage]] = {}
    seen: set[str] = set()
    ranks = zip_longest(*(_documents(passages).items() for passages in found))
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
    """The passages of each document, in the order of their first ones."""
    documents: dict[str, list[Passage]] = {}
    for passage in passages:
        documents.setdefault(normalised(passage.source), []).append(passage)
    return documents
