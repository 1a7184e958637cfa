"""The encoder with its heads in torch (MiniLM, Wang et al. 2020), with its inputs and its loss in training.

A head is a layer that turns what the encoder gives into an answer. In shapes, B is the number of sequences,
and T is the number of tokens in a sequence.
"""

from collections.abc import Sequence
from typing import Any, get_args

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import BertConfig, BertModel

from rarr.backends.encoder.inputs import NULL, MaskedSpan, covering_tokens, encoder_input
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Example, Label

LABELS: tuple[Label, ...] = get_args(Label)
OPEN, START, END = 1, 2, 4
"""The bits of a token in `pointers`: the head may choose it (OPEN), it is a right START, or a right END."""
_NO_CLASS = -100  # the label of a sequence without a class; the loss leaves it out
_LOWEST_LOGIT = -1e4  # the logit of a token that a head must not choose; it fits into 16 bits


class EncoderWithHeads(nn.Module):
    """An encoder with two heads. One finds the class of a text. The other finds hidden words in a passage."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        config._attn_implementation = "eager"  # faster on a CPU than fused attention
        self.encoder = BertModel(config, add_pooling_layer=False)
        size = config.hidden_size
        self.summary, self.attribution = nn.Linear(size, size), nn.Linear(size, 3)
        self.asks_start, self.asks_end = nn.Linear(size, size), nn.Linear(size, size)
        self.is_start, self.is_end = nn.Linear(size, size), nn.Linear(size, size)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor,
        mask_position: Tensor,
        labels: Tensor | None = None,
        pointers: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        """Returns logits of the classes (B, 3), of the starts of words (B, T), and of the ends (B, T).

        The words are hidden in the text by a mask at `mask_position` (B). If `labels` (B) and `pointers`
        (B, T) are given (see `padded_batch`), the result begins with another tensor: the mean loss.
        """
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        # All tensors keep three dimensions: the 8-bit export would transpose a tensor of two dimensions.
        classes = self.attribution(torch.tanh(self.summary(hidden[:, :1])))[:, 0]
        asking = hidden[torch.arange(hidden.shape[0]), mask_position].unsqueeze(1)
        scale = hidden.shape[-1] ** -0.5
        start = (self.asks_start(asking) * self.is_start(hidden)).sum(-1) * scale
        end = (self.asks_end(asking) * self.is_end(hidden)).sum(-1) * scale
        if labels is None or pointers is None:
            return classes, start, end
        pointing = (pointer_loss(start, pointers, START) + pointer_loss(end, pointers, END)) / 2
        return (class_loss(classes, labels) + pointing).mean(), classes, start, end


def class_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Computes the cross-entropy (B) of logits (B, 3) and labels (B). A label of 3 means class 1 or 2."""
    log = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(log[:, 1:], -1, keepdim=True)
    return functional.nll_loss(torch.cat([log, either], -1), labels, ignore_index=_NO_CLASS, reduction="none")


def pointer_loss(logits: Tensor, pointers: Tensor, side: int) -> Tensor:
    """Computes -log of the probability (B) of the right starts or ends (`side`); 0 if no token is right."""
    log = functional.log_softmax(logits.float().masked_fill(pointers == 0, _LOWEST_LOGIT), -1)
    right = (pointers & side) > 0
    found = torch.logsumexp(log.masked_fill(~right, _LOWEST_LOGIT), -1)
    return -found.where(right.any(-1), torch.zeros_like(found))


def encode_example(tokenizer: Tokenizer, example: Example) -> dict[str, Any]:
    """Maps names of inputs and labels to lists, for an example with at most one value to hide.

    If a text or passage is too long, its end is cut off. An answer in this end is no right answer.
    """
    masked = next((MaskedSpan(Span(*value.place), value.kind) for value in example.values), None)
    made = encoder_input(tokenizer, example.text, example.title, example.passage, masked)
    pointers, first = [0] * len(made.ids), made.passage_start
    for token in (NULL, *range(first, first + len(made.passage_spans))):
        pointers[token] = OPEN
    for value in example.values if made.mask else ():
        found = [covering_tokens(made.passage_spans, *answer) for answer in value.answers]
        right = [(first + tokens[0], first + tokens[1]) for tokens in found if tokens]
        for start, end in right if value.answers else [(NULL, NULL)]:
            pointers[start] |= START
            pointers[end] |= END
    label = LABELS.index(example.label) if example.label else _NO_CLASS
    tokens = {"input_ids": made.ids, "token_type_ids": made.types, "attention_mask": [1] * len(made.ids)}
    return {**tokens, "mask_position": made.mask, "labels": label, "pointers": pointers}


def padded_batch(tokenizer: Tokenizer, examples: Sequence[Example]) -> dict[str, Tensor]:
    """Maps names of inputs and labels to the tensors of a batch. Fills short sequences with 0."""
    made = [encode_example(tokenizer, example) for example in examples]
    columns = {name: [torch.tensor(it[name]) for it in made] for name in made[0]}
    return {
        name: torch.stack(column) if column[0].dim() == 0 else pad_sequence(column, batch_first=True)
        for name, column in columns.items()
    }
