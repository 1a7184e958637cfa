"""Wraps a reranker so that its scores are stored in the cache."""

import math
from collections.abc import Sequence
from typing import Protocol

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.cache import Cache
from rarr.tools.text.plurals_and_articles import counted

SCORE = "score"
"""The kind under which the cache stores scores."""


class Scorer(Protocol):
    """The interface of a reranker, as `CachedReranker` uses it."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns a score for each passage, in order."""


class CachedReranker:
    """Scores passages with `reranker`, stores the scores in the cache, and takes known scores from there.

    `name` identifies everything that scores depend on.
    A `local` reranker needs no network, so it is asked offline as well.
    """

    def __init__(self, reranker: Scorer, cache: Cache, name: str, *, local: bool = False) -> None:
        self._reranker, self._cache, self._name = reranker, cache, name
        self._offline = cache.offline and not local

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the score of each passage, in order. Raises `RetrievalError` if offline and not cached."""
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
