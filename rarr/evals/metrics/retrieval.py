"""Metrics of a search among things that share a name (AmbER sets: Chen et al. 2021).

A set holds the queries of all entities of one name. Its head is the most popular entity, and the others are
tails. A document counts at its first place in a ranking. Intervals are bootstrap intervals over sets, since
the queries of a set depend on each other; the interval of `all_correct` is a Wilson interval.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from rarr.evals.metrics.statistics import Measured, bootstrap, mean, share

GAP_WIDTH = 0.2
"""Width of a bin of popularity gaps; all gaps above 1 are in the last bin."""
_LAST_BIN = 5


class RankedQuery(NamedTuple):
    """A query of a set with the documents that a search returned, best first.

    `gold` are the documents of the entity that the query is about, `rivals` those of the other entities of
    its set. `popularity` is that of the entity, in any unit. `text` is what was asked.
    """

    set_id: str
    entity_id: str
    is_head: bool
    popularity: float
    gold: frozenset[str]
    rivals: frozenset[str]
    ranking: tuple[str, ...]
    text: str = ""


def is_accurate(query: RankedQuery, k: int = 1) -> bool:
    """Is a gold document among the first `k` documents?"""
    return not query.gold.isdisjoint([*dict.fromkeys(query.ranking)][:k])


def is_confused(query: RankedQuery) -> bool:
    """Does a document of another entity of the set stand above the first gold document?

    A gold document that was not found counts as below all that were found.
    """
    return bool(rivals_above(query))


def rivals_above(query: RankedQuery) -> list[str]:
    """Lists the documents of other entities of the set above the first gold document, best first."""
    places = [query.ranking.index(document) for document in query.gold if document in query.ranking]
    above = query.ranking[: min(places, default=len(query.ranking))]
    return [*dict.fromkeys(document for document in above if document in query.rivals)]


def accuracy_at(queries: Sequence[RankedQuery], k: int = 1) -> Measured:
    """Computes the share of queries with a gold document among the first `k`."""
    return _share_over_sets(queries, lambda query: is_accurate(query, k))


def entity_confusion(queries: Sequence[RankedQuery]) -> Measured:
    """Computes the share of queries for which another entity of the set stands above the right one."""
    return _share_over_sets(queries, is_confused)


def recall_at(queries: Sequence[RankedQuery], k: int) -> Measured:
    """Computes the mean share of the gold documents of a query that are among the first `k`."""

    def recall(query: RankedQuery) -> float:
        return len(query.gold.intersection([*dict.fromkeys(query.ranking)][:k])) / len(query.gold)

    return _share_over_sets(queries, recall)


def mean_reciprocal_rank(queries: Sequence[RankedQuery]) -> Measured:
    """Computes the mean of 1 / the rank of the first gold document; 0 for a query that found none."""

    def reciprocal(query: RankedQuery) -> float:
        documents = enumerate(dict.fromkeys(query.ranking), 1)
        return next((1 / rank for rank, document in documents if document in query.gold), 0.0)

    return _share_over_sets(queries, reciprocal)


def all_correct(queries: Sequence[RankedQuery]) -> Measured:
    """Computes the share of sets for all of whose queries the first document is a gold document."""
    return share([all(map(is_accurate, members)) for members in _sets(queries)])


def by_gap(queries: Sequence[RankedQuery]) -> Mapping[str, Measured]:
    """Computes how much accuracy at 1 a tail loses against its head, by the gap in popularity.

    Each pair of the head and a tail of a set has the gap (p_head - p_tail) / p_tail, and falls into a bin of
    20%; all gaps above 100% are in the last. The value is the mean of accuracy of the head minus accuracy of
    the tail. Bins without a pair are left out.
    """
    bins: dict[int, list[float]] = {}
    for members in _sets(queries):
        entities: dict[str, list[RankedQuery]] = {}
        for query in members:
            entities.setdefault(query.entity_id, []).append(query)
        for head in (group for group in entities.values() if group[0].is_head):
            for tail in (group for group in entities.values() if not group[0].is_head):
                bins.setdefault(_bin(head[0].popularity, tail[0].popularity), []).append(
                    _accuracy(head) - _accuracy(tail)
                )
    return {_bin_name(number): mean(bins[number]) for number in sorted(bins)}


def _accuracy(queries: Sequence[RankedQuery]) -> float:
    return fmean(map(is_accurate, queries))


def _bin(head: float, tail: float) -> int:
    gap = (head - tail) / tail if tail else float("inf")
    return min(int(round(gap / GAP_WIDTH, 9)), _LAST_BIN) if gap <= 1 else _LAST_BIN


def _bin_name(number: int) -> str:
    if number == _LAST_BIN:
        return "100% and more"
    return f"{number * 20}% to {number * 20 + 20}%"


def _sets(queries: Sequence[RankedQuery]) -> list[list[RankedQuery]]:
    def name(query: RankedQuery) -> str:
        return query.set_id

    return [list(group) for _, group in groupby(sorted(queries, key=name), key=name)]


def _share_over_sets(queries: Sequence[RankedQuery], value: Callable[[RankedQuery], float]) -> Measured:
    """Computes the mean of `value` over queries, with an interval from drawing whole sets."""
    groups = [[float(value(query)) for query in members] for members in _sets(queries)]
    measured = bootstrap(groups, lambda drawn: fmean([each for group in drawn for each in group]))
    return measured.model_copy(update={"n": len(queries)})
