"""Fits the regressions and thresholds that decide by fine-tuned weights, on rows not learned from.

A regression stays near the regression of the first weights where the rows are few. A threshold is chosen by
cross-validation over documents, and is always a probability that cases reached. Where no threshold is good
enough, the decision of the first weights stays as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rarr.backends.encoder.calibration_features import claim_features, is_open
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import Calibration
from rarr.backends.encoder.support import SentenceFeatures, likelihood, sentence_features
from rarr.backends.logistic import NEVER, Logistic
from rarr.evals.metrics import roc_auc
from rarr.records import Evidence, Record
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.training.calibration_cases import KnownClaim, SentenceCase, sentence_cases
from rarr.training.logistic_regression import (
    fitted,
    fitted_without,
    threshold_at_balance,
    threshold_at_precision,
)
from rarr.training.noising.row_files import TrainingRow, groups
from rarr.training.noising_examples import attribution, unrelated

SUGGESTED = 0.5
"""The share of proposed edits that must be exactly right; `accept_confidence` decides which are made."""
CONTRADICTED = 0.7
"""The share of sentences called contradicted as a whole that must really be wrong."""
FEWEST = 10  # cases of each label, and cases above a threshold
Threshold = Callable[[Sequence[float], Sequence[bool]], float]


class FittedDecision(Record):
    """How one decision was fitted. `auc` is the area under the ROC curve of cross-validated probabilities.

    `kept`: the decision of the first weights stays, because no threshold was good enough, or because there
    were too few cases (then `auc` is None).
    """

    name: str
    cases: int
    threshold: float
    auc: float | None = None
    kept: bool = False


class Recalibration(NamedTuple):
    """The new calibration, and how each of its decisions was fitted."""

    calibration: Calibration
    decisions: tuple[FittedDecision, ...]


class DecisionCase(NamedTuple):
    """The features of one case of a decision, and the right answer (`label`).

    `sentence` is None where the decision is about a value, or about a claim as a whole.
    """

    group: str
    features: Mapping[str, float]
    label: bool
    sentence: SentenceFeatures | None = None

    def probability(self, fitted: Logistic) -> float:
        """Computes the probability by which a revision decides."""
        if self.sentence is not None:
            return likelihood(fitted, self.sentence)
        return fitted.probability(self.features)


def recalibrated(folder: Path, kept: Sequence[TrainingRow], first: Calibration) -> Recalibration:
    """Fits the four decisions for the weights in `folder`, which did not learn from the rows `kept`.

    `first` is the calibration before training, to which few cases stay near.
    """
    encoder, by_row = Encoder(folder), groups(kept)
    known = [claim for row, group in zip(kept, by_row, strict=True) for claim in known_claims(row, group)]
    sentences = [case for claim in known for case in sentence_cases(encoder, claim)]
    disagrees, of_disagrees = fit_decision(
        "disagrees", list(_corrections(sentences)), first.disagrees, at_precision(SUGGESTED)
    )
    agrees, of_agrees = fit_decision("agrees", list(_confirmations(sentences)), first.agrees)
    contradictions = list(_contradictions(sentences, disagrees, agrees))
    contradicts, of_contradicts = fit_decision(
        "contradicts", contradictions, first.contradicts, at_precision(CONTRADICTED)
    )
    supported = [case for claim in known for case in _supported(encoder, claim)]
    supports, of_supports = fit_decision("supports", supported, first.supports, threshold_at_balance)
    calibration = Calibration(disagrees=disagrees, agrees=agrees, contradicts=contradicts, supports=supports)
    return Recalibration(calibration, (of_disagrees, of_agrees, of_contradicts, of_supports))


def known_claims(row: TrainingRow, group: str) -> Iterator[KnownClaim]:
    """Yields each part of a row's summary, right and with its errors, beside its passage.

    Also yields the right part beside an unrelated passage.
    """
    for example in (*attribution(row), *unrelated(row)):
        right = example.versions[0].text
        for version in example.versions:
            yield KnownClaim(
                group,
                version.text,
                example.title,
                example.passage,
                corrected=right,
                wrong=version.wrong or (),
                unsaid=version.label == "extrapolatory",
            )


def _corrections(sentences: Sequence[SentenceCase]) -> Iterator[DecisionCase]:
    """Yields a case per value that the rules leave open: True if the passage's value makes the text right."""
    for sentence in sentences:
        for weighed, value in zip(sentence.weighed, sentence.values, strict=True):
            if weighed.other.text and not weighed.ruled.settled:
                yield DecisionCase(sentence.group, value.features, value.right)


def _confirmations(sentences: Sequence[SentenceCase]) -> Iterator[DecisionCase]:
    """Yields a case per value of which it is known whether the passage states it: True if it does."""
    for sentence in sentences:
        for value in sentence.values:
            if value.agrees is not None:
                yield DecisionCase(sentence.group, value.features, value.agrees)


def _contradictions(
    sentences: Sequence[SentenceCase], disagrees: Logistic, agrees: Logistic
) -> Iterator[DecisionCase]:
    """Yields a case per sentence that no rule contradicts or finds off topic: True if it has an error."""
    for sentence in sentences:
        if sentence.weighed and is_open([value.ruled for value in sentence.weighed]):
            features = claim_features(disagrees, agrees, sentence.judged, sentence.weighed)
            yield DecisionCase(sentence.group, features, sentence.wrong)


def _supported(encoder: Encoder, known: KnownClaim) -> Iterator[DecisionCase]:
    """Yields a case per sentence of a claim: True if its passage supports it."""
    evidence = Evidence(
        id="e1",
        query_id="q1",
        text=known.passage,
        title=known.title,
        source=known.group,
        start=0,
        end=len(known.passage),
        relevance=1.0,
        retrieved_at=datetime.now(UTC),
    )
    spans = split_sentences(known.text)
    for span, features in zip(
        spans, sentence_features(encoder, known.text, None, spans, evidence), strict=True
    ):
        if features is not None:
            label = not known.unsaid and not known.is_wrong(span)
            yield DecisionCase(known.group, features.features, label, features)


def at_precision(least: float) -> Threshold:
    """Makes a function that finds the lowest threshold with this share of right cases; `NEVER` if none."""
    return partial(threshold_at_precision, least=least, fewest=FEWEST)


def fit_decision(
    name: str, cases: Sequence[DecisionCase], first: Logistic, threshold: Threshold | None = None
) -> tuple[Logistic, FittedDecision]:
    """Fits a regression on the cases, and chooses its threshold on cross-validated probabilities.

    Without the function `threshold`, the threshold of `first` stays. Returns `first` unchanged if there are
    fewer than 10 cases of a label or only one group, or if no threshold is good enough.
    """
    labels = [case.label for case in cases]
    kept = first, FittedDecision(name=name, cases=len(cases), threshold=first.threshold, kept=True)
    if min(labels.count(True), labels.count(False)) < FEWEST or len({case.group for case in cases}) < 2:
        return kept
    features, even = [case.features for case in cases], [1.0] * len(cases)
    probabilities = [0.0] * len(cases)
    for part, without in fitted_without(features, labels, even, [case.group for case in cases], first):
        for number in part:
            probabilities[number] = cases[number].probability(without)
    auc = roc_auc(probabilities, labels)
    least = first.threshold if threshold is None else threshold(probabilities, labels)
    if threshold is not None and least >= NEVER:
        return first, kept[1].model_copy(update={"auc": auc})
    made = fitted(features, labels, even, first).model_copy(update={"threshold": least})
    return made, FittedDecision(name=name, cases=len(cases), auc=auc, threshold=least)
