"""Tests how NLI models are loaded: no useless download, no code of a model, their shape and outputs."""

import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from rarr.backends.nli.loading import EntailmentJudgement, LogitIndexes, format_of, load_model, logit_indexes
from rarr.errors import SettingsError, SetupError

NAME = "someone/nli-model"
CODE = "contains custom code: pass the argument `trust_remote_code=True`"


class Fake:
    """A double of transformers that records which parts of a model were loaded."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, bool]] = []
        self.fails: dict[bool, Exception] = {}

    def kind(self, part: str) -> Any:
        def from_pretrained(name: str, *, local_files_only: bool, trust_remote_code: bool, **_: Any) -> Any:
            assert trust_remote_code is False
            self.asked.append((part, name, local_files_only))
            if local_files_only in self.fails:
                raise self.fails[local_files_only]
            labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
            made = Mock(architectures=["BertForSequenceClassification"], id2label=labels)
            return (made, {"missing_keys": set()}) if part == "model" else made

        return SimpleNamespace(from_pretrained=from_pretrained)


def module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    made = ModuleType(name)
    vars(made).update(members)
    monkeypatch.setitem(sys.modules, name, made)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    kinds = ("Config", "Tokenizer", "ModelForSequenceClassification")
    parts = ("config", "tokenizer", "model")
    members = {f"Auto{name}": made.kind(part) for name, part in zip(kinds, parts, strict=True)}
    module(monkeypatch, "transformers", **members)
    module(monkeypatch, "torch", cuda=SimpleNamespace(is_available=lambda: False))
    return made


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the names in requests to the hub. The hub has no model whose owner is nobody."""
    asked: list[str] = []

    def model_info(name: str, *, timeout: float) -> None:
        asked.append(name)
        if name.startswith("nobody/"):
            raise ConnectionError("Name or service\nnot known")

    module(monkeypatch, "huggingface_hub", HfApi=lambda: SimpleNamespace(model_info=model_info))
    return asked


def refused(name: str, error: type[Exception] = SetupError) -> str:
    with pytest.raises(error) as raised:
        load_model(name)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("name", ["", "deberta", "nowhere/to/be"])
def test_name_that_can_be_no_model_is_a_wrong_setting(name: str) -> None:
    assert f"unknown model 'nli:{name}': give the folder of a model" in refused(name, SettingsError)


@pytest.mark.parametrize("lacking", ["torch", "transformers"])
def test_missing_package_names_its_cure(lacking: str, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, lacking, None)
    assert re.search(rf'\(import of {lacking} halted.*\): pip install "rarr\[torch\]"\Z', refused(NAME))


def test_downloaded_model_is_not_downloaded_again(fake: Fake, hub: list[str]) -> None:
    load_model(NAME)
    assert (fake.asked, hub) == ([(part, NAME, True) for part in ("config", "tokenizer", "model")], [])


def test_unreachable_hub_and_code_of_its_own_are_one_line_each(fake: Fake, hub: list[str]) -> None:
    fake.fails[True] = OSError("not here")
    reason = "cannot be loaded (Name or service not known): check the name"
    assert refused("nobody/nli").startswith(f"model 'nli:nobody/nli' {reason}")
    assert "cannot be loaded (there is no such folder): check the name" in refused("./nli")
    assert fake.asked == [("config", "nobody/nli", True)]
    fake.fails = {True: ValueError(CODE), False: ValueError(CODE)}
    for name in (NAME, "nobody/nli"):
        assert "needs its own Python code, which rarr does not run: choose" in refused(name)


@pytest.mark.parametrize(
    ("name", "architecture", "text", "limit"),
    [
        ("lytang/MiniCheck-RoBERTa-Large", "RobertaForSequenceClassification", "E.</s>C.", None),
        ("lytang/MiniCheck-Flan-T5-Large", "T5ForConditionalGeneration", "predict: E.</s>C.", 2048),
        ("google/t5_xxl_true_nli_mixture", "T5ForConditionalGeneration", "premise: E. hypothesis: C.", 512),
    ],
)
def test_prompts_go_by_name(name: str, architecture: str, text: str, limit: int | None) -> None:
    config = SimpleNamespace(architectures=[architecture], id2label={0: "LABEL_0", 1: "LABEL_1"})
    shape = format_of(config, name)
    assert (shape.prompt or "").format(evidence="E.", claim="C.", end="</s>") == text
    assert (shape.outputs, shape.limit) == (LogitIndexes(1), limit)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], LogitIndexes(2, 0)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], LogitIndexes(0, 1)),
        (["entailment", "not_entailment"], LogitIndexes(0)),
        (["LABEL_0", "LABEL_1"], LogitIndexes(1)),
        (["LABEL_0"], LogitIndexes(1)),
        (["LABEL_0", "LABEL_1", "LABEL_2"], None),
        (["entailment", "entailed"], None),
        (["neutral", "contradiction", "other"], None),
        (["entailment", "neutral", "contradiction", "other"], None),
    ],
)
def test_labels_tell_the_logits_or_are_refused(labels: list[str], expected: LogitIndexes | None) -> None:
    if expected:
        assert logit_indexes(dict(enumerate(labels)), "a/b") == expected
        return
    with pytest.raises(SetupError, match=rf"\Amodel 'nli:a/b' has the labels {labels[0]}, .*id2label.*\Z"):
        logit_indexes(dict(enumerate(labels)), "a/b")


def test_several_logits_are_shares_and_one_is_a_sigmoid() -> None:
    judged = LogitIndexes(0, 2).judgement_of_logits([2.0, 1.0, 0.0])
    assert judged == pytest.approx(EntailmentJudgement(0.6652, 0.0900), abs=1e-4)
    for logit, support in ((0.0, 0.5), (3.0, 0.9526), (-1000.0, 0.0), (1000.0, 1.0)):
        judged = LogitIndexes(1).judgement_of_logits([logit])
        assert judged.support == pytest.approx(support, abs=1e-4)
        assert judged.contradiction is None
