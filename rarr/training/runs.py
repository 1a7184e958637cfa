"""Runs a training in a folder of its own with the trainer of transformers; both editors are trained so."""

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import torch
from transformers import PrinterCallback, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from rarr.errors import SettingsError
from rarr.evals import run_folder
from rarr.records import Record
from rarr.training.rows import TrainingRow, rows, split_rows

CHECKPOINTS = "checkpoints"


class TrainingReport(Record):
    """The report of a training. `before` and `after` are the losses on the held-out rows."""

    rows: int
    held_out: int
    before: float
    after: float
    seconds: float


Report = TypeVar("Report", bound=TrainingReport)
Train = Callable[[list[TrainingRow], list[TrainingRow]], dict[str, Any]]
"""Trains on some rows, measures on others, writes the files, and returns what the report says besides."""


def run_once(
    command: str,
    data: Path,
    out: Path,
    settings: Mapping[str, Any],
    train: Train,
    report: type[Report],
    check: Callable[[Path], Any] = lambda out: None,
) -> Report:
    """Trains on the rows of `data`, some held out, in the folder `out`, which holds this run alone.

    Returns the report of a finished run, unless `check` raises `SettingsError` for its files. Raises
    `InputError` for data of fewer than two rows, and for an `out` that is in use or holds something else.
    """
    began, every = time.monotonic(), rows(data)
    named = {name: value for name, value in settings.items() if value is not None}
    made_with = run_folder.inputs(f"rarr train {command}", every, named)
    with run_folder.claimed(out, made_with):
        run_folder.begin(out, made_with)
        if (finished := out / run_folder.REPORT).exists():
            with suppress(SettingsError):
                check(out)
                return report.model_validate_json(finished.read_bytes())
        learned, held = split_rows(every, settings["seed"])
        found = train(learned, held)
        counts = {"rows": len(every), "held_out": len(held), "seconds": time.monotonic() - began}
        made = report(**counts, **found)
        run_folder.finish(out, made)
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return made


def fit(
    model: Any,
    folder: Path,
    collator: Any,
    examples: Sequence[Any],
    held: Sequence[Any],
    *,
    batch: int,
    callbacks: Sequence[Any] = (),
    **arguments: Any,
) -> dict[str, float]:
    """Trains to the end, from the last checkpoint in `folder` if there is one, and reports to nobody.

    `arguments` are those of transformers. Returns the loss on the held-out examples before and after.
    """
    trainer = Trainer(
        model,
        TrainingArguments(
            str(folder / CHECKPOINTS),
            per_device_train_batch_size=batch,
            per_device_eval_batch_size=batch,
            save_total_limit=3,
            bf16=torch.cuda.is_available(),
            dataloader_pin_memory=torch.cuda.is_available(),
            remove_unused_columns=False,
            prediction_loss_only=True,
            report_to=[],
            disable_tqdm=True,
            logging_strategy="no",
            **arguments,
        ),
        data_collator=collator,
        train_dataset=examples,
        eval_dataset=held,
        callbacks=[*callbacks],
    )
    trainer.remove_callback(PrinterCallback)  # the output of the command is the report
    before = trainer.evaluate()["eval_loss"]
    trainer.train(resume_from_checkpoint=get_last_checkpoint(trainer.args.output_dir))
    return {"before": before, "after": trainer.evaluate()["eval_loss"]}
