"""Loading: nothing is downloaded to be refused, no code of a model runs, and each failure is one line.

Also: the prompt and class of a model by its config and name, and what its outputs stand for.
"""

import builtins
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rarr.backends.nli.loading import EntailmentJudgement, Outputs, loaded_model, outputs_of, shape_of
from rarr.errors import SettingsError, SetupError

NAME = "someone/nli-model"
CODE = "contains custom code: pass the argument `trust_remote_code=True`"


class Fake:
    """Everything that transformers would make of a model, and a record of what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, bool]] = []
        self.fails: dict[bool, Exception] = {}
        self.missing: set[str] = set()
        self.labels = ["entailment", "neutral", "contradiction"]

    def kind(self, part: str) -> Any:
        def from_pretrained(name: str, *, local_files_only: bool, trust_remote_code: bool, **_: Any) -> Any:
            assert trust_remote_code is False
            self.asked.append((part, name, local_files_only))
            if local_files_only in self.fails:
                raise self.fails[local_files_only]
            return (self, {"missing_keys": self.missing}) if part == "model" else self

        return SimpleNamespace(from_pretrained=from_pretrained)

    @property
    def architectures(self) -> list[str]:
        return ["BertForSequenceClassification"]

    @property
    def id2label(self) -> dict[int, str]:
        return dict(enumerate(self.labels))

    def float(self) -> "Fake":
        return self

    def to(self, device: str) -> "Fake":
        return self

    def eval(self) -> "Fake":
        return self


def module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(members)
    return made


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    kinds = {"AutoConfig": "config", "AutoTokenizer": "tokenizer"}
    kinds["AutoModelForSequenceClassification"] = "model"
    members = {name: made.kind(part) for name, part in kinds.items()}
    monkeypatch.setitem(sys.modules, "transformers", module("transformers", **members))
    cuda = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", module("torch", cuda=cuda))
    return made


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that the hub was asked for; it has none whose owner is nobody."""
    asked: list[str] = []

    class HfApi:
        def model_info(self, name: str, *, timeout: float) -> None:
            asked.append(name)
            if name.startswith("nobody/"):
                raise ConnectionError("Name or service\nnot known")

    monkeypatch.setitem(sys.modules, "huggingface_hub", module("huggingface_hub", HfApi=HfApi))
    return asked


def refused(name: str, error: type[Exception] = SetupError) -> str:
    with pytest.raises(error) as raised:
        loaded_model(name)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("name", ["", "deberta", "nowhere/to/be"])
def test_name_that_can_be_no_model_is_a_wrong_setting(name: str) -> None:
    assert f"unknown model 'nli:{name}': give the folder of a model" in refused(name, SettingsError)


@pytest.mark.parametrize("lacking", ["torch", "transformers"])
def test_missing_package_is_one_line_with_its_installation(
    lacking: str, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == lacking:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refused(NAME).endswith(f"(No module named '{lacking}'): pip install \"rarr[torch]\"")


def test_downloaded_model_is_not_downloaded_again(fake: Fake, hub: list[str]) -> None:
    loaded_model(NAME)
    assert fake.asked == [("config", NAME, True), ("tokenizer", NAME, True), ("model", NAME, True)]
    assert hub == []


def test_unreachable_hub_is_one_line(fake: Fake, hub: list[str]) -> None:
    fake.fails[True] = OSError("not here")
    message = refused("nobody/nli")
    assert message.startswith(
        "model 'nli:nobody/nli' cannot be loaded (Name or service not known): check name"
    )
    assert fake.asked == [("config", "nobody/nli", True)]


@pytest.mark.parametrize("name", [NAME, "nobody/nli"])
def test_model_with_code_of_its_own_is_refused(fake: Fake, hub: list[str], name: str) -> None:
    fake.fails = {True: ValueError(CODE), False: ValueError(CODE)}
    assert "needs Python code of its own, which is not run here: choose" in refused(name)


UNNAMED = {0: "LABEL_0", 1: "LABEL_1"}


def config(architecture: str | None, id2label: dict[int, str] | None = None) -> Any:
    return SimpleNamespace(architectures=architecture and [architecture], id2label=id2label or UNNAMED)


@pytest.mark.parametrize(
    ("name", "architecture", "text", "limit"),
    [
        ("lytang/MiniCheck-RoBERTa-Large", "RobertaForSequenceClassification", "E.</s>C.", None),
        ("lytang/MiniCheck-Flan-T5-Large", "T5ForConditionalGeneration", "predict: E.</s>C.", 2048),
        ("google/t5_xxl_true_nli_mixture", "T5ForConditionalGeneration", "premise: E. hypothesis: C.", 512),
    ],
)
def test_prompts_go_by_name(name: str, architecture: str, text: str, limit: int | None) -> None:
    shape = shape_of(config(architecture), name)
    assert (shape.prompt or "").format(evidence="E.", claim="C.", end="</s>") == text
    assert (shape.outputs, shape.limit) == (Outputs(1), limit)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["entailment", "neutral", "contradiction"], Outputs(0, 2)),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], Outputs(2, 0)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], Outputs(0, 1)),
        (["entailment", "not_entailment"], Outputs(0)),
        (["LABEL_0", "LABEL_1"], Outputs(1)),
        (["LABEL_0"], Outputs(1)),
    ],
)
def test_names_say_which_output_is_which(labels: list[str], expected: Outputs) -> None:
    assert outputs_of(dict(enumerate(labels)), "a/b") == expected


@pytest.mark.parametrize(
    "labels",
    [
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["positive", "negative"],
        ["entailment", "entailed"],
        ["entailment", "neutral", "contradiction", "other"],
    ],
)
def test_other_labels_are_refused_in_one_line_with_the_cure(labels: list[str]) -> None:
    with pytest.raises(SetupError, match=rf"'nli:a/b' has the labels {labels[0]}, .*id2label") as raised:
        outputs_of(dict(enumerate(labels)), "a/b")
    assert "\n" not in str(raised.value)


def test_several_logits_are_shares() -> None:
    judged = Outputs(0, 2).judgement([2.0, 1.0, 0.0])
    assert judged == pytest.approx(EntailmentJudgement(0.6652, 0.0900), abs=1e-4)


@pytest.mark.parametrize(("logit", "support"), [(0.0, 0.5), (3.0, 0.9526), (-1000.0, 0.0), (1000.0, 1.0)])
def test_one_logit_is_a_sigmoid(logit: float, support: float) -> None:
    judged = Outputs(1).judgement([logit])
    assert judged.support == pytest.approx(support, abs=1e-4)
    assert judged.contradiction is None
