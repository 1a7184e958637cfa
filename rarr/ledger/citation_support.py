"""Judges whether a passage supports a sentence by itself, so that it may be cited for it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.asked_places import gives_other_amounts
from rarr.ledger.confirmed_parts import SURE_SUPPORT, sentence_parts
from rarr.ledger.sentence_support import Support, classify_sentences
from rarr.records import AttributionClass, Evidence, Notice, Part
from rarr.state import failure
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import about


class Judged(NamedTuple):
    """Whether a passage supports a sentence by itself, with the support; None: could not be judged."""

    entails: bool | None
    support: float | None


Judgements = dict[tuple[Span, str], Judged]
"""The judgements by the place of the sentence and the id of the passage."""


async def judged_citations(
    text: str,
    pairs: Mapping[str, Sequence[Span]],
    evidence: Mapping[str, Evidence],
    components: Components,
    context: str | None = None,
) -> tuple[Judgements, list[Notice]]:
    """Judges the sentences of `text` at the places of `pairs`, by the id of the passage, all at once.

    `context` is the question that the text answers; it tells what a sentence without a subject is about.

    A passage supports a sentence by itself if the verifier gives enough support and finds no contradiction,
    and if the passage confirms each part that can be checked. A failure leaves its sentences unjudged, and
    becomes a notice.
    """
    wanted = {name: list(dict.fromkeys(spans)) for name, spans in pairs.items() if spans}
    outcomes = await asyncio.gather(
        *(_by_passage(text, context, spans, evidence[name], components) for name, spans in wanted.items())
    )
    judgements: Judgements = {}
    for (name, spans), (judged, _) in zip(wanted.items(), outcomes, strict=True):
        judgements |= {(span, name): each for span, each in zip(spans, judged, strict=True)}
    return judgements, [notice for _, notice in outcomes if notice is not None]


def confirming_passages(
    text: str,
    context: str | None,
    span: Span,
    supports: Mapping[str, float | None],
    evidence: Mapping[str, Evidence],
    threshold: float,
) -> set[str]:
    """Returns the ids of the passages by which a sentence is supported: the best, and those of its parts.

    `supports` has the support of the sentence by each of `evidence`, which are read together; a passage
    without support confirms nothing. Empty if the best does not support the sentence enough, or if a part is
    left that none confirms.
    """
    scores = {name: score for name, score in supports.items() if score}
    parts = _confirmed_parts(text, context, span, scores, evidence, threshold)
    if parts is None:
        return set()
    return {max(scores, key=lambda name: scores[name]), *(part.evidence_id for part in parts)}


def _confirmed_parts(
    text: str,
    context: str | None,
    span: Span,
    scores: Mapping[str, float],
    evidence: Mapping[str, Evidence],
    threshold: float,
) -> list[Part] | None:
    """Returns the parts of a supported sentence; None for a sentence that is not supported."""
    best = max(scores.values(), default=0.0)
    if best < threshold:
        return None
    read = {name: evidence[name] for name in scores}
    parts = sentence_parts(text, context, Support(span, (), dict(scores), searched=True), [], read, [])
    enough = threshold if parts else max(threshold, SURE_SUPPORT)
    return parts if best >= enough and all(part.state == "confirmed" for part in parts) else None


async def _by_passage(
    text: str, context: str | None, spans: Sequence[Span], passage: Evidence, components: Components
) -> tuple[list[Judged], Notice | None]:
    try:
        with about(passage.id):
            async with meter().in_time(meter().grace):
                verdicts = await _verdicts(text, context, spans, passage, components)
        threshold = components.settings.support_threshold
        judged = [
            await work(_judged, text, context, span, verdict, passage, threshold)
            for span, verdict in zip(spans, verdicts, strict=True)
        ]
        return judged, None
    except Exception as error:
        problem = f"citations of {passage.id} could not be judged"
        notice = failure("cite", problem, error, code="verification_failed", query_id=passage.query_id)
        return [Judged(None, None)] * len(spans), notice


class _Verdict(NamedTuple):
    """The verifier's support, and the class where the support is enough; None: could not be judged."""

    support: float | None
    kind: AttributionClass | None = None


async def _verdicts(
    text: str, context: str | None, spans: Sequence[Span], passage: Evidence, components: Components
) -> list[_Verdict]:
    threshold = components.settings.support_threshold
    supports = await components.verifier.support(text, context, spans, passage)
    verdicts = [_Verdict(support) for _, support in zip(spans, supports, strict=True)]
    enough = [n for n, each in enumerate(verdicts) if each.support is not None and each.support >= threshold]
    places = [spans[n] for n in enough]
    classes = await classify_sentences(
        components.verifier, text, context, places, passage, threshold=threshold
    )
    for n, kind in zip(enough, classes, strict=True):
        verdicts[n] = verdicts[n]._replace(kind=kind)
    return verdicts


def _judged(
    text: str, context: str | None, span: Span, verdict: _Verdict, passage: Evidence, threshold: float
) -> Judged:
    """Decides by the parts of the sentence. A contradiction gives the support 0.

    It is none where the passage confirms the sentence with a number in another unit, as in `revise`.
    """
    support = verdict.support
    if support is None or support < threshold:
        return Judged(None if support is None else False, support)
    parts = _confirmed_parts(text, context, span, {passage.id: support}, {passage.id: passage}, threshold)
    is_converted = any(gives_other_amounts(text[part.start : part.end], part.says) for part in parts or ())
    if verdict.kind is None and not is_converted:
        return Judged(None, None)
    if verdict.kind == "contradictory" and not is_converted:
        return Judged(False, 0.0)
    return Judged(parts is not None, support)
