"""The losses of each head, each a mean over what it judges: a scalar.

B sequences of T tokens, N masked spans, P pairs of sequences; logits as `model.Heads` gives them.
"""

import torch
from torch import Tensor
from torch.nn import functional

from rarr.training.batches import Pointers

_NEVER = -1e4  # a logit of what cannot be chosen, within the range of 16 bits


def pointer(start: Tensor, end: Tensor, asked: Pointers) -> Tensor:
    """-log of the probability that is on any right start, and on any right end (marginal likelihood).

    `start` and `end` (N, T): logits, of which those that `asked.open` leaves out do not count.
    """
    return (_marginal(start, asked.open, asked.starts) + _marginal(end, asked.open, asked.ends)) / 2


def wrong(logits: Tensor, tags: Tensor) -> Tensor:
    """Binary cross-entropy of each tagged token, of logits (B, T) and tags (B, T) as in `batches.Judged`.

    Where there are wrong ones, they and the right ones weigh half each, however few they are.
    """
    known = tags >= 0
    if not known.any():
        return logits.sum() * 0
    target = tags[known].float()
    loss = functional.binary_cross_entropy_with_logits(logits[known].float(), target, reduction="none")
    positives = target.sum()
    if positives == 0:
        return loss.mean()
    weight = torch.where(target > 0, 0.5 / positives, 0.5 / (target.numel() - positives).clamp(min=1))
    return (loss * weight).sum()


def attribution(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of logits (B, 3) and labels (B); for label 3, of the two that it may be."""
    log = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(log[:, 1:], -1, keepdim=True)
    return -torch.cat([log, either], -1).gather(1, labels[:, None]).mean()


def contrast(logits: Tensor, pairs: Tensor) -> Tensor:
    """-log of the probability that, of two versions of one claim, the one with errors looks worse.

    `logits` (B, 3); `pairs` (P, 2): the rows of the right one and of the one with errors.
    """
    if not len(pairs):
        return logits.sum() * 0
    log = functional.log_softmax(logits.float(), -1)
    gap = log[:, 2] - log[:, 0]
    return -functional.logsigmoid(gap[pairs[:, 1]] - gap[pairs[:, 0]]).mean()


def ranking(logits: Tensor, passages: int) -> Tensor:
    """Cross-entropy of the first of each query's passages, and, at half its weight, of each pair by itself.

    `logits` (queries times `passages`), query after query. The first alone would let a query's logits shift
    together; at run time their sigmoid is a relevance, for which the second holds them to one scale.
    """
    by_query = logits.float().reshape(-1, passages)
    first = torch.zeros(len(by_query), dtype=torch.long, device=logits.device)
    alone = torch.zeros_like(by_query)
    alone[:, 0] = 1
    return functional.cross_entropy(by_query, first) + 0.5 * functional.binary_cross_entropy_with_logits(
        by_query, alone
    )


def distillation(mine: Tensor, its: Tensor) -> Tensor:
    """How far a batch's embeddings (B, H), of length 1, and the cosines among them are from the teacher's.

    The cosines are what a search compares. They count tenfold, since squares of small differences are
    smaller still: cosines that are off by 0.1 cost as much as embeddings at a cosine of 0.9 to the teacher's.
    """
    cosines = (mine @ mine.T - its @ its.T).pow(2).mean()
    return (1 - (mine * its).sum(-1)).mean() + 10 * cosines


def _marginal(logits: Tensor, opened: Tensor, right: Tensor) -> Tensor:
    log = functional.log_softmax(logits.float().masked_fill(~opened, _NEVER), -1)
    return -torch.logsumexp(log.masked_fill(right == 0, _NEVER), -1).mean()
