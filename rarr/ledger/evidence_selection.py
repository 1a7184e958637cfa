"""Merges overlapping passages. Selects the evidence for the report (Gao et al. 2023, section 3.4)."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heapreplace, nlargest
from math import comb

from rarr.backends.source_lines import source_lines
from rarr.components import Components, Reranker
from rarr.records import Evidence, Notice, Passage, Query
from rarr.state import State, failure_notice, usable_evidence
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import span

Scored = Sequence[float] | Exception
"""The score of each passage of one query, or the error if the scoring failed."""
EXHAUSTIVE_SUBSETS = 200_000
"""If there are at most so many subsets, an exact search finds the best; else a greedy search, a good one."""
PassagePlace = tuple[str, int, int]
"""The source, start and end of a passage."""
Relevances = Mapping[str, Mapping[str, float]]
"""By query id and evidence id: the relevance to this query of passages that other queries found."""
MAX_EXCERPT_LINES = 12
"""The most sentences, list items and table rows of an excerpt, counted together."""


def evidence_of(passage: Passage, name: str, query_id: str = "", relevance: float = 1.0) -> Evidence:
    """Makes evidence with the id `name` from a passage, and finds out whether the passage is suspicious."""
    why = suspicion(f"{passage.title}\n{passage.text}")
    facts = {field: getattr(passage, field) for field in Passage.model_fields}
    return Evidence(**facts, id=name, query_id=query_id, relevance=relevance, suspicious=why)


def place_of(passage: Passage) -> PassagePlace:
    """Returns what identifies a passage that several queries may find: its source, start and end."""
    return passage.source, passage.start, passage.end


def select_evidence(
    evidence: Sequence[Evidence], most: int, relevances: Relevances | None = None
) -> tuple[list[str], float]:
    """Returns the ids of at most `most` passages with the greatest coverage, and this coverage.

    Coverage is the sum over all queries of the best relevance of a selected passage (Gao et al. 2023, section
    3.4). `relevances` has the relevances of passages to queries that did not find the passages themselves.
    """
    placed = {passage.id: place_of(passage) for passage in evidence}
    rows: dict[PassagePlace, dict[str, float]] = {place: {} for place in placed.values()}
    names = dict[PassagePlace, str]()  # the id of the first passage at each place
    for passage in evidence:
        names.setdefault(placed[passage.id], passage.id)
        row = rows[placed[passage.id]]
        row[passage.query_id] = max(passage.relevance, row.get(passage.query_id, 0.0))
    for query_id, by_evidence in (relevances or {}).items():
        for name in by_evidence.keys() & placed.keys():
            rows[placed[name]].setdefault(query_id, by_evidence[name])
    if not rows:
        return [], 0.0
    places, size = list(rows), min(most, len(rows))
    select = _best_rows if comb(len(rows), size) <= EXHAUSTIVE_SUBSETS else _greedy_rows
    chosen = [places[at] for at in select([*rows.values()], size)]
    return [names[place] for place in chosen], sum(_best_relevances(rows[place] for place in chosen).values())


def _best_relevances(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    covered: dict[str, float] = {}
    for row in rows:
        for query_id, value in row.items():
            covered[query_id] = max(value, covered.get(query_id, 0.0))
    return covered


def _best_rows(rows: Sequence[Mapping[str, float]], size: int) -> list[int]:
    """Returns the indexes of the `size` rows with most coverage. A row: a passage's relevance by query id."""
    best = _greedy_rows(rows, size)
    most = sum(_best_relevances(rows[at] for at in best).values())
    queries = _best_relevances(rows)
    columns = [[row.get(query_id, 0.0) for query_id in queries] for row in rows]

    def extend(chosen: list[int], covered: list[float], free: Iterable[int]) -> None:
        nonlocal best, most
        total, wanted = sum(covered), size - len(chosen)
        if not wanted and total > most:
            best, most = chosen, total
        # The best row comes first: a gain is negative here.
        ranked = sorted((total - sum(map(max, covered, columns[at])), at) for at in free)
        for number, (_, at) in enumerate(ranked):
            # The gain of a row does not grow when another row is added.
            if total - sum(negative for negative, _ in ranked[number : number + wanted]) <= most + 1e-9:
                return
            rest = [later for _, later in ranked[number + 1 :]]
            extend([*chosen, at], list(map(max, covered, columns[at])), rest)

    extend([], [0.0] * len(queries), range(len(rows)))
    return sorted(best)


