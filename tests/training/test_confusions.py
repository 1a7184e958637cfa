"""Which words would be wrong in the place of a value."""

from collections.abc import Sequence

import numpy as np
import pytest

from rarr.encoder.model import Asked, Encoder, Pointing
from rarr.tools.document import Span
from rarr.training.examples import Cloze, Value
from training.confusions import confused, pointed_wrongly

PASSAGE = (
    "Jane Cole opened the mill in 1901 (or 1902). "
    "Her brother Tom Reed shut it down for good, and Ann Wye, in 1950."
)
TEXT = "Jane Cole opened the mill in 1901."
ITEM = {
    "id": "1",
    "title": "",
    "evidence": PASSAGE,
    "supported": TEXT,
    "corrupted": "Mary Hill opened the mill in 1901.",
    "edits": [{"wrong": "Mary Hill", "right": "Jane Cole", "kind": "person"}],
    "extrapolatory": "The mill was painted green.",
}


def spans(words: Sequence[str]) -> list[Span]:
    return [Span(PASSAGE.index(said), PASSAGE.index(said) + len(said)) for said in words]


class Given(Pointing):
    """The spans as they are."""

    def ranked(self, count: int) -> list[tuple[Span, float]]:
        return [(Span(*one), 0.0) for one in self.spans[:count]]


class Scripted(Encoder):
    """Points at the words that it is given, whatever it is asked."""

    def __init__(self, *words: str) -> None:
        self.given = Given(np.zeros(0, np.float32), np.zeros(0, np.float32), 0.0, tuple(spans(words)))

    def point(self, asked: Sequence[Asked]) -> list[Pointing]:
        return [self.given for _ in asked]


@pytest.mark.parametrize(
    ("asked", "pointed", "kept"),
    [
        ("Jane Cole", ["Tom Reed", "Ann Wye"], ["Tom Reed", "Ann Wye"]),
        ("Jane Cole", ["Jane Cole", "Cole", "Cole opened"], []),
        ("Jane Cole", ["Tom Reed", "Reed", "Tom"], ["Tom Reed"]),
        ("Jane Cole", ["the mill", "brother Tom Reed"], []),
        ("Jane Cole", ["Reed shut it down for good, and Ann", "Ann Wye, in"], []),
        ("Jane Cole", ["Her brother Tom Reed shut it down for good"], []),
        ("1901", ["1950", "Tom Reed", "1902"], ["1950", "1902"]),
        ("1901", ["1901 (or 1902", "1902). Her"], []),
    ],
    ids=[
        "others",
        "the right one",
        "apart",
        "no name",
        "over a mark",
        "too long",
        "numbers",
        "over brackets",
    ],
)
def test_what_is_pointed_at_is_wrong_where_it_is_another_of_the_kind(
    asked: str, pointed: list[str], kept: list[str]
) -> None:
    place, answer = TEXT.index(asked), PASSAGE.index(asked)
    value = Value(
        place=(place, place + len(asked)),
        kind="date" if asked.isdigit() else "name",
        answers=((answer, answer + len(asked)),),
    )
    example = Cloze(source="test", text=TEXT, title="", passage=PASSAGE, values=(value,))
    assert pointed_wrongly(example, value, spans(pointed)) == kept


def test_wrong_words_are_those_of_people_and_those_that_the_encoder_takes() -> None:
    (example,) = confused([ITEM], Scripted("Tom Reed", "1950"))
    found = {(TEXT[slice(*value.place)], value.others) for value in example.values}
    assert ("1901", ("1950",)) in found
    assert ("Jane Cole", ("Mary Hill",)) in found


def test_value_that_nothing_is_confused_with_is_left_out() -> None:
    (example,) = confused([ITEM], Scripted("Jane Cole", "1901"))
    assert [value.others for value in example.values] == [("Mary Hill",)]
