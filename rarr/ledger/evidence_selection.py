"""Selects the evidence of the report, at most M that cover the queries best (Gao et al. 2023, 3.4)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from rarr.records import Evidence

# Up to this number of subsets, all are compared; above it, a greedy choice comes close to the best.
EXHAUSTIVE_SUBSETS = 2000

Place = tuple[str, int, int]  # source, start and end of a passage


Relevances = Mapping[str, Mapping[str, float]]
"""By query id and evidence id: how relevant passages of other queries are to the query."""


def place_of(passage: Evidence) -> Place:
    """Returns the source, start and end of a passage. Evidence of several queries may have one place."""
    return passage.source, passage.start, passage.end


def select_evidence(
    evidence: Sequence[Evidence], most: int, relevances: Relevances | None = None
) -> tuple[list[str], float]:
    """Selects at most `most` evidences that maximise coverage: the sum over queries of the best relevance.

    Returns their ids and the coverage (Gao et al. 2023, section 3.4). A passage covers its own query by its
    relevance, and every other query by `relevances`. A passage that is evidence for several queries is
    selected once.
    """
    passages: dict[Place, dict[str, float]] = defaultdict(dict)
    names: dict[Place, str] = {}
    for passage in evidence:
        place = place_of(passage)
        passages[place][passage.query_id] = max(passage.relevance, passages[place].get(passage.query_id, 0.0))
        names.setdefault(place, passage.id)
    placed = {passage.id: place_of(passage) for passage in evidence}
    for query_id, by_evidence in (relevances or {}).items():
        for name in by_evidence.keys() & placed.keys():
            passages[placed[name]].setdefault(query_id, by_evidence[name])
    places = list(passages)
    size = min(most, len(places))
    queries = list(dict.fromkeys(query_id for relevance in passages.values() for query_id in relevance))
    rows = {p: [passages[p].get(query_id, 0.0) for query_id in queries] for p in places}
    if comb(len(places), size) <= EXHAUSTIVE_SUBSETS:
        best = max(combinations(places, size), key=lambda subset: _coverage([rows[p] for p in subset]))
        chosen = list(best)
    else:
        chosen = _greedy(places, passages, size)
    return [names[place] for place in chosen], _coverage([rows[place] for place in chosen])


def _coverage(rows: Sequence[Sequence[float]]) -> float:
    """Adds up the best relevance to each query; a row has the relevances of one passage to all queries."""
    return float(sum(map(max, zip(*rows, strict=True))))


def _greedy(places: list[Place], passages: dict[Place, dict[str, float]], size: int) -> list[Place]:
    """Selects `size` places: adds the place that raises coverage most each time.

    Coverage is submodular, so this reaches 1 - 1/e of the best.
    """
    chosen: list[Place] = []
    covered: dict[str, float] = {}

    def gain(place: Place) -> float:
        return sum(max(0.0, value - covered.get(q, 0.0)) for q, value in passages[place].items())

    while len(chosen) < size:
        best = max((place for place in places if place not in chosen), key=gain)
        chosen.append(best)
        covered |= {q: max(value, covered.get(q, 0.0)) for q, value in passages[best].items()}
    return chosen
