"""Splits the passages of a search into E+, from which a text is written, and E-, which it must not follow."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage
from rarr.tools.guard.injection import suspicion

RELEVANT = 0.6
"""The relevance from which on a passage is in E+: that of the default reranker for most of the query."""
MOST_RELEVANT = 4
"""Passages of E+, at most (Chen et al. 2023, section 3)."""
MOST_OTHERS = 8
"""Passages of E-, at most."""


class Split(NamedTuple):
    """E+ and E-, best first. `suspicious` passages, which address a language model, are in neither."""

    relevant: list[Evidence]
    others: list[Evidence]
    suspicious: int


def split(passages: Sequence[Passage], scores: Sequence[float], threshold: float) -> Split:
    """Each place counts once.

    Relevant passages beyond the limit are in neither: they may support the text.
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
