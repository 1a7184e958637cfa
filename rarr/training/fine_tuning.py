"""Fine-tunes the encoder on training rows, and writes the new weights into a folder."""

import math
import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from rarr.backends.encoder.editor import likeliest_correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import MANIFEST, MODEL, NEVER, checked_manifest, load_tokenizer
from rarr.tools.storage.files import write_whole
from rarr.training.encoder import EncoderWithHeads, padded_batch
from rarr.training.examples import Example, examples_of_row, sentences_and_mistakes, with_one_value
from rarr.training.onnx_files import export_onnx, load_onnx
from rarr.training.rows import TrainingRow, with_errors
from rarr.training.runs import TrainingReport, fit, train_unless_finished

LEARNING_RATE, WARMUP_SHARE = 5e-5, 0.1  # the highest rate, and the share of the steps in which it rises
PASSES, FEWEST_STEPS = 3, 30  # used if the caller gives no number of steps
BATCH = 16
BUCKET = 8 * BATCH  # the examples that are sorted by length together, so that batches need less padding
SAVE_EVERY = 100  # the steps from one checkpoint to the next
RIGHT_SHARE, FEWEST = 0.9, 10  # above the threshold: the least share of right corrections, the least number


class EditorReport(TrainingReport):
    """The report of a training run. The editor makes corrections whose probability is `sure` or more.

    `sure` comes from the held-out rows. None: too few corrections were right, and the editor makes none.
    """

    steps: int
    sure: float | None


def fine_tune(
    data: Path, out: Path, *, steps: int | None = None, seed: int = 1, start: Path | None = None
) -> EditorReport:
    """Trains weights on `data`, and writes them to `out`. `start`: the first weights (None: the package's).

    If a training stopped, the same call continues from its last checkpoint. Raises `SettingsError` if files
    in `start` are missing or damaged, and raises the errors of `train_unless_finished`.
    """
    out, start = out.expanduser(), start and start.expanduser()
    first = checked_manifest(start).sha256[MODEL]

    def train(_: None, learned: list[TrainingRow], held: list[TrainingRow]) -> dict[str, Any]:
        words, model, rng = load_tokenizer(start), load_onnx(start), random.Random(seed)
        unseen, seen = draw_examples(held, 1, rng), draw_examples(learned, PASSES, rng)
        count = steps or max(FEWEST_STEPS, math.ceil(len(seen) / BATCH))
        how = {"max_steps": count, "learning_rate": LEARNING_RATE, "seed": seed, "batch": BATCH}
        losses = fit_encoder(model, words, out, seen, unseen, **how)
        export_onnx(model, words, out)
        encoder = Encoder(out)
        sure = correction_threshold([proposal for row in held for proposal in try_corrections(encoder, row)])
        manifest = checked_manifest(out).model_copy(update={"sure": sure})
        write_whole(out / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
        return losses | {"steps": count, "sure": sure if sure <= 1 else None}

    settings = {"steps": steps, "seed": seed, "from": first}
    return train_unless_finished("editor", data, out, settings, train, EditorReport, checked_manifest)


def fit_encoder(
    model: EncoderWithHeads, words: Tokenizer, folder: Path, *examples: Sequence[Example], **more: Any
) -> dict[str, float]:
    """Trains `model` by `fit`. Each example must have at most one value to hide (see `with_one_value`)."""
    return fit(
        model,
        folder,
        partial(padded_batch, words),
        *examples,
        warmup_steps=WARMUP_SHARE,
        weight_decay=0.01,
        adam_beta2=0.98,
        train_sampling_strategy="sequential",
        save_strategy="steps",
        save_steps=SAVE_EVERY,
        **more,
    )


def draw_examples(rows: Sequence[TrainingRow], passes: int, rng: random.Random) -> list[Example]:
    """Returns the examples of the rows `passes` times, in random order. Each hides one random value."""
    examples, order = [example for row in rows for example in examples_of_row(row)], list[Example]()
    for _ in range(passes):
        some = [with_one_value(example, rng) for example in rng.sample(examples, len(examples))]
        for at in range(0, len(some), BUCKET):
            order += sorted(some[at : at + BUCKET], key=lambda it: len(it.text) + len(it.passage))
    return order


def try_corrections(encoder: Encoder, row: TrainingRow) -> Iterator[tuple[float, bool]]:
    """Yields a pair for each correction by the encoder: its probability, and whether the result is right.

    The encoder gets each right sentence of the summary. It also gets each sentence with its errors.
    """
    for right, evidence, edits in sentences_and_mistakes(row):
        for text in dict.fromkeys((right, with_errors(right, edits))):
            found = likeliest_correction(encoder, text, evidence.title, evidence.text)
            if found is not None:
                yield found.probability, found.corrected_text(text, evidence.text) == right


def correction_threshold(made: Sequence[tuple[float, bool]]) -> float:
    """Returns the lowest threshold that keeps ten or more corrections, 90% of them right; else `NEVER`."""
    for sure in sorted({probability for probability, _ in made}):
        right = [is_right for probability, is_right in made if probability >= sure]
        if len(right) >= FEWEST and sum(right) >= RIGHT_SHARE * len(right):
            return sure
    return NEVER
