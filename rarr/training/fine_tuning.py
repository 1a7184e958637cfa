"""Fine-tunes the encoder on rows of noising, and writes the new weights into a folder."""

import math
import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from rarr.backends.encoder.editor import correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import FACTS, MODEL, NEVER, checked_manifest, tokenizer
from rarr.tools.storage.files import write_whole
from rarr.training.encoder import EncoderWithHeads, batch
from rarr.training.examples import Example, examples_of, parts, with_one_value
from rarr.training.onnx_files import export, load
from rarr.training.rows import TrainingRow, corrupted
from rarr.training.runs import TrainingReport, fit, run_once

RATE, WARM = 5e-5, 0.1  # the highest rate, and the share of the steps in which it rises
PASSES, FEWEST_STEPS = 3, 30  # if no number of steps is given
BATCH = 16
BUCKET = 8 * BATCH  # examples that are sorted by length together, so that there is little padding
SAVE_EVERY = 100  # steps
RIGHT, FEWEST = 0.9, 10  # share of the corrections above the threshold that are right, and their number


class EditorReport(TrainingReport):
    """The report of a run. `sure` is the least probability at which a correction is made.

    It is fitted on the held-out rows, and None if no probability makes enough corrections right.
    """

    steps: int
    sure: float | None


def fine_tune(
    data: Path, out: Path, *, steps: int | None = None, seed: int = 1, start: Path | None = None
) -> EditorReport:
    """Trains the weights of `start` (None: those that ship) on the rows of `data`, and writes them to `out`.

    The same call continues from the last checkpoint. Raises `SettingsError` for a `start` that is damaged or
    holds no weights, and `InputError` as `run_once` does.
    """
    out, start = out.expanduser(), start and start.expanduser()
    first = checked_manifest(start).sha256[MODEL]

    def train(learned: list[TrainingRow], held: list[TrainingRow]) -> dict[str, Any]:
        words, model, rng = tokenizer(start), load(start), random.Random(seed)
        unseen, seen = drawn(held, 1, rng), drawn(learned, PASSES, rng)
        count = steps or max(FEWEST_STEPS, math.ceil(len(seen) / BATCH))
        how = {"max_steps": count, "learning_rate": RATE, "seed": seed, "batch": BATCH}
        losses = fit_encoder(model, words, out, seen, unseen, **how)
        export(model, words, out)
        encoder = Encoder(out)
        sure = threshold([proposal for row in held for proposal in proposals(encoder, row)])
        manifest = checked_manifest(out).model_copy(update={"sure": sure})
        write_whole(out / FACTS, manifest.model_dump_json(indent=1) + "\n")
        return losses | {"steps": count, "sure": sure if sure <= 1 else None}

    settings = {"steps": steps, "seed": seed, "from": first}
    return run_once("editor", data, out, settings, train, EditorReport, checked_manifest)


def fit_encoder(
    model: EncoderWithHeads, words: Tokenizer, folder: Path, *examples: Sequence[Example], **more: Any
) -> dict[str, float]:
    """Trains on examples in their order, each with at most one value, and measures on others, as `fit`."""
    return fit(
        model,
        folder,
        partial(batch, words),
        *examples,
        warmup_steps=WARM,
        weight_decay=0.01,
        adam_beta2=0.98,
        train_sampling_strategy="sequential",
        save_strategy="steps",
        save_steps=SAVE_EVERY,
        **more,
    )


def drawn(rows: Sequence[TrainingRow], passes: int, rng: random.Random) -> list[Example]:
    """Draws the order of the examples of some rows, and the value to mask of each cloze, for each pass."""
    examples, order = [example for row in rows for example in examples_of(row)], list[Example]()
    for _ in range(passes):
        some = [with_one_value(example, rng) for example in rng.sample(examples, len(examples))]
        for at in range(0, len(some), BUCKET):
            order += sorted(some[at : at + BUCKET], key=lambda it: len(it.text) + len(it.passage))
    return order


def proposals(encoder: Encoder, row: TrainingRow) -> Iterator[tuple[float, bool]]:
    """Lets the encoder correct each sentence of the summary, right and with its errors.

    Yields the probability of each correction, and whether it makes the sentence right.
    """
    for right, evidence, edits in parts(row):
        for text in dict.fromkeys((right, corrupted(right, edits))):
            found = correction(encoder, text, evidence.title, evidence.text)
            if found is not None:
                yield found.probability, found.applied(text, evidence.text) == right


def threshold(made: Sequence[tuple[float, bool]]) -> float:
    """Finds the least threshold with enough right corrections above it; `NEVER` if there is none."""
    for sure in sorted({probability for probability, _ in made}):
        right = [is_right for probability, is_right in made if probability >= sure]
        if len(right) >= FEWEST and sum(right) >= RIGHT * len(right):
            return sure
    return NEVER
