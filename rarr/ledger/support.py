"""Which evidence bears on which sentence, and how far it supports it; shared by attribution and scores."""

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.components import AsksModel, Classifier, Components, Verifier
from rarr.ledger.attribution import best_support
from rarr.records import AttributionClass, Change, Edit, Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.concurrency.worker import work
from rarr.tools.models.meter import meter
from rarr.tools.spans import about
from rarr.tools.text.attribution_classes import attribution_class
from rarr.tools.text.document import Span, sentences


class Support(NamedTuple):
    """A sentence, the queries about it, and its support by each evidence (None: could not be judged).

    `searched`: there are queries about it, and no search for them failed. `refuting` is the evidence by which
    the verifier finds it contradicted, whatever its support; `unclassified` the evidence of which the
    verifier failed to say whether it contradicts the sentence.
    """

    span: Span
    query_ids: tuple[str, ...]
    by_evidence: dict[str, float | None]
    searched: bool
    refuting: frozenset[str] = frozenset()
    unclassified: frozenset[str] = frozenset()

    @property
    def best(self) -> float | None:
        """The best entailment by one evidence; 0 where a search found none, None where nothing was judged."""
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
    grace: float = 0.0,
) -> tuple[list[Support], list[Notice]]:
    """The support of every sentence of `text`, where `queries` have their places in it, and what failed.

    A sentence is judged against the evidence of the queries about it and about its neighbours: what was
    found for one sentence often supports the next. With `within`, only sentences in there are judged,
    up to `grace` seconds after the deadline.
    """
    spans, asked, chosen, near = await work(_aligned, text, queries, within)
    evidence = [one for one in usable(state) if one.query_id in near]
    places = [[spans[index] for index in near[one.query_id]] for one in evidence]
    outcomes = await asyncio.gather(
        *(
            _evidence_support(node, text, state["context"], *pair, components, grace)
            for pair in zip(places, evidence, strict=True)
        )
    )
    scores: list[dict[str, float | None]] = [{} for _ in spans]
    for one, (judged, _) in zip(evidence, outcomes, strict=True):
        for index, score in zip(near[one.query_id], judged, strict=True):
            scores[index][one.id] = score
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
    text: str, queries: Sequence[Query], within: Span | None
) -> tuple[Sequence[Span], dict[int, list[str]], list[int], dict[str, list[int]]]:
    """The sentences; the queries about each; which are within; and those of them near each query."""
    spans = sentences(text)
    asked = _queries_by_sentence(spans, queries)
    chosen = [index for index, span in enumerate(spans) if within is None or span.overlaps(within)]
    return spans, asked, chosen, _sentences_near(chosen, asked)


async def own_support(
    node: str, state: State, text: str, queries: Sequence[Query], components: Components
) -> tuple[list[Support], list[Notice]]:
    """The support of the sentences of this run's own block, without the lead-in text.

    Evidence found before the deadline may be judged a little after it.
    """
    lead, grace = state.get("lead", 0), meter().grace
    within = Span(lead, len(text)) if lead else None
    return await sentence_support(node, state, text, queries, components, within=within, grace=grace)


