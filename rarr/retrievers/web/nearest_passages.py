"""Chooses the passages of one document that have most in common with a query."""

from collections.abc import Sequence

from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.rerank.overlap import OverlapIndex


def nearest(passages: Sequence[Passage], query: str, most: int = PASSAGES_PER_DOCUMENT) -> Sequence[Passage]:
    """Returns the `most` passages that have the most in common with `query`, as `overlap_scores`, best first.

    Where no passage has a word in common with the query, the first passages are returned: a document begins
    with its topic, and may be in another language than the query.
    """
    return _ranked(passages, OverlapIndex(passages), query)[:most] if len(passages) > 1 else passages


def nearest_by_source(
    passages: Sequence[Passage], query: str, k: int, index: OverlapIndex | None = None
) -> list[Passage]:
    """Returns passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

    A source without a word in common with the query is returned too. `index` is that of the passages.
    """
    sources: dict[str, list[Passage]] = {}
    for passage in _ranked(passages, index or OverlapIndex(passages), query):
        if passage.source in sources or len(sources) < k:
            sources.setdefault(passage.source, []).append(passage)
    return [passage for best in sources.values() for passage in best[:PASSAGES_PER_DOCUMENT]]


def _ranked(passages: Sequence[Passage], index: OverlapIndex, query: str) -> list[Passage]:
    scores = index.scores(query)
    return [passages[at] for at in sorted(range(len(passages)), key=lambda at: (-scores[at], at))]
