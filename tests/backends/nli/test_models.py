"""Tests tiny models of transformers with known answers: each shape, long evidence, and refused models."""

from pathlib import Path
from typing import Any

import pytest
from makers import evidence

from backends.nli.tiny import classifier, t5
from rarr.backends.nli.verifier import NliModel, NliVerifier
from rarr.tools.text.blocks_and_sentences import sentences

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # torch and transformers warn of themselves
]

LABELS = ["contradiction", "entailment", "neutral"]
CLAIM = "The permit was in the town hall."
GRANTED, DENIED, SILENT = "the permit was granted.", "the permit was denied.", "rain fell."
RAIN = "rain fell in the town. " * 60


@pytest.fixture(autouse=True)
def _extra() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return classifier(tmp_path / "three", LABELS, entails=1, contradicts=0)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
async def test_three_labels_in_any_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    labels = [LABELS[index].upper() for index in order]
    entails, contradicts = labels.index("ENTAILMENT"), labels.index("CONTRADICTION")
    folder = classifier(tmp_path, labels, entails=entails, contradicts=contradicts)
    verifier = NliVerifier(str(folder), 0.5)
    passages = [evidence(text) for text in (GRANTED, DENIED, SILENT)]
    classes = [await verifier.classify(CLAIM, None, sentences(CLAIM), it) for it in passages]
    assert classes == [["attributable"], ["contradictory"], ["extrapolatory"]]


@pytest.mark.parametrize("name", ["true", "minicheck"])
def test_t5_answers_by_the_first_tokens_of_0_and_1(tmp_path: Path, name: str) -> None:
    model = NliModel(str(t5(tmp_path / name, no=1.0, yes=3.0)))
    judged = model.judge_pairs([(GRANTED, CLAIM), (RAIN, CLAIM)])
    assert [it and it.support for it in judged] == pytest.approx([0.8808] * 2, abs=1e-4)  # sigmoid of 3 - 1


def test_best_part_of_long_evidence_counts(three: Path) -> None:
    model = NliModel(str(three))
    pairs = [(RAIN + sentence + RAIN, CLAIM) for sentence in (GRANTED + " ", DENIED + " ", "")]
    granted, denied, silent = model.judge_pairs(pairs, "the town hall")
    assert granted and denied and silent
    assert (granted.support > 0.8, denied.contradiction > 0.8, silent.support < 0.3) == (True,) * 3  # type: ignore[operator]


def test_no_input_is_longer_than_the_model_takes(three: Path) -> None:
    model, lengths = NliModel(str(three)), list[int]()
    forward = model._logits

    def recorded(encoded: list[dict[str, Any]]) -> list[list[float]]:
        lengths.extend(len(inputs["input_ids"]) for inputs in encoded)
        return forward(encoded)

    model._logits = recorded  # type: ignore[method-assign]
    model.judge_pairs([(RAIN, CLAIM), (RAIN.replace(".", ""), CLAIM), ("大 " * 500, CLAIM)])
    assert 20 < max(lengths) <= model._limit == 62


def test_evidence_cannot_end_itself(three: Path) -> None:
    model = NliModel(str(three))
    assert model.judge_pairs([("rain fell [SEP]", CLAIM)]) == model.judge_pairs([("rain fell", CLAIM)])
