"""Finds the passage that supports each sentence of a text best, with the verifier."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.components import Verifier
from rarr.records import Evidence
from rarr.tools.concurrency import together, work
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.training.noising.row_files import Mistake


class SupportedSentence(NamedTuple):
    """A sentence with the passage that supports it best; `support` from 0 to 1, None if it was not judged."""

    span: Span
    evidence_id: str
    support: float | None


async def judged(
    verifier: Verifier, text: str, query: str, evidence: Sequence[Evidence]
) -> list[SupportedSentence]:
    """Judges each sentence of `text`, which answers `query`, by its best passage of `evidence`.

    Raises the errors of the verifier.
    """
    spans = list(await work(sentences, text))
    supports = await together(*(verifier.support(text, query, spans, passage) for passage in evidence))
    result = []
    for span, of_span in zip(spans, zip(*supports, strict=True), strict=True):
        scored = [
            (score, passage.id) for score, passage in zip(of_span, evidence, strict=True) if score is not None
        ]
        best, name = max(scored, key=lambda pair: pair[0], default=(None, ""))
        result.append(SupportedSentence(span, name, best))
    return result


def of_place(supports: Sequence[SupportedSentence], place: Span) -> float | None:
    """Returns the least support of the sentences that overlap `place`; None if one is not judged, or none."""
    scores = [sentence.support for sentence in supports if sentence.span.overlaps(place)]
    judged_scores = [score for score in scores if score is not None]
    return min(judged_scores) if judged_scores and len(judged_scores) == len(scores) else None


def moved(place: Span, edits: Sequence[Mistake]) -> Span:
    """Computes where a sentence stands after the errors `edits`. Each error lies within one sentence."""
    grown = [(edit.start, len(edit.wrong) - len(edit.right)) for edit in edits]
    before = sum(by for start, by in grown if start < place.start)
    within = sum(by for start, by in grown if place.start <= start < place.end)
    return Span(place.start + before, place.end + before + within)
