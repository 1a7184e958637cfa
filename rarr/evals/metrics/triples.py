"""Measures the citations of answers to triples of a graph, by the formulas of KaLMA (Li et al. 2023, 4.1).

A citation is right if the retrieved graph has it; precise if it is right and in the minimum knowledge of its
question. Micro figures count citations over all answers; macro figures are means over answers. As in the code
of the paper, an answer without citations stays out of the macro precision.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from rarr.records import Record


@dataclass(frozen=True)
class TripleCitations:
    """The citations of one answer in their order, repeated ones too; the graph that was retrieved for it.

    `minimum` is the minimum knowledge: the triples that a whole answer cites; empty: not known.
    """

    cited: tuple[Hashable, ...]
    retrieved: frozenset[Hashable]
    minimum: frozenset[Hashable] = frozenset()

    @property
    def right(self) -> tuple[Hashable, ...]:
        """The citations that the retrieved graph has."""
        return tuple(triple for triple in self.cited if triple in self.retrieved)

    @property
    def precise(self) -> tuple[Hashable, ...]:
        """The citations that are right and in the minimum knowledge."""
        return tuple(triple for triple in self.right if triple in self.minimum)

    @property
    def recalled(self) -> frozenset[Hashable]:
        """The triples of the minimum knowledge that a right citation equals."""
        return frozenset(self.right) & self.minimum


class TripleScores(Record):
    """Precision, recall and their harmonic mean, from 0 to 1; None where nothing was to be counted."""

    precision: float | None
    recall: float | None
    f1: float | None


def triple_correctness(answers: Sequence[TripleCitations]) -> float | None:
    """Computes the share of all citations that the retrieved graphs have; None without a citation."""
    return _share(sum(len(each.right) for each in answers), sum(len(each.cited) for each in answers))


def micro_triple_scores(answers: Sequence[TripleCitations]) -> TripleScores:
    """Computes precision over all citations, and recall over all triples of the minimum knowledge."""
    return _scores(
        _share(sum(len(each.precise) for each in answers), sum(len(each.cited) for each in answers)),
        _share(sum(len(each.recalled) for each in answers), sum(len(each.minimum) for each in answers)),
    )


def macro_triple_scores(answers: Sequence[TripleCitations]) -> TripleScores:
    """Computes the means of the precision and of the recall of each answer."""
    precisions = [_share(len(each.precise), len(each.cited)) for each in answers]
    recalls = [_share(len(each.recalled), len(each.minimum)) for each in answers]
    return _scores(_mean(precisions), _mean(recalls))


@dataclass(frozen=True)
class MarkedGaps:
    """The `[NA]` statements of one answer: for each the absent triples that it tells; `absent` are all."""

    told: tuple[frozenset[Hashable], ...]
    absent: frozenset[Hashable]


def gap_scores(answers: Sequence[MarkedGaps]) -> TripleScores:
    """Computes precision over all `[NA]` statements, and recall over all absent triples.

    A statement is precise if it tells an absent triple; a triple is recalled if a statement tells it.
    """
    told = [absent for each in answers for absent in each.told]
    recalled = sum(len(frozenset().union(*each.told) & each.absent) for each in answers)
    return _scores(
        _share(sum(1 for absent in told if absent), len(told)),
        _share(recalled, sum(len(each.absent) for each in answers)),
    )


def _scores(precision: float | None, recall: float | None) -> TripleScores:
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return TripleScores(precision=precision, recall=recall, f1=f1)


def _share(hits: int, count: int) -> float | None:
    return hits / count if count else None


def _mean(values: Sequence[float | None]) -> float | None:
    counted = [value for value in values if value is not None]
    return sum(counted) / len(counted) if counted else None
