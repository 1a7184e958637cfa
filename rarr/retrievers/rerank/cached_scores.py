"""A reranker that keeps its scores in the cache."""

import math
from collections.abc import Sequence
from typing import Protocol

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.cache import Cache
from rarr.tools.text.noun_phrases import counted

SCORE = "score"
"""The kind of the cache's entries."""


class Scorer(Protocol):
    """The interface of a reranker."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """A score for each passage."""


class CachedReranker:
    """Asks `reranker` for the scores that the cache lacks.

    `name` identifies everything that scores depend on.
    A `local` reranker needs no network, so it is asked offline as well.
    """

    def __init__(self, reranker: Scorer, cache: Cache, name: str, *, local: bool = False) -> None:
        self._reranker, self._cache, self._name = reranker, cache, name
        self._offline = cache.offline and not local

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """The relevance of each passage. Raises `RetrievalError` for a score that is missing, offline."""
        keys = [(self._name, query, passage.title, passage.text) for passage in passages]
        entries = await self._cache.get_all(SCORE, keys)
        scores = {key: float(entry.value) for key, entry in zip(keys, entries, strict=True) if entry}
        missing = {key: passage for key, passage in zip(keys, passages, strict=True) if key not in scores}
        if missing and self._offline:
            raise RetrievalError(
                f"not in the cache, and offline: {counted(len(missing), 'score')} of reranker {self._name}:"
                " run it once without offline"
            )
        if missing:
            made = await self._reranker.score(query, list(missing.values()))
            scores |= zip(missing, made, strict=True)
            entries_to_store = [
                (key, repr(float(scores[key])).encode()) for key in missing if math.isfinite(scores[key])
            ]
            await self._cache.put_all(SCORE, entries_to_store)
        return [scores[key] for key in keys]
