"""What is measured while training goes on: a part of the hand-written dev set, by each head alone."""

import gzip
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch

from rarr.encoder.inputs import NULL, covering
from rarr.training import batches
from rarr.training.examples import Cloze
from rarr.training.model import Reader
from training import sources
from training.data import FOLDER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ITEMS = 160
LONGEST_ANSWER = 12  # tokens


class Watch:
    """The share of exact pointers, and of claims told from their corrupted versions."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        with gzip.open(FOLDER / "dev/editing/handwritten.jsonl.gz", "rt", encoding="utf-8") as lines:
            items = [json.loads(line) for line in lines][:ITEMS]
        self._tokenizer = tokenizer
        self._corrections = [example for item in items for example in corrections(item)]
        self._judged = list(sources.handwritten_attribution(items))

    @torch.no_grad()
    def __call__(self, model: Reader) -> Mapping[str, float]:
        """Measured with the model as it is."""
        device = next(model.parameters()).device
        exact = [_exact(model, self._tokenizer, one, device) for one in self._corrections]
        classes: list[bool] = []
        told: list[bool] = []
        tagged: list[bool] = []
        for at in range(0, len(self._judged), 8):
            judged = batches.attribution(self._tokenizer, self._judged[at : at + 8])
            with torch.autocast(device.type, torch.bfloat16):
                heads = model(*(tensor.to(device) for tensor in judged.sequences))
            classes += (heads.attribution.argmax(-1).cpu() == judged.labels).tolist()
            gap = (heads.attribution[:, 2] - heads.attribution[:, 0]).float().cpu()
            within = judged.sequences.token_type_ids == 0
            worst = heads.wrong.float().cpu().masked_fill(~within, -99).max(-1).values
            for right, wrong in judged.pairs.tolist():
                told.append(bool(gap[wrong] > gap[right]))
                tagged.append(bool(worst[wrong] > worst[right]))
        return {
            "exact": _share(exact),
            "three_way": _share(classes),
            "pairs_by_class": _share(told),
            "pairs_by_tags": _share(tagged),
        }


def corrections(item: sources.Item) -> list[Cloze]:
    """The right value of each error masked alone, where the passage says it."""
    found = []
    for example in sources.handwritten_cloze([item]):
        if example.source == "handwritten":
            rights = {edit["right"] for edit in item["edits"]}
            found += [
                example.model_copy(update={"values": (value,)})
                for value in example.values
                if example.text[slice(*value.place)] in rights and value.others
            ]
    return found


def _exact(model: Reader, tokenizer: "Tokenizer", example: Cloze, device: torch.device) -> bool:
    made = batches.pair(
        tokenizer,
        example.text,
        example.title,
        example.passage,
        [batches.Masked(batches.Span(*example.values[0].place), example.values[0].kind)],
    )
    if made.masks[0] < 0:
        return False
    sequences = batches.padded([made.ids], [made.types])
    with torch.autocast(device.type, torch.bfloat16):
        hidden = model(*(tensor.to(device) for tensor in sequences)).hidden
        start, end = model.point(hidden, torch.tensor([0]), torch.tensor([made.masks[0]]))
    best, chosen = float(start[0, NULL] + end[0, NULL]), None
    first, count = made.passage_start, len(made.passage_spans)
    for s in range(count):
        for e in range(s, min(count, s + LONGEST_ANSWER)):
            score = float(start[0, first + s] + end[0, first + e])
            if score > best:
                best, chosen = score, (s, e)
    rights = [covering(made.passage_spans, *answer) for answer in example.values[0].answers]
    return chosen in rights


def _share(found: list[bool]) -> float:
    return round(sum(found) / max(1, len(found)), 4)
