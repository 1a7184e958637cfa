"""Fine-tunes the encoder on rows of noising, and writes the new weights into a folder."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

import torch

from rarr.backends.encoder.editor import correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import FACTS, MODEL, NEVER, checked_manifest, tokenizer
from rarr.errors import SettingsError
from rarr.evals import run_folder
from rarr.records import Record
from rarr.tools.storage.files import write_whole
from rarr.training import batches, examples
from rarr.training.batches import Steps, TaskData
from rarr.training.encoder import EncoderWithHeads
from rarr.training.onnx_files import export, load
from rarr.training.rows import TrainingRow, rows, split_rows
from rarr.training.trainer import train_steps

RATE = 5e-5  # the highest rate; a quarter of the rate of the first training
WARM = 0.1  # share of the steps in which the rate rises
MIXTURE = {"attribution": 0.53, "cloze": 0.47}
ROWS_A_STEP = 8 / 3  # if no number of steps is given
FEWEST_STEPS = 30
RIGHT = 0.9
"""The least share of the corrections above the threshold that give the right text."""
FEWEST = 10  # corrections above a threshold


class EditorReport(Record):
    """The report of a run. `before` and `after` are the losses on the held-out rows, by task.

    `sure` is the least probability at which a correction is made, fitted on these rows; None if no
    probability makes enough of them right.
    """

    rows: int
    held_out: int
    examples: dict[str, int]
    steps: int
    before: dict[str, float]
    after: dict[str, float]
    sure: float | None
    seconds: float


def fine_tune(
    data: Path, out: Path, *, steps: int | None = None, seed: int = 1, start: Path | None = None
) -> EditorReport:
    """Trains the weights of `start` (None: those that ship) on the rows of `data`, and writes them to `out`.

    The threshold of corrections is fitted on the held-out rows. The same call continues from the last
    checkpoint. Raises `InputError` for data of fewer than two rows, for an `out` that holds other files or
    another run, and for a `start` that is damaged or holds no weights.
    """
    began, out, start = time.monotonic(), out.expanduser(), start and start.expanduser()
    facts, all_rows = checked_manifest(start), rows(data)
    learned, held = split_rows(all_rows, seed)
    sets, unseen = _sets(learned), _sets(held)
    steps = steps or max(FEWEST_STEPS, int(len(learned) / ROWS_A_STEP))
    settings = {"steps": steps, "seed": seed, "from": facts.sha256[MODEL]}
    made_with = run_folder.inputs("rarr train editor", all_rows, settings)
    with run_folder.claimed(out, made_with):
        run_folder.begin(out, made_with)
        if (out / run_folder.REPORT).exists() and _is_whole(out):
            return EditorReport.model_validate_json((out / run_folder.REPORT).read_bytes())
        words, model = tokenizer(start), load(start)
        names = random.Random(seed).choices(list(sets), [MIXTURE[name] for name in sets], k=steps)
        warm = max(1, int(steps * WARM))
        rates = [RATE * min((n + 1) / warm, (steps - n) / max(1, steps - warm)) for n in range(steps)]
        before = losses(model, unseen, seed, start)
        train_steps(model, Steps(sets, names, words, seed), rates, out, seed)
        after = losses(model, unseen, seed, start)
        export(model, words, out)
        encoder = Encoder(out)
        sure = threshold([proposal for row in held for proposal in proposals(encoder, row)])
        manifest = checked_manifest(out).model_copy(update={"sure": sure})
        write_whole(out / FACTS, manifest.model_dump_json(indent=1) + "\n")
        report = EditorReport(
            rows=len(all_rows),
            held_out=len(held),
            examples={name: len(task.examples) for name, task in sets.items()},
            steps=steps,
            before=before,
            after=after,
            sure=sure if sure <= 1 else None,
            seconds=time.monotonic() - began,
        )
        run_folder.finish(out, report)
    return report


def _sets(rows: Sequence[TrainingRow]) -> dict[str, TaskData]:
    """Converts rows to examples by task, without tasks that have no examples."""
    pairs = [example for row in rows for example in examples.attributions(row)]
    clozes = [example for row in rows for example in examples.clozes(row)]
    sets = {
        "attribution": TaskData(batches.attribution, pairs, 8),
        "cloze": TaskData(batches.cloze, clozes, 16),
    }
    return {name: task for name, task in sets.items() if task.examples}


def _is_whole(out: Path) -> bool:
    try:
        checked_manifest(out)
    except SettingsError:
        return False
    return True


def losses(
    model: EncoderWithHeads, sets: Mapping[str, TaskData], seed: int, start: Path | None
) -> dict[str, float]:
    """Computes the mean loss of the model on each data set. The masks follow from the seed."""
    words, place = tokenizer(start), next(model.parameters()).device
    model.eval()
    found = dict.fromkeys(sets, 0.0)
    for name, task in sets.items():
        for batch, count in task.batches(words, f"{seed} measured {name}"):
            inputs = {key: it.to(place) for key, it in batch.items() if key != "targets"}
            targets = {key: it.to(place) for key, it in batch["targets"].items()}
            with torch.no_grad():
                found[name] += float(model(**inputs, targets=targets)["loss"]) * count
    return {name: round(found[name] / len(task.examples), 4) for name, task in sets.items()}


Proposal = tuple[float, bool]
"""The probability of a correction, and whether it makes the text right."""


def proposals(encoder: Encoder, row: TrainingRow) -> Iterator[Proposal]:
    """Lets the encoder correct each part of the summary, right and with its errors, beside its passage."""
    for example in examples.attributions(row):
        right = example.versions[0].text
        for version in example.versions:
            found = correction(encoder, version.text, example.title, example.passage)
            if found is not None:
                yield found.probability, found.applied(version.text, example.passage) == right


def threshold(made: Sequence[Proposal]) -> float:
    """Finds the least threshold with enough right corrections above it; `NEVER` if there is none."""
    ordered = sorted(made, reverse=True)
    counts = accumulate(right for _, right in ordered)
    fitting = [
        ordered[number - 1][0]
        for number, right in enumerate(counts, start=1)
        if number >= FEWEST
        and right >= RIGHT * number
        and (number == len(ordered) or ordered[number][0] < ordered[number - 1][0])
    ]
    return fitting[-1] if fitting else NEVER
