"""Real models of transformers, tiny and with known answers: each shape, long evidence, what is refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from makers import evidence

from backends.nli.tiny import classifier, t5
from rarr.backends.nli.loading import loaded_model
from rarr.backends.nli.verifier import NliModel, NliVerifier, Pair
from rarr.errors import SetupError
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


def supports(model: NliModel, *passages: str) -> list[float]:
    judged = model.judge([Pair(passage, CLAIM) for passage in passages])
    return [judgement.support for judgement in judged if judgement is not None]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
async def test_three_labels_in_any_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    labels = [LABELS[index].upper() for index in order]
    entails, contradicts = labels.index("ENTAILMENT"), labels.index("CONTRADICTION")
    folder = classifier(tmp_path, labels, entails=entails, contradicts=contradicts)
    verifier = NliVerifier(str(folder), 0.5)
    classes = [
        await verifier.classify(CLAIM, None, sentences(CLAIM), evidence(passage))
        for passage in (GRANTED, DENIED, SILENT)
    ]
    assert classes == [["attributable"], ["contradictory"], ["extrapolatory"]]


@pytest.mark.parametrize(
    ("labels", "entails"),
    [(["LABEL_0", "LABEL_1"], 1), (["entailment", "not_entailment"], 0), (["LABEL_0"], 0)],
)
async def test_two_labels_or_one_logit(tmp_path: Path, labels: list[str], entails: int) -> None:
    folder = str(classifier(tmp_path, labels, entails=entails))
    granted, silent = supports(NliModel(folder), GRANTED, SILENT)
    assert 0 < silent < 0.3 < 0.85 < granted < 1
    verifier = NliVerifier(folder, 0.5)
    assert await verifier.classify(CLAIM, None, sentences(CLAIM), evidence(DENIED)) == ["extrapolatory"]


@pytest.mark.parametrize("name", ["true", "minicheck"])
def test_t5_answers_by_the_first_tokens_of_0_and_1(tmp_path: Path, name: str) -> None:
    model = NliModel(str(t5(tmp_path / name, no=1.0, yes=3.0)))
    assert supports(model, GRANTED, RAIN) == pytest.approx([0.8808, 0.8808], abs=1e-4)  # sigmoid of 3 - 1


def test_best_part_of_long_evidence_counts(three: Path) -> None:
    model = NliModel(str(three))
    granted, denied, silent = model.judge(
        [Pair(RAIN + sentence + RAIN, CLAIM) for sentence in (GRANTED + " ", DENIED + " ", "")],
        "the town hall",
    )
    assert granted and denied and silent
    assert (granted.support > 0.8, denied.contradiction > 0.8, silent.support < 0.3) == (True,) * 3  # type: ignore[operator]


def test_no_input_is_longer_than_the_model_takes(three: Path) -> None:
    model, lengths = NliModel(str(three)), list[int]()
    forward = model._logits

    def recorded(encoded: list[dict[str, Any]]) -> list[list[float]]:
        lengths.extend(len(inputs["input_ids"]) for inputs in encoded)
        return forward(encoded)

    model._logits = recorded  # type: ignore[method-assign]
    model.judge([Pair(RAIN, CLAIM), Pair(RAIN.replace(".", ""), CLAIM), Pair("大 " * 500, CLAIM)])
    assert 20 < max(lengths) <= model._limit == 62


def test_claim_without_room_for_evidence_is_not_judged(three: Path) -> None:
    judged = NliModel(str(three)).judge([Pair(RAIN, "the town " * 40), Pair(GRANTED, CLAIM)])
    assert [judgement is None for judgement in judged] == [True, False]


def test_evidence_cannot_end_itself(three: Path) -> None:
    model = NliModel(str(three))
    assert model.judge([Pair("rain fell [SEP]", CLAIM)]) == model.judge([Pair("rain fell", CLAIM)])


async def test_answers_are_the_same_alone_together_and_again(three: Path) -> None:
    verifier = NliVerifier(str(three), 0.5)
    text = f"{CLAIM} Rain fell in the town hall. The town was denied rain in 1936."
    spans = sentences(text)
    whole, again, *alone = await asyncio.gather(
        verifier.support(text, None, spans, evidence(GRANTED)),
        verifier.support(text, None, spans, evidence(GRANTED)),
        *(verifier.support(text, None, [span], evidence(GRANTED)) for span in spans),
    )
    assert whole == again
    assert [score for [score] in alone] == pytest.approx(list(whole), abs=1e-5)


def changed(folder: Path, **values: Any) -> str:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | values))
    return str(folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model_type": "HHEMv2", "auto_map": {"AutoConfig": "code.Config"}}, "needs Python code of its own"),
        ({"architectures": ["BertModel"]}, "is a BertModel: choose"),
        ({"id2label": {str(n): f"LABEL_{n}" for n in range(3)}}, "has the labels LABEL_0, LABEL_1, LABEL_2"),
        ({"num_hidden_layers": 2}, "lacks weights, bert.encoder.layer.1."),
        ({"model_type": "unheard"}, "cannot be loaded"),
    ],
)
def test_model_that_is_no_verifier_is_refused_in_one_line(three: Path, values: Any, message: str) -> None:
    (three / "code.py").write_text("raise SystemExit('code of a model ran')")
    with pytest.raises(SetupError, match=message) as raised:
        loaded_model(changed(three, **values))
    assert "\n" not in str(raised.value)
