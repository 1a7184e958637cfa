"""The cross-encoder: what is refused before it costs anything, and scores between 0 and 1."""

import asyncio
import builtins
import math
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rarr.errors import SettingsError, SetupError
from rarr.records import Passage
from rarr.retrievers.rerank.cross_encoder import CrossEncoderReranker
from rarr.testing import RETRIEVED_AT

NAME = "cross-encoder/tiny"


def passage(text: str, title: str = "") -> Passage:
    return Passage(text=text, title=title, source="a.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)


class FakeModel:
    """Its logit is the number in the passage. Records how it was loaded and used."""

    loaded: list[tuple[str, bool]]
    downloaded = True
    num_labels = 1
    architectures: tuple[str, ...] = ("BertForSequenceClassification",)

    def __init__(self, name: str, local_files_only: bool = False) -> None:
        self.loaded.append((name, local_files_only))
        if local_files_only and not self.downloaded:
            raise OSError("We couldn't connect\nto the hub.")
        self.config = SimpleNamespace(architectures=self.architectures)
        self.pairs: list[tuple[str, str]] = []
        self.at_once = 0

    def predict(
        self,
        pairs: list[tuple[str, str]],
        *,
        activation_fn: Callable[[float], float],
        show_progress_bar: bool,
    ) -> list[float]:
        self.at_once += 1
        assert (self.at_once, show_progress_bar) == (1, False)
        assert threading.current_thread() is not threading.main_thread()
        self.pairs += pairs
        self.at_once -= 1
        return [activation_fn(float(text.split()[-1])) for _, text in pairs]


def module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(members)
    return made


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeModel]:
    class Fake(FakeModel):
        """One for each test, because tests change it."""

        loaded: list[tuple[str, bool]] = []  # noqa: RUF012  # read by the test

    sigmoid = module("torch.nn", Sigmoid=lambda: lambda logit: 1 / (1 + math.exp(-logit)))
    monkeypatch.setitem(sys.modules, "torch", module("torch", nn=sigmoid))
    monkeypatch.setitem(sys.modules, "torch.nn", sigmoid)
    monkeypatch.setitem(
        sys.modules, "sentence_transformers", module("sentence_transformers", CrossEncoder=Fake)
    )
    return Fake


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """What the hub was asked, with how much patience; it answers one question and is down afterwards."""
    asked: list[tuple[str, float]] = []

    class HfApi:
        def model_info(self, name: str, *, timeout: float) -> None:
            asked.append((name, timeout))
            if len(asked) > 1:
                raise ConnectionError("Name or service not known")

    monkeypatch.setitem(sys.modules, "huggingface_hub", module("huggingface_hub", HfApi=HfApi))
    return asked


@pytest.mark.parametrize("name", ["", "overlapp", "nowhere/to/be", "./missing/model"])
def test_name_that_cannot_be_a_model_is_a_settings_error(name: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown reranker .*: give overlap, embedded, the folder"):
        CrossEncoderReranker(name)


def test_missing_package_is_a_one_line_error_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "sentence_transformers":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SetupError, match=r'sentence_transformers.*: pip install "rarr\[torch\]"$') as raised:
        CrossEncoderReranker(NAME)
    assert "\n" not in str(raised.value)


def test_model_is_loaded_once_from_the_download(fake: type[FakeModel]) -> None:
    CrossEncoderReranker(NAME)
    assert fake.loaded == [(NAME, True)]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [({"num_labels": 3}, "has 3 outputs"), ({"architectures": ("BertModel",)}, "has no trained head")],
)
def test_model_that_is_not_a_reranker_is_refused(
    fake: type[FakeModel], attributes: Any, message: str
) -> None:
    for name, value in attributes.items():
        setattr(fake, name, value)
    with pytest.raises(SetupError, match=message):
        CrossEncoderReranker(NAME)


async def test_scores_are_sigmoids_in_the_order_of_the_passages(fake: type[FakeModel]) -> None:
    scores = await CrossEncoderReranker(NAME).score("Which?", [passage("0"), passage("-9"), passage("9")])
    assert scores == pytest.approx([0.5, 0.0001, 0.9999], abs=1e-4)
    assert all(type(score) is float for score in scores)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # torch and transformers warn of themselves
async def test_real_model_scores_between_0_and_1(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *["which", "state", "grows", "peaches", "georgia"]]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    reranker = CrossEncoderReranker(str(tmp_path))
    asked = "which state grows peaches"
    passages = [passage("georgia grows peaches"), passage("georgia " * 600), passage("")]
    scores = await reranker.score(asked, passages)
    again = await asyncio.gather(*(reranker.score(asked, [p]) for p in passages))
    assert all(0 < score < 1 for score in scores)
    assert [score for [score] in again] == pytest.approx(list(scores), abs=1e-5)
