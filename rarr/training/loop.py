"""Runs the training loop with checkpoints. An interrupted and resumed training gives the same weights."""

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from rarr.training import batches, losses
from rarr.training.examples import Attribution, Cloze, Relevance
from rarr.training.model import EncoderWithHeads

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BUCKET = 8  # batches that are sorted by length together
CLIP = 1.0  # largest norm of the gradient
DECAY = 0.01
LOG_EVERY = 50
_Batch = TypeVar("_Batch", bound=Tensor | tuple[Any, ...])


class Phase(NamedTuple):
    """A number of steps in which the learning rate changes linearly from one value to another.

    `mixture`: the share of the steps for each data set, by name.
    """

    steps: int
    rate_from: float
    rate_to: float
    mixture: Mapping[str, float]


class TaskData(NamedTuple):
    """Examples of one kind, the name of the task (loss) that they train, and the size of a batch."""

    task: str
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
        self._tokenizer, self._data, self.recipe, self._folder = tokenizer, data, recipe, folder
        self._save_every = save_every
        self._on_step = on_step or (lambda done, steps: None)
        self._optimizer = torch.optim.AdamW(_groups(model), lr=0.0, betas=(0.9, 0.98))
        self.step = 0
        self._drawn: Counter[str] = Counter()
        self._teacher = _frozen(model)

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
        seen: dict[str, list[float]] = defaultdict(list)
        started, first = time.perf_counter(), self.step
        end = self.steps if until is None else min(until, self.steps)
        while self.step < end:
            name, loss = self._train_step()
            seen[name].append(loss)
            self.step += 1
            self._on_step(self.step, self.steps)
            if self.step % LOG_EVERY == 0:
                speed = (self.step - first) / (time.perf_counter() - started)
                self._log({"steps_a_second": round(speed, 3)} | {k: _mean(v) for k, v in seen.items()})
                seen.clear()
            if self.step % self._save_every == 0 or self.step == end:
                self.save()

    def save(self) -> None:
        """Writes a checkpoint to a new file, which then replaces the last checkpoint."""
        state = {
            "step": self.step,
            "drawn": dict(self._drawn),
            "model": self.model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "teacher": self._teacher.state_dict(),
            "made_of": self._made_of,
        }
        partial = self._folder / "checkpoint.partial"
        torch.save(state, partial)
        partial.replace(self._folder / "checkpoint.pt")

    def measured(self, data: Mapping[str, TaskData]) -> dict[str, float]:
        """Computes the mean loss of the current model on each data set. The masks follow from the seed."""
        self.model.eval()
        losses_by_name = {}
        for name, task in data.items():
            rng = random.Random(f"{self.recipe.seed} measured {name}")
            total = 0.0
            for at in range(0, len(task.examples), task.size):
                batch = list(task.examples[at : at + task.size])
                with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                    total += float(self._loss(task.task, batch, rng)) * len(batch)
            losses_by_name[name] = round(total / len(task.examples), 4)
        return losses_by_name

    def _resume(self) -> None:
        path = self._folder / "checkpoint.pt"
        if not path.exists():
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state.get("made_of") != self._made_of:
            raise ValueError(f"{path} is of another recipe or other data: give another folder, or delete it")
        self.model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._teacher.load_state_dict(state["teacher"])
        self.step, self._drawn = state["step"], Counter(state["drawn"])

    def _train_step(self) -> tuple[str, float]:
        """Trains one step with a batch of a data set drawn from the mixture. Returns name and loss."""
        phase, rate = self._phase()
        rng = random.Random(f"{self.recipe.seed} step {self.step}")
        torch.manual_seed(self.recipe.seed * 1_000_003 + self.step)
        [name] = rng.choices(list(phase.mixture), list(phase.mixture.values()))
        data = self._data[name]
        batch = self._batch(name, data)
        self._drawn[name] += 1
        self.model.train()
        with torch.autocast(self.device.type, torch.bfloat16):
            loss = self._loss(data.task, batch, rng)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        return name, float(loss.detach())

    def _phase(self) -> tuple[Phase, float]:
        before = 0
        for phase in self.recipe.phases:
            if self.step < before + phase.steps:
                share = (self.step - before) / phase.steps
                return phase, phase.rate_from + share * (phase.rate_to - phase.rate_from)
            before += phase.steps
        raise ValueError(f"step {self.step} is behind the end of the recipe")

    def _batch(self, name: str, data: TaskData) -> list[Any]:
        at = self._drawn[name]
        seed = f"{self.recipe.seed} {name}"
        bucket = batches.shuffled(data.examples, data.size * BUCKET, seed, at // BUCKET)
        bucket.sort(key=_length)  # similar lengths side by side, so that there is little padding
        starts = list(range(0, len(bucket), data.size))
        random.Random(f"{seed} {at // BUCKET} order").shuffle(starts)
        start = starts[at % BUCKET % len(starts)]
        return bucket[start : start + data.size]

    def _loss(self, task: str, batch: list[Any], rng: random.Random) -> Tensor:
        model, tokenizer = self.model, self._tokenizer
        match task:
            case "cloze":
                sequences, pointers = batches.cloze(tokenizer, batch, rng)
                hidden = model(*self._there(sequences)).hidden
                if pointers is None:
                    return hidden.sum() * 0
                pointers = self._there(pointers)
                start, end = model.point(hidden, pointers.rows, pointers.positions)
                return losses.pointer(start, end, pointers)
            case "swapped":
                swapped = self._there(batches.swapped(tokenizer, batch, rng))
                heads = model(*swapped.sequences)
                return losses.contrast(heads.attribution, swapped.pairs) + losses.wrong(
                    heads.wrong, swapped.tags
                )
            case "attribution":
                judged = self._there(batches.attribution(tokenizer, batch))
                heads = model(*judged.sequences)
                return (
                    losses.attribution(heads.attribution, judged.labels)
                    + losses.contrast(heads.attribution, judged.pairs)
                    + losses.wrong(heads.wrong, judged.tags)
                )
            case "relevance":
                sequences = batches.relevance(tokenizer, batch)
                logits = model(*self._there(sequences)).relevance
                return losses.ranking(logits, len(logits) // len(batch))
            case "embedding":
                sequences = self._there(batches.alone(tokenizer, batch))
                with torch.no_grad():
                    teacher = self._teacher(*sequences).embedding
                return losses.distillation(model(*sequences).embedding, teacher)
        raise ValueError(f"nothing is learned from {task!r}")

    def _there(self, batch: _Batch) -> _Batch:
        """Moves a tensor, or all tensors in nested named tuples, to the device."""
        if isinstance(batch, Tensor):
            return batch.to(self.device)
        return type(batch)(*map(self._there, batch))

    def _log(self, facts: Mapping[str, Any]) -> None:
        with (self._folder / "log.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"step": self.step} | dict(facts)) + "\n")


def _groups(model: EncoderWithHeads) -> list[dict[str, Any]]:
    """Groups parameters for the optimizer: biases and norms are not decayed (Loshchilov and Hutter 2019)."""
    learned = [p for p in model.parameters() if p.requires_grad]
    whole = [p for p in learned if p.ndim >= 2]
    rest = [p for p in learned if p.ndim < 2]
    return [{"params": whole, "weight_decay": DECAY}, {"params": rest, "weight_decay": 0.0}]


def _frozen(model: EncoderWithHeads) -> EncoderWithHeads:
    """Copies the model before training, to keep the trained embeddings near its embeddings."""
    teacher = EncoderWithHeads(model.config).to(next(model.parameters()).device)
    teacher.load_state_dict(model.state_dict())
    return teacher.eval().requires_grad_(False)


def _length(example: Cloze | Attribution | Relevance | str) -> int:
    match example:
        case str():
            return len(example)
        case Cloze():
            return len(example.text) + len(example.passage)
        case Attribution():
            return len(example.passage)
        case Relevance():
            return max(len(text) for _, text in example.passages)


def _mean(numbers: Sequence[float]) -> float:
    return round(sum(numbers) / len(numbers), 4)
