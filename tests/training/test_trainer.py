"""Training from scratch to files that the runtime reads, on a tiny set, and the same again after a stop."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import torch
from tokenizers import Tokenizer
from transformers import BertConfig

from rarr.backends.encoder.inputs import MaskedSpan
from rarr.backends.encoder.model import ClozeInput, Encoder
from rarr.backends.encoder.model_files import SHIPPED, TOKENIZER, checked_manifest
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training import tasks
from rarr.training.examples import Attribution, Cloze, LabelledText, Maskable, Relevance
from rarr.training.model import EncoderWithHeads
from rarr.training.onnx_files import export, load
from rarr.training.trainer import Phase, Recipe, TaskData, Trainer

pytestmark = pytest.mark.slow

SHAPE = {
    "vocab_size": 30522,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 512,
}
TOKENS = Tokenizer.from_file(str(SHIPPED / TOKENIZER))
TOWNS = ("Arlen", "Brook", "Corin", "Dale", "Elm", "Farrow", "Gorse", "Hythe")


def examples() -> dict[str, TaskData]:
    clozes, judged, queries = [], [], []
    for number, town in enumerate(TOWNS):
        year, other = 1900 + number, 1950 + number
        passage = f"The mill of {town} was built in {year}. It burnt down in {other}."
        text, wrong = f"{town} got its mill in {year}.", f"{town} got its mill in {other}."
        place, answer = text.index(str(year)), passage.index(str(year))
        named, elsewhere = passage.index(town), TOWNS[number - 1]
        values = (
            Maskable(
                place=(0, len(town)), kind="name", answers=((named, named + len(town)),), others=(elsewhere,)
            ),
            Maskable(
                place=(place, place + 4), kind="date", answers=((answer, answer + 4),), others=(str(other),)
            ),
        )
        clozes.append(Cloze(source="test", text=text, title=town, passage=passage, values=values))
        versions = (
            LabelledText(text=text, label="attributable", wrong=()),
            LabelledText(text=wrong, label="contradictory", wrong=((place, place + 4),)),
            LabelledText(text=f"{town} is on a river.", label="extrapolatory"),
        )
        judged.append(Attribution(source="test", title=town, passage=passage, versions=versions))
        queries.append(
            Relevance(source="test", query=text, passages=((town, passage), ("", "Nothing of it.")))
        )
    return {
        "cloze": TaskData(tasks.cloze, clozes, 4),
        "attribution": TaskData(tasks.attribution, judged, 2),
        "relevance": TaskData(tasks.relevance, queries, 2),
        "embedding": TaskData(tasks.embedding, [cloze.passage for cloze in clozes], 4),
    }


def tiny() -> EncoderWithHeads:
    config = BertConfig(**SHAPE, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = EncoderWithHeads(config)
    model.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return model


def trainer(folder: Path, *phases: Phase) -> Trainer:
    torch.manual_seed(3)
    mixture = dict.fromkeys(examples(), 0.25)
    phases = phases or (Phase(10, 0.0, 1e-3, mixture), Phase(40, 1e-3, 0.0, mixture))
    return Trainer(tiny(), TOKENS, examples(), Recipe(3, phases), folder, save_every=7)


def weights(model: Any) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    made = trainer(tmp_path_factory.mktemp("run"))
    made.train()
    return made


def test_training_from_scratch_gives_files_that_the_runtime_reads(trained: Trainer, tmp_path: Path) -> None:
    export(trained.model, TOKENS, tmp_path)
    assert checked_manifest(tmp_path).sure > 1
    encoder = Encoder(tmp_path)
    [pointing] = encoder.point(
        [ClozeInput("Elm got its mill in 1904.", "Elm", "Built in 1904.", MaskedSpan(Span(20, 24), "date"))]
    )
    assert len(pointing.spans) == 4
    judged = encoder.attribution("Elm got its mill in 1904.", "Elm", "Built in 1904.")
    assert sum(judged) == pytest.approx(1)


def test_a_stopped_and_continued_run_ends_with_the_same_weights(trained: Trainer, tmp_path: Path) -> None:
    trainer(tmp_path).train(until=25)
    again = trainer(tmp_path)
    again.train()
    assert again.step == 50
    assert all(
        torch.equal(tensor, weights(again.model)[name]) for name, tensor in weights(trained.model).items()
    )


def test_exported_weights_are_read_back_up_to_rounding(trained: Trainer, tmp_path: Path) -> None:
    export(trained.model, TOKENS, tmp_path)
    back = weights(load(tmp_path))
    for name, tensor in weights(trained.model).items():
        assert torch.allclose(back[name], tensor, atol=0.02 + float(tensor.abs().max()) / 50), name


def test_a_mixture_with_a_task_without_examples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'clozes' is in a mixture and has no examples"):
        trainer(tmp_path, Phase(1, 0.0, 1e-3, {"cloze": 0.5, "clozes": 0.5}))


@pytest.mark.parametrize("changed", ["recipe", "data"])
def test_a_checkpoint_of_another_recipe_or_data_is_refused(tmp_path: Path, changed: str) -> None:
    phase = Phase(2, 0.0, 1e-3, {"cloze": 1.0})
    trainer(tmp_path, phase).train()
    data = examples()
    if changed == "recipe":
        phase = phase._replace(rate_to=2e-3)
    else:
        data["cloze"] = data["cloze"]._replace(examples=data["cloze"].examples[1:])
    other = Trainer(tiny(), TOKENS, data, Recipe(3, [phase]), tmp_path)
    with pytest.raises(ValueError, match="another recipe or other data"):
        other.train()
