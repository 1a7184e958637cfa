"""Computes the scores of a revision: attribution, and its harmonic mean with preservation."""

from collections.abc import Sequence

from rarr.records import Scores
from rarr.state import Attributed


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over all sentences of the best entailment score by one evidence of the report.

    `supports` has one value for each sentence, between 0 and 1, from `best_support`. A sentence that could
    not be judged (None) counts 0, since nothing attributes it; if no sentence could be judged, the result is
    None (Gao et al. 2023, section 2.1).
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(supports) if judged else None


def best_support(entailments: Sequence[float | None]) -> float | None:
    """Returns the highest entailment score of one sentence; `entailments` has one score for each evidence.

    Scores of None, which could not be judged, do not count. The result is 0 for no evidence, and None if no
    evidence could be judged.
    """
    if not entailments:
        return 0.0
    return max((entailment for entailment in entailments if entailment is not None), default=None)


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """F1_AP: the harmonic mean of attribution and preservation (Gao et al. 2023).

    None if one of the two could not be judged; 0 if both are 0.
    """
    if attribution is None or preservation is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0


def scores_of(attributed: Attributed, preservation: float) -> Scores:
    """Scores a revision by the support of its sentences before and after the edits.

    A sentence that could not be judged in one of the two texts counts 0 in both, so that no failure looks
    like an edit. If an edit made more or fewer sentences, or nothing of one text could be judged, each text
    is scored alone.
    """
    before, after = attributed
    if len(before) == len(after) and None not in map(auto_ais, attributed):
        pairs = [(None, None) if None in pair else pair for pair in zip(before, after, strict=True)]
        before, after = [b for b, _ in pairs], [a for _, a in pairs]
    return Scores(
        attribution_before=auto_ais(before),
        attribution_after=auto_ais(after),
        preservation=preservation,
        f1_ap=f1_ap(auto_ais(after), preservation),
    )
