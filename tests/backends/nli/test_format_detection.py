"""Which prompt and class a model has, by its config and name, and which models are refused."""

from types import SimpleNamespace
from typing import Any

import pytest

from rarr.backends.nli.loading import Outputs, shape_of
from rarr.errors import SetupError

NLI = {0: "entailment", 1: "neutral", 2: "contradiction"}
UNNAMED = {0: "LABEL_0", 1: "LABEL_1"}


def config(architecture: str | None, id2label: dict[int, str] | None = None) -> Any:
    return SimpleNamespace(architectures=architecture and [architecture], id2label=id2label or UNNAMED)


def test_classifier_reads_a_pair() -> None:
    shape = shape_of(config("DebertaV2ForSequenceClassification", NLI), "a/deberta")
    assert (shape.prompt, shape.outputs, shape.limit, shape.generates) == (None, Outputs(0, 2), None, False)


@pytest.mark.parametrize(
    ("name", "architecture", "text", "limit"),
    [
        ("lytang/MiniCheck-RoBERTa-Large", "RobertaForSequenceClassification", "E.</s>C.", None),
        ("lytang/MiniCheck-Flan-T5-Large", "T5ForConditionalGeneration", "predict: E.</s>C.", 2048),
        (
            "google/t5_xxl_true_nli_mixture",
            "T5ForConditionalGeneration",
            "premise: E. hypothesis: C.",
            512,
        ),
    ],
)
def test_prompts_go_by_name(name: str, architecture: str, text: str, limit: int | None) -> None:
    shape = shape_of(config(architecture), name)
    assert (shape.prompt or "").format(evidence="E.", claim="C.", end="</s>") == text
    assert (shape.outputs, shape.limit) == (Outputs(1), limit)


@pytest.mark.parametrize(
    ("architecture", "message"),
    [
        ("BertModel", "is a BertModel: choose a model for natural language inference, such as"),
        ("LlamaForCausalLM", "is a LlamaForCausalLM: choose"),
        (None, "is a model of no known kind: choose"),
        ("MT5ForConditionalGeneration", "is a T5, and its prompt is not known: give its folder a name with"),
    ],
)
def test_other_models_are_refused_in_one_line_with_the_cure(architecture: str | None, message: str) -> None:
    with pytest.raises(SetupError, match=f"'nli:a/b' {message}") as raised:
        shape_of(config(architecture), "a/b")
    assert "\n" not in str(raised.value)


def test_folders_around_a_model_say_nothing_of_it() -> None:
    with pytest.raises(SetupError, match="its prompt is not known"):
        shape_of(config("T5ForConditionalGeneration"), "/true/minicheck/t5-base")
