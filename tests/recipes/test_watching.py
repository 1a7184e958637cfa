"""What is measured while training goes on, here of a model that points where it is told."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from tokenizers import Tokenizer

from benchmarks import harness
from rarr.backends.encoder.model_files import SHIPPED, TOKENIZER
from rarr.training.model import Heads
from recipes import watching

pytestmark = pytest.mark.slow

TOKENS = Tokenizer.from_file(str(SHIPPED / TOKENIZER))
PASSAGE = "The mill opened in 1901. It burned in 1950."
ITEM: dict[str, Any] = {
    "id": "1",
    "title": "Alder Mill",
    "evidence": PASSAGE,
    "supported": "The mill was opened in 1901.",
    "corrupted": "The mill was opened in 1940.",
    "edits": [{"wrong": "1940", "right": "1901", "kind": "date"}],
    "extrapolatory": "The mill was painted red.",
}


class Scripted:
    """Points at a token of one id; the first of all tokens says nowhere. Its other heads say nothing."""

    def __init__(self, token: int) -> None:
        self.token = token

    def parameters(self) -> Iterator[torch.Tensor]:
        yield torch.zeros(1)

    def __call__(self, ids: torch.Tensor, _mask: torch.Tensor, _types: torch.Tensor) -> Heads:
        count, nothing = len(ids), torch.zeros(ids.shape)
        return Heads(nothing[:, 0], torch.zeros(count, 3), nothing, nothing, ids.unsqueeze(-1))

    def point(
        self, hidden: torch.Tensor, rows: torch.Tensor, _positions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        logits = (hidden[rows][..., 0] == self.token).float()
        return logits, logits


@pytest.mark.parametrize(
    ("answer", "before", "exact"),
    [("1901", "", 1.0), ("1950", "", 0.0), ("[CLS]", "", 0.0), ("[CLS]", "It is a mill. " * 100, 0.0)],
    ids=["right", "wrong", "nowhere", "cut off"],
)
def test_pointer_is_exact_where_the_passage_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, before: str, exact: float
) -> None:
    monkeypatch.setattr(harness, "FOLDER", tmp_path)
    monkeypatch.setattr(watching, "FILE", "items.jsonl")
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEM | {"evidence": before + PASSAGE}))
    model: Any = Scripted(TOKENS.encode(answer, add_special_tokens=False).ids[0])
    assert watching.Watch(TOKENS)(model)["exact"] == exact
