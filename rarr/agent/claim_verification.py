"""Verifies one claim: asks and checks as a run of `revise` does, with the evidence that the caller gives.

The nodes and the ledger are those of `revise`, so both give a sentence the same status and parts beside the
same passage. Nothing is searched and nothing is edited.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.claims_without_questions import has_something_to_check, short_answer
from rarr.ledger.sentence_support import (
    Support,
    evidence_classes,
    evidence_support,
    noted_refuting,
    refutable,
)
from rarr.ledger.verified_claim_classes import LabelledSentence, claim_label, claim_support, deciding_sentence
from rarr.nodes.attribute import judged_sentences
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.rerank import suspicious_notices
from rarr.records import AttributionClass, Evidence, Notice, Query, Sentence
from rarr.records.verification import Verification
from rarr.state import State, failure, unsearched, usable
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.warning_lines import NOTHING_TO_CHECK

_NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="the claim has no number, date or name and too few words to be checked: say more, or ask with it",
    node="attribute",
)
_NOTHING_SHOWN = Notice(
    code="support_not_shown",
    message="the judge finds support that no checked words of the evidence show: write a whole sentence",
    node="attribute",
)


class _PassageJudgement(NamedTuple):
    """The support and class of each sentence of the claim by one passage, and the failures to judge."""

    passage: Evidence
    supports: Sequence[float | None]
    classes: Sequence[AttributionClass | None]
    failures: Sequence[Notice]


async def verified(
    claim: str, question: str | None, evidence: Sequence[Evidence], components: Components
) -> Verification:
    """Decides by `evidence`, which belongs to no query yet, whether `claim` is attributable to it.

    Suspicious passages are not read. Failures become warnings. The result lacks the usage, which the caller
    reads from the meter of the run.
    """
    spans = await work(_spans, claim)
    made = Verification(claim=claim, question=question, evidence=tuple(evidence))
    state = State(original=claim, text=claim, context=question, round=1, evidence=list(evidence), queries=[])
    passages, notices = usable(state), suspicious_notices(evidence, [])
    if evidence and not passages:
        unread = tuple(_unjudged(claim, span) for span in spans)
        return made.model_copy(update={"sentences": unread, "warnings": tuple(notices)})
    notices += await _ask_and_check(state, passages, components)
    with meter().step("attribute"):
        judged = await asyncio.gather(*(_judged(state, spans, passage, components) for passage in passages))
        supports = [_support(state, span, n, judged) for n, span in enumerate(spans)]
        supports = noted_refuting(supports, _known_classes(refutable(state, supports, components), judged))
        judged_claim = await work(judged_sentences, state, state["queries"], supports, components.settings)
    labelled = await work(_labelled, state, judged_claim, judged)
    label = claim_label(labelled)
    notices += [notice for each in judged for notice in each.failures]
    notices += _undecided(labelled)
    return made.model_copy(
        update={
            "label": label,
            "probability": claim_support(labelled, components.settings.support_threshold),
            "sentences": tuple(each.sentence for each in labelled),
            "decided_by": await work(deciding_sentence, labelled, label, passages),
            "warnings": tuple(notices),
        }
    )


def _spans(claim: str) -> Sequence[Span]:
    return sentences(claim) or (Span(0, len(claim)),)


def _unjudged(claim: str, span: Span) -> Sentence:
    return Sentence(text=span.of(claim), start=span.start, end=span.end, status="unjudged")


async def _ask_and_check(state: State, passages: Sequence[Evidence], components: Components) -> list[Notice]:
    """Asks the questions of the claim, and checks each against all passages. Returns what failed.

    Writes queries, evidence and checks into the state. Each question has its own copies of the passages, with
    their relevance to it.
    """
    # A claim is checked against each passage by itself.
    runtime, notices = Runtime(context=replace(components, card_reader=None)), list[Notice]()
    try:
        with meter().step("generate_queries"):
            asked = await generate_queries(state, runtime)
    except Exception as error:
        return [failure("generate_queries", "no question could be asked", error)]
    state["queries"] = asked["queries"]
    notices += [notice for notice in asked["warnings"] if notice != NOTHING_TO_CHECK]
    copies = list[Evidence]()
    with meter().step("rerank"):
        for query in state["queries"] if passages else ():
            try:
                copies += await _copies(query, passages, components)
            except Exception as error:
                notices.append(failure("rerank", "rerank failed", error, query_id=query.id))
                state["unsearched"] = state.get("unsearched", {}) | unsearched(query.id, error)
    if not copies:
        return notices
    state["evidence"] = copies
    with meter().step("check_agreement"):
        checked = await check_agreement(state, runtime)
    state["checks"] = checked["checks"]
    state["evidence"] = [*passages, *checked.get("evidence", copies)]
    return notices + checked["warnings"]


async def _copies(query: Query, passages: Sequence[Evidence], components: Components) -> list[Evidence]:
    """Returns the passages as evidence of the query, the most relevant first."""
    scores = await components.reranker.score(query.text, passages)
    ranked = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    return [
        passage.model_copy(
            update={"id": f"{query.id}.{passage.id}", "query_id": query.id, "relevance": score}
        )
        for score, passage in ranked
    ]


async def _judged(
    state: State, spans: Sequence[Span], passage: Evidence, components: Components
) -> _PassageJudgement:
    """Judges all sentences by one passage: support first, then the class.

    A language model that answered for the support is not asked again for the class.
    """
    text, context, grace = state["text"], state["context"], meter().grace
    supports, failed = await evidence_support("attribute", text, context, spans, passage, components, grace)
    if failed is not None:
        return _PassageJudgement(passage, supports, [None] * len(spans), [failed])
    classes, failed = await evidence_classes(state, spans, passage, components)
    return _PassageJudgement(passage, supports, classes, [failed] if failed else [])


def _known_classes(
    candidates: Mapping[str, Sequence[int]], judged: Sequence[_PassageJudgement]
) -> dict[tuple[int, str], AttributionClass | None]:
    """Returns the classes of the sentences by the evidence of `candidates`, which are copies of passages."""
    classes = {each.passage.id: each.classes for each in judged}
    return {(n, name): classes[_own_id(name)][n] for name, places in candidates.items() for n in places}


def _labelled(
    state: State, sentences: Sequence[Sentence], judged: Sequence[_PassageJudgement]
) -> list[LabelledSentence]:
    """Joins each sentence with its supports and classes. One with nothing to check becomes `unjudged`."""
    claim, question, queries = state["text"], state["context"], state["queries"]
    labelled = []
    for n, sentence in enumerate(map(_with_own_ids, sentences)):
        classes = {each.passage.id: each.classes[n] for each in judged}
        checkable = has_something_to_check(claim, question, sentence, queries)
        if not checkable:
            sentence = sentence.model_copy(update={"status": "unjudged", "evidence_ids": ()})
        elif question is not None:
            sentence = short_answer(sentence, queries, classes, [each.passage for each in judged])
        supports = {each.passage.id: each.supports[n] for each in judged}
        labelled.append(LabelledSentence(sentence, supports, classes, checkable))
    return labelled


def _undecided(labelled: Sequence[LabelledSentence]) -> list[Notice]:
    """Tells why no label is given although nothing failed: the claim says too little to be checked."""
    if not any(each.checkable for each in labelled):
        return [_NOTHING_TO_CHECK]
    liked = [each for each in labelled if each.checkable and "attributable" in each.classes.values()]
    return [_NOTHING_SHOWN] if any(each.label is None for each in liked) else []


def _support(state: State, span: Span, number: int, judged: Sequence[_PassageJudgement]) -> Support:
    """Makes the support of the sentence with this number: by the passages, and their copies for queries."""
    query_ids = tuple(query.id for query in state["queries"] if span.overlaps(Span(query.start, query.end)))
    known = {passage.id for passage in usable(state)}
    names = {
        name: each.supports[number]
        for each in judged
        for name in (each.passage.id, *(f"{query_id}.{each.passage.id}" for query_id in query_ids))
        if name in known
    }
    failed = state.get("unsearched", {}).keys()
    return Support(span, query_ids, names, failed.isdisjoint(query_ids))


def _with_own_ids(sentence: Sentence) -> Sentence:
    """Returns the sentence with the ids of passages in place of the ids of their copies."""
    return sentence.model_copy(
        update={
            "evidence_ids": tuple(dict.fromkeys(map(_own_id, sentence.evidence_ids))),
            "parts": tuple(
                part.model_copy(update={"evidence_id": _own_id(part.evidence_id)}) for part in sentence.parts
            ),
        }
    )


def _own_id(evidence_id: str) -> str:
    """Returns "p2" for "q1.p2", which is the copy of p2 for q1."""
    return evidence_id.partition(".")[2] if evidence_id.startswith("q") else evidence_id
