"""Computes the share of a text that evidence supports: AIS, judged by people, and auto-AIS, by a model."""

from collections.abc import Sequence


def ais(labels: Sequence[bool | None]) -> float | None:
    """AIS: the share of sentences that people find attributable to the evidence, between 0 and 1.

    `labels` has one label for each sentence. Sentences without a label (None) do not count; without any
    label, the result is None (Rashkin et al. 2023; for each sentence as in Gao et al. 2023, section 2.1).
    """
    judged = [label for label in labels if label is not None]
    return sum(judged) / len(judged) if judged else None


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over all sentences of the best entailment score by one evidence of the report.

    `supports` has one value for each sentence, between 0 and 1, from `best_support`. A sentence that could
    not be judged (None) counts 0, since nothing attributes it; if no sentence could be judged, the result is
    None (Gao et al. 2023, section 2.1).
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(supports) if judged else None


def auto_ais_by_evidence(entailments: Sequence[Sequence[float | None]]) -> float | None:
    """Auto-AIS from a table of entailments between 0 and 1: rows are sentences, columns are evidences."""
    return auto_ais([best_support(row) for row in entailments])


def best_support(entailments: Sequence[float | None]) -> float | None:
    """Returns the highest entailment score of one sentence; `entailments` has one score for each evidence.

    Scores of None, which could not be judged, do not count. The result is 0 for no evidence, and None if no
    evidence could be judged.
    """
    if not entailments:
        return 0.0
    return max((entailment for entailment in entailments if entailment is not None), default=None)
