"""Asks the verifier how well evidence supports sentences; also moves places into an edited text."""

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from rarr.components import Classifier, Components, Verifier
from rarr.ledger.ais_scores import best_support
from rarr.records import AttributionClass, Change, Edit, Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.attribution_class_by_support import attribution_class
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.trace_spans import about


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
        """The best support by one evidence; 0 if a search found no evidence, None if nothing was judged."""
        if not self.searched and not self.by_evidence:
            return None
        return best_support(list(self.by_evidence.values()))


async def sentence_support(
    node: str,
    state: State,
    text: str,
    queries: Sequence[Query],
    components: Components,
    *,
    within: Span | None = None,
    without: Collection[Span] = (),
    grace: float = 0.0,
) -> tuple[list[Support], list[Notice]]:
    """Asks the verifier for the support of each sentence of `text`, in which `queries` have their places.

    Returns the supports, and a notice for each evidence that could not be judged.

    A sentence is judged against the evidence of the queries about it and about its neighbours, because the
    evidence for a sentence often supports the next sentence. With `within`, only sentences in this span are
    judged; those at the places of `without` are not. Judging may go on until `grace` seconds after the
    deadline.
    """
    spans, asked, chosen, near = await work(_aligned, text, queries, within, without)
    evidence = [passage for passage in usable(state) if passage.query_id in near]
    places = [[spans[index] for index in near[passage.query_id]] for passage in evidence]
    outcomes = await asyncio.gather(
        *(
            evidence_support(node, text, state["context"], *pair, components, grace)
            for pair in zip(places, evidence, strict=True)
        )
    )
    scores: list[dict[str, float | None]] = [{} for _ in spans]
    for passage, (judged, _) in zip(evidence, outcomes, strict=True):
        for index, score in zip(near[passage.query_id], judged, strict=True):
            scores[index][passage.id] = score
    failed = state.get("unsearched", {}).keys()
    supports = [
        Support(
            spans[index], ids := tuple(asked.get(index, ())), scores[index],
            bool(ids) and failed.isdisjoint(ids),
        )
        for index in chosen
    ]  # fmt: skip
    return supports, [notice for _, notice in outcomes if notice is not None]


def _aligned(
    text: str, queries: Sequence[Query], within: Span | None, without: Collection[Span]
) -> tuple[Sequence[Span], dict[int, list[str]], list[int], dict[str, list[int]]]:
    """Splits `text` into sentences and finds which queries concern them.

    Returns the sentences, the query ids of each, the indexes of those to judge, and of those near each query.
    """
    spans = sentences(text)
    asked = _queries_by_sentence(spans, queries)
    chosen = [
        index
        for index, span in enumerate(spans)
        if (within is None or span.overlaps(within)) and span not in without
    ]
    return spans, asked, chosen, _sentences_near(chosen, asked)


async def own_support(
    node: str, state: State, text: str, queries: Sequence[Query], components: Components
) -> tuple[list[Support], list[Notice]]:
    """Asks the verifier for the support of the sentences of `text`, with notices about failures.

    In a block of a long text, the lead-in before the block is not judged. Evidence found before the deadline
    may be judged a little after it.
    """
    lead, grace = state.get("lead", 0), meter().grace
    within = Span(lead, len(text)) if lead else None
    return await sentence_support(node, state, text, queries, components, within=within, grace=grace)


def _sentences_near(chosen: Sequence[int], asked: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """Returns for each query the indexes of the chosen sentences that it is about or that are next to one."""
    near: dict[str, list[int]] = defaultdict(list)
    for index in chosen:
        for query_id in {q for i in (index - 1, index, index + 1) for q in asked.get(i, ())}:
            near[query_id].append(index)
    return near


async def evidence_support(
    node: str,
    text: str,
    context: str | None,
    places: Sequence[Span],
    evidence: Evidence,
    components: Components,
    grace: float,
) -> tuple[Sequence[float | None], Notice | None]:
    """Asks for the support of sentences by one evidence. If the verifier fails: None for all and a notice."""
    try:
        with about(evidence.id):
            async with meter().in_time(grace):
                judged = await components.verifier.support(text, context, places, evidence)
        return [score for _, score in zip(places, judged, strict=True)], None
    except Exception as error:
        problem = f"support by {evidence.id} could not be judged"
        notice = failure(node, problem, error, code="verification_failed", query_id=evidence.query_id)
        return [None] * len(places), notice


async def classify_sentences(
    verifier: Verifier,
    text: str,
    context: str | None,
    spans: Sequence[Span],
    evidence: Evidence,
    *,
    threshold: float,
) -> Sequence[AttributionClass | None]:
    """Asks any verifier for the class of each sentence of `text` at `spans` by `evidence`; None: not judged.

    A verifier that is no `Classifier` gives support only: a sentence with at least `threshold` is
    attributable, others are extrapolatory. Errors of the verifier are passed on.
    """
    if isinstance(verifier, Classifier):
        return await verifier.classify(text, context, spans, evidence)
    supports = await verifier.support(text, context, spans, evidence)
    return [attribution_class(support, threshold) for support in supports]


def moved_queries(queries: Sequence[Query], edits: Sequence[Edit]) -> list[Query]:
    """Returns the queries, with their places moved to the text after the accepted `edits`."""
    accepted = [edit for edit in edits if edit.accepted]
    places = [moved_place(Span(query.start, query.end), accepted) for query in queries]
    return [
        query if place == (query.start, query.end) else query.model_copy(update=place._asdict())
        for query, place in zip(queries, places, strict=True)
    ]


def moved_place(place: Span, changes: Sequence[Change]) -> Span:
    """Returns the place, moved to the text after `changes`, which were made one after another."""
    for change in changes:
        place = _shifted_place(place, change.start, change.end, change.start + len(change.new))
    return place


def moved_back(place: Span, edits: Sequence[Edit]) -> Span:
    """Takes a place in the text after the accepted `edits`, and returns its place in the text before them."""
    for edit in reversed([edit for edit in edits if edit.accepted]):
        place = _shifted_place(place, edit.start, edit.start + len(edit.new), edit.end)
    return place


def _shifted_place(place: Span, start: int, old_end: int, new_end: int) -> Span:
    """Moves a place behind a change with the text. A place that the change overlaps grows to cover it all."""
    grown = new_end - old_end
    if place.end <= start:
        return place
    if old_end <= place.start:
        return Span(place.start + grown, place.end + grown)
    return Span(min(place.start, start), max(place.end, old_end) + grown)


def _queries_by_sentence(spans: Sequence[Span], queries: Sequence[Query]) -> dict[int, list[str]]:
    """Returns the ids of the queries about each sentence, by the sentence's index."""
    starts = [span.start for span in spans]
    asked: dict[int, list[str]] = defaultdict(list)
    for query in queries:
        index = max(0, bisect_right(starts, query.start) - 1)
        while index < len(spans) and spans[index].start < query.end:
            if spans[index].overlaps(Span(query.start, query.end)):
                asked[index].append(query.id)
            index += 1
    return asked
