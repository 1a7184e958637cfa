"""Rows as training examples, and where a passage says what a text says."""

import pytest

from rarr.training.examples import attributions, clozes, mask_kind, shared
from rarr.training.rows import Mistake, SentenceScore, TrainingRow
from training.helpers import evidence

MILL = evidence("The mill opened in 1901. It has 20 looms.", number=1, title="Alder Mill", relevance=0.9)
FIRE = evidence("A fire destroyed the mill in 1950.", number=2, relevance=0.8)
OTHERS = tuple(evidence(f"Plums are blue {n}.", number=n, relevance=0.1) for n in range(3, 8))
SUMMARY = "The mill opened in 1901. It has 20 looms. It burned in 1950."


def row(*owners: str, others: int = 5) -> TrainingRow:
    places = [(0, 24), (25, 41), (42, 60)]
    return TrainingRow(
        query="When did the mill open?",
        summary=SUMMARY,
        corrupted=SUMMARY.replace("1901", "in May 1910").replace("1950", "1951"),
        edits=(
            Mistake(start=19, right="1901", wrong="in May 1910", kind="date"),
            Mistake(start=55, right="1950", wrong="1951", kind="date"),
        ),
        relevant=(MILL, FIRE),
        others=OTHERS[:others],
        scores=tuple(
            SentenceScore(start=start, end=end, evidence_id=owner, support=1, corrupted=0.2)
            for (start, end), owner in zip(places, owners, strict=True)
        ),
        model="m",
        verifier="embedded",
        prompts={},
    )


def test_sentences_from_one_passage_become_one_text() -> None:
    first, second = attributions(row("e1", "e1", "e2"))
    right, wrong = first.versions
    assert (first.title, first.passage) == (MILL.title, MILL.text)
    assert (right.text, right.label, right.wrong) == (SUMMARY[:41], "attributable", ())
    assert (wrong.text, wrong.label) == (SUMMARY[:41].replace("1901", "in May 1910"), "contradictory")
    assert [wrong.text[slice(*place)] for place in wrong.wrong or ()] == ["in May 1910"]
    assert [version.text for version in second.versions] == ["It burned in 1950.", "It burned in 1951."]
    assert second.passage == FIRE.text


def test_earlier_errors_shift_the_places_of_later_errors() -> None:
    (whole,) = attributions(row("e1", "e1", "e1"))
    wrong = whole.versions[1]
    assert [wrong.text[slice(*place)] for place in wrong.wrong or ()] == ["in May 1910", "1951"]


def test_right_words_are_masked_and_pointed_at() -> None:
    first, _ = clozes(row("e1", "e1", "e2"))
    value = next(each for each in first.values if first.text[slice(*each.place)] == "1901")
    assert (first.text[slice(*value.place)], value.kind) == ("1901", "date")
    assert [first.passage[slice(*place)] for place in value.answers] == ["1901"]
    assert "looms" in {first.text[slice(*masked.place)].split()[-1] for masked in first.values}


def test_part_without_values_in_the_passage_gives_no_cloze() -> None:
    assert [example.text for example in clozes(row("e2", "e2", "e1"))] == [SUMMARY[:41]]


PASSAGE = "The Alder Mill opened on 4 May 1901. Its looms were burned by a fire in 1950."


def answers(text: str, errors: list[tuple[tuple[int, int], str]]) -> dict[str, list[str]]:
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


def test_corrected_words_are_a_value() -> None:
    text = "The looms were burned by a fire in 1950."
    at = text.index("burned by a fire")
    errors = [((at, at + 16), "burned by a fire")]
    assert shared(text, "", PASSAGE, errors)[(at, at + 16)].kind == "word"
    assert answers(text, errors)["burned by a fire"] == ["burned by a fire"]


def test_corrected_words_missing_from_the_passage_are_left_out() -> None:
    text = "The looms were green in 1950."
    assert "green" not in answers(text, [((15, 20), "green")])


@pytest.mark.parametrize(("words", "kind"), [("4 May 1901", "date"), ("37", "number"), ("a mill", "word")])
def test_kind_of_masked_words_is_the_kind_of_their_value(words: str, kind: str) -> None:
    assert mask_kind(words) == kind
