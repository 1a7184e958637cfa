"""Which evidence bears on which sentence, and how far it supports it; shared by attribution and scores."""

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.components import Components
from rarr.agent.state import State
from rarr.records import Edit, Evidence, Notice, Query
from rarr.tools.document import Span, sentences


class Support(NamedTuple):
    """A sentence, the queries about it, and its support by each evidence (None: could not be judged).

    `searched`: there are queries about it, and no search for them failed.
    """

    span: Span
    query_ids: tuple[str, ...]
    by_evidence: dict[str, float | None]
    searched: bool

    @property
    def best(self) -> float | None:
        """The best entailment by one evidence; 0 where a search found none, None where nothing was judged."""
        judged = [score for score in self.by_evidence.values() if score is not None]
        if judged:
            return max(judged)
        return 0.0 if self.searched and not self.by_evidence else None


async def sentence_support(
    state: State, text: str, queries: Sequence[Query], components: Components
) -> tuple[list[Support], list[Notice]]:
    """The support of every sentence of `text`, where `queries` have their places in it, and what failed.

    A sentence is judged against the evidence of the queries about it and about its neighbours: what was
    found for one sentence often supports the next.
    """
    spans = sentences(text)
    asked = _queries_of(spans, queries)
    near: dict[str, list[int]] = defaultdict(list)
    for index in range(len(spans)):
        for query_id in {q for i in (index - 1, index, index + 1) for q in asked.get(i, ())}:
            near[query_id].append(index)
    scores: list[dict[str, float | None]] = [{} for _ in spans]

    async def judge(one: Evidence) -> Notice | None:
        indexes = near[one.query_id]
        places = [spans[index] for index in indexes]
        try:
            judged = await components.verifier.support(text, state["context"], places, one)
            pairs, failure = list(zip(indexes, judged, strict=True)), None
        except Exception as error:
            pairs, failure = [(index, None) for index in indexes], _failure(error, one)
        for index, score in pairs:
            scores[index][one.id] = score
        return failure

    evidence = [one for one in state.get("evidence", []) if near[one.query_id]]
    failures = await asyncio.gather(*map(judge, evidence))
    failed = failed_searches(state)
    supports = [
        Support(span, ids := tuple(asked.get(index, ())), scores[index], bool(ids) and not failed & set(ids))
        for index, span in enumerate(spans)
    ]
    return supports, [failure for failure in failures if failure is not None]


def failed_searches(state: State) -> set[str]:
    """The ids of the queries whose research failed."""
    return {
        notice.query_id
        for notice in state["warnings"]
        if notice.node in ("retrieve", "rerank") and notice.query_id is not None
    }


def moved(queries: Sequence[Query], edits: Sequence[Edit]) -> list[Query]:
    """The queries of a text with their places in the text after the accepted `edits`."""
    for edit in edits:
        if edit.accepted:
            queries = [_moved(query, edit.start, edit.end, edit.start + len(edit.new)) for query in queries]
    return list(queries)


def moved_back(queries: Sequence[Query], edits: Sequence[Edit]) -> list[Query]:
    """The queries of an edited text with their places in the text before the accepted `edits`."""
    for edit in reversed(edits):
        if edit.accepted:
            queries = [_moved(query, edit.start, edit.start + len(edit.new), edit.end) for query in queries]
    return list(queries)


def _moved(query: Query, start: int, old_end: int, new_end: int) -> Query:
    """Behind the change a query moves along; one that the change overlaps covers all of it."""
    if query.end <= start:
        return query
    grown = new_end - old_end
    if old_end <= query.start:
        return query.model_copy(update={"start": query.start + grown, "end": query.end + grown})
    return query.model_copy(update={"start": min(query.start, start), "end": max(query.end, old_end) + grown})


def _failure(error: Exception, evidence: Evidence) -> Notice:
    return Notice(
        code="verification_failed",
        message=f"support by {evidence.id} could not be judged: {type(error).__name__}: {error}",
        node="attribute",
        query_id=evidence.query_id,
    )


def _queries_of(spans: Sequence[Span], queries: Sequence[Query]) -> dict[int, list[str]]:
    """The ids of the queries about each sentence, by the sentence's index."""
    starts = [span.start for span in spans]
    asked: dict[int, list[str]] = defaultdict(list)
    for query in queries:
        index = max(0, bisect_right(starts, query.start) - 1)
        while index < len(spans) and spans[index].start < query.end:
            if spans[index].overlaps(Span(query.start, query.end)):
                asked[index].append(query.id)
            index += 1
    return asked
