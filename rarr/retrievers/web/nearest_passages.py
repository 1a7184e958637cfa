"""Chooses the passages of one document that have most in common with a query, by BM25."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log

from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.corpus.index_words import composed, stemming, terms

_K1, _B = 1.2, 0.75  # the usual values for BM25
_STEMS = stemming()


def nearest(passages: Sequence[Passage], query: str, most: int = PASSAGES_PER_DOCUMENT) -> Sequence[Passage]:
    """Returns the `most` passages that have the most in common with `query` by BM25, best first.

    The idf is computed within the document. Where no passage has a word in common with the query, the first
    passages are returned: a document begins with its topic, and may be in another language than the query.
    """
    if len(passages) <= 1:
        return passages
    wanted = dict.fromkeys(terms(query))
    whole = [_counts(passage.text) for passage in passages]
    counts = [({word: stems[word] for word in wanted if word in stems}, stems.total()) for stems in whole]
    average = sum(length for _, length in counts) / len(counts) or 1.0
    having = Counter(word for frequencies, _ in counts for word in frequencies)
    scores = [
        sum(
            log(1 + (len(passages) - having[word] + 0.5) / (having[word] + 0.5))
            * (count / (count + _K1 * (1 - _B + _B * length / average)))
            for word, count in frequencies.items()
        )
        for frequencies, length in counts
    ]
    order = sorted(range(len(passages)), key=lambda i: (-scores[i], i))[:most]
    return [passages[i] for i in order]


def nearest_by_source(passages: Sequence[Passage], query: str, k: int) -> list[Passage]:
    """Returns passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

    A source without a word in common with the query is returned too.
    """
    sources: dict[str, list[Passage]] = {}
    for passage in nearest(passages, query, len(passages)):
        if passage.source in sources or len(sources) < k:
            sources.setdefault(passage.source, []).append(passage)
    return [passage for best in sources.values() for passage in best[:PASSAGES_PER_DOCUMENT]]


@lru_cache(maxsize=2_000)  # many queries ask about the same passages
def _counts(text: str) -> Counter[str]:
    """Counts the stems of a text."""
    return Counter(word for piece in text.split() for word in _words(piece))


@lru_cache(maxsize=20_000)  # windows overlap
def _words(piece: str) -> tuple[str, ...]:
    return tuple(_STEMS.analyze(composed(piece)))
