"""The encoder with its heads in torch: MiniLM (Wang et al. 2020) with linear maps on top, and its losses.

B sequences of T tokens, N masked spans, P pairs of sequences. Each loss is a scalar, the mean over what a
head judges.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

_NEVER = -1e4  # the logit of a token that cannot be chosen, within the range of 16 bits


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
        config._attn_implementation = "eager"  # on a CPU, the fused attention takes most of a step
        self.encoder = BertModel(config, add_pooling_layer=False)
        size = config.hidden_size
        self.summary = nn.Linear(size, size)
        self.relevance = nn.Linear(size, 1)
        self.attribution = nn.Linear(size, 3)
        self.wrong = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.Linear(size, 1))
        self.asks_start, self.asks_end = nn.Linear(size, size), nn.Linear(size, size)
        self.is_start, self.is_end = nn.Linear(size, size), nn.Linear(size, size)

    def heads(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Heads:
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
            embedding=functional.normalize(mean.float(), dim=-1),
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

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor, targets: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Computes the loss of a batch, whose `targets` are those of `rarr.training.batches`."""
        heads = self.heads(input_ids, attention_mask, token_type_ids)
        if "classes" in targets:
            loss = (
                class_loss(heads.attribution, targets["classes"])
                + contrast_loss(heads.attribution, targets["contrasts"])
                + wrong_loss(heads.wrong, targets["tags"])
            )
        elif len(targets["rows"]):
            start, end = self.point(heads.hidden, targets["rows"], targets["positions"])
            opened = targets["open"]
            loss = pointer_loss(start, opened, targets["starts"]) + pointer_loss(end, opened, targets["ends"])
            loss = loss / 2
        else:
            loss = heads.hidden.sum() * 0
        return {"loss": loss}


def pointer_loss(logits: Tensor, opened: Tensor, right: Tensor) -> Tensor:
    """Mean of -log of the probability of all `right` tokens (marginal likelihood); all (N, T).

    Tokens that are not `opened` cannot be chosen.
    """
    log = functional.log_softmax(logits.float().masked_fill(~opened, _NEVER), -1)
    return -torch.logsumexp(log.masked_fill(right == 0, _NEVER), -1).mean()


def wrong_loss(logits: Tensor, tags: Tensor) -> Tensor:
    """Binary cross-entropy of tokens, logits and tags (B, T); a tag is 1 (wrong), 0 or -1 (not known).

    If there are wrong tokens, wrong and right tokens have half of the weight each, however few the wrong are.
    """
    tagged = tags >= 0
    if not tagged.any():
        return logits.sum() * 0
    target = tags[tagged].float()
    loss = functional.binary_cross_entropy_with_logits(logits[tagged].float(), target, reduction="none")
    positives = target.sum()
    if positives == 0:
        return loss.mean()
    weight = torch.where(target > 0, 0.5 / positives, 0.5 / (target.numel() - positives).clamp(min=1))
    return (loss * weight).sum()


def class_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of logits (B, 3) and labels (B); for label 3, of the two classes that it may be."""
    log = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(log[:, 1:], -1, keepdim=True)
    return -torch.cat([log, either], -1).gather(1, labels[:, None]).mean()


def contrast_loss(logits: Tensor, pairs: Tensor) -> Tensor:
    """-log of the probability that, of two versions of a claim, the version with errors has the worse logits.

    `logits` (B, 3); `pairs` (P, 2): the rows of the right version and of the version with errors.
    """
    if not len(pairs):
        return logits.sum() * 0
    log = functional.log_softmax(logits.float(), -1)
    gap = log[:, 2] - log[:, 0]
    return -functional.logsigmoid(gap[pairs[:, 1]] - gap[pairs[:, 0]]).mean()