def _greedy_rows(rows: Sequence[Mapping[str, float]], size: int) -> list[int]:
    """Selects `size` rows one by one, with at least 1 - 1/e of the best coverage (Nemhauser et al. 1978)."""
    covered, chosen = dict.fromkeys(_best_relevances(rows), 0.0), list[int]()
    gains = [(-sum(row.values()), at) for at, row in enumerate(rows)]
    heapify(gains)
    while len(chosen) < size:
        at = gains[0][1]
        better = [(name, value) for name, value in rows[at].items() if value > covered[name]]
        gain = sum([value - covered[name] for name, value in better])
        heapreplace(gains, (-gain, at))
        if gains[0][1] == at:  # its new gain is the greatest, and other gains can only become smaller
            heappop(gains)
            chosen.append(at)
            covered.update(better)
    return chosen


async def scores_by_query(
    name: str, wanted: Mapping[Query, Sequence[Passage]], reranker: Reranker, *, best: int = 0
) -> list[Scored]:
    """Scores the passages of each query in `wanted`, in one call if the reranker has `score_all`.

    Returns for each query the scores of its passages, or an error. The trace gets for each query a span with
    this `name`. The span has the scores and places of the `best` passages with the highest scores.
    """
    at_once: Sequence[Sequence[float] | None] = [None] * len(wanted)

    async def score_query(query: Query, scores: Sequence[float] | None) -> Scored:
        passages = wanted[query]
        try:
            with span("score", name, query.id) as scoring:
                if scores is None:
                    async with meter().in_time(meter().grace_s):
                        scores = await reranker.score(query.text, passages)
                if best:
                    pairs = nlargest(best, zip(scores, passages, strict=True), key=lambda pair: pair[0])
                    shown = [(score, *place_of(passage)) for score, passage in pairs]
                    scoring.body.update(passages=len(passages), best=shown)
        except Exception as error:
            return error
        return scores

    if score_all := getattr(reranker, "score_all", None):
        try:
            async with meter().in_time(meter().grace_s):
                at_once = await score_all([(query.text, wanted[query]) for query in wanted])
        except Exception as error:
            return [error for _ in wanted]
    return await asyncio.gather(*map(score_query, wanted, at_once))


async def all_relevances(
    state: State, components: Components
) -> tuple[dict[str, dict[str, float]], list[Notice]]:
    """Scores for each query the passages that other queries found (Gao et al. 2023, section 3.4).

    Returns the scores by query id and evidence id, and a notice for each query whose scoring failed.
    """
    relevances = {query_id: dict(scores) for query_id, scores in state.get("relevances", {}).items()}
    missing, notices = await work(_unscored_passages, state, relevances), list[Notice]()
    outcomes = await scores_by_query("coverage", missing, components.reranker)
    for (query, passages), scores in zip(missing.items(), outcomes, strict=True):
        if isinstance(scores, Exception):
            problem, code = "passages of other queries could not be weighed for it", "coverage_incomplete"
            notices.append(failure_notice("attribute", problem, scores, code=code, query_id=query.id))
        else:
            ids = (passage.id for passage in passages)
            relevances.setdefault(query.id, {}).update(zip(ids, scores, strict=True))
    return relevances, notices


