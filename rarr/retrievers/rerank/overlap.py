"""Ranks passages by the words that they share with a query: BM25, and pairs of neighbouring words."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.records import Passage
from rarr.retrievers.corpus.index_words import telling_stems
from rarr.tools.concurrency.worker_threads import work

# Okapi BM25's usual constants.
_K1, _B = 1.2, 0.75
# Near these shares, and this weight of a title's words, most right passages came first on dev
# (python -m benchmarks.retrieval).
BM25, PAIRS = 0.7, 0.3
_TITLE = 3


class OverlapReranker:
    """A reranker that compares the stems of words, as the index of a corpus has them."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from 0 to 1, as `overlap_scores` does."""
        return await work(overlap_scores, query, passages)


def overlap_scores(query: str, passages: Sequence[Passage]) -> list[float]:
    """Computes the relevance of each passage, from 0 to 1, by the words that its title and text share.

    0.7 for BM25 among these passages, as a share of the score of a passage that repeats every word many
    times; 0.3 for the share of the query's pairs of neighbouring words. Stop words do not count.
    """
    counted = _counted(tuple((passage.title, passage.text) for passage in passages))
    words = telling_stems(query)
    weights = {word: _weight(len(counted.places.get(word, ())), len(passages)) for word in words}
    most, pairs = sum(weights.values()), set(pairwise(words))
    scores = [0.0] * len(passages)
    for word, weight in weights.items():
        for place, count in counted.places.get(word, ()):
            scores[place] += BM25 * weight / most * count / (count + counted.saturations[place])
    for pair in pairs:
        for place, _ in counted.places.get(pair[0], ()):
            if pair in counted.passages[place].pairs:
                scores[place] += PAIRS / len(pairs)
    return scores


class _Counts(NamedTuple):
    """How often a passage has each stem, those of its title three times, and its pairs of neighbours."""

    stems: Counter[str]
    pairs: frozenset[tuple[str, str]]


class _Counted(NamedTuple):
    """The passages, the numbers of those that have a stem with its count, and BM25's saturations."""

    passages: tuple[_Counts, ...]
    places: dict[str, list[tuple[int, int]]]
    saturations: tuple[float, ...]


@lru_cache(maxsize=32)
def _counted(passages: tuple[tuple[str, str], ...]) -> _Counted:
    """Counts the stems of passages, by title and text; many queries of a run have the same passages."""
    counts = tuple(_counts(title, text) for title, text in passages)
    sizes = [it.stems.total() for it in counts]
    mean = max(1.0, sum(sizes) / max(1, len(sizes)))
    places: dict[str, list[tuple[int, int]]] = {}
    for number, it in enumerate(counts):
        for stem, count in it.stems.items():
            places.setdefault(stem, []).append((number, count))
    return _Counted(counts, places, tuple(_K1 * (1 - _B + _B * size / mean) for size in sizes))


@lru_cache(maxsize=2048)
def _counts(title: str, text: str) -> _Counts:
    heads, words = telling_stems(title), telling_stems(text)
    return _Counts(Counter(heads * _TITLE + words), frozenset([*pairwise(heads), *pairwise(words)]))


def _weight(frequency: int, count: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
