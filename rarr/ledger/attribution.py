"""How much of a text its evidence attributes: AIS, by people, and auto-AIS, by a model."""

from collections.abc import Sequence


def ais(labels: Sequence[bool | None]) -> float | None:
    """AIS: the share of sentences that people find attributable to the evidence, between 0 and 1.

    One label a sentence; those without one (None) stay out, and None where there is none (Rashkin et al.
    2023; per sentence as in Gao et al. 2023, section 2.1).
    """
    return auto_ais([None if label is None else float(label) for label in labels])


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over sentences of the best entailment by one evidence.

    One support a sentence, between 0 and 1, as of `best_support`. Sentences that could not be judged (None)
    stay out; None where none could be (Gao et al. 2023, section 2.1).
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(judged) if judged else None


def auto_ais_by_evidence(entailments: Sequence[Sequence[float | None]]) -> float | None:
    """Auto-AIS from a table: a row a sentence, a column an evidence, entailments between 0 and 1."""
    return auto_ais([best_support(row) for row in entailments])


def best_support(entailments: Sequence[float | None]) -> float | None:
    """The best entailment of one sentence by one evidence, over those that could be judged.

    Without any evidence nothing attributes the sentence: 0. None where there is evidence and none of it could
    be judged.
    """
    if not entailments:
        return 0.0
    return max((one for one in entailments if one is not None), default=None)
