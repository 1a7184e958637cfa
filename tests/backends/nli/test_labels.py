"""What a model's outputs stand for, in any order and case, and the probabilities of its logits."""

import pytest

from rarr.backends.nli.loading import EntailmentJudgement, Outputs, outputs_of
from rarr.errors import SetupError


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["entailment", "neutral", "contradiction"], Outputs(0, 2)),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], Outputs(2, 0)),
        (["contradiction", "entailment", "neutral"], Outputs(1, 0)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], Outputs(0, 1)),
        (["entailment", "not_entailment"], Outputs(0)),
        (["not_entailment", "entailment"], Outputs(1)),
        (["entailment", "contradiction"], Outputs(0, 1)),
        (["LABEL_0", "LABEL_1"], Outputs(1)),
        (["LABEL_0"], Outputs(0)),
    ],
)
def test_names_say_which_output_is_which(labels: list[str], expected: Outputs) -> None:
    assert outputs_of(dict(enumerate(labels)), "a/b") == expected


@pytest.mark.parametrize(
    "labels",
    [
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["positive", "negative"],
        ["entailment", "positive"],
        ["entailment", "entailed"],
        ["neutral", "contradiction"],
        ["entailment", "neutral", "contradiction", "other"],
    ],
)
def test_other_labels_are_refused_in_one_line_with_the_cure(labels: list[str]) -> None:
    with pytest.raises(SetupError, match=rf"'nli:a/b' has the labels {labels[0]}, .*id2label") as raised:
        outputs_of(dict(enumerate(labels)), "a/b")
    assert "\n" not in str(raised.value)


def test_several_logits_are_shares() -> None:
    judged = Outputs(0, 2).judgement([2.0, 1.0, 0.0])
    assert judged == pytest.approx(EntailmentJudgement(0.6652, 0.0900), abs=1e-4)


@pytest.mark.parametrize(("logit", "support"), [(0.0, 0.5), (3.0, 0.9526), (-1000.0, 0.0), (1000.0, 1.0)])
def test_one_logit_is_a_sigmoid(logit: float, support: float) -> None:
    judged = Outputs(0).judgement([logit])
    assert judged.support == pytest.approx(support, abs=1e-4)
    assert judged.contradiction is None


def test_large_logits_do_not_overflow() -> None:
    assert Outputs(1).judgement([-1000.0, 1000.0]) == EntailmentJudgement(1.0)
