"""Trains the encoder from scratch: data, pre-training, fine-tuning. Goes on where it was stopped.

    python -m recipes.run [--scale SHARE] [--folder FOLDER] [--until STEP]

Writes checkpoints, `log.jsonl` and, at the end, `reader.pt` under FOLDER: the mean of the weights before the
last phase and after it (Izmailov et al. 2018). `--scale` makes each phase shorter.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from rarr.training.loop import Phase, Recipe, Trainer
from rarr.training.model import EncoderWithHeads, reader
from recipes import base, watching
from recipes.data import build, loaded

FOLDER = Path(__file__).parent / "build"
SEED = 20261122
PHASES = (
    Phase(200, 0.0, 2e-4, {"span_selection": 0.8, "embedding": 0.1, "handwritten_cloze": 0.1}),
    Phase(
        700,
        2e-4,
        1.8e-4,
        {
            "span_selection": 0.60,
            "swapped": 0.14,
            "handwritten_cloze": 0.14,
            "handwritten": 0.06,
            "embedding": 0.06,
        },
    ),
    Phase(
        1450,
        1.8e-4,
        0.0,
        {
            "handwritten_cloze": 0.25,
            "written_cloze": 0.10,
            "handwritten": 0.22,
            "written": 0.09,
            "verifier": 0.12,
            "verifier_cloze": 0.02,
            "span_selection": 0.09,
            "relevance": 0.07,
            "embedding": 0.04,
        },
    ),
    Phase(
        3000,
        1.2e-4,
        0.0,
        {
            "handwritten_cloze": 0.24,
            "written_cloze": 0.10,
            "handwritten": 0.24,
            "written": 0.10,
            "elsewhere": 0.04,
            "elsewhere_cloze": 0.04,
            "verifier": 0.10,
            "span_selection": 0.07,
            "relevance": 0.04,
            "embedding": 0.03,
        },
    ),
    Phase(
        1500,
        9e-5,
        0.0,
        {
            "span_selection": 0.27,
            "swapped": 0.20,
            "handwritten_cloze": 0.11,
            "written_cloze": 0.06,
            "handwritten": 0.15,
            "written": 0.07,
            "elsewhere": 0.03,
            "elsewhere_cloze": 0.03,
            "verifier": 0.05,
            "relevance": 0.015,
            "embedding": 0.015,
        },
    ),
)


def main() -> None:
    """Trains to the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--scale", type=float, default=1.0, help="of the steps of each phase")
    parser.add_argument("--until", type=int, help="stop at this step")
    options = parser.parse_args()
    build(options.folder / "data")
    trainer = made(options.folder, options.scale)
    before = trainer.steps - trainer.recipe.phases[-1].steps
    done = trainer.steps if options.until is None else options.until
    kept = options.folder / "before_last.pt"
    trainer.train(min(before, done))
    if trainer.step == before:
        torch.save(trainer.model.state_dict(), kept)
    trainer.train(done)
    if trainer.step == trainer.steps:
        then = torch.load(kept, map_location=trainer.device, weights_only=True)
        torch.save(mean(then, trainer.model.state_dict()), options.folder / "reader.pt")


def made(folder: Path, scale: float) -> Trainer:
    """The trainer of the recipe above, with the data under `folder`."""
    recipe = Recipe(SEED, [phase._replace(steps=max(1, round(phase.steps * scale))) for phase in PHASES])
    tokenizer = base.tokenizer()
    torch.manual_seed(SEED)
    model = fresh()
    watch = watching.Watch(tokenizer)
    return Trainer(model, tokenizer, loaded(folder / "data"), recipe, folder, watch=watch)


def mean(state: Mapping[str, Tensor], other_state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The mean of two states of one model."""
    return {name: ((tensor + other_state[name]) / 2).to(tensor.dtype) for name, tensor in state.items()}


def fresh() -> EncoderWithHeads:
    """The base encoder with untrained heads."""
    return reader(base.config(), base.weights())


if __name__ == "__main__":
    main()
