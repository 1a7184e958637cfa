"""Loading: nothing is downloaded to be refused, no code of a model runs, and each failure is one line."""

import builtins
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rarr.agent.wiring.components import wire
from rarr.backends.nli.loading import loaded_model
from rarr.backends.nli.verifier import size_batches
from rarr.errors import SettingsError, SetupError
from rarr.settings import Settings

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


def test_missing_model_is_downloaded(fake: Fake, hub: list[str]) -> None:
    fake.fails[True] = OSError("not here")
    loaded_model(NAME)
    assert [local for _, _, local in fake.asked] == [True, False] * 3


def test_unreachable_hub_is_one_line(fake: Fake, hub: list[str]) -> None:
    fake.fails[True] = OSError("not here")
    message = refused("nobody/nli")
    assert message.startswith(
        "model 'nli:nobody/nli' cannot be loaded (Name or service not known): check the"
    )
    assert fake.asked == [("config", "nobody/nli", True)]


def test_folder_is_never_looked_for_on_the_hub(fake: Fake, hub: list[str], tmp_path: Path) -> None:
    fake.fails[True] = OSError("no config.json")
    assert "no config.json" in refused(str(tmp_path))
    assert hub == []


@pytest.mark.parametrize("name", [NAME, "nobody/nli"])
def test_model_with_code_of_its_own_is_refused(fake: Fake, hub: list[str], name: str) -> None:
    fake.fails = {True: ValueError(CODE), False: ValueError(CODE)}
    assert "needs Python code of its own, which is not run here: choose" in refused(name)


def test_model_is_refused_before_its_weights_are_loaded(fake: Fake) -> None:
    fake.labels = ["LABEL_0", "LABEL_1", "LABEL_2"]
    assert "has the labels LABEL_0, LABEL_1, LABEL_2" in refused(NAME)
    assert fake.asked == [("config", NAME, True)]


def test_model_without_a_trained_head_is_refused(fake: Fake) -> None:
    fake.missing = {"classifier.weight", "classifier.bias"}
    assert "lacks weights, classifier.bias among them" in refused(NAME)


def test_model_is_loaded_before_the_corpus_is_indexed(fake: Fake, tmp_path: Path) -> None:
    fake.labels = ["positive", "negative"]
    (tmp_path / "one.md").write_text("One.")
    with pytest.raises(SetupError, match="has the labels positive"):
        wire(Settings(models={"attribute": f"nli:{NAME}"}, corpus=tmp_path, home=tmp_path / "home"))
    assert not (tmp_path / "home").exists()


def test_batches_are_of_about_one_length_and_bounded() -> None:
    assert list(size_batches([4000, 10, 9000, 4100, 20])) == [[1, 4], [0], [3], [2]]
    assert list(size_batches([4096, 4096, 1])) == [[2, 0], [1]]
    assert list(size_batches([])) == []
