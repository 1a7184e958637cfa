"""The fine-tuning of the encoder on rows of noising: weights in, weights in a folder out."""

import hashlib
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rarr.backends.encoder import weights
from rarr.errors import SettingsError
from rarr.records import Record
from rarr.tools.storage.line_files import locked, writing
from rarr.training import conversion
from rarr.training.loop import Data, Phase, Recipe, Trainer
from rarr.training.model import Reader
from rarr.training.noising.rows import Row, enough
from rarr.training.progress import FOLDER, Made, Run, begun, kept

if TYPE_CHECKING:
    from tokenizers import Tokenizer

RATE = 5e-5  # at its highest; a quarter of what the weights were first trained with
WARM = 0.1  # of the steps: the rate rises
KEPT = "embedding"  # is not learned, but kept as it is
MIXTURE = {"attribution": 0.4, "cloze": 0.35, "relevance": 0.15, KEPT: 0.1}
ROWS_A_STEP = 8 / 3  # where no number of steps is given
FEWEST_STEPS = 30
SAVE_EVERY = 100
HELD_OUT = 10  # one of so many rows


class Backend(NamedTuple):
    """Where weights come from, and what is written in the end. `load` and `tokenizer`: None is what ships."""

    load: Callable[[Path | None], Reader]
    tokenizer: Callable[[Path | None], "Tokenizer"]
    export: Callable[[Reader, "Tokenizer", Path, weights.Calibration], None]

    @classmethod
    def of_the_package(cls) -> "Backend":
        """The package's own. Raises `ImportError` where a part of the extra `train` is missing."""
        from rarr.training.export import export, load

        return cls(load, weights.tokenizer, export)


class EditorReport(Record):
    """What was done. `before` and `after` are the losses on the rows that were held out, by task."""

    rows: int
    held_out: int
    examples: dict[str, int]
    steps: int
    before: dict[str, float]
    after: dict[str, float]
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

    The decisions on top of the weights are those of `start`: they are not calibrated again. Called again with
    the same, it goes on from its last checkpoint. Raises `InputError` for data of fewer than two rows, for an
    `out` that holds anything else, and for a `start` that is damaged or no weights.
    """
    backend, began = backend or Backend.of_the_package(), time.monotonic()
    out, start = out.expanduser(), start and start.expanduser()
    facts = weights.checked(start)
    given = enough(data)
    taught, held = _split(given, seed)
    sets = _sets(taught)
    unseen = {name: one for name, one in _sets(held).items() if name != KEPT}
    steps = steps or max(FEWEST_STEPS, int(len(taught) / ROWS_A_STEP))
    made = Made(
        data=hashlib.sha256(b"".join(row.line() for row in given)).hexdigest(),
        steps=steps,
        seed=seed,
        start=facts.sha256[weights.MODEL],
    )
    begun(out, made)
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
            run = run.model_copy(update={"after": trainer.measured(unseen)})
            backend.export(trainer.model, tokenizer, out, facts.calibration)
            run.save(out)
            (folder / "checkpoint.pt").unlink(missing_ok=True)
    return EditorReport(
        rows=len(given),
        held_out=len(held),
        examples={name: len(one.examples) for name, one in sets.items()},
        steps=steps,
        before=run.before,
        after=run.after or {},
        seconds=time.monotonic() - began,
    )


def _split(given: Sequence[Row], seed: int) -> tuple[list[Row], list[Row]]:
    """The rows to learn from, and a tenth to measure with: no query is in both, since each has one row."""
    order = list(given)
    random.Random(seed).shuffle(order)
    count = max(1, len(order) // HELD_OUT)
    return order[count:], order[:count]


def _sets(chosen: Sequence[Row]) -> dict[str, Data]:
    """The examples by task; without those of a task that has none."""
    sets = {
        "attribution": Data("attribution", [one for row in chosen for one in conversion.attribution(row)], 8),
        "cloze": Data("cloze", [one for row in chosen for one in conversion.cloze(row)], 16),
        "relevance": Data("relevance", [one for row in chosen for one in conversion.relevance(row)], 4),
        KEPT: Data("embedding", [one for row in chosen for one in conversion.texts(row)], 16),
    }
    return {name: one for name, one in sets.items() if one.examples}


def _phases(steps: int, mixture: Mapping[str, float]) -> list[Phase]:
    warm = int(steps * WARM)
    return [Phase(warm, 0.0, RATE, mixture), Phase(steps - warm, RATE, 0.0, mixture)]


def _whole(out: Path) -> bool:
    try:
        weights.checked(out)
    except SettingsError:
        return False
    return True
