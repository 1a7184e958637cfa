"""Scores verifications against the labels of people: three classes, supported or not, and probabilities.

The measures of three classes are those of AttrScore (Yue et al. 2023, section 5), the others those of AutoAIS
against people (Malaviya et al. 2023, table 6). Intervals are 95%, by bootstrap over claims.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field

from rarr.evals.metrics import (
    Called,
    Measured,
    ReliabilityBin,
    best_threshold,
    bootstrap_each,
    brier_score,
    called_from,
    classification,
    detection,
    expected_calibration_error,
    reliability,
    roc_auc,
)
from rarr.records import AttributionClass, Record

RESAMPLES = 1000
_THRESHOLDS: Mapping[str, Callable[[Called], float | None]] = {
    "f1": lambda called: called.f1,
    "balanced_accuracy": lambda called: called.balanced_accuracy,
}


class JudgedClaim(NamedTuple):
    """A claim as a verifier judged it, with the judgement of people.

    `label` and `probability` are the verifier's, None if it could not judge. `gold` is the class by people,
    and `supported` whether people found the claim supported; each is None if they did not say. Claims of the
    same `group`, such as those with the same evidence, come into the same half. `failed`: a request of the
    verifier failed, so the claim says nothing about its judgement.
    """

    label: AttributionClass | None
    probability: float | None
    gold: AttributionClass | None = None
    supported: bool | None = None
    group: str = ""
    failed: bool = False


class ChosenThreshold(Record):
    """A threshold that was chosen on one half of the claims (`chosen_on` of them), measured on the other."""

    threshold: float
    chosen_on: int
    f1: Measured
    balanced_accuracy: Measured


class ClaimScores(Record):
    """The scores of a verifier.

    `three_way` are the measures of the classes: `accuracy`, in which a claim without a label counts as wrong
    unless its judgement failed; over the claims with a label, `micro_f1`, `macro_f1` and precision, recall
    and F1 by class. `unjudged` of a measure counts the claims that it leaves out. `confusion` is
    their table: `confusion[gold][label]`. `two_way` are those of `attributable` against all else:
    `precision`, `recall`, `f1`, `accuracy`, `balanced_accuracy`. `probabilities` are `auc`, `ece` and
    `brier`, and `bins` the reliability diagram. `thresholds` are named by what they were chosen for.
    """

    three_way: dict[str, Measured] = Field(default_factory=dict)
    confusion: dict[str, dict[str, int]] = Field(default_factory=dict)
    two_way: dict[str, Measured] = Field(default_factory=dict)
    probabilities: dict[str, Measured] = Field(default_factory=dict)
    bins: tuple[ReliabilityBin, ...] = ()
    thresholds: dict[str, ChosenThreshold] = Field(default_factory=dict)


def claim_scores(claims: Sequence[JudgedClaim], *, resamples: int = RESAMPLES) -> ClaimScores:
    """Computes the scores of all claims that people judged; measures without a claim are left out."""
    classed = [claim for claim in claims if claim.gold is not None]
    decided = [claim for claim in claims if claim.supported is not None]
    likely = _pairs(decided)
    unjudged = len(decided) - len(likely)
    confusion = classification(
        [claim.label for claim in classed], [claim.gold for claim in classed]
    ).confusion
    return ClaimScores(
        three_way=_three_way(classed, resamples),
        confusion=confusion if classed else {},
        two_way=_two_way(decided, resamples),
        probabilities=bootstrap_each(likely, _of_probabilities, unjudged=unjudged, resamples=resamples),
        bins=tuple(reliability(likely)),
        thresholds=_thresholds(decided, resamples),
    )


def _three_way(claims: Sequence[JudgedClaim], resamples: int) -> dict[str, Measured]:
    judged = [claim for claim in claims if claim.label is not None]
    unjudged = len(claims) - len(judged)

    def of_classes(drawn: Sequence[JudgedClaim]) -> dict[str, float | None]:
        whole = classification([claim.label for claim in drawn], [claim.gold for claim in drawn])
        by_class = {
            f"{name}_{measure}": getattr(scores, measure)
            for name, scores in whole.classes.items()
            for measure in ("precision", "recall", "f1")
        }
        return {"micro_f1": whole.micro_f1, "macro_f1": whole.macro_f1, **by_class}

    answered = [claim for claim in claims if not claim.failed]
    failed = len(claims) - len(answered)
    return bootstrap_each(answered, _accuracy, unjudged=failed, resamples=resamples) | bootstrap_each(
        judged, of_classes, unjudged=unjudged, resamples=resamples
    )


def _accuracy(drawn: Sequence[JudgedClaim]) -> dict[str, float | None]:
    return {"accuracy": sum(claim.label == claim.gold for claim in drawn) / len(drawn)}


def _two_way(claims: Sequence[JudgedClaim], resamples: int) -> dict[str, Measured]:
    judged = [claim for claim in claims if claim.label is not None]

    def of_detection(drawn: Sequence[JudgedClaim]) -> dict[str, float | None]:
        found = detection(
            [claim.label == "attributable" for claim in drawn], [claim.supported for claim in drawn]
        )
        names = ("precision", "recall", "f1", "accuracy", "balanced_accuracy")
        return {name: getattr(found, name) for name in names}

    return bootstrap_each(judged, of_detection, unjudged=len(claims) - len(judged), resamples=resamples)


def _of_probabilities(drawn: Sequence[tuple[float, bool]]) -> dict[str, float | None]:
    return {
        "auc": roc_auc([probability for probability, _ in drawn], [label for _, label in drawn]),
        "ece": expected_calibration_error(drawn),
        "brier": brier_score(drawn),
    }


def _thresholds(claims: Sequence[JudgedClaim], resamples: int) -> dict[str, ChosenThreshold]:
    """Chooses a threshold for each score on one half of the claims, and measures it on the other half.

    Claims without a probability are on the wrong side of no threshold: they are left out, and counted.
    """
    dev, test = _halves(claims)
    fit, measure = _pairs(dev), _pairs(test)
    chosen = dict[str, ChosenThreshold]()
    for name, score in _THRESHOLDS.items():
        threshold = best_threshold(fit, score)
        if threshold is None or not measure:
            continue
        measured = bootstrap_each(
            measure,
            partial(_at, threshold),
            unjudged=len(test) - len(measure),
            resamples=resamples,
        )
        chosen[name] = ChosenThreshold(threshold=threshold, chosen_on=len(fit), **measured)
    return chosen


def _at(threshold: float, drawn: Sequence[tuple[float, bool]]) -> dict[str, float | None]:
    called = called_from(drawn, threshold)
    return {"f1": called.f1, "balanced_accuracy": called.balanced_accuracy}


def _pairs(claims: Sequence[JudgedClaim]) -> list[tuple[float, bool]]:
    return [
        (claim.probability, claim.supported)
        for claim in claims
        if claim.probability is not None and claim.supported is not None
    ]


def _halves(claims: Sequence[JudgedClaim]) -> tuple[list[JudgedClaim], list[JudgedClaim]]:
    """Splits the claims by group. The halves do not depend on the order of the claims."""
    groups = sorted({claim.group for claim in claims}, key=_digest)
    dev = set(groups[::2])
    return [each for each in claims if each.group in dev], [each for each in claims if each.group not in dev]


def _digest(group: str) -> bytes:
    return hashlib.sha256(group.encode()).digest()
