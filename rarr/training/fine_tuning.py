"""Fine-tunes the encoder on rows of noising, and writes the new weights into a folder."""

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from rarr.backends.encoder import model_files
from rarr.errors import InputError, SettingsError
from rarr.records import Record
from rarr.tools.storage.files import locked, write_whole, writing
from rarr.training import noising_examples
from rarr.training.loop import Phase, Recipe, TaskData, Trainer
from rarr.training.model import EncoderWithHeads
from rarr.training.noising_examples import fitted_threshold, write_threshold
from rarr.training.rows import TrainingRow, enough, groups

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = "training"  # beside the weights: the checkpoint, the log, and the file below
_RUN = "run.json"
_DIGESTS = {"data": "other data", "start": "other weights to begin with"}  # for messages


class Made(Record):
    """The inputs that determine the weights. `data` and `start` (the first weights) are digests."""

    data: str
    steps: int
    seed: int
    start: str


class Run(Record):
    """The record of a training run: its inputs, and the losses on the held-out rows.

    `after` and `sure`, the threshold of corrections, are set when the run is finished.
    """

    made: Made
    before: dict[str, float]
    after: dict[str, float] | None = None
    sure: float | None = None

    def save(self, out: Path) -> None:
        """Writes the record into the folder `out`, in place of the earlier record."""
        write_whole(out / FOLDER / _RUN, self.model_dump_json(indent=2) + "\n")


def kept(out: Path) -> Run | None:
    """Reads the record of the run in a folder; None if there is none. `InputError` if it is unreadable."""
    path = out / FOLDER / _RUN
    try:
        return Run.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise InputError(f"{path} cannot be read: give another folder, or delete this one") from None


def require_same_run(out: Path, made: Made) -> None:
    """Checks that the folder is empty or holds a run of the inputs `made`. Raises `InputError` if not."""
    if out.is_file():
        raise InputError(f"{out} is a file: give a folder")
    run = kept(out)
    if run is None:
        others = sorted(file.name for file in out.iterdir() if file.name != FOLDER) if out.exists() else []
        if others:
            raise InputError(
                f"{out} holds {others[0]}, not a run of rarr train editor: give a folder of its own"
            )
        return
    for name in Made.model_fields:
        before, now = getattr(run.made, name), getattr(made, name)
        if before != now:
            difference = _DIGESTS.get(name) or f"{name} {before}, not {now}"
            raise InputError(f"{out} holds a run with {difference}: give another folder, or delete this one")


RATE = 5e-5  # the highest rate; a quarter of the rate of the first training
WARM = 0.1  # share of the steps in which the rate rises
KEPT = "embedding"  # this task keeps the embedding as it is
MIXTURE = {"attribution": 0.38, "cloze": 0.35, "unrelated": 0.06, "relevance": 0.13, KEPT: 0.08}
ROWS_A_STEP = 8 / 3  # if no number of steps is given
FEWEST_STEPS = 30
SAVE_EVERY = 100
HELD_OUT = 0.25  # share of the rows, to fit the threshold and to measure with


