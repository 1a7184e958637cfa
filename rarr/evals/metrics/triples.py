"""Measures the citations of answers to triples of a graph, by the formulas of KaLMA (Li et al. 2023, 4.1).

A citation is right if the retrieved graph has it; precise if it is right and in the minimum knowledge of its
question. Micro figures count citations over all answers; macro figures are means over answers. As in the code
of the paper, an answer without citations stays out of the macro precision.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rarr.evals.metrics.statistics import Measured, share

Scores = dict[str, Measured]
"""`precision`, `recall` and `f1`, from 0 to 1. Only shares have intervals."""


class TripleCitations(NamedTuple):
    """The citations of one answer in their order, repeated ones too; the graph that was retrieved for it.

    `minimum` is the minimum knowledge: the triples that a whole answer cites; empty: not known.
    """

    cited: tuple[Hashable, ...]
    retrieved: frozenset[Hashable]
    minimum: frozenset[Hashable] = frozenset()

    @property
    def right(self) -> list[bool]:
        """Does the retrieved graph have the citation, for each."""
        return [triple in self.retrieved for triple in self.cited]

    @property
    def precise(self) -> list[bool]:
        """Is the citation right and in the minimum knowledge, for each."""
        return [triple in self.retrieved and triple in self.minimum for triple in self.cited]

    @property
    def recalled(self) -> list[bool]:
        """Does a right citation equal the triple, for each triple of the minimum knowledge."""
        return [triple in self.cited and triple in self.retrieved for triple in self.minimum]


class MarkedGaps(NamedTuple):
    """The `[NA]` statements of one answer: for each the absent triples that it tells; `absent` are all."""

    told: tuple[frozenset[Hashable], ...]
    absent: frozenset[Hashable]


def correctness(answers: Sequence[TripleCitations]) -> Measured:
    """Computes the share of all citations that the retrieved graphs have."""
    return share([hit for each in answers for hit in each.right])


def micro(answers: Sequence[TripleCitations]) -> Scores:
    """Computes precision over all citations, and recall over all triples of the minimum knowledge."""
    return _scores(
        share([hit for each in answers for hit in each.precise]),
        share([hit for each in answers for hit in each.recalled]),
    )


def macro(answers: Sequence[TripleCitations]) -> Scores:
    """Computes the means of the precision and of the recall of each answer."""
    return _scores(_mean([each.precise for each in answers]), _mean([each.recalled for each in answers]))


def gaps(answers: Sequence[MarkedGaps]) -> Scores:
    """Computes precision over all `[NA]` statements, and recall over all absent triples.

    A statement is precise if it tells an absent triple; a triple is recalled if a statement tells it.
    """
    recalled = [any(triple in told for told in each.told) for each in answers for triple in each.absent]
    return _scores(share([bool(told) for each in answers for told in each.told]), share(recalled))


def _scores(precision: Measured, recall: Measured) -> Scores:
    f1 = Measured()
    if precision.value is not None and recall.value is not None:
        total = precision.value + recall.value
        f1 = Measured(value=2 * precision.value * recall.value / total if total else 0.0, n=recall.n)
    return {"precision": precision, "recall": recall, "f1": f1}


def _mean(answers: Sequence[Sequence[bool]]) -> Measured:
    shares = [sum(hits) / len(hits) for hits in answers if hits]
    return Measured(value=sum(shares) / len(shares) if shares else None, n=len(shares))