def _sentences_near(chosen: Sequence[int], asked: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """For each query those of the chosen sentences that it, or a query about a neighbour, is about."""
    near: dict[str, list[int]] = defaultdict(list)
    for index in chosen:
        for query_id in {q for i in (index - 1, index, index + 1) for q in asked.get(i, ())}:
            near[query_id].append(index)
    return near


async def _evidence_support(
    node: str,
    text: str,
    context: str | None,
    places: Sequence[Span],
    one: Evidence,
    components: Components,
    grace: float,
) -> tuple[Sequence[float | None], Notice | None]:
    """The support of the sentences by one evidence. If the verifier fails: None for all, and a notice."""
    try:
        with about(one.id):
            async with meter().in_time(grace):
                judged = await components.verifier.support(text, context, places, one)
        return [score for _, score in zip(places, judged, strict=True)], None
    except Exception as error:
        what = f"support by {one.id} could not be judged"
        notice = failure(node, what, error, code="verification_failed", query_id=one.query_id)
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
    """What `evidence` is to the sentence of `text` at each span, by any verifier; None: not judged.

    One that is no `Classifier` knows support alone: from `threshold` on a sentence is attributable, below it
    extrapolatory. Raises what the verifier raises.
    """
    if isinstance(verifier, Classifier):
        return await verifier.classify(text, context, spans, evidence)
    supports = await verifier.support(text, context, spans, evidence)
    return [attribution_class(support, threshold) for support in supports]


async def with_refuting(
    state: State, supports: Sequence[Support], components: Components
) -> tuple[list[Support], list[Notice]]:
    """The supports with the evidence that contradicts their sentences or could not be classified.

    Only evidence that could confirm a sentence is asked about: it supports the sentence or agrees with it.
    A verifier without classes is not asked, nor one that asks a language model: its support is already a
    verdict.
    """
    if not isinstance(components.verifier, Classifier) or isinstance(components.verifier, AsksModel):
        return list(supports), []
    threshold = components.settings.support_threshold
    agreeing = {check.evidence_id for check in state.get("checks", []) if check.verdict == "agrees"}
    about_it: dict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(supports):
        for name, support in one.by_evidence.items():
            if support is not None and (support >= threshold or name in agreeing):
                about_it[name].append(index)
    known = [evidence for evidence in usable(state) if evidence.id in about_it]
    outcomes = await asyncio.gather(
        *(
            _evidence_classes(state, [supports[n].span for n in about_it[it.id]], it, components)
            for it in known
        )
    )
    refuting: dict[int, set[str]] = defaultdict(set)
    unclassified: dict[int, set[str]] = defaultdict(set)
    for evidence, (found, _) in zip(known, outcomes, strict=True):
        for index, kind in zip(about_it[evidence.id], found, strict=True):
            if kind == "contradictory":
                refuting[index].add(evidence.id)
            elif kind is None:
                unclassified[index].add(evidence.id)
    told = [
        one._replace(refuting=frozenset(refuting[index]), unclassified=frozenset(unclassified[index]))
        for index, one in enumerate(supports)
    ]
    return told, [notice for _, notice in outcomes if notice is not None]


async def _evidence_classes(
    state: State, spans: Sequence[Span], one: Evidence, components: Components
) -> tuple[Sequence[AttributionClass | None], Notice | None]:
    """The class of the sentences by one evidence. If the verifier fails: None for all, and a notice."""
    try:
        with about(one.id):
            found = await classify_sentences(
                components.verifier,
                state["text"],
                state["context"],
                spans,
                one,
                threshold=components.settings.support_threshold,
            )
        return [kind for _, kind in zip(spans, found, strict=True)], None
    except Exception as error:
        what = f"whether {one.id} contradicts a sentence could not be judged"
        notice = failure("attribute", what, error, code="verification_failed", query_id=one.query_id)
        return [None] * len(spans), notice


def moved_queries(queries: Sequence[Query], edits: Sequence[Edit]) -> list[Query]:
    """The queries of a text with their places in the text after the accepted `edits`."""
    accepted = [edit for edit in edits if edit.accepted]
    places = [moved_place(Span(query.start, query.end), accepted) for query in queries]
    return [
        query if place == (query.start, query.end) else query.model_copy(update=place._asdict())
        for query, place in zip(queries, places, strict=True)
    ]


def moved_place(place: Span, changes: Sequence[Change]) -> Span:
    """A place of a text, in the text after `changes` were made one after another."""
    for change in changes:
        place = _shifted_place(place, change.start, change.end, change.start + len(change.new))
    return place


def moved_back(place: Span, edits: Sequence[Edit]) -> Span:
    """A place of the text after the accepted `edits`, in the text before them."""
    for edit in reversed([edit for edit in edits if edit.accepted]):
        place = _shifted_place(place, edit.start, edit.start + len(edit.new), edit.end)
    return place


def _shifted_place(place: Span, start: int, old_end: int, new_end: int) -> Span:
    """Behind a change a place moves along; one that the change overlaps covers all of it."""
    grown = new_end - old_end
    if place.end <= start:
        return place
    if old_end <= place.start:
        return Span(place.start + grown, place.end + grown)
    return Span(min(place.start, start), max(place.end, old_end) + grown)


def _queries_by_sentence(spans: Sequence[Span], queries: Sequence[Query]) -> dict[int, list[str]]:
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
