"""Trains a model in a folder, with the trainer of transformers."""

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
from rarr.training.rows import TrainingRow, read_training_rows, split_rows

CHECKPOINTS = "checkpoints"


class TrainingReport(Record):
    """The report of a training."""

    rows: int  # the number of all rows
    held_out: int  # the number of rows that training did not see
    before: float  # the loss on the held-out rows before training
    after: float  # the loss on the held-out rows after training
    seconds: float


Report = TypeVar("Report", bound=TrainingReport)


def train_unless_finished(
    command: str,
    data: Path,
    out: Path,
    settings: Mapping[str, Any],
    train: Callable[[Any, list[TrainingRow], list[TrainingRow]], dict[str, Any]],
    report: type[Report],
    check: Callable[[Path], Any] = lambda out: None,
    load: Callable[[], Any] = lambda: None,
) -> Report:
    """Calls `train` with the rows in `data`, and writes the report to `out`. A finished run is not repeated.

    `train` gets the result of `load`, the rows to learn from, and the held-out rows. It returns fields of the
    report. If `out` has a finished run, and `check` finds its files right, returns the report of that run.
    Raises the errors of `load`, and `InputError` if `out` is in use or has anything but the same run.
    """
    began, every = time.monotonic(), read_training_rows(data)
    named = {name: value for name, value in settings.items() if value is not None}
    made_with = run_folder.run_inputs(f"rarr train {command}", every, named)
    with run_folder.lock_run_folder(out, made_with):
        if (finished := out / run_folder.REPORT).exists():
            with suppress(SettingsError):
                check(out)
                return report.model_validate_json(finished.read_bytes())
        (learned, held), loaded = split_rows(every, settings["seed"]), load()
        run_folder.write_inputs(out, made_with)
        found = train(loaded, learned, held)
        counts = {"rows": len(every), "held_out": len(held), "seconds": time.monotonic() - began}
        made = report(**counts, **found)
        run_folder.write_report(out, made)
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
    """Trains the model. If `folder` has checkpoints, continues from the last checkpoint.

    `arguments` go to `TrainingArguments`. Returns the losses on `held`: `before` and `after` training.
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
    trainer.remove_callback(PrinterCallback)  # the command prints only the report
    before = trainer.evaluate()["eval_loss"]
    trainer.train(resume_from_checkpoint=get_last_checkpoint(trainer.args.output_dir))
    return {"before": before, "after": trainer.evaluate()["eval_loss"]}
