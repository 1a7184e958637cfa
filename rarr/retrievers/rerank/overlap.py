"""Ranks passages by the words that they share with a query: BM25, and pairs of neighbouring words."""

import math
from collections import Counter
from collections.abc import Sequence
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
    scores = []
    for query, passages in asked:
        require_awaited()
        scores.append(overlap_scores(query, passages))
    return scores


def overlap_scores(query: str, passages: Sequence[Passage]) -> list[float]:
    """Computes the relevance of each passage, from 0 to 1, by the words that its title and text share.

    0.7 for BM25 among these passages, as a share of the score of a passage that repeats every word many
    times; 0.3 for the share of the query's pairs of neighbouring words. Stop words do not count.
    """
    counts = [_counts(passage.title, passage.text) for passage in passages]
    mean = max(1.0, sum(it.size for it in counts) / max(1, len(counts)))
    words = telling_stems(query)
    found = {word: [it.stems.get(word, 0) for it in counts] for word in words}
    weights = {
        word: _weight(len(counts) - by_passage.count(0), len(counts)) for word, by_passage in found.items()
    }
    most, pairs = sum(weights.values()) or 1.0, set(pairwise(words))
    scores = [PAIRS * len(pairs & it.pairs) / len(pairs) if pairs else 0.0 for it in counts]
    for word, by_passage in found.items():
        for number, count in enumerate(by_passage):
            if count:
                saturation = _K1 * (1 - _B + _B * counts[number].size / mean)
                scores[number] += BM25 * weights[word] / most * count / (count + saturation)
    return scores


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
