"""Computes the loss of each head of the model. Each is a scalar, the mean over what the head judges.

B sequences of T tokens, N masked spans, P pairs of sequences; logits as in `model.Heads`.
"""

import torch
from torch import Tensor
from torch.nn import functional

from rarr.training.batches import Pointers

_NEVER = -1e4  # the logit of a token that cannot be chosen, within the range of 16 bits


def pointer(start: Tensor, end: Tensor, pointers: Pointers) -> Tensor:
    """Mean of -log of the probability of all right starts, and of all right ends (marginal likelihood).

    `start` and `end` (N, T): logits. Tokens outside of `pointers.open` do not count.
    """
    return (
        _marginal(start, pointers.open, pointers.starts) + _marginal(end, pointers.open, pointers.ends)
    ) / 2


def wrong(logits: Tensor, tags: Tensor) -> Tensor:
    """Binary cross-entropy of the tagged tokens; logits (B, T), tags (B, T) as in `batches.JudgedBatch`.

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


def attribution(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of logits (B, 3) and labels (B); for label 3, of the two classes that it may be."""
    log = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(log[:, 1:], -1, keepdim=True)
    return -torch.cat([log, either], -1).gather(1, labels[:, None]).mean()


def contrast(logits: Tensor, pairs: Tensor) -> Tensor:
    """-log of the probability that, of two versions of a claim, the version with errors has the worse logits.

    `logits` (B, 3); `pairs` (P, 2): the rows of the right version and of the version with errors.
    """
    if not len(pairs):
        return logits.sum() * 0
    log = functional.log_softmax(logits.float(), -1)
    gap = log[:, 2] - log[:, 0]
    return -functional.logsigmoid(gap[pairs[:, 1]] - gap[pairs[:, 0]]).mean()


def ranking(logits: Tensor, passages: int) -> Tensor:
    """Cross-entropy of the first passage of each query, plus half of that of each pair by itself.

    `logits` (queries times `passages`), query after query. With the first part alone, all logits of a query
    could shift together. At run time their sigmoid is a relevance, so the second part holds them to one
    scale.
    """
    by_query = logits.float().reshape(-1, passages)
    first = torch.zeros(len(by_query), dtype=torch.long, device=logits.device)
    alone = torch.zeros_like(by_query)
    alone[:, 0] = 1
    return functional.cross_entropy(by_query, first) + 0.5 * functional.binary_cross_entropy_with_logits(
        by_query, alone
    )


def distillation(student: Tensor, teacher: Tensor) -> Tensor:
    """Difference of a batch's embeddings (B, H), of length 1, and of their cosines from the teacher's.

    A search compares cosines. They count tenfold, since squares of small differences are even smaller:
    cosines that differ by 0.1 cost as much as embeddings with a cosine of 0.9 to the teacher's.
    """
    cosines = (student @ student.T - teacher @ teacher.T).pow(2).mean()
    return (1 - (student * teacher).sum(-1)).mean() + 10 * cosines


def _marginal(logits: Tensor, opened: Tensor, right: Tensor) -> Tensor:
    log = functional.log_softmax(logits.float().masked_fill(~opened, _NEVER), -1)
    return -torch.logsumexp(log.masked_fill(right == 0, _NEVER), -1).mean()
