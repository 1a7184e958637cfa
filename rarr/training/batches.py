"""Chooses the examples of each training step, and makes their tensors. All choices follow from the seed."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import torch
from torch import Tensor

from rarr.backends.encoder.inputs import (
    NULL,
    EncoderInput,
    MaskedSpan,
    covering_tokens,
    encoder_input,
    single_input,
)
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Attribution, Cloze, Maskable, Relevance

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLASSES = ("attributable", "extrapolatory", "contradictory")
MASKED_TOGETHER = (1, 1, 2, 3)  # numbers of spans of one text that are masked at once
LONGEST_ALONE = 160  # tokens of a text for its embedding
_T = TypeVar("_T")


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


def padded(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Sequences:
    """Pads the sequences with 0 to the longest, as one batch."""
    longest = max(map(len, ids))
    shape = (len(ids), longest)
    tokens, mask, kinds = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for row, sequence in enumerate(ids):
        tokens[row, : len(sequence)] = torch.tensor(sequence)
        mask[row, : len(sequence)] = 1
        if types is not None:
            kinds[row, : len(sequence)] = torch.tensor(types[row])
    return Sequences(tokens, mask, kinds)


def shuffled(examples: Sequence[_T], size: int, seed: str, at: int) -> list[_T]:
    """Returns batch number `at` of endless epochs in batches of `size`. The seed orders each epoch anew."""
    batches = max(1, len(examples) // size)
    epoch, number = divmod(at, batches)
    order = list(range(len(examples)))
    random.Random(f"{seed} {epoch}").shuffle(order)
    return [examples[n] for n in order[number * size : (number + 1) * size]]


def cloze(
    tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random
) -> tuple[Sequences, Pointers | None]:
    """Masks one to three spans in each text, and points to where the passage states them.

    A masked span that the passage does not state points to the token `NULL`. None if no mask can be used.
    """
    pairs: list[EncoderInput] = []
    masks: list[tuple[int, int, Maskable]] = []
    for example in examples:
        chosen = sorted(_some(example.values, rng), key=lambda value: value.place)
        masked = [MaskedSpan(Span(*value.place), value.kind) for value in chosen]
        encoded = encoder_input(tokenizer, example.text, example.title, example.passage, masked)
        masks += [
            (len(pairs), position, value)
            for position, value in zip(encoded.masks, chosen, strict=True)
            if position >= 0
        ]
        pairs.append(encoded)
    sequences = padded([pair.ids for pair in pairs], [pair.types for pair in pairs])
    return sequences, _pointers(pairs, masks, sequences.input_ids.shape[1])


class Swapped(NamedTuple):
    """Right texts, each followed by a version with a wrong value; tags and pairs as in `JudgedBatch`.

    Only values that the passage states are tagged: for the other words it is unknown whether they are right.
    """

    sequences: Sequences
    tags: Tensor
    pairs: Tensor


def swapped(tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random) -> Swapped:
    """Builds for each text the right version, and a version with one value replaced by a wrong value."""
    made: list[EncoderInput] = []
    tags = []
    for example in examples:
        stated = [value for value in example.values if value.answers]
        wrong = rng.choice([value for value in stated if value.others])
        new = rng.choice(wrong.others)
        start, end = wrong.place
        shift = len(new) - (end - start)
        right = encoder_input(tokenizer, example.text, example.title, example.passage)
        other = encoder_input(
            tokenizer, example.text[:start] + new + example.text[end:], example.title, example.passage
        )
        tag, other_tag = [-1] * len(right.ids), [-1] * len(other.ids)
        for value in stated:
            moved = shift if value.place[0] > start else 0
            _tag(tag, right, *value.place, 0)
            if value is not wrong:
                _tag(other_tag, other, value.place[0] + moved, value.place[1] + moved, 0)
        _tag(other_tag, other, start, end + shift, 1)
        made += [right, other]
        tags += [tag, other_tag]
    sequences = padded([encoded.ids for encoded in made], [encoded.types for encoded in made])
    return Swapped(sequences, _padded_tags(tags, sequences), torch.arange(len(made)).reshape(-1, 2))


class JudgedBatch(NamedTuple):
    """Sequences with `labels` (B): numbers of `CLASSES`, or 3 if it is only known to be unsupported.

    `tags` (B, T): 1 for a wrong token, 0 for a right token, -1 where it is unknown. `pairs` (P, 2) are rows
    of one claim, first the supported version, then the version with errors.
    """

    sequences: Sequences
    labels: Tensor
    tags: Tensor
    pairs: Tensor


def attribution(tokenizer: "Tokenizer", examples: Sequence[Attribution]) -> JudgedBatch:
    """Builds a batch of every version of every example, with labels, tags of wrong tokens and pairs."""
    made: list[EncoderInput] = []
    tags, labels, contrasts = [], [], []
    for example in examples:
        rows: dict[str, int] = {}
        for version in example.versions:
            rows[version.label] = len(made)
            encoded = encoder_input(tokenizer, version.text, example.title, example.passage)
            tag = [-1] * len(encoded.ids)
            if version.wrong is not None:
                tag[encoded.text_start : encoded.text_start + len(encoded.text_spans)] = [0] * len(
                    encoded.text_spans
                )
                for start, end in version.wrong:
                    _tag(tag, encoded, start, end, 1)
            made.append(encoded)
            tags.append(tag)
            labels.append(CLASSES.index(version.label) if version.label in CLASSES else len(CLASSES))
        if "attributable" in rows and "contradictory" in rows:
            contrasts.append((rows["attributable"], rows["contradictory"]))
    sequences = padded([encoded.ids for encoded in made], [encoded.types for encoded in made])
    return JudgedBatch(
        sequences,
        torch.tensor(labels),
        _padded_tags(tags, sequences),
        torch.tensor(contrasts, dtype=torch.long).reshape(-1, 2),
    )


def relevance(tokenizer: "Tokenizer", examples: Sequence[Relevance]) -> Sequences:
    """Tokenizes each query with each of its passages, query after query, as one batch.

    All queries have as many passages as the query with the fewest.
    """
    count = min(len(example.passages) for example in examples)
    pairs = [
        encoder_input(tokenizer, example.query, title, text)
        for example in examples
        for title, text in example.passages[:count]
    ]
    return padded([encoded.ids for encoded in pairs], [encoded.types for encoded in pairs])


def alone(tokenizer: "Tokenizer", texts: Sequence[str]) -> Sequences:
    """Tokenizes each text without a passage, cut to 160 tokens, to compute its embedding."""
    return padded([single_input(tokenizer, text, LONGEST_ALONE) for text in texts])


def _some(values: Sequence[Maskable], rng: random.Random) -> list[Maskable]:
    """Chooses one to three values that do not overlap, mostly a value that the passage states first."""
    stated = [value for value in values if value.answers]
    unstated = [value for value in values if not value.answers]
    count = min(rng.choice(MASKED_TOGETHER), len(values))
    first = stated if stated and (not unstated or rng.random() < 0.8) else unstated
    chosen = [rng.choice(first)]
    rest = [value for value in values if value is not chosen[0]]
    chosen += rng.sample(rest, count - 1)
    kept: list[Maskable] = []
    for value in chosen:
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
        torch.tensor(rows),
        torch.tensor(positions),
        torch.stack(opened),
        torch.stack(starts),
        torch.stack(ends),
    )


def _tag(tag: list[int], made: EncoderInput, start: int, end: int, value: int) -> None:
    if (tokens := covering_tokens(made.text_spans, start, end)) is not None:
        for token in range(tokens[0], tokens[1] + 1):
            tag[made.text_start + token] = value


def _padded_tags(tags: Sequence[Sequence[int]], sequences: Sequences) -> Tensor:
    out = torch.full(sequences.input_ids.shape, -1)
    for row, tag in enumerate(tags):
        out[row, : len(tag)] = torch.tensor(tag)
    return out
