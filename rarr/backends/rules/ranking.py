"""Rule-based reranking: scores passages by BM25 and by the query's words, names and dates that they have."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.values import Value, checkable_values
from rarr.backends.rules.words import word_tokens
from rarr.records import Passage
from rarr.tools.concurrency.worker_threads import work

# Okapi BM25's usual constants.
_K1, _B = 1.2, 0.75
# In scripts without spaces each character counts as a word, as in the index of a corpus.
_CHARACTER = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class OverlapReranker:
    """A reranker by rules: adds BM25, the share of the query's words, and that of its names and dates."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from 0 to 1.

        0.5 for BM25, 0.3 for the share of the query's words, 0.2 for the share of its names and dates.
        """
        return await work(overlap_scores, query, passages)


def overlap_scores(query: str, passages: Sequence[Passage]) -> list[float]:
    """Computes the relevance of each passage, from 0 to 1.

    0.5 for BM25, 0.3 for the share of the query's words, 0.2 for the share of its names and dates.
    """
    terms = [token.stem for token in word_tokens(query) if token.stem] + _CHARACTER.findall(query)
    named = [value for value in checkable_values(query) if value.kind in ("name", "date")]
    counted = _counted(tuple((candidate.text, candidate.title) for candidate in passages))
    weights = {term: _weight(counted.frequency[term], len(passages)) for term in terms}
    return [
        0.5 * _bm25(weights, bag, saturation)
        + 0.3 * sum(term in bag for term in terms) / max(1, len(terms))
        + 0.2 * (sum(_holds(candidate, value) for value in named) / len(named) if named else 0.0)
        for candidate, bag, saturation in zip(passages, counted.bags, counted.saturations, strict=True)
    ]


class _Counts(NamedTuple):
    """The stems of each passage, in how many passages each stem is, and the saturations of BM25."""

    bags: tuple[Counter[str], ...]
    frequency: Counter[str]
    saturations: tuple[float, ...]


@lru_cache(maxsize=32)
def _counted(passages: tuple[tuple[str, str], ...]) -> _Counts:
    """Counts the stems of passages, by text and title; many queries of a run have the same passages."""
    bags = tuple(_bag(text, title) for text, title in passages)
    length = sum(bag.total() for bag in bags) / max(1, len(bags))
    saturations = (_K1 * (1 - _B + _B * bag.total() / max(length, 1.0)) for bag in bags)
    return _Counts(bags, Counter(stem for bag in bags for stem in bag), tuple(saturations))


@lru_cache(maxsize=1024)
def _bag(text: str, title: str) -> Counter[str]:
    analysed = parsed_passage(text, title)
    words = [word.stem for part in analysed.sentences for word in part.content]
    return Counter([*words, *analysed.title_stems, *_CHARACTER.findall(f"{title}\n{text}")])


def _weight(frequency: int, count: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def _bm25(weights: Mapping[str, float], bag: Counter[str], saturation: float) -> float:
    """Computes BM25 as a share of the score of a passage that repeats every term many times."""
    got = sum(weight * bag[term] / (bag[term] + saturation) for term, weight in weights.items())
    most = sum(weights.values())
    return got / most if most else 0.0


def _holds(candidate: Passage, value: Value) -> bool:
    analysed = parsed_passage(candidate.text, candidate.title)
    if isinstance(value.read, ProperName):
        return analysed.key_words.issuperset(key_words(value.read.text))
    return analysed.holds(value)
