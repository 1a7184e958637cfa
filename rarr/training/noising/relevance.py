"""The split of what a search found: E+, which a text is written from, and E-, which it must not follow."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage
from rarr.tools.guard.injection import suspicion

RELEVANT = 0.6
"""The relevance from which on a passage is in E+: the default reranker's, where it has most of the query."""
MOST_RELEVANT = 4
"""Passages of E+, at most (Chen et al. 2023, section 3)."""
MOST_OTHERS = 8
"""Passages of E-, at most."""


class Split(NamedTuple):
    """E+ and E-, best first. `suspicious`: how many speak to a language model, and are in neither."""

    relevant: list[Evidence]
    others: list[Evidence]
    suspicious: int


def split(passages: Sequence[Passage], scores: Sequence[float], threshold: float) -> Split:
    """One place counts once. Relevant passages beyond the most are in neither: they may support."""
    ranked = sorted(
        zip(scores, passages, strict=True),
        key=lambda one: (-one[0], one[1].source, one[1].start, one[1].text),
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
    relevant = [one for one in kept if one[0] >= threshold][:MOST_RELEVANT]
    others = [one for one in kept if one[0] < threshold][:MOST_OTHERS]
    evidence = [
        Evidence(**passage.model_dump(), id=f"e{number}", query_id="query", relevance=score)
        for number, (score, passage) in enumerate([*relevant, *others], start=1)
    ]
    return Split(evidence[: len(relevant)], evidence[len(relevant) :], suspicious)
