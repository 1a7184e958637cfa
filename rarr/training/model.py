"""Defines the encoder with its heads in torch: MiniLM (Wang et al. 2020) and linear maps on top."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, eager_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Computes attention in the precision of its inputs.

    On a CPU, the backward pass of torch's fused attention takes most of a step. Autocast would use 32 bits
    for the softmax, which takes twice as long.
    """
    with torch.autocast(query.device.type, enabled=False):
        scale = query.shape[-1] ** -0.5 if scaling is None else scaling
        scores = torch.matmul(query * scale, key.transpose(2, 3))
        if attention_mask is not None:
            scores = scores + attention_mask.to(scores.dtype)
        return torch.matmul(torch.softmax(scores, -1), value).transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register(_attention.__name__, _attention)
ALL_MASK_ATTENTION_FUNCTIONS.register(_attention.__name__, eager_mask)


class Heads(NamedTuple):
    """The results of one forward pass, for B sequences of T tokens.

    `relevance` (B), `attribution` (B, 3), `wrong` (B, T): logits. `embedding` (B, H): the mean of the tokens,
    of length 1. `hidden` (B, T, H): the input of `point`.
    """

    relevance: Tensor
    attribution: Tensor
    wrong: Tensor
    embedding: Tensor
    hidden: Tensor


class EncoderWithHeads(nn.Module):
    """One encoder, five heads: relevance, attribution, wrong words, pointers, and an embedding."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        config._attn_implementation = _attention.__name__
        self.encoder = BertModel(config, add_pooling_layer=False)
        size = config.hidden_size
        self.summary = nn.Linear(size, size)
        self.relevance = nn.Linear(size, 1)
        self.attribution = nn.Linear(size, 3)
        self.wrong = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.Linear(size, 1))
        self.asks_start, self.asks_end = nn.Linear(size, size), nn.Linear(size, size)
        self.is_start, self.is_end = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Heads:
        """Computes all heads but the pointers for B sequences of T tokens (int64, padded with 0)."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        # Three dimensions throughout: an exported matrix of two is transposed when it becomes 8-bit.
        summary = torch.tanh(self.summary(hidden[:, :1]))
        weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1)
        return Heads(
            relevance=self.relevance(summary)[:, 0, 0],
            attribution=self.attribution(summary)[:, 0],
            wrong=self.wrong(hidden).squeeze(-1),
            embedding=nn.functional.normalize(mean.float(), dim=-1),
            hidden=hidden,
        )

    def point(self, hidden: Tensor, rows: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Computes where the answer of each of N masks starts and ends: logits (N, T) of the row's tokens.

        Mask n stands at `positions[n]` of row `rows[n]`.
        """
        asking = hidden[rows, positions].unsqueeze(1)
        scale = hidden.shape[-1] ** -0.5
        tokens = hidden[rows]
        start = (self.asks_start(asking) * self.is_start(tokens)).sum(-1) * scale
        end = (self.asks_end(asking) * self.is_end(tokens)).sum(-1) * scale
        return start, end
