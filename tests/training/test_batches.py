"""Examples that are made anew each time that they are drawn."""

import random

import pytest

pytest.importorskip("torch")

from rarr.encoder.inputs import MaskKind
from rarr.training.batches import contrasted
from rarr.training.examples import Cloze, Value


def example(text: str, word: str, kind: MaskKind, *others: str) -> Cloze:
    start = text.index(word)
    wrong = Value(place=(start, start + len(word)), kind=kind, answers=(), others=others)
    alone = Value(place=(0, 1), kind="word", answers=())  # nothing could be put in its place
    return Cloze(source="test", text=text, title="Elm", passage="A passage.", values=(alone, wrong))


@pytest.mark.parametrize(
    ("claim", "wrong", "place"),
    [
        (example("Built in 1904, it stands.", "1904", "number", "12"), "Built in 12, it stands.", (9, 11)),
        (example("Mills burn.", "Mills", "word", "old barns"), "Old barns burn.", (0, 9)),
    ],
    ids=["shorter", "capital as before"],
)
def test_claim_stands_beside_itself_with_one_value_wrong(
    claim: Cloze, wrong: str, place: tuple[int, int]
) -> None:
    made = contrasted(claim, random.Random(1))
    assert (made.source, made.title, made.passage) == (claim.source, claim.title, claim.passage)
    right, other = made.versions
    assert (right.text, right.label, right.wrong) == (claim.text, "attributable", ())
    assert (other.text, other.label, other.wrong) == (wrong, "contradictory", (place,))


def test_what_is_wrong_is_drawn_anew() -> None:
    claim, rng = example("Built in 1904.", "1904", "date", "1905", "1911", "1920"), random.Random(1)
    texts = {contrasted(claim, rng).versions[1].text for _ in range(40)}
    assert texts == {"Built in 1905.", "Built in 1911.", "Built in 1920."}
