"""Splits the passages of a search into E+, from which a text is written, and E-, which it must not follow."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage
from rarr.tools.guard.injection import suspicion

RELEVANT = 0.6
"""The least relevance of a passage in E+. The default reranker gives it for most words of the query."""
MOST_RELEVANT = 4
"""The most passages of E+ (Chen et al. 2023, section 3)."""
MOST_OTHERS = 8
"""The most passages of E-."""


class Split(NamedTuple):
    """E+ (`relevant`) and E- (`others`), best first. `suspicious` counts passages that address a model."""

    relevant: list[Evidence]
    others: list[Evidence]
    suspicious: int


def split(passages: Sequence[Passage], scores: Sequence[float], threshold: float) -> Split:
    """Splits passages by score: at least `threshold` is E+, less is E-, with at most 4 and 8 passages.

    Overlapping passages of a source count once. Suspicious passages are in neither, nor are relevant passages
    beyond the limit, since they may support the text.
    """
    ranked = sorted(
        zip(scores, passages, strict=True),
        key=lambda pair: (-pair[0], pair[1].source, pair[1].start, pair[1].text),
    )
    kept: list[tuple[float, Passage]] = []
    suspicious = 0
    for score, passage in ranked:
        if any(same_place(passage, other) for _, other in kept):
            continue
        if suspicion(f"{passage.title}\n{passage.text}"):
            suspicious += 1
            continue
        kept.append((score, passage))
    relevant = [pair for pair in kept if pair[0] >= threshold][:MOST_RELEVANT]
    others = [pair for pair in kept if pair[0] < threshold][:MOST_OTHERS]
    evidence = [
        Evidence(**passage.model_dump(), id=f"e{number}", query_id="query", relevance=score)
        for number, (score, passage) in enumerate([*relevant, *others], start=1)
    ]
    return Split(evidence[: len(relevant)], evidence[len(relevant) :], suspicious)