def _unscored_passages(state: State, relevances: Relevances) -> dict[Query, list[Evidence]]:
    """Returns for each query one passage of each place, unless a passage there has a score for the query."""
    placed = {passage.id: (place_of(passage), passage) for passage in usable_evidence(state)}
    done = {(passage.query_id, place) for place, passage in placed.values()}
    done |= {(query_id, placed[it][0]) for query_id, ids in relevances.items() for it in ids if it in placed}
    first: dict[PassagePlace, Evidence] = {}
    for place, passage in placed.values():
        first.setdefault(place, passage)
    missing = {
        query: [passage for place, passage in first.items() if (query.id, place) not in done]
        for query in state.get("queries", [])
    }
    return {query: passages for query, passages in missing.items() if passages}


def merged_excerpts(kept: Sequence[Evidence]) -> tuple[list[Evidence], dict[str, list[str]]]:
    """Merges overlapping passages of one source into excerpts, except suspicious passages.

    Returns the excerpts, and the ids of the excerpts of each query, by query id. `kept` must be in the order
    of the queries. An excerpt has the query and relevance of the passage that is first in `kept`. The id
    of an excerpt is the query id and a number (`q1.1`). Passages that the caller gave keep their ids.
    """
    order = {passage.id: number for number, passage in enumerate(kept)}
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for passage in sorted(kept, key=lambda it: (it.start, it.end, order[it.id])):
        if not passage.suspicious:
            groups[passage.source, passage.title].append(passage)
    runs = [run for group in groups.values() for run in _excerpts(group, order)]
    runs += [(passage, []) for passage in kept if passage.suspicious]
    excerpts, counts = list[Evidence](), Counter[str]()
    by_query: dict[str, dict[str, None]] = defaultdict(dict)
    for first, members in sorted(runs, key=lambda run: order[run[0].id]):
        counts[first.query_id] += not is_given_id(first.id)
        # The number counts the excerpts of one query, so that a replay without passages gives the same ids.
        name = first.id if is_given_id(first.id) else f"{first.query_id}.{counts[first.query_id]}"
        excerpts.append(first.model_copy(update={"id": name}))
        for passage in members:
            by_query[passage.query_id][name] = None
    return excerpts, {query_id: list(ids) for query_id, ids in by_query.items()}


def is_given_id(evidence_id: str) -> bool:
    """Tells whether this is the id of a passage that the caller gave, not of a passage from a search."""
    return evidence_id.startswith("g")


def _excerpts(group: Sequence[Evidence], order: Mapping[str, int]) -> list[tuple[Evidence, list[Evidence]]]:
    """Joins overlapping passages. Returns (excerpt, its passages). `order`: each id's number in `kept`."""
    runs, end = list[tuple[str, int, list[Evidence]]](), 0
    for passage in group:
        text, start, members = runs[-1] if runs else ("", 0, [])
        cut = max(0, end - passage.start)
        rest = passage.text[cut:]
        meets = bool(runs) and passage.start <= end and _overlap_agrees(text, start, passage)
        if meets and (not rest or len(source_lines(text + rest)) <= MAX_EXCERPT_LINES):
            runs[-1] = text + rest, start, [*members, passage]
            end = max(end, passage.end)
        else:
            left = len(rest) - len(rest.lstrip())
            runs.append((rest.lstrip(), passage.start + cut + left, [passage]))
            end = passage.end
    excerpts = []
    for text, start, members in runs:
        first = min(members, key=lambda passage: order[passage.id])
        place = {"text": text, "start": start, "end": start + len(text), "lead": members[0].lead}
        excerpts.append((first.model_copy(update=place), members))
    return excerpts


def _overlap_agrees(text: str, start: int, passage: Evidence) -> bool:
    """Tells whether `text`, which begins at `start`, and the passage are equal where they overlap."""
    begin = max(start, passage.start)
    ours, theirs = text[begin - start :], passage.text[begin - passage.start :]
    return ours.startswith(theirs) or theirs.startswith(ours)
