"""Scores of verified claims: a worked example in which micro and macro differ."""

import pytest

from rarr.evals.claim_scores import ClaimScores, JudgedClaim, claim_scores
from rarr.records import AttributionClass

A: AttributionClass = "attributable"
E: AttributionClass = "extrapolatory"
C: AttributionClass = "contradictory"


def judged(
    gold: AttributionClass | None, label: AttributionClass | None, probability: float | None, group: str = ""
) -> JudgedClaim:
    return JudgedClaim(label, probability, gold, None if gold is None else gold == A, group)


CLAIMS = [
    judged("attributable", "attributable", 0.9, "a"),
    judged("attributable", "attributable", 0.8, "b"),
    judged("attributable", "extrapolatory", 0.4, "c"),
    judged("extrapolatory", "extrapolatory", 0.3, "d"),
    judged("contradictory", "attributable", 0.6, "e"),
    judged("contradictory", None, None, "f"),
]


def values(scores: ClaimScores) -> dict[str, float | None]:
    return {name: measure.value for name, measure in scores.three_way.items()}


def test_three_classes() -> None:
    """attributable: P 2/3, R 2/3; extrapolatory: P 1/2, R 1; contradictory: never called, R 0."""
    three = values(claim_scores(CLAIMS, resamples=20))
    assert three["accuracy"] == pytest.approx(3 / 6)
    assert three["micro_f1"] == pytest.approx(3 / 5)
    assert three["attributable_f1"] == pytest.approx(2 / 3)
    assert three["extrapolatory_f1"] == pytest.approx(2 / 3)
    assert (three["contradictory_precision"], three["contradictory_f1"]) == (None, 0)
    assert three["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_failed_judgement_is_counted_apart_and_is_no_wrong_label() -> None:
    failed = judged("contradictory", None, None, "g")._replace(failed=True)
    accuracy = claim_scores([*CLAIMS, failed], resamples=20).three_way["accuracy"]
    assert accuracy.value == pytest.approx(3 / 6)
    assert (accuracy.n, accuracy.unjudged) == (6, 1)


def test_supported_or_not_and_probabilities() -> None:
    scores = claim_scores(CLAIMS, resamples=20)
    two = {name: measure.value for name, measure in scores.two_way.items()}
    found = [two[name] for name in ("precision", "recall", "accuracy")]
    assert found == pytest.approx([2 / 3, 2 / 3, 3 / 5])
    assert two["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert scores.probabilities["auc"].value == pytest.approx(5 / 6)
    assert (scores.probabilities["auc"].n, scores.probabilities["auc"].unjudged) == (5, 1)
    assert scores.confusion[C] == {A: 1, E: 0, C: 0}
    assert sum(each.n for each in scores.bins) == 5


def test_threshold_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    """Every group has a true and a false claim, which 0.7 separates in both halves."""
    claims = [
        judged(gold, None, probability, f"g{n}")
        for n in range(8)
        for gold, probability in ((A, 0.7 + n / 100), (E, 0.3))
    ]
    chosen = claim_scores(claims, resamples=20).thresholds
    assert set(chosen) == {"f1", "balanced_accuracy"}
    for threshold in chosen.values():
        assert threshold.chosen_on == 8 and threshold.f1.n == 8
        assert 0.3 < threshold.threshold <= 0.77
    turned = claim_scores(claims[::-1], resamples=20).thresholds
    assert [turned[name].threshold for name in chosen] == [each.threshold for each in chosen.values()]


def test_claims_of_one_group_choose_no_threshold_for_themselves() -> None:
    claims = [judged("attributable", None, 0.9, "a"), judged("extrapolatory", None, 0.1, "a")]
    assert claim_scores(claims, resamples=20).thresholds == {}


def test_claims_that_only_say_supported_have_no_classes() -> None:
    scores = claim_scores([JudgedClaim("attributable", 0.9, None, True)], resamples=20)
    assert scores.three_way == {} and scores.confusion == {}
    assert scores.two_way["recall"].value == 1


def test_nothing_is_scored_without_claims() -> None:
    assert claim_scores([]) == ClaimScores()
