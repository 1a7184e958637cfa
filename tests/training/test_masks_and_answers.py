"""Where a passage says what a text says."""

import pytest

from rarr.training.masks_and_answers import Corrected, find, mask_kind, shared

PASSAGE = "The Alder Mill opened on 4 May 1901. Its looms were burned by a fire in 1950."


def answers(text: str, errors: list[Corrected]) -> dict[str, list[str]]:
    """The values of a text with the words of the passage that answer them."""
    values = shared(text, "", PASSAGE, errors)
    return {
        text[slice(*place)]: [PASSAGE[slice(*answer)] for answer in value.answers]
        for place, value in values.items()
    }


def test_shared_values_and_words_are_found() -> None:
    values = answers("A fire burned the looms in 1950.", [])
    assert values["1950"] == ["1950"]
    assert values["burned"] == ["burned"]


def test_corrected_words_are_a_value_with_the_error_as_alternative() -> None:
    text = "The looms were burned by a fire in 1950."
    at = text.index("burned by a fire")
    errors = [Corrected((at, at + 16), "burned by a fire", "lost in a flood")]
    value = shared(text, "", PASSAGE, errors)[(at, at + 16)]
    assert (value.kind, value.others) == ("word", ("lost in a flood",))
    assert answers(text, errors)["burned by a fire"] == ["burned by a fire"]


def test_corrected_words_missing_from_the_passage_are_left_out() -> None:
    text = "The looms were green in 1950."
    assert "green" not in answers(text, [Corrected((15, 20), "green", "blue")])


def test_words_are_found_by_their_stems() -> None:
    assert [PASSAGE[slice(*place)] for place in find("burning", PASSAGE)] == ["burned"]
    assert find("", PASSAGE) == ()


@pytest.mark.parametrize(("words", "kind"), [("4 May 1901", "date"), ("37", "number"), ("a mill", "word")])
def test_kind_of_masked_words_is_the_kind_of_their_value(words: str, kind: str) -> None:
    assert mask_kind(words) == kind
