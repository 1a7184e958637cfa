"""Trains a model by a recipe, with checkpoints. A resumed training gives the same weights as a whole one."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from rarr.training.model import EncoderWithHeads
from rarr.training.tasks import Task

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BUCKET = 8  # batches that are sorted by length together
CLIP = 1.0  # largest norm of the gradient
DECAY = 0.01
CHECKPOINT = "checkpoint.pt"


class Phase(NamedTuple):
    """A number of steps in which the learning rate changes linearly from one value to another.

    `mixture`: the share of the steps for each data set, by name.
    """

    steps: int
    rate_from: float
    rate_to: float
    mixture: Mapping[str, float]


class TaskData(NamedTuple):
    """Examples of one kind, the task that they train, and the size of a batch."""

    task: Task
    examples: Sequence[Any]
    size: int


class Recipe(NamedTuple):
    """The seed and the phases, which with data and first weights determine the trained weights."""

    seed: int
    phases: Sequence[Phase]


class Trainer:
    """Trains a model by a recipe, with checkpoints in a folder, and continues from the last checkpoint.

    Raises `ValueError` for a mixture with a data set without examples, because it would be another recipe.
    """

    def __init__(
        self,
        model: EncoderWithHeads,
        tokenizer: "Tokenizer",
        data: Mapping[str, TaskData],
        recipe: Recipe,
        folder: Path,
        *,
        save_every: int = 250,
        on_step: Callable[[int, int], None] | None = None,
    ) -> None:
        for name in [name for phase in recipe.phases for name in phase.mixture]:
            if name not in data or not data[name].examples:
                raise ValueError(
                    f"{name!r} is in a mixture and has no examples: leave it out of that mixture"
                )
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.tokenizer, self.recipe = tokenizer, recipe
        self._data, self._folder, self._save_every = data, folder, save_every
        self._on_step = on_step or (lambda done, steps: None)
        self._optimizer = torch.optim.AdamW(_groups(model), lr=0.0, betas=(0.9, 0.98))
        self.step = 0
        self._drawn: Counter[str] = Counter()

    @property
    def _made_of(self) -> str:
        """Describes the recipe and the sizes of the data, to refuse a checkpoint of other inputs."""
        sizes = {name: len(task.examples) for name, task in self._data.items()}
        return repr((self.recipe, sizes))

    @property
    def steps(self) -> int:
        """Counts the steps of the whole recipe."""
        return sum(phase.steps for phase in self.recipe.phases)

    def train(self, until: int | None = None) -> None:
        """Trains to the end of the recipe, or until this step. Steps in a checkpoint are not repeated.

        Raises `ValueError` for a checkpoint of another recipe.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        end = self.steps if until is None else min(until, self.steps)
        while self.step < end:
            self._train_step()
            self.step += 1
            self._on_step(self.step, self.steps)
            if self.step % self._save_every == 0 or self.step == end:
                self._save()

    def measured(self, data: Mapping[str, TaskData]) -> dict[str, float]:
        """Computes the mean loss of the current model on each data set. The masks follow from the seed."""
        self.model.eval()
        losses = {}
        for name, task in data.items():
            rng = random.Random(f"{self.recipe.seed} measured {name}")
            total = 0.0
            for at in range(0, len(task.examples), task.size):
                batch = list(task.examples[at : at + task.size])
                with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                    total += float(task.task(self, batch, rng)) * len(batch)
            losses[name] = round(total / len(task.examples), 4)
        return losses

    def _save(self) -> None:
        """Writes a checkpoint to a new file, which then replaces the last checkpoint."""
        state = {
            "step": self.step,
            "drawn": dict(self._drawn),
            "model": self.model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "made_of": self._made_of,
        }
        partial = self._folder / f"{CHECKPOINT}.partial"
        torch.save(state, partial)
        partial.replace(self._folder / CHECKPOINT)

    def _resume(self) -> None:
        path = self._folder / CHECKPOINT
        if not path.exists():
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state.get("made_of") != self._made_of:
            raise ValueError(f"{path} is of another recipe or other data: give another folder, or delete it")
        self.model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.step, self._drawn = state["step"], Counter(state["drawn"])

    def _train_step(self) -> None:
        """Trains one step with a batch of a data set that is drawn from the mixture."""
        phase, rate = self._phase()
        rng = random.Random(f"{self.recipe.seed} step {self.step}")
        torch.manual_seed(self.recipe.seed * 1_000_003 + self.step)
        [name] = rng.choices(list(phase.mixture), list(phase.mixture.values()))
        batch = self._batch(name)
        self._drawn[name] += 1
        self.model.train()
        with torch.autocast(self.device.type, torch.bfloat16):
            loss = self._data[name].task(self, batch, rng)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()

    def _phase(self) -> tuple[Phase, float]:
        before = 0
        for phase in self.recipe.phases:
            if self.step < before + phase.steps:
                share = (self.step - before) / phase.steps
                return phase, phase.rate_from + share * (phase.rate_to - phase.rate_from)
            before += phase.steps
        raise ValueError(f"step {self.step} is behind the end of the recipe")

    def _batch(self, name: str) -> list[Any]:
        """Returns the next batch of endless epochs, which the seed orders; batches have similar lengths."""
        data, at, seed = self._data[name], self._drawn[name], f"{self.recipe.seed} {name}"
        bucket = _shuffled(data.examples, data.size * BUCKET, seed, at // BUCKET)
        bucket.sort(key=lambda example: len(str(example)))  # so that there is little padding
        starts = list(range(0, len(bucket), data.size))
        random.Random(f"{seed} {at // BUCKET} order").shuffle(starts)
        start = starts[at % BUCKET % len(starts)]
        return bucket[start : start + data.size]


def _shuffled(examples: Sequence[Any], size: int, seed: str, at: int) -> list[Any]:
    epoch, number = divmod(at, max(1, len(examples) // size))
    order = list(range(len(examples)))
    random.Random(f"{seed} {epoch}").shuffle(order)
    return [examples[n] for n in order[number * size : (number + 1) * size]]


def _groups(model: EncoderWithHeads) -> list[dict[str, Any]]:
    """Groups parameters for the optimizer: biases and norms are not decayed (Loshchilov and Hutter 2019)."""
    learned = [p for p in model.parameters() if p.requires_grad]
    whole = [p for p in learned if p.ndim >= 2]
    rest = [p for p in learned if p.ndim < 2]
    return [{"params": whole, "weight_decay": DECAY}, {"params": rest, "weight_decay": 0.0}]
