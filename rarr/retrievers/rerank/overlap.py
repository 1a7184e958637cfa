"""Ranks passages by the words that they share with a query: BM25, and pairs of neighbouring words."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
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
        """Returns the relevance of each passage, from 0 to 1, as an `OverlapIndex` does."""
        return (await self.score_all([(query, passages)]))[0]

    async def score_all(self, asked: Sequence[tuple[str, Sequence[Passage]]]) -> Sequence[Sequence[float]]:
        """Scores the passages of each query in one job."""

        def score(query: str, passages: Sequence[Passage]) -> list[float]:
            require_awaited()
            return OverlapIndex(passages).scores(query)

        return await work(lambda: [score(*each) for each in asked])


class OverlapIndex:
    """Scores passages by the words that their titles and texts share with queries.

    0.7 for BM25 among these passages, as a share of the score of a passage that repeats every word many
    times; 0.3 for the share of the query's pairs of neighbouring words. Stop words do not count.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._counts = [_counts(passage.title, passage.text) for passage in passages]
        self._mean = max(1.0, sum(it.size for it in self._counts) / max(1, len(self._counts)))

    def scores(self, query: str) -> list[float]:
        """Computes the relevance of each passage, from 0 to 1."""
        words = telling_stems(query)
        pairs = set(pairwise(words))
        scores = [PAIRS * len(pairs & it.pairs) / max(1, len(pairs)) for it in self._counts]
        having = {
            word: [(number, it.stems[word]) for number, it in enumerate(self._counts) if word in it.stems]
            for word in dict.fromkeys(words)
        }
        count, found = len(self._counts), {word: len(numbers) for word, numbers in having.items()}
        weights = {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in found.items()}
        most = sum(weights.values()) or 1.0
        for word, numbers in having.items():
            for number, repeated in numbers:
                saturation = _K1 * (1 - _B + _B * self._counts[number].size / self._mean)
                scores[number] += BM25 * weights[word] / most * repeated / (repeated + saturation)
        return scores

    def ranked(self, query: str) -> list[Passage]:
        """Returns all passages, the most relevant first; equal ones in their order."""
        scores = self.scores(query)
        return [self._passages[at] for at in sorted(range(len(scores)), key=lambda at: (-scores[at], at))]


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


def nearest(passages: Sequence[Passage], query: str, most: int = PASSAGES_PER_DOCUMENT) -> Sequence[Passage]:
    """Returns the `most` passages that have the most in common with `query`, best first.

    Where no passage has a word in common with the query, the first passages are returned: a document begins
    with its topic, and may be in another language than the query.
    """
    return OverlapIndex(passages).ranked(query)[:most] if len(passages) > 1 else passages
