"""Trains the editor of PURR, a T5 that reads several passages (Chen et al. 2023; Chen 2023, chapter 7)."""

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import torch
from transformers import EarlyStoppingCallback

from rarr.backends.fusion import FusionEditor, editor_inputs, encode_inputs, load_fusion_in_decoder
from rarr.errors import ModelError
from rarr.tools.models.hub import load_from_hub
from rarr.training.rows import TrainingRow
from rarr.training.runs import TrainingReport, fit, train_unless_finished

PASSAGES = 4  # the passages of an example: first the relevant ones, then others (chapter 7)
CORRECT = 0.15  # the share of rows that also give an example without errors
LEARNING_RATE, WARMUP_SHARE = 1e-4, 0.05
BATCH, PATIENCE = 8, 2
_IGNORED_LABEL = -100  # the label of padding, which the loss leaves out


class FusionExample(NamedTuple):
    """A text to edit, its evidence as pairs (title of a passage, text of the passage), and the right text."""

    text: str
    question: str
    evidence: tuple[tuple[str, str], ...]
    right: str


class FusionReport(TrainingReport):
    """The report of a training, with the results of the editor on the held-out rows."""

    exact: float  # the share of texts with errors that the editor made exactly right
    kept: float  # the share of right texts that the editor left unchanged


def train_fusion(
    data: Path, out: Path, *, base: str, epochs: int = 10, rate: float = LEARNING_RATE, seed: int = 1
) -> FusionReport:
    """Trains a T5 on the rows in the folder `data`, and writes the editor to the folder `out`.

    `base` is a folder or a model of the hub. Training stops if the loss on the held-out rows does not fall
    for two epochs. The best epoch gives the editor. After a stop, the same call continues after the last
    finished epoch. Raises `SetupError` if `base` cannot be loaded, and errors of `train_unless_finished`.
    """
    out = out.expanduser()

    def train(loaded: Any, learned: list[TrainingRow], held: list[TrainingRow]) -> dict[str, Any]:
        tokenizer, model = loaded
        unseen = examples_of_rows(held, seed)
        losses = fit(
            model,
            out,
            partial(make_batch, tokenizer),
            examples_of_rows(learned, seed, correct=CORRECT),
            unseen,
            num_train_epochs=epochs,
            learning_rate=rate,
            warmup_steps=WARMUP_SHARE,
            seed=seed,
            batch=BATCH,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="eval_loss",
            callbacks=[EarlyStoppingCallback(PATIENCE)],
        )
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)
        edit = partial(_edit_or_none, FusionEditor(str(out)))
        written = [(it.right, edit(it, it.text), edit(it, it.right)) for it in unseen]
        exact = mean(corrected == right for right, corrected, _ in written)
        return losses | {"exact": exact, "kept": mean(same == right for right, _, same in written)}

    settings = {"base": base, "epochs": epochs, "rate": rate, "seed": seed}
    load = partial(load_from_hub, f"base {base!r}", base, load_fusion_in_decoder)
    return train_unless_finished("purr", data, out, settings, train, FusionReport, load=load)


def examples_of_rows(rows: Sequence[TrainingRow], seed: int, *, correct: float = 0.0) -> list[FusionExample]:
    """Makes an example from each row. For a share `correct` of rows, makes another example without errors."""
    chance = random.Random(seed)
    made: list[FusionExample] = []
    for row in rows:
        evidence = [*row.relevant[:PASSAGES]]
        others = [passage for passage in row.others if passage not in evidence]
        evidence += chance.sample(others, min(len(others), PASSAGES - len(evidence)))
        about = tuple((passage.title, passage.text) for passage in evidence)
        made.append(FusionExample(row.corrupted, row.query, about, row.summary))
        if chance.random() < correct:
            made.append(FusionExample(row.summary, row.query, about, row.summary))
    return made


def make_batch(tokenizer: Any, some: Sequence[FusionExample]) -> dict[str, torch.Tensor]:
    """Returns the tensors of a batch by name. The passages of each example are in random order.

    Inputs and masks have the shape (texts, passages, tokens). Labels have the shape (texts, tokens).
    """
    inputs: list[list[str]] = []
    for example in some:
        about = [*example.evidence] * PASSAGES  # repeats passages if there are fewer than `PASSAGES`
        order = torch.randperm(PASSAGES).tolist()
        inputs.append(editor_inputs(example.text, example.question, [about[place] for place in order]))
    right = [example.right for example in some]
    labels = tokenizer(text_target=right, padding=True, return_tensors="pt")["input_ids"]
    labels[labels == tokenizer.pad_token_id] = _IGNORED_LABEL
    return {**encode_inputs(tokenizer, inputs), "labels": labels}


def _edit_or_none(editor: FusionEditor, example: FusionExample, text: str) -> str | None:
    try:
        return editor.edit_text(text, example.question, example.evidence)
    except ModelError:  # the text is too long, or the answer of the editor does not end
        return None
