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


def served(monkeypatch: pytest.MonkeyPatch, **attributes: Any) -> None:
    """Puts a model in the place of the libraries; its logit is the number in the text."""

    class Model:
        num_labels = attributes.get("num_labels", 1)
        config = SimpleNamespace(architectures=attributes.get("architectures", ("BertForClassification",)))

        def __init__(self, name: str, local_files_only: bool = False) -> None:
            """Loads nothing."""

        def predict(
            self, pairs: list[tuple[str, str]], *, activation_fn: Callable[[float], float], **_: bool
        ) -> list[float]:
            assert threading.current_thread() is not threading.main_thread()
            return [activation_fn(float(text.split()[-1])) for _, text in pairs]

    def module(name: str, **members: Any) -> ModuleType:
        made = ModuleType(name)
        vars(made).update(members)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    module("torch", nn=module("torch.nn", Sigmoid=lambda: lambda logit: 1 / (1 + math.exp(-logit))))
    module("sentence_transformers", CrossEncoder=Model)


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


@pytest.mark.parametrize(
    ("attributes", "message"),
    [({"num_labels": 3}, "has 3 outputs"), ({"architectures": ("BertModel",)}, "has no trained head")],
)
def test_model_that_is_not_a_reranker_is_refused(
    monkeypatch: pytest.MonkeyPatch, attributes: Any, message: str
) -> None:
    served(monkeypatch, **attributes)
    with pytest.raises(SetupError, match=message):
        CrossEncoderReranker(NAME)


async def test_scores_are_sigmoids_in_the_order_of_the_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    served(monkeypatch)
    scores = await CrossEncoderReranker(NAME).score("Which?", [passage("0"), passage("-9"), passage("9")])
    assert scores == pytest.approx([0.5, 0.0001, 0.9999], abs=1e-4)


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
