"""The examples that the recipe makes, here of items of our own, and its phases."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

import torch

from rarr.training.examples import ClozeValue, Example
from recipes import data
from recipes.run import BATCH, PHASES, draw_examples, mean_weights

pytestmark = pytest.mark.slow

ARTICLE = {
    "id": "1",
    "title": "Alder Mill",
    "text": "The Alder Mill was built in 1901 by Jane Cole beside the river Wend. It has twenty looms.\n\n"
    "== History ==\n"
    "In 1901 the engineer Jane Cole finished a mill beside the Wend for 900 pounds. "
    "A fire of 1950 burned down the roof and most of the looms. "
    "Since the fire of 1950 its looms have stood under a roof of tin.",
}
ITEM = {
    "doc": "a",
    "title": "Alder Mill",
    "evidence": "Jane Cole built it in 1901.",
    "supported": "Cole's mill dates from 1901.",
    "corrupted": "Cole's mill dates from 1910.",
    "extrapolatory": "Cole's mill closed in 1950.",
}


def test_sentence_of_an_article_stands_beside_the_part_that_repeats_it() -> None:
    made = data.examples_of_article(ARTICLE)
    body = ARTICLE["text"].replace("== History ==", "")
    assert all(it.text not in it.passage and it.passage in body for it in made)
    example = next(it for it in made if it.text.startswith("In 1901"))
    places = [(value.place, answer) for value in example.values for answer in value.answers]
    answers = [(example.text[slice(*place)], example.passage[slice(*answer)]) for place, answer in places]
    assert sorted(answers) == [("1901", "1901"), ("Jane Cole", "Jane Cole"), ("Wend", "Wend")]
    assert made == data.examples_of_article(ARTICLE)


def test_article_without_repeated_facts_gives_no_examples() -> None:
    text = "The mill was built of brick in 1901. Plums ripen late on the northern slopes."
    assert not data.examples_of_article(ARTICLE | {"text": text})


def test_item_gives_its_three_texts_and_the_values_of_two() -> None:
    *judged, stated, lacking = data.examples_of_items([ITEM])
    assert [it.label for it in judged] == ["attributable", "contradictory", "extrapolatory"]
    assert [stated.text[slice(*value.place)] for value in stated.values] == ["1901"]
    assert lacking.values == (ClozeValue(place=(22, 26), kind="date", answers=()),)


def test_claim_beside_another_document_is_unsettled() -> None:
    other = ITEM | {"doc": "b", "evidence": "The Birch Mill was built by Cole in 1904."}
    made = list(data.examples_of_other_documents([ITEM, ITEM | {"evidence": "Cole's mill."}, other]))
    about = {"title": "Alder Mill", "passage": other["evidence"]}
    assert made[0] == Example(text=ITEM["supported"], label="extrapolatory", **about)
    assert made[1].values == (ClozeValue(place=(23, 27), kind="date", answers=()),)


def test_judged_claim_stands_beside_the_closest_window_of_its_evidence() -> None:
    passage = "Plums ripen late. " * 60 + "The mill burned in 1950. " + "Pears ripen early. " * 60
    window = data.closest_window("A fire burned the mill.", passage)
    assert "The mill burned in 1950." in window and len(window) <= data.LONGEST_PASSAGE
    row = {"label3": None, "supported": False, "source": "wice", "evidence": [{"text": "It burned."}]}
    examples = data.examples_of_judged_claims([row | {"claim": "It burned in 1950."}])
    assert [it.label for it in examples] == ["not_supported"]


def test_phase_draws_its_examples_by_its_mixture(tmp_path: Path) -> None:
    (example,) = data.cloze_examples("Built in 1901.", "It was built in 1901.", "", stated=True)
    for name in data.example_makers():
        (tmp_path / f"{name}.jsonl").write_text(example.model_copy(update={"title": name}).model_dump_json())
    assert {name for phase in PHASES for name in phase.mixture} == set(data.load_examples(tmp_path))
    made = draw_examples(data.load_examples(tmp_path), PHASES[0], steps=30)
    share = sum(it.title == "span_selection" for it in made) / len(made)
    assert len(made) == 30 * BATCH
    assert share == pytest.approx(PHASES[0].mixture["span_selection"], abs=0.05)


def test_mean_is_taken_weight_by_weight() -> None:
    first, other = {"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([1.0, 4.0])}
    assert mean_weights(first, other)["a"].tolist() == [0.5, 3.0]
