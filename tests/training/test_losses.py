"""The losses, by hand on tensors of a few numbers."""

from math import exp, log

import pytest

torch = pytest.importorskip("torch")

pytest.importorskip("transformers")

from rarr.training import encoder  # noqa: E402  # it imports torch

pytestmark = pytest.mark.slow

NO = -log(0.5)  # the cross-entropy of a logit of 0


def logits(*shares: float) -> list[float]:
    return [log(share) for share in shares]


def test_pointer_loss_accepts_any_right_place_among_the_candidates() -> None:
    opened, right = torch.tensor([[True, True, True, False]]), torch.tensor([[0.0, 1.0, 1.0, 0.0]])
    loss = encoder.pointer_loss(torch.tensor([logits(2, 1, 1, 90)]), opened, right)
    assert loss.item() == pytest.approx(-log(2 / 4))


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([[1, 0, 0, -1]], (log(1 + exp(-2)) + (log(1 + exp(1)) + NO) / 2) / 2),
        ([[-1, 0, 0, -1]], (log(1 + exp(1)) + NO) / 2),
        ([[1, -1, 1, -1]], (log(1 + exp(-2)) + NO) / 4),
        ([[-1, -1, -1, -1]], 0.0),
    ],
    ids=["both weigh the same", "right ones alone", "wrong ones alone", "none is known"],
)
def test_wrong_token_loss_weighs_both_classes_alike(tags: list[list[int]], expected: float) -> None:
    loss = encoder.wrong_loss(torch.tensor([[2.0, 1.0, 0.0, 50.0]]), torch.tensor(tags))
    assert loss.item() == pytest.approx(expected)


@pytest.mark.parametrize(("label", "share"), [(0, 0.5), (1, 0.2), (2, 0.3), (3, 0.5)])
def test_attribution_loss_of_not_supported_sums_both_classes(label: int, share: float) -> None:
    predicted = torch.tensor([logits(0.5, 0.2, 0.3), logits(1, 1, 1)])
    loss = encoder.class_loss(predicted, torch.tensor([label, 0]))
    assert loss.item() == pytest.approx((-log(share) - log(1 / 3)) / 2)


def test_contrast_loss_compares_contradicted_with_supported() -> None:
    predicted = torch.tensor([logits(0.5, 0.25, 0.25), logits(0.2, 0.2, 0.6), logits(0.9, 0.05, 0.05)])
    odds = (0.6 / 0.2) / (0.25 / 0.5)
    assert encoder.contrast_loss(predicted, torch.tensor([[0, 1]])).item() == pytest.approx(
        -log(odds / (1 + odds))
    )
    assert encoder.contrast_loss(predicted, torch.zeros((0, 2), dtype=torch.long)).item() == 0
