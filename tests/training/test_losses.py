"""The inputs and the losses of the encoder, by hand on tensors of a few numbers."""

from math import log

import pytest

torch = pytest.importorskip("torch")

pytest.importorskip("transformers")

from rarr.backends.encoder.inputs import MASKS, NULL  # noqa: E402
from rarr.backends.encoder.model_files import tokenizer  # noqa: E402
from rarr.training.encoder import END, OPEN, START, batch, class_loss, pointer_loss  # noqa: E402
from rarr.training.examples import Example, Value  # noqa: E402

pytestmark = pytest.mark.slow


def logits(*shares: float) -> list[float]:
    return [log(share) for share in shares]


def test_pointer_loss_accepts_any_right_place_among_the_candidates() -> None:
    pointers = torch.tensor([[OPEN, OPEN | START, OPEN | START | END, 0], [OPEN, OPEN, OPEN, OPEN]])
    loss = pointer_loss(torch.tensor([logits(2, 1, 1, 90)] * 2), pointers, START)
    assert loss.tolist() == pytest.approx([-log(2 / 4), 0])


@pytest.mark.parametrize(("label", "share"), [(0, 0.5), (1, 0.2), (2, 0.3), (3, 0.5), (-100, 1)])
def test_loss_of_not_supported_sums_both_classes(label: int, share: float) -> None:
    predicted = torch.tensor([logits(0.5, 0.2, 0.3), logits(1, 1, 1)])
    loss = class_loss(predicted, torch.tensor([label, 0]))
    assert loss.tolist() == pytest.approx([-log(share), -log(1 / 3)])


def test_a_batch_points_at_the_answer_or_nowhere() -> None:
    text, passage = "The mill opened in 1901.", "It was built in May 1901 by Jane Cole."
    stated = Value(place=(19, 23), kind="date", answers=((16, 24),))
    about = {"text": text, "title": "Mill", "passage": passage}
    made = batch(
        tokenizer(None),
        [
            Example(**about, values=(stated,)),
            Example(**about, values=(stated.model_copy(update={"answers": ()}),)),
            Example(**about, label="contradictory"),
        ],
    )
    at = made["mask_position"].tolist()
    assert [made["input_ids"][n, at[n]].item() for n in (0, 1)] == [MASKS["date"]] * 2
    [start], [end] = (torch.nonzero(made["pointers"][0] & side).flatten().tolist() for side in (START, END))
    assert tokenizer(None).decode(made["input_ids"][0, start : end + 1].tolist()) == "may 1901"
    assert torch.nonzero(made["pointers"][1] & START).flatten().tolist() == [NULL]
    assert not (made["pointers"][2] & (START | END)).any()
    assert made["labels"].tolist() == [-100, -100, 2]
