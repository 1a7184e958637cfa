"""Computes features: numbers that say what encoder and rules find about a claim's values.

The calibration, which is a set of logistic regressions, decides by these features.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.backends.encoder.model import AttributionScores, Encoder
from rarr.backends.encoder.model_files import Calibration
from rarr.backends.encoder.pointed_values import IMPOSSIBLE, PointedValues, RivalValue, pointed_values
from rarr.backends.logistic import Logistic
from rarr.backends.rules.agreement import value_agreement
from rarr.backends.rules.candidate_value_filters import is_supposed
from rarr.backends.rules.counterparts import counterparts as read_by_rules, parsed_passage
from rarr.backends.rules.proper_names import ProperName, is_person, proper_names
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import is_about_something_else
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.records import Agreement, Verdict
from rarr.tools.text.blocks_and_sentences import Span

_VERDICTS: tuple[Verdict, ...] = ("agrees", "disagrees", "irrelevant")
_WIDEST = 10.0  # a wider gap between two log-probabilities makes no difference
_GAP = (-_WIDEST, _WIDEST)
_POINTED = dict.fromkeys(
    ("other_over_own", "other_over_nowhere", "own_over_nowhere", "other_over_next"), _GAP
)
_POINTED |= {"other": (-_WIDEST, 0.0), "unsaid": (0.0, 1.0)}
"""The range of each feature that needs another reading of the passage."""


class RuledValue(NamedTuple):
    """A value of a claim at `place` in the text, with the agreement by the rules.

    `about`: the passage is about the claim's subject, and the claim tells no plan or guess.
    """

    value: Value
    place: Span
    rules: Agreement
    about: bool

    @property
    def settled(self) -> bool:
        """Do the rules decide on this value alone? They agree, disagree, or find another subject."""
        return not self.about or self.rules.verdict in ("agrees", "disagrees")


class WeighedValue(NamedTuple):
    """A value of a claim with its features, and the `other` value of the passage that the encoder points at.

    `nowhere`: the passage neither has the value nor says anything in its place.
    """

    ruled: RuledValue
    other: RivalValue
    features: Mapping[str, float]
    nowhere: bool


def ruled_values(text: str, claim: Claim, title: str, evidence: str) -> list[RuledValue]:
    """Judges the values of the claim that a query can ask for, by the rules alone."""
    beside = parsed_passage(evidence, title)
    ruled = []
    for value, place in askable_values(text, claim):
        rules = value_agreement(
            claim, value, read_by_rules(claim.sentence, value, beside, claim.about), beside
        )
        about = not (is_about_something_else(claim, value, beside) or is_supposed(claim.sentence, beside))
        ruled.append(RuledValue(value, place, rules, about))
    return ruled


def weighed_values(
    encoder: Encoder,
    claim: Claim,
    title: str,
    evidence: str,
    judged: AttributionScores,
    ruled: Sequence[RuledValue],
) -> list[WeighedValue]:
    """Lets the encoder find what the passage has in the place of each value, and computes its features.

    The calibration decides by these features. `judged` are the encoder's scores of the whole claim.
    """
    pointed = pointed_values(encoder, claim, title, evidence, [ruled_value.value for ruled_value in ruled])
    return [_weighed(claim, judged, *pair) for pair in zip(ruled, pointed, strict=True)]


def _weighed(
    claim: Claim, judged: AttributionScores, ruled: RuledValue, pointed_value: PointedValues
) -> WeighedValue:
    other = _differing(claim.sentence.text, ruled.value, pointed_value)
    behind = next((rival.log for rival in pointed_value.others if rival.log < other.log), IMPOSSIBLE)
    pointed = {
        "other_over_own": _clipped(other.log - pointed_value.own),
        "other_over_nowhere": _clipped(other.log - pointed_value.nowhere),
        "own_over_nowhere": _clipped(pointed_value.own - pointed_value.nowhere),
        "other_over_next": _clipped(other.log - behind),
        "other": max(other.log, -_WIDEST),
        "unsaid": float(pointed_value.own <= IMPOSSIBLE),
    }
    nowhere = pointed_value.own <= IMPOSSIBLE and pointed_value.nowhere > other.log
    return WeighedValue(ruled, other, pointed | _value_features(judged, ruled), nowhere)


def claim_features(
    disagrees: Logistic, agrees: Logistic, judged: AttributionScores, values: Sequence[WeighedValue]
) -> Mapping[str, float]:
    """Computes the features, by name, by which the calibration decides whether the whole claim is false."""
    return _claim_scores(judged) | {
        "disagrees": max(disagrees.probability(value.features) for value in values),
        "agrees": min(agrees.probability(value.features) for value in values),
        "nowhere": float(any(value.nowhere for value in values)),
    }


def is_open(ruled: Sequence[RuledValue]) -> bool:
    """Can the whole claim still be contradicted?

    Not if a value already is, nor if the evidence is about something else.
    """
    return all(value.about and value.rules.verdict != "disagrees" for value in ruled)


def could_contradict(fitted: Calibration, judged: AttributionScores, ruled: Sequence[RuledValue]) -> bool:
    """Could the encoder's pointers find a contradiction that the rules do not see?

    Computed with the best possible numbers for the features that pointers would give. The answer is mostly
    False for search results, which then need no further reading for each value.
    """
    highest = [fitted.disagrees.highest(_value_features(judged, value), _POINTED) for value in ruled]
    if any(
        p >= fitted.disagrees.threshold for p, value in zip(highest, ruled, strict=True) if not value.settled
    ):
        return True
    untold = {"disagrees": (0.0, max(highest)), "agrees": (0.0, 1.0), "nowhere": (0.0, 1.0)}
    return (
        is_open(ruled)
        and fitted.contradicts.highest(_claim_scores(judged), untold) >= fitted.contradicts.threshold
    )


def _value_features(judged: AttributionScores, ruled: RuledValue) -> dict[str, float]:
    verdicts = {f"rules_{verdict}": float(ruled.rules.verdict == verdict) for verdict in _VERDICTS}
    return verdicts | {
        "wrong": judged.wrongness(Span(ruled.value.start, ruled.value.end)),
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
    }


def _claim_scores(judged: AttributionScores) -> dict[str, float]:
    return {
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "wrong": max((p for _, p in judged.wrong), default=0.0),
    }


def _differing(text: str, value: Value, pointed: PointedValues) -> RivalValue:
    """Selects the most probable other value that surely differs from the claim's; else an empty value.

    A person cannot replace a body or place, nor the other way round. Empty also for a count in words that the
    passage lacks: what the passage lists may give the same count.
    """
    claimed = text[value.start : value.end]
    if value.kind == "number" and pointed.own <= IMPOSSIBLE and not any(map(str.isdigit, claimed)):
        return RivalValue("", IMPOSSIBLE)
    for other in pointed.others:
        if isinstance(value.read, ProperName):
            rival_name = next((name for name in proper_names(other.text) if name.text == other.text), None)
            if rival_name is None or is_person(text, value.read) == is_person(other.text, rival_name):
                return other
            continue
        readings = [reading for reading in checkable_values(other.text) if reading.kind == value.kind]
        if readings and same_value(value, readings[0]) is False:
            return other
    return RivalValue("", IMPOSSIBLE)


def _clipped(gap: float) -> float:
    return max(-_WIDEST, min(_WIDEST, gap))
