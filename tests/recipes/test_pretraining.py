"""Sentences of an article beside the place that says most of it again."""

from recipes import pretraining
from recipes.pretraining import examples

ARTICLE = {
    "id": "1",
    "title": "Alder Mill",
    "text": "The Alder Mill was built in 1901 by Jane Cole beside the river Wend. It has twenty looms.\n\n"
    "== History ==\n"
    "In 1901 the engineer Jane Cole finished a mill beside the Wend for 900 pounds. "
    "A fire of 1950 burned down the roof and most of the looms. "
    "Since the fire of 1950 its looms have stood under a roof of tin.",
}


def test_texts_are_paired_with_another_place_in_the_article() -> None:
    clozes = list(examples([ARTICLE], 1))
    assert clozes
    for cloze in clozes:
        assert cloze.text not in cloze.passage
        assert cloze.passage in ARTICLE["text"].replace("== History ==", "")
        assert len(cloze.passage) <= pretraining.ROOM


def test_only_values_in_both_text_and_passage_have_answers() -> None:
    cloze = next(example for example in examples([ARTICLE], 1) if example.text.startswith("In 1901"))
    answers = {
        cloze.text[slice(*value.place)]: [cloze.passage[slice(*answer)] for answer in value.answers]
        for value in cloze.values
    }
    assert answers["1901"] == ["1901"]
    assert answers["Jane Cole"] == ["Jane Cole"]
    assert answers["900 pounds"] == []


def test_examples_follow_from_the_seed() -> None:
    assert list(examples([ARTICLE], 1)) == list(examples([ARTICLE], 1))


def test_article_without_repeated_facts_gives_no_examples() -> None:
    apart = ARTICLE | {
        "text": "The mill was built of brick in 1901. Plums ripen late on the northern slopes."
    }
    assert list(examples([apart], 1)) == []
