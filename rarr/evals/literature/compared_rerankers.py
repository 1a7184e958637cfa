"""Makes the rerankers that the benchmark of WikiGenBench compares beside those of the settings."""

import hashlib
from collections.abc import Sequence

from rarr.components import Reranker
from rarr.records import Passage
from rarr.retrievers.web.nearest_passages import nearest
from rarr.tools.concurrency import work

BM25, RANDOM = "bm25", "random"


class Bm25Reranker:
    """A reranker by BM25 alone: the best passage has 1, and each further one less by the same amount."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from above 0 to 1."""
        order = await work(nearest, passages, query, len(passages))
        ranks = {id(passage): rank for rank, passage in enumerate(order)}
        return [1 - ranks[id(passage)] / len(passages) for passage in passages]


class RandomReranker:
    """A reranker that ignores what is written: scores are digests of query and passage."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns a score for each passage, above 0 and at most 1; always the same for the same texts."""
        return [_share(f"{query}\n{each.source}\n{each.start}") for each in passages]


def compared_reranker(name: str) -> Reranker | None:
    """Returns the reranker `bm25` or `random`; None for a name of the settings."""
    if name == BM25:
        return Bm25Reranker()
    return RandomReranker() if name == RANDOM else None


def _share(text: str) -> float:
    return (int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) + 1) / 16**12
