"""Uses a retriever of LangChain as a source of evidence."""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rarr.errors import RetrievalError
from rarr.records import UNNAMED, Passage
from rarr.retrievers.given_passages import cut, given_passage
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, within_limits
from rarr.retrievers.web.nearest_passages import nearest
from rarr.tools.models.failures import redacted
from rarr.tools.text.wording import kind_of, shown

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class LangChainRetriever:
    """Asks a LangChain retriever, and cuts its documents into passages of `window` sentences."""

    def __init__(
        self,
        retriever: "BaseRetriever",
        *,
        window: int,
        step: int,
        limits: SourceLimits = SourceLimits(),  # noqa: B008  # it is frozen
    ) -> None:
        self._retriever, self._window, self._step, self._limits = retriever, window, step, limits
        self._name = type(retriever).__name__

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns from each of the first `k` documents the passages nearest to `query`.

        Passages outside of the limits of domain and date are left out. Pieces of one source count as one
        document. The LangChain retriever itself decides how many it returns. Raises `RetrievalError` where it
        fails.
        """
        try:
            documents = await self._retriever.ainvoke(query)
        except Exception as error:  # each retriever has its own errors
            reason = shown(redacted(" ".join(str(error).split())))
            raise RetrievalError(
                f"the LangChain retriever {self._name} failed ({type(error).__name__}: {reason}):"
                " try it on its own, with invoke"
            ) from error
        if not _are_documents(documents):
            raise RetrievalError(
                f"the LangChain retriever {self._name} returned {kind_of(documents)} that is not a list"
                " of documents: mend its _get_relevant_documents"
            )
        passages = await asyncio.to_thread(self._passages, documents)
        name = f"the LangChain retriever {self._name}"
        return await asyncio.to_thread(_best, await within_limits(name, passages, self._limits), query, k)

    def _passages(self, documents: Sequence["Document"]) -> list[Passage]:
        return [
            passage
            for number, document in enumerate(documents, start=1)
            if document.page_content.strip()
            for passage in cut(given_passage(document, number, _unnamed(document)), self._window, self._step)
        ]


def _best(passages: Sequence[Passage], query: str, k: int) -> list[Passage]:
    """Returns from each of the first `k` sources the passages nearest to `query`."""
    by_source: dict[str, list[Passage]] = {}
    for passage in passages:
        by_source.setdefault(passage.source, []).append(passage)
    return [
        passage
        for of_source in list(by_source.values())[: max(k, 0)]
        for passage in nearest(of_source, query)
    ]


def _are_documents(result: object) -> bool:
    from langchain_core.documents import Document

    return isinstance(result, list | tuple) and all(isinstance(item, Document) for item in result)


def _unnamed(document: "Document") -> str:
    """Makes a stable name for a document without a source: from its id, or from a hash of its text."""
    text = document.page_content
    return UNNAMED + (document.id or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12])
