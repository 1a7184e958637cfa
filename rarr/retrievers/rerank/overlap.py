"""Ranks passages by the words that they share with a query: BM25, and pairs of neighbouring words."""

import math
from collections import Counter
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.records import Passage
from rarr.retrievers.corpus.index_words import telling_stems
from rarr.tools.concurrency import require_awaited, work

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

    async def score_all(self, asked: Sequence[tuple[str, Sequence[Passage]]]) -> Sequence[Sequence[float]]:
        """Scores the passages of each query in one job."""
        return await work(_all_scores, asked)


def _all_scores(asked: Sequence[tuple[str, Sequence[Passage]]]) -> list[list[float]]:
    """Scores by one index the queries that share most passages, as for the coverage of a report."""
    distinct = {id(passage): passage for _, passages in asked for passage in passages}
    numbers = {name: number for number, name in enumerate(distinct)}
    index = OverlapIndex(list(distinct.values()))
    scores = []
    for query, passages in asked:
        require_awaited()
        if 2 * len(passages) < len(distinct):
            scores.append(overlap_scores(query, passages))
            continue
        own = [numbers[id(passage)] for passage in passages]
        of_all = index.scores(query, without=set(numbers.values()).difference(own))
        scores.append([of_all[number] for number in own])
    return scores


def overlap_scores(query: str, passages: Sequence[Passage]) -> list[float]:
    """Computes the relevance of each passage, from 0 to 1, as an `OverlapIndex` does."""
    return OverlapIndex(passages).scores(query)


class OverlapIndex:
    """Scores passages by the words that their titles and texts share with queries.

    0.7 for BM25 among these passages, as a share of the score of a passage that repeats every word many
    times; 0.3 for the share of the query's pairs of neighbouring words. Stop words do not count.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._counts = [_counts(passage.title, passage.text) for passage in passages]
        self._sizes = [it.size for it in self._counts]
        self._words: dict[str, list[tuple[int, int]]] = {}
        self._pairs: dict[tuple[str, str], list[int]] = {}

    def scores(self, query: str, without: Set[int] = frozenset()) -> list[float]:
        """Computes the relevance of each passage, from 0 to 1, as if those numbered `without` were none."""
        count = len(self._sizes) - len(without)
        mean = max(1.0, (sum(self._sizes) - sum(self._sizes[it] for it in without)) / max(1, count))
        words = telling_stems(query)
        weights: dict[str, float] = {}
        for word in words:
            frequency = len(self._having(word)) - sum(word in self._counts[it].stems for it in without)
            weights[word] = _weight(frequency, count)
        most, pairs = sum(weights.values()) or 1.0, set(pairwise(words))
        scores = [0.0] * len(self._sizes)
        for number, shared in Counter(it for pair in pairs for it in self._with_pair(pair)).items():
            scores[number] = PAIRS * shared / len(pairs)
        for word, weight in weights.items():
            for number, repeated in self._having(word):
                saturation = _K1 * (1 - _B + _B * self._sizes[number] / mean)
                scores[number] += BM25 * weight / most * repeated / (repeated + saturation)
        return scores

    def _having(self, word: str) -> list[tuple[int, int]]:
        """Returns the numbers of the passages that have the stem, and how often."""
        if word not in self._words:
            counts = ((number, it.stems.get(word, 0)) for number, it in enumerate(self._counts))
            self._words[word] = [pair for pair in counts if pair[1]]
        return self._words[word]

    def _with_pair(self, pair: tuple[str, str]) -> list[int]:
        if pair not in self._pairs:
            self._pairs[pair] = [number for number, it in enumerate(self._counts) if pair in it.pairs]
        return self._pairs[pair]


class _Counts(NamedTuple):
    """How often a passage has each stem, those of its title three times, and its pairs of neighbours."""

    stems: dict[str, int]
    size: int
    pairs: frozenset[tuple[str, str]]


@lru_cache(maxsize=4096)
def _counts(title: str, text: str) -> _Counts:
    heads, words = telling_stems(title), telling_stems(text)
    stems = [*heads * _TITLE, *words]
    return _Counts(Counter(stems), len(stems), frozenset([*pairwise(heads), *pairwise(words)]))


def _weight(frequency: int, count: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
