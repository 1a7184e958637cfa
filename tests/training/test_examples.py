"""Rows as training examples, and where a passage says what a text says."""

import random

from rarr.training.examples import Value, clozes, judged, values_of, with_one_value
from rarr.training.rows import Mistake, SentenceScore, TrainingRow
from training.helpers import evidence

MILL = evidence("The mill opened in 1901. It has 20 looms.", number=1, title="Alder Mill", relevance=0.9)
FIRE = evidence("A fire destroyed the mill in 1950.", number=2, relevance=0.8)
SUMMARY = "The mill opened in 1901. It has 20 looms. It burned in 1950."


def row(*owners: str) -> TrainingRow:
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
        others=(),
        scores=tuple(
            SentenceScore(start=start, end=end, evidence_id=owner, support=1, corrupted=0.2)
            for (start, end), owner in zip(places, owners, strict=True)
        ),
        model="m",
        verifier="embedded",
        prompts={},
    )


def test_sentences_from_one_passage_become_one_text() -> None:
    right, wrong, second, other = judged(row("e1", "e1", "e2"))
    assert (right.title, right.passage) == (MILL.title, MILL.text)
    assert (right.text, right.label) == (SUMMARY[:41], "attributable")
    assert (wrong.text, wrong.label) == (SUMMARY[:41].replace("1901", "in May 1910"), "contradictory")
    assert [it.text for it in (second, other)] == ["It burned in 1950.", "It burned in 1951."]
    assert second.passage == FIRE.text


def test_values_that_the_passage_states_are_masked_and_pointed_at() -> None:
    (first,) = clozes(row("e1", "e1", "e1"))
    places = [(value.place, *value.answers) for value in first.values]
    assert [(first.text[slice(*at)], first.passage[slice(*to)]) for at, to in places] == [
        ("1901", "1901"),
        ("20", "20"),
    ]
    assert [value.kind for value in first.values] == ["date", "number"]


def test_part_without_values_in_the_passage_gives_no_cloze() -> None:
    assert not list(clozes(row("e2", "e2", "e1")))


def test_name_in_the_title_is_no_value() -> None:
    values = values_of("Alder Mill was built by Jane Cole.", "Jane Cole built it.", "Alder Mill")
    assert values == (Value(place=(24, 33), kind="name", answers=((0, 9),)),)


def test_one_value_is_masked_mostly_a_stated_value() -> None:
    (example,) = clozes(row("e1", "e1", "e1"))
    unsaid = [Value(place=(0, 3), kind="name", answers=())] * 9
    rng = random.Random(1)
    drawn = [
        with_one_value(example.model_copy(update={"values": (*example.values, *unsaid)}), rng)
        for _ in range(100)
    ]
    assert all(len(each.values) == 1 for each in drawn)
    assert 70 < sum(bool(each.values[0].answers) for each in drawn) < 90
