"""Runs a training in a folder of its own with the trainer of transformers; both editors are trained so."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from transformers import PrinterCallback, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from rarr.evals import run_folder
from rarr.records import Record
from rarr.training.rows import TrainingRow, rows, split_rows

CHECKPOINTS = "checkpoints"
_OF_TRAINER = ("data_collator", "train_dataset", "eval_dataset", "callbacks")


class TrainingReport(Record):
    """The report of a training. `before` and `after` are the losses on the held-out rows."""

    rows: int
    held_out: int
    before: float
    after: float
    seconds: float


Report = TypeVar("Report", bound=TrainingReport)
Train = Callable[[list[TrainingRow], list[TrainingRow]], dict[str, Any]]
"""Trains on some rows, measures on others, writes the files, and returns what a report adds to counts."""


def run_once(
    command: str,
    data: Path,
    out: Path,
    settings: Mapping[str, Any],
    train: Train,
    report: type[Report],
    is_whole: Callable[[Path], bool] = Path.exists,
) -> Report:
    """Trains on the rows of `data`, some held out, in the folder `out`, which holds this run alone.

    Returns the report of a finished run whose files are whole. Raises `InputError` for data of fewer than two
    rows, and for an `out` that is in use or holds other files or another run.
    """
    began, every = time.monotonic(), rows(data)
    named = {name: value for name, value in settings.items() if value is not None}
    made_with = run_folder.inputs(f"rarr train {command}", every, named)
    with run_folder.claimed(out, made_with):
        run_folder.begin(out, made_with)
        if (finished := out / run_folder.REPORT).exists() and is_whole(out):
            return report.model_validate_json(finished.read_bytes())
        learned, held = split_rows(every, settings["seed"])
        found = train(learned, held)
        counts = {"rows": len(every), "held_out": len(held), "seconds": time.monotonic() - began}
        made = report(**counts, **found)
        run_folder.finish(out, made)
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return made


def trainer(model: Any, folder: Path, **more: Any) -> Trainer:
    """Makes the trainer of a model, with checkpoints in `folder`; it reports nothing to anybody.

    `more` are arguments of `Trainer` and of `TrainingArguments`.
    """
    own = {name: more.pop(name) for name in _OF_TRAINER if name in more}
    arguments = TrainingArguments(
        str(folder / CHECKPOINTS),
        bf16=torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
        remove_unused_columns=False,
        prediction_loss_only=True,
        report_to=[],
        disable_tqdm=True,
        logging_strategy="no",
        **more,
    )
    made = Trainer(model, arguments, **own)
    made.remove_callback(PrinterCallback)
    return made


def resume(made: Trainer) -> None:
    """Trains to the end, from the last checkpoint if there is one."""
    made.train(resume_from_checkpoint=get_last_checkpoint(made.args.output_dir))


def trained(made: Trainer) -> dict[str, float]:
    """Trains to the end, and returns the loss on the held-out examples before and after."""
    before = made.evaluate()["eval_loss"]
    resume(made)
    return {"before": before, "after": made.evaluate()["eval_loss"]}
