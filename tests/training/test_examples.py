"""Rows as training examples, and where a passage says what a text says."""

from rarr.training.examples import Value, examples_of, values_of
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


def test_each_sentence_is_an_example_beside_its_passage() -> None:
    examples = list(examples_of(row("e1", "e1", "e2")))
    assert [(it.text, it.label) for it in examples if it.label] == [
        ("The mill opened in 1901.", "attributable"),
        ("The mill opened in in May 1910.", "contradictory"),
        ("It has 20 looms.", "attributable"),
        ("It burned in 1950.", "attributable"),
        ("It burned in 1951.", "contradictory"),
    ]
    assert {it.passage for it in examples if "burned" in it.text} == {FIRE.text}


def test_values_that_the_passage_states_are_masked_and_pointed_at() -> None:
    values = [(it, value) for it in examples_of(row("e1", "e1", "e1")) for value in it.values]
    assert [(it.text[slice(*value.place)], value.kind) for it, value in values] == [
        ("1901", "date"),
        ("20", "number"),
    ]
    assert [it.passage[slice(*at)] for it, value in values for at in value.answers] == ["1901", "20"]


def test_name_in_the_title_is_no_value() -> None:
    values = values_of("Alder Mill was built by Jane Cole.", "Jane Cole built it.", "Alder Mill")
    assert values == (Value(place=(24, 33), kind="name", answers=((0, 9),)),)
