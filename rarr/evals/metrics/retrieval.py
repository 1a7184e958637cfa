"""Metrics of a search among things that share a name (AmbER sets: Chen et al. 2021).

A set holds the queries of all entities of one name. Its head is the most popular entity, and the others are
tails. A document counts at its first place in a ranking. Intervals are bootstrap intervals over sets, since
the queries of a set depend on each other; the interval of `all_correct` is a Wilson interval.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from rarr.evals.metrics.statistics import Measured, bootstrap, share


class RankedQuery(NamedTuple):
    """A query of a set with the documents that a search returned, best first.

    `gold` are the documents of the entity that the query is about, `rivals` those of the other entities of
    its set.
    """

    set_id: str
    is_head: bool
    gold: frozenset[str]
    rivals: frozenset[str]
    ranking: tuple[str, ...]


def accuracy(queries: Sequence[RankedQuery], k: int = 1) -> Measured:
    """Computes the share of queries with a gold document among the first `k`."""
    return _share_over_sets(queries, lambda query: _is_accurate(query, k))


def confusion(queries: Sequence[RankedQuery]) -> Measured:
    """Computes the share of queries for which another entity of the set stands above the right one.

    A gold document that was not found counts as below all that were found.
    """

    def is_confused(query: RankedQuery) -> bool:
        places = [query.ranking.index(document) for document in query.gold if document in query.ranking]
        above = query.ranking[: min(places, default=len(query.ranking))]
        return not query.rivals.isdisjoint(above)

    return _share_over_sets(queries, is_confused)


def all_correct(queries: Sequence[RankedQuery]) -> Measured:
    """Computes the share of sets for all of whose queries the first document is a gold document."""
    return share([all(map(_is_accurate, members)) for members in _sets(queries)])


def _is_accurate(query: RankedQuery, k: int = 1) -> bool:
    return not query.gold.isdisjoint([*dict.fromkeys(query.ranking)][:k])


def _sets(queries: Sequence[RankedQuery]) -> list[list[RankedQuery]]:
    def name(query: RankedQuery) -> str:
        return query.set_id

    return [list(group) for _, group in groupby(sorted(queries, key=name), key=name)]


def _share_over_sets(queries: Sequence[RankedQuery], holds: Callable[[RankedQuery], bool]) -> Measured:
    """Computes the share over queries, with an interval from drawing whole sets."""
    groups = [[float(holds(query)) for query in members] for members in _sets(queries)]
    measured = bootstrap(groups, lambda drawn: fmean([each for group in drawn for each in group]))
    return measured.model_copy(update={"n": len(queries)})
