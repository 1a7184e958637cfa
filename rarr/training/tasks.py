"""The tasks of training: each makes tensors of a batch of examples, and computes its loss.

B sequences of T tokens, N masked spans, P pairs of sequences; logits as in `model.Heads`. Each loss is a
scalar, the mean over what a head judges. All choices follow from the random numbers that are given.
"""

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor
from torch.nn import functional

from rarr.backends.encoder.inputs import (
    NULL,
    EncoderInput,
    MaskedSpan,
    covering_tokens,
    encoder_input,
)
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Attribution, Cloze, Maskable
from rarr.training.model import EncoderWithHeads

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLASSES = ("attributable", "extrapolatory", "contradictory")
MASKED_TOGETHER = (1, 1, 2, 3)  # numbers of spans of one text that are masked at once
_NEVER = -1e4  # the logit of a token that cannot be chosen, within the range of 16 bits
_Batch = TypeVar("_Batch", bound=Tensor | tuple[Any, ...])


class Learner(Protocol):
    """What a task works with: the model and the tokenizer."""

    model: EncoderWithHeads
    tokenizer: "Tokenizer"
    device: torch.device


Task = Callable[[Learner, list[Any], random.Random], Tensor]
"""Computes the loss of a batch of examples of one kind."""


class Sequences(NamedTuple):
    """Token ids of B sequences, padded to T tokens, with attention mask and token types: (B, T) each."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor


class Pointers(NamedTuple):
    """For each of N masked spans: its row, the position of its mask, and three (N, T) tensors.

    `open` is True for tokens that the model may choose; `starts` and `ends` are 1 for the right tokens.
    """

    rows: Tensor
    positions: Tensor
    open: Tensor
    starts: Tensor
    ends: Tensor


def cloze(learner: Learner, examples: list[Cloze], rng: random.Random) -> Tensor:
    """Masks one to three spans in each text, and points to where the passage states them."""
    sequences, pointers = masked(learner.tokenizer, examples, rng)
    hidden = learner.model(*placed(sequences, learner.device)).hidden
    if pointers is None:
        return hidden.sum() * 0
    pointers = placed(pointers, learner.device)
    return pointer_loss(*learner.model.point(hidden, pointers.rows, pointers.positions), pointers)


def attribution(learner: Learner, examples: list[Attribution], rng: random.Random) -> Tensor:
    """Judges every version of every example, contrasts right and wrong versions, and finds wrong tokens.

    A label is the number of a class, or 3 if it is only known to be unsupported. A tag of a token is 1 if it
    is wrong, 0 if it is right, and -1 if that is not known.
    """
    made: list[EncoderInput] = []
    tags, labels, contrasts = [], [], []
    for example in examples:
        rows: dict[str, int] = {}
        for version in example.versions:
            rows[version.label] = len(made)
            encoded = encoder_input(learner.tokenizer, version.text, example.title, example.passage)
            tag = [-1] * len(encoded.ids)
            if version.wrong is not None:
                start, count = encoded.text_start, len(encoded.text_spans)
                tag[start : start + count] = [0] * count
                for place in version.wrong:
                    if (tokens := covering_tokens(encoded.text_spans, *place)) is not None:
                        tag[start + tokens[0] : start + tokens[1] + 1] = [1] * (tokens[1] + 1 - tokens[0])
            made.append(encoded)
            tags.append(tag)
            labels.append(CLASSES.index(version.label) if version.label in CLASSES else len(CLASSES))
        if "attributable" in rows and "contradictory" in rows:
            contrasts.append((rows["attributable"], rows["contradictory"]))
    heads = learner.model(*placed(_of_inputs(made), learner.device))
    pairs = torch.tensor(contrasts, dtype=torch.long).reshape(-1, 2)
    return (
        class_loss(heads.attribution, placed(torch.tensor(labels), learner.device))
        + contrast_loss(heads.attribution, placed(pairs, learner.device))
        + wrong_loss(heads.wrong, placed(_filled(tags, -1), learner.device))
    )


def masked(
    tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random
) -> tuple[Sequences, Pointers | None]:
    """Masks spans in each text, and points to the places in the passage that state them.

    A masked span that the passage does not state points to the token `NULL`. None if no mask can be used.
    """
    pairs: list[EncoderInput] = []
    masks: list[tuple[int, int, Maskable]] = []
    for example in examples:
        chosen = sorted(_some(example.values, rng), key=lambda value: value.place)
        spans = [MaskedSpan(Span(*value.place), value.kind) for value in chosen]
        encoded = encoder_input(tokenizer, example.text, example.title, example.passage, spans)
        masks += [
            (len(pairs), position, value)
            for position, value in zip(encoded.masks, chosen, strict=True)
            if position >= 0
        ]
        pairs.append(encoded)
    sequences = _of_inputs(pairs)
    return sequences, _pointers(pairs, masks, sequences.input_ids.shape[1])


def _some(values: Sequence[Maskable], rng: random.Random) -> list[Maskable]:
    """Chooses one to three values that do not overlap, mostly a value that the passage states first."""
    stated = [value for value in values if value.answers]
    unstated = [value for value in values if not value.answers]
    count = min(rng.choice(MASKED_TOGETHER), len(values))
    first = rng.choice(stated if stated and (not unstated or rng.random() < 0.8) else unstated)
    kept = [first]
    for value in rng.sample([value for value in values if value is not first], count - 1):
        if all(value.place[1] <= other.place[0] or other.place[1] <= value.place[0] for other in kept):
            kept.append(value)
    return kept


def _pointers(
    pairs: Sequence[EncoderInput], masks: Sequence[tuple[int, int, Maskable]], longest: int
) -> Pointers | None:
    rows, positions, opened, starts, ends = [], [], [], [], []
    for row, position, value in masks:
        encoded = pairs[row]
        first = encoded.passage_start
        start, end = torch.zeros(longest), torch.zeros(longest)
        for answer in value.answers:
            if (tokens := covering_tokens(encoded.passage_spans, *answer)) is not None:
                start[first + tokens[0]] = 1
                end[first + tokens[1]] = 1
        if value.answers and not start.any():
            continue  # the answer may be in the part of the passage that was cut off
        if not value.answers:
            start[NULL] = end[NULL] = 1
        can = torch.zeros(longest, dtype=torch.bool)
        can[first : first + len(encoded.passage_spans)] = True
        can[NULL] = True
        rows.append(row)
        positions.append(position)
        opened.append(can)
        starts.append(start)
        ends.append(end)
    if not rows:
        return None
    return Pointers(
        torch.tensor(rows), torch.tensor(positions), *map(torch.stack, (opened, starts, ends))
    )  # fmt: skip


def padded(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Sequences:
    """Pads the sequences with 0 to the longest, as one batch."""
    mask = [[1] * len(sequence) for sequence in ids]
    return Sequences(
        _filled(ids, 0), _filled(mask, 0), _filled(types or [[0] * len(each) for each in ids], 0)
    )


def _of_inputs(made: Sequence[EncoderInput]) -> Sequences:
    return padded([encoded.ids for encoded in made], [encoded.types for encoded in made])


def _filled(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows])


def placed(batch: _Batch, device: torch.device) -> _Batch:
    """Moves a tensor, or all tensors in a named tuple, to the device."""
    if isinstance(batch, Tensor):
        return batch.to(device)
    return type(batch)(*(tensor.to(device) for tensor in batch))


def pointer_loss(start: Tensor, end: Tensor, pointers: Pointers) -> Tensor:
    """Mean of -log of the probability of all right starts, and of all right ends (marginal likelihood).

    `start` and `end` (N, T): logits. Tokens outside of `pointers.open` do not count.
    """
    return (
        _marginal(start, pointers.open, pointers.starts) + _marginal(end, pointers.open, pointers.ends)
    ) / 2


def _marginal(logits: Tensor, opened: Tensor, right: Tensor) -> Tensor:
    log = functional.log_softmax(logits.float().masked_fill(~opened, _NEVER), -1)
    return -torch.logsumexp(log.masked_fill(right == 0, _NEVER), -1).mean()


def wrong_loss(logits: Tensor, tags: Tensor) -> Tensor:
    """Binary cross-entropy of the tagged tokens; logits (B, T), tags (B, T) as in `attribution`.

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