class Backend(NamedTuple):
    """The functions that load, write and try out weights. The folder None means the shipped weights."""

    load: Callable[[Path | None], EncoderWithHeads]
    tokenizer: Callable[[Path | None], "Tokenizer"]
    export: Callable[[EncoderWithHeads, "Tokenizer", Path], None]
    fitted_threshold: Callable[[Path, Sequence[TrainingRow]], float]

    @classmethod
    def of_the_package(cls) -> "Backend":
        """Returns the package's own functions. Raises `ImportError` if the extra `train` is not installed."""
        from rarr.training.onnx_export_and_loading import export, load

        return cls(load, model_files.tokenizer, export, fitted_threshold)


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
    backend: Backend | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> EditorReport:
    """Trains the weights of `start` (None: those that ship) on the rows of `data`, and writes them to `out`.

    The threshold of corrections is fitted on the held-out rows. The same call continues from the last
    checkpoint. Raises `InputError` for data of fewer than two rows, for an `out` that holds other files, and
    for a `start` that is damaged or holds no weights.
    """
    backend, began = backend or Backend.of_the_package(), time.monotonic()
    out, start = out.expanduser(), start and start.expanduser()
    facts = model_files.checked_manifest(start)
    all_rows = enough(data)
    learned, held = split_rows(all_rows, seed)
    sets = _sets(learned)
    unseen = {name: task for name, task in _sets(held).items() if name != KEPT}
    steps = steps or max(FEWEST_STEPS, int(len(learned) / ROWS_A_STEP))
    made = Made(
        data=hashlib.sha256(b"".join(row.line() for row in all_rows)).hexdigest(),
        steps=steps,
        seed=seed,
        start=facts.sha256[model_files.MODEL],
    )
    require_same_run(out, made)
    with (
        locked(out / FOLDER / "run.lock", f"{out} is in use by another rarr train editor: wait for it"),
        writing(out),
    ):
        tokenizer = backend.tokenizer(start)
        recipe = Recipe(seed, _phases(steps, {name: MIXTURE[name] for name in MIXTURE if name in sets}))
        model = backend.load(start)
        folder = out / FOLDER
        trainer = Trainer(model, tokenizer, sets, recipe, folder, save_every=SAVE_EVERY, on_step=on_step)
        run = kept(out) or Run(made=made, before=trainer.measured(unseen))
        run.save(out)
        if run.after is None or not _whole(out):
            trainer.train()
            after = trainer.measured(unseen)
            backend.export(trainer.model, tokenizer, out)
            sure = backend.fitted_threshold(out, held)
            write_threshold(out, sure)
            run = run.model_copy(update={"after": after, "sure": sure})
            run.save(out)
            (folder / "checkpoint.pt").unlink(missing_ok=True)
    return EditorReport(
        rows=len(all_rows),
        held_out=len(held),
        examples={name: len(task.examples) for name, task in sets.items()},
        steps=steps,
        before=run.before,
        after=run.after or {},
        sure=run.sure if run.sure is not None and run.sure <= 1 else None,
        seconds=time.monotonic() - began,
    )


def split_rows(given: Sequence[TrainingRow], seed: int) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """Splits rows: those to learn from, and about a quarter to fit the threshold and to measure with.

    No document is in both, unless one document has more than half of the rows: then no query is.
    """
    by_row = groups(given)
    if max(Counter(by_row).values()) > len(given) / 2:
        by_row = [row.query for row in given]
    order = sorted(set(by_row))
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    while sum(group in held for group in by_row) < max(1, int(len(given) * HELD_OUT)):
        held.add(order.pop())
    pairs = list(zip(given, by_row, strict=True))
    return [row for row, group in pairs if group not in held], [row for row, group in pairs if group in held]


def _sets(chosen: Sequence[TrainingRow]) -> dict[str, TaskData]:
    """Converts rows to examples by task, without tasks that have no examples."""
    sets = {
        "attribution": TaskData(
            "attribution",
            [example for row in chosen for example in noising_examples.attribution(row)],
            8,
        ),
        "unrelated": TaskData(
            "attribution", [example for row in chosen for example in noising_examples.unrelated(row)], 8
        ),
        "cloze": TaskData(
            "cloze", [example for row in chosen for example in noising_examples.cloze(row)], 16
        ),
        "relevance": TaskData(
            "relevance", [example for row in chosen for example in noising_examples.relevance(row)], 4
        ),
        KEPT: TaskData("embedding", [text for row in chosen for text in noising_examples.texts(row)], 16),
    }
    return {name: task for name, task in sets.items() if task.examples}


def _phases(steps: int, mixture: Mapping[str, float]) -> list[Phase]:
    warm = int(steps * WARM)
    return [Phase(warm, 0.0, RATE, mixture), Phase(steps - warm, RATE, 0.0, mixture)]


def _whole(out: Path) -> bool:
    try:
        model_files.checked_manifest(out)
    except SettingsError:
        return False
    return True
