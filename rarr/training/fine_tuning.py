"""Fine-tunes the encoder on rows of noising, and writes the new weights into a folder."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from rarr.backends.encoder.editor import correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import FACTS, MODEL, NEVER, checked_manifest, tokenizer
from rarr.errors import SettingsError
from rarr.evals import run_folder
from rarr.records import Record
from rarr.tools.storage.files import write_whole
from rarr.training import examples, tasks
from rarr.training.onnx_files import export, load
from rarr.training.rows import TrainingRow, enough, split_rows
from rarr.training.trainer import CHECKPOINT, Phase, Recipe, TaskData, Trainer

RATE = 5e-5  # the highest rate; a quarter of the rate of the first training
WARM = 0.1  # share of the steps in which the rate rises
MIXTURE = {"attribution": 0.53, "cloze": 0.47}
ROWS_A_STEP = 8 / 3  # if no number of steps is given
FEWEST_STEPS = 30
SAVE_EVERY = 100
RIGHT = 0.9
"""The least share of the corrections above the threshold that give the right text."""
FEWEST = 10  # corrections above a threshold

Proposal = tuple[float, bool]
"""The probability of a correction, and whether it makes the text right."""


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
    data: Path,
    out: Path,
    *,
    steps: int | None = None,
    seed: int = 1,
    start: Path | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> EditorReport:
    """Trains the weights of `start` (None: those that ship) on the rows of `data`, and writes them to `out`.

    The threshold of corrections is fitted on the held-out rows. The same call continues from the last
    checkpoint. Raises `InputError` for data of fewer than two rows, for an `out` that holds other files or
    another run, and for a `start` that is damaged or holds no weights.
    """
    began, out, start = time.monotonic(), out.expanduser(), start and start.expanduser()
    facts, all_rows = checked_manifest(start), enough(data)
    learned, held = split_rows(all_rows, seed)
    sets = _sets(learned)
    unseen = _sets(held)
    steps = steps or max(FEWEST_STEPS, int(len(learned) / ROWS_A_STEP))
    settings = {"steps": steps, "seed": seed, "from": facts.sha256[MODEL]}
    made_with = run_folder.inputs("rarr train editor", all_rows, settings)
    with run_folder.claimed(out, made_with):
        run_folder.begin(out, made_with)
        if (out / run_folder.REPORT).exists() and _whole(out):
            return EditorReport.model_validate_json((out / run_folder.REPORT).read_bytes())
        mixture = {name: share for name, share in MIXTURE.items() if name in sets}
        warm = int(steps * WARM)
        phases = [Phase(warm, 0.0, RATE, mixture), Phase(steps - warm, RATE, 0.0, mixture)]
        words = tokenizer(start)
        trainer = Trainer(
            load(start), words, sets, Recipe(seed, phases), out, save_every=SAVE_EVERY, on_step=on_step
        )
        before = trainer.measured(unseen)
        trainer.train()
        after = trainer.measured(unseen)
        export(trainer.model, words, out)
        sure = fitted_threshold(out, held)
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
        (out / CHECKPOINT).unlink(missing_ok=True)
    return report


def _sets(rows: Sequence[TrainingRow]) -> dict[str, TaskData]:
    """Converts rows to examples by task, without tasks that have no examples."""
    sets = {
        "attribution": TaskData(tasks.attribution, [*_each(examples.attributions, rows)], 8),
        "cloze": TaskData(tasks.cloze, [*_each(examples.clozes, rows)], 16),
    }
    return {name: task for name, task in sets.items() if task.examples}


def _each(made: Callable[[TrainingRow], Iterator[object]], rows: Sequence[TrainingRow]) -> Iterator[object]:
    return (example for row in rows for example in made(row))


def _whole(out: Path) -> bool:
    try:
        checked_manifest(out)
    except SettingsError:
        return False
    return True


def fitted_threshold(folder: Path, rows: Sequence[TrainingRow]) -> float:
    """Fits the threshold for the weights in `folder`, which did not learn from `rows`."""
    encoder = Encoder(folder)
    return threshold([proposal for row in rows for proposal in proposals(encoder, row)])


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
