"""Trains both editors with the trainer of transformers, which continues after its last checkpoint."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from rarr.training.batches import Steps
from rarr.training.encoder import EncoderWithHeads

CHECKPOINTS = "checkpoints"
SAVE_EVERY = 100


def arguments(folder: Path, seed: int, **more: Any) -> TrainingArguments:
    """Makes the arguments of a training with checkpoints in `folder`, which reports nothing to anybody."""
    return TrainingArguments(
        str(folder / CHECKPOINTS),
        bf16=torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        logging_strategy="no",
        seed=seed,
        **more,
    )


def resume(trainer: Trainer) -> None:
    """Trains to the end, from the last checkpoint if there is one."""
    trainer.train(resume_from_checkpoint=get_last_checkpoint(trainer.args.output_dir))


def train_steps(
    model: EncoderWithHeads, steps: Steps, rates: Sequence[float], folder: Path, seed: int
) -> None:
    """Trains the encoder by a batch a step, each with its learning rate, and removes the checkpoints.

    A resumed training gives the same weights as a whole one.
    """
    trainer = Trainer(
        model,
        arguments(
            folder, seed,
            max_steps=len(steps),
            per_device_train_batch_size=1,  # a batch is an item of `steps`
            train_sampling_strategy="sequential",
            learning_rate=1.0,
            weight_decay=0.01,
            adam_beta2=0.98,
            save_strategy="steps",
            save_steps=SAVE_EVERY,
            save_total_limit=1,
        ),
        data_collator=lambda batches: batches[0],
        train_dataset=steps,
    )  # fmt: skip
    trainer.create_optimizer()
    trainer.lr_scheduler = LambdaLR(trainer.optimizer, lambda step: rates[min(step, len(rates) - 1)])
    resume(trainer)
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
