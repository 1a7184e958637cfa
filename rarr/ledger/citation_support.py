"""Judges whether a passage supports a sentence by itself, so that it may be cited for it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.confirmed_parts import SURE_SUPPORT, sentence_parts
from rarr.ledger.sentence_support import Support, classify_sentences
from rarr.records import Evidence, Notice
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
    text: str, pairs: Mapping[str, Sequence[Span]], evidence: Mapping[str, Evidence], components: Components
) -> tuple[Judgements, list[Notice]]:
    """Judges the sentences of `text` at the places of `pairs`, by the id of the passage, all at once.

    A passage supports a sentence by itself if the verifier gives enough support and finds no contradiction,
    and if the passage confirms each part that can be checked. A failure leaves its sentences unjudged, and
    becomes a notice.
    """
    wanted = {name: list(dict.fromkeys(spans)) for name, spans in pairs.items() if spans}
    outcomes = await asyncio.gather(
        *(_by_passage(text, spans, evidence[name], components) for name, spans in wanted.items())
    )
    judgements: Judgements = {}
    for (name, spans), (judged, _) in zip(wanted.items(), outcomes, strict=True):
        judgements |= {(span, name): each for span, each in zip(spans, judged, strict=True)}
    return judgements, [notice for _, notice in outcomes if notice is not None]


async def _by_passage(
    text: str, spans: Sequence[Span], passage: Evidence, components: Components
) -> tuple[list[Judged], Notice | None]:
    try:
        with about(passage.id):
            async with meter().in_time(meter().grace):
                supports = await _supports(text, spans, passage, components)
        threshold = components.settings.support_threshold
        return await work(_confirmed, text, spans, supports, passage, threshold), None
    except Exception as error:
        problem = f"citations of {passage.id} could not be judged"
        notice = failure("cite", problem, error, code="verification_failed", query_id=passage.query_id)
        return [Judged(None, None)] * len(spans), notice


async def _supports(
    text: str, spans: Sequence[Span], passage: Evidence, components: Components
) -> list[float | None]:
    """Asks for the support of each sentence; 0 if the passage contradicts it."""
    threshold = components.settings.support_threshold
    supports = list(await components.verifier.support(text, None, spans, passage))
    enough = [n for n, support in enumerate(supports) if support is not None and support >= threshold]
    places = [spans[n] for n in enough]
    classes = await classify_sentences(components.verifier, text, None, places, passage, threshold=threshold)
    for n, kind in zip(enough, classes, strict=True):
        supports[n] = 0.0 if kind == "contradictory" else None if kind is None else supports[n]
    return supports


def _confirmed(
    text: str, spans: Sequence[Span], supports: Sequence[float | None], passage: Evidence, threshold: float
) -> list[Judged]:
    return [
        Judged(_entails(text, span, support, passage, threshold), support)
        for span, support in zip(spans, supports, strict=True)
    ]


def _entails(
    text: str, span: Span, support: float | None, passage: Evidence, threshold: float
) -> bool | None:
    if support is None or support < threshold:
        return None if support is None else False
    whole = Support(span, (), {passage.id: support}, searched=True)
    parts = sentence_parts(text, None, whole, [], {passage.id: passage}, [])
    enough = threshold if parts else max(threshold, SURE_SUPPORT)
    return support >= enough and all(part.state == "confirmed" for part in parts)
