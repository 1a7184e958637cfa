"""Which sentences of a source can be read alone, and what takes the place of a pronoun."""

import pytest
from makers import evidence

from rarr.backends.rules.sentence_antecedents import standalone_sentences

TOPIC = "Velmar"


def read(text: str, *, title: str = TOPIC, start: int = 0, topic: str = TOPIC) -> list[str]:
    passage = evidence(text, start=start).model_copy(update={"title": title})
    return [each.text for each in standalone_sentences(topic, passage)]


def test_the_town_behind_a_neighbour_is_not_the_topic() -> None:
    text = "Velmar is old. The neighbouring town Hosk is larger. The town has 20,400 inhabitants."
    assert read(text) == ["Velmar is old.", "The neighbouring town Hosk is larger."]


def test_the_town_behind_the_topic_is_the_topic() -> None:
    assert read("Velmar is old. The town has 900 inhabitants.")[1] == "The town has 900 inhabitants."


def test_document_about_the_topic_needs_no_name_at_its_start() -> None:
    assert read("The town has 900 inhabitants.") == ["The town has 900 inhabitants."]


@pytest.mark.parametrize("changed", [{"title": "Towns of Ord"}, {"start": 2000}])
def test_antecedent_that_the_passage_does_not_show_is_unknown(changed: dict[str, object]) -> None:
    assert read("The town has 900 inhabitants.", **changed) == []  # type: ignore[arg-type]


def test_heading_with_a_name_begins_the_part_about_it() -> None:
    text = "# Velmar\n\nThe town is old.\n\n## Hosk\n\nThe town was besieged in 1634."
    assert read(text) == ["The town is old."]


def test_heading_without_a_name_returns_to_the_topic() -> None:
    text = "Hosk is larger.\n\n## History\n\nThe town was besieged in 1634."
    assert read(text)[1:] == ["The town was besieged in 1634."]


def test_part_of_the_town_does_not_become_the_town() -> None:
    assert len(read("The Church of Saint Ode has a tower. The town museum shows looms.")) == 2


def test_thing_with_an_article_is_a_rival_of_a_topic_with_one() -> None:
    text = "The Orrel Viaduct is old. The Humber Bridge is longer. The bridge has 30 arches."
    assert len(read(text, title="Orrel Viaduct", topic="Orrel Viaduct")) == 2


def test_two_joined_subjects_leave_the_town_open() -> None:
    assert len(read("Velmar and Hosk have been partners since 1958. The town has a harbour.")) == 1


def test_name_behind_unlike_is_no_subject() -> None:
    assert len(read("Unlike Hosk, Velmar has no harbour. The town has 900 inhabitants.")) == 2


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In 2020 it had 900 inhabitants.", "In 2020 Velmar had 900 inhabitants."),
        ("In 2020, its mayor was Ada Brook.", "In 2020, Velmar's mayor was Ada Brook."),
    ],
)
def test_topic_takes_the_place_of_a_pronoun(sentence: str, expected: str) -> None:
    assert read(f"Velmar is old. {sentence}")[1] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "On his first voyage in 1769 Captain Tarv came to Hosk.",  # the captain's voyage
        "In 2020 she moved to Hosk.",  # a town is no person
        "In 2020 they opened a museum.",
    ],
)
def test_pronoun_that_does_not_fit_the_topic_is_not_replaced(sentence: str) -> None:
    assert not any("Velmar" in each for each in read(f"Velmar is old. {sentence}")[1:])


def test_person_takes_the_place_of_she() -> None:
    text = "Ada Brook was a painter. During the First World War she lived in Hosk."
    assert read(text, title="Ada Brook", topic="Ada Brook")[1] == (
        "During the First World War Ada Brook lived in Hosk."
    )


def test_pronoun_for_another_thing_leaves_the_sentence_out() -> None:
    assert read("Hosk is larger. In 2020 it had 900 inhabitants.") == ["Hosk is larger."]


def test_pronoun_behind_an_opening_with_a_noun_may_be_either() -> None:
    assert read("Velmar is old. After the fire it was rebuilt in brick.") == ["Velmar is old."]


def test_pronoun_behind_its_own_noun_stays() -> None:
    fire = "A fire destroyed the quarter in 1677, and it was rebuilt in brick."
    assert read(f"Velmar is old. {fire}")[1] == fire


def test_person_between_does_not_become_the_town() -> None:
    assert len(read("Velmar is old. Ada Brook was elected in 2018. The town has 900 inhabitants.")) == 3


def test_person_as_topic_has_other_persons_as_rivals() -> None:
    text = "Ada Brook is a painter. Lena Tarv was her teacher. The painter moved to Hosk in 1950."
    assert len(read(text, title="Ada Brook", topic="Ada Brook")) == 2
