"""What is measured while training goes on: a part of the hand-written dev set, by each head alone."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch

from benchmarks.shared_data import rows
from rarr.backends.encoder.inputs import NULL, encoder_input
from rarr.backends.encoder.model import Pointing
from rarr.training import batches
from rarr.training.examples import Cloze
from rarr.training.model import EncoderWithHeads
from recipes import sources
from recipes.measures.cloze import asked_of, exact
from recipes.measures.handwritten import FILE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ITEMS = 160


class Watch:
    """The share of exact pointers, and of claims told from their corrupted versions."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        items = rows(FILE)[:ITEMS]
        self._tokenizer = tokenizer
        self._corrections = [example for item in items for example in sources.corrections(item)]
        self._judged = list(sources.handwritten_attribution(items))

    def __call__(self, model: EncoderWithHeads) -> Mapping[str, float]:
        """Measured with the model as it is."""
        with torch.no_grad():
            return self._measured(model)

    def _measured(self, model: EncoderWithHeads) -> Mapping[str, float]:
        device = next(model.parameters()).device
        exactly = [_exact(model, self._tokenizer, one, device) for one in self._corrections]
        classes: list[bool] = []
        told: list[bool] = []
        tagged: list[bool] = []
        for at in range(0, len(self._judged), 8):
            judged = batches.attribution(self._tokenizer, self._judged[at : at + 8])
            with torch.autocast(device.type, torch.bfloat16):
                heads = model(*(tensor.to(device) for tensor in judged.sequences))
            classes += (heads.attribution.argmax(-1).cpu() == judged.labels).tolist()
            gap = (heads.attribution[:, 2] - heads.attribution[:, 0]).float().cpu()
            worst = heads.wrong.float().cpu().masked_fill(judged.tags < 0, -99).max(-1).values
            for right, wrong in judged.pairs.tolist():
                told.append(bool(gap[wrong] > gap[right]))
                tagged.append(bool(worst[wrong] > worst[right]))
        return {
            "exact": _share(exactly),
            "three_way": _share(classes),
            "pairs_by_class": _share(told),
            "pairs_by_tags": _share(tagged),
        }


def _exact(model: EncoderWithHeads, tokenizer: "Tokenizer", example: Cloze, device: torch.device) -> bool:
    asked = asked_of(example)
    made = encoder_input(tokenizer, asked.text, asked.title, asked.passage, [asked.masked])
    if made.masks[0] < 0:
        return False
    sequences = batches.padded([made.ids], [made.types])
    with torch.autocast(device.type, torch.bfloat16):
        hidden = model(*(tensor.to(device) for tensor in sequences)).hidden
        pointed = model.point(hidden, torch.tensor([0]), torch.tensor([made.masks[0]]))
    start, end = (logits[0].float().cpu().numpy() for logits in pointed)
    passage = slice(made.passage_start, made.passage_start + len(made.passage_spans))
    # Logits in place of log-probabilities: every span and nowhere lack the same constant.
    nowhere = float(start[NULL] + end[NULL])
    return exact(example, Pointing(start[passage], end[passage], nowhere, tuple(made.passage_spans)).best)


def _share(found: list[bool]) -> float:
    return round(sum(found) / max(1, len(found)), 4)
