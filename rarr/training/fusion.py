"""Trains PURR's editor on rows of noising, a fusion-in-decoder T5 (Chen et al. 2023; Chen 2023, ch. 7)."""

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import torch
from transformers import EarlyStoppingCallback

from rarr.backends.fusion import FusionEditor, editor_inputs, encoded, load_fusion
from rarr.errors import ModelError, SetupError
from rarr.tools.models.hub import INSTALL, loaded, one_line
from rarr.training.rows import TrainingRow
from rarr.training.runs import TrainingReport, fit, run_once

EVIDENCES = 4  # all relevant passages, filled with others (chapter 7)
COPIES = 0.15  # share of the examples whose text has no error
RATE, WARM = 1e-4, 0.05
BATCH, PATIENCE = 8, 2
_IGNORED = -100  # a label that the loss leaves out


class FusionExample(NamedTuple):
    """A text to edit, its evidence, each a title and a text, and the text that is right."""

    text: str
    question: str
    evidence: tuple[tuple[str, str], ...]
    right: str


class FusionReport(TrainingReport):
    """Of the held-out texts with errors, the share `exact` became right; of those without, `kept` stayed."""

    exact: float
    kept: float


def train_fusion(
    data: Path, out: Path, *, base: str, epochs: int = 10, rate: float = RATE, seed: int = 1
) -> FusionReport:
    """Trains the T5 `base`, a folder or a name of the hub, on the rows of `data`, and writes it to `out`.

    Training stops when the loss on the held-out rows has not fallen for two epochs, and keeps the best
    epoch. The same call continues after the last finished epoch. Raises `SetupError` for a `base` that cannot
    be loaded, and `InputError` as `run_once` does.
    """
    out = out.expanduser()

    def train(learned: list[TrainingRow], held: list[TrainingRow]) -> dict[str, Any]:
        try:
            tokenizer, model = loaded(base, load_fusion)
        except Exception as error:  # the libraries have no base class of errors
            raise SetupError(f"base {base!r} cannot be loaded ({one_line(error)}): {INSTALL}") from None
        unseen = examples(held, seed)
        losses = fit(
            model,
            out,
            partial(batch, tokenizer),
            examples(learned, seed, copies=COPIES),
            unseen,
            num_train_epochs=epochs,
            learning_rate=rate,
            warmup_steps=WARM,
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
        editor = FusionEditor(str(out))
        written = [(it.right, _written(editor, it, it.text), _written(editor, it, it.right)) for it in unseen]
        exact = mean(corrected == right for right, corrected, _ in written)
        return losses | {"exact": exact, "kept": mean(same == right for right, _, same in written)}

    settings = {"base": base, "epochs": epochs, "rate": rate, "seed": seed}
    return run_once("purr", data, out, settings, train, FusionReport)


def examples(rows: Sequence[TrainingRow], seed: int, *, copies: float = 0.0) -> list[FusionExample]:
    """Makes an example of each row, and of a share `copies` of them one without an error."""
    chance = random.Random(seed)
    made: list[FusionExample] = []
    for row in rows:
        evidence = [*row.relevant[:EVIDENCES]]
        others = [passage for passage in row.others if passage not in evidence]
        evidence += chance.sample(others, min(len(others), EVIDENCES - len(evidence)))
        about = tuple((passage.title, passage.text) for passage in evidence)
        made.append(FusionExample(row.corrupted, row.query, about, row.summary))
        if chance.random() < copies:
            made.append(FusionExample(row.summary, row.query, about, row.summary))
    return made


def batch(tokenizer: Any, some: Sequence[FusionExample]) -> dict[str, torch.Tensor]:
    """Makes a batch of examples; the order of the evidence is another one each time.

    Inputs and their masks have the shape (texts, inputs, tokens), and labels (texts, tokens).
    """
    inputs: list[list[str]] = []
    for example in some:
        about = [*example.evidence] * EVIDENCES  # a row with fewer passages repeats them
        order = torch.randperm(EVIDENCES).tolist()
        inputs.append(editor_inputs(example.text, example.question, [about[place] for place in order]))
    right = [example.right for example in some]
    labels = tokenizer(text_target=right, padding=True, return_tensors="pt")["input_ids"]
    labels[labels == tokenizer.pad_token_id] = _IGNORED
    return {**encoded(tokenizer, inputs), "labels": labels}


def _written(editor: FusionEditor, example: FusionExample, text: str) -> str | None:
    try:
        return editor.edited(text, example.question, example.evidence)
    except ModelError:  # the text is too long, or the answer does not end
        return None
