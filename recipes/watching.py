"""Measures each head alone on a part of the hand-written dev set while training goes on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch

from benchmarks.harness import rows
from rarr.backends.encoder.inputs import NULL, MaskedSpan, encoder_input
from rarr.backends.encoder.model import Pointing
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training import batches
from rarr.training.examples import Cloze
from rarr.training.model import EncoderWithHeads
from recipes import sources

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILE = "dev/editing/handwritten.jsonl.gz"
ITEMS = 160


class Watch:
    """The share of exact pointers, and of claims that rank above their corrupted versions."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        items = rows(FILE)[:ITEMS]
        self._tokenizer = tokenizer
        self._corrections = [example for item in items for example in sources.corrections(item)]
        self._judged = list(sources.handwritten_attribution(items))

    def __call__(self, model: EncoderWithHeads) -> Mapping[str, float]:
        """Measures the model in its present state."""
        with torch.no_grad():
            return self._measured(model)

    def _measured(self, model: EncoderWithHeads) -> Mapping[str, float]:
        device = next(model.parameters()).device
        exactly = [_exact(model, self._tokenizer, example, device) for example in self._corrections]
        classes: list[bool] = []
        ranked: list[bool] = []
        tagged: list[bool] = []
        for at in range(0, len(self._judged), 8):
            judged = batches.attribution(self._tokenizer, self._judged[at : at + 8])
            with torch.autocast(device.type, torch.bfloat16):
                heads = model(*(tensor.to(device) for tensor in judged.sequences))
            classes += (heads.attribution.argmax(-1).cpu() == judged.labels).tolist()
            gap = (heads.attribution[:, 2] - heads.attribution[:, 0]).float().cpu()
            worst = heads.wrong.float().cpu().masked_fill(judged.tags < 0, -99).max(-1).values
            for right, wrong in judged.pairs.tolist():
                ranked.append(bool(gap[wrong] > gap[right]))
                tagged.append(bool(worst[wrong] > worst[right]))
        return {
            "exact": _share(exactly),
            "three_way": _share(classes),
            "pairs_by_class": _share(ranked),
            "pairs_by_tags": _share(tagged),
        }


def _exact(model: EncoderWithHeads, tokenizer: "Tokenizer", example: Cloze, device: torch.device) -> bool:
    value = example.values[0]
    masked = MaskedSpan(Span(*value.place), value.kind)
    encoded = encoder_input(tokenizer, example.text, example.title, example.passage, [masked])
    if encoded.masks[0] < 0:
        return False
    sequences = batches.padded([encoded.ids], [encoded.types])
    with torch.autocast(device.type, torch.bfloat16):
        hidden = model(*(tensor.to(device) for tensor in sequences)).hidden
        pointed = model.point(hidden, torch.tensor([0]), torch.tensor([encoded.masks[0]]))
    start, end = (logits[0].float().cpu().numpy() for logits in pointed)
    passage = slice(encoded.passage_start, encoded.passage_start + len(encoded.passage_spans))
    # Logits in place of log-probabilities: every span and nowhere lack the same constant.
    nowhere = float(start[NULL] + end[NULL])
    return exact(example, Pointing(start[passage], end[passage], nowhere, tuple(encoded.passage_spans)).best)


def exact(example: Cloze, best: Span | None) -> bool:
    """Is `best` one of the places of the answer in the passage, apart from marks at either end?"""
    answers = {_bare(example.passage, *answer) for answer in example.values[0].answers}
    return best is not None and _bare(example.passage, best.start, best.end) in answers


def _bare(passage: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not passage[start].isalnum():
        start += 1
    while start < end and not passage[end - 1].isalnum():
        end -= 1
    return start, end


def _share(hits: list[bool]) -> float:
    return round(sum(hits) / max(1, len(hits)), 4)
