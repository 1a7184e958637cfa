"""Batches: which examples a step sees, and the tensors that they become. All of it follows from the seed."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import torch
from torch import Tensor

from rarr.backends.encoder.inputs import NULL, Masked, Pair, covering, pair, single
from rarr.tools.text.document import Span
from rarr.training.examples import Attribution, Cloze, Relevance, Value

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLASSES = ("attributable", "extrapolatory", "contradictory")
MASKED_TOGETHER = (1, 1, 2, 3)  # how many spans of one text are masked at once
LONGEST_ALONE = 160  # tokens of a text whose embedding is learned
_T = TypeVar("_T")


class Sequences(NamedTuple):
    """Padded token ids (B, T) with mask and types."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor


class Pointers(NamedTuple):
    """For each masked span: its row, its position, which tokens it may choose (N, T), and which are right."""

    rows: Tensor
    positions: Tensor
    open: Tensor
    starts: Tensor
    ends: Tensor


def padded(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Sequences:
    """The sequences side by side."""
    longest = max(map(len, ids))
    shape = (len(ids), longest)
    tokens, mask, kinds = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(ids):
        tokens[row, : len(one)] = torch.tensor(one)
        mask[row, : len(one)] = 1
        if types is not None:
            kinds[row, : len(one)] = torch.tensor(types[row])
    return Sequences(tokens, mask, kinds)


def shuffled(examples: Sequence[_T], size: int, seed: str, at: int) -> list[_T]:
    """Batch `at` of `size` of an endless row of epochs, each in an order of its own."""
    batches = max(1, len(examples) // size)
    epoch, number = divmod(at, batches)
    order = list(range(len(examples)))
    random.Random(f"{seed} {epoch}").shuffle(order)
    return [examples[n] for n in order[number * size : (number + 1) * size]]


def cloze(
    tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random
) -> tuple[Sequences, Pointers | None]:
    """Each text with some of its values masked, and where its passage says them."""
    pairs: list[Pair] = []
    asked: list[tuple[int, int, Value]] = []
    for example in examples:
        chosen = sorted(_some(example.values, rng), key=lambda value: value.place)
        masked = [Masked(Span(*value.place), value.kind) for value in chosen]
        made = pair(tokenizer, example.text, example.title, example.passage, masked)
        asked += [
            (len(pairs), position, value)
            for position, value in zip(made.masks, chosen, strict=True)
            if position >= 0
        ]
        pairs.append(made)
    sequences = padded([one.ids for one in pairs], [one.types for one in pairs])
    return sequences, _pointers(pairs, asked, sequences.input_ids.shape[1])


class Swapped(NamedTuple):
    """Texts as they are, each with one of its values wrong beside it; tags and pairs as in `Judged`.

    Tagged are the values that the passage says: of the rest of a text nobody knows.
    """

    sequences: Sequences
    tags: Tensor
    pairs: Tensor


def swapped(tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random) -> Swapped:
    """Each text as it is, and with a value of its own replaced by one that is wrong there."""
    made: list[Pair] = []
    tags = []
    for example in examples:
        told = [value for value in example.values if value.answers]
        wrong = rng.choice([value for value in told if value.others])
        new = rng.choice(wrong.others)
        start, end = wrong.place
        shift = len(new) - (end - start)
        right = pair(tokenizer, example.text, example.title, example.passage)
        other = pair(
            tokenizer, example.text[:start] + new + example.text[end:], example.title, example.passage
        )
        tag, other_tag = [-1] * len(right.ids), [-1] * len(other.ids)
        for value in told:
            moved = shift if value.place[0] > start else 0
            _tag(tag, right, *value.place, 0)
            if value is not wrong:
                _tag(other_tag, other, value.place[0] + moved, value.place[1] + moved, 0)
        _tag(other_tag, other, start, end + shift, 1)
        made += [right, other]
        tags += [tag, other_tag]
    sequences = padded([one.ids for one in made], [one.types for one in made])
    return Swapped(sequences, _padded_tags(tags, sequences), torch.arange(len(made)).reshape(-1, 2))


class Judged(NamedTuple):
    """Sequences with their classes (B; 3 where it is known alone that it is not supported).

    `tags` (B, T): of each token 1 where it is wrong, 0 where it is right, -1 where nobody knows. `pairs`
    (P, 2) are rows of one claim, first as it is supported, then with its errors.
    """

    sequences: Sequences
    labels: Tensor
    tags: Tensor
    pairs: Tensor


def attribution(tokenizer: "Tokenizer", examples: Sequence[Attribution]) -> Judged:
    """Every version of every example."""
    made: list[Pair] = []
    tags, labels, contrasts = [], [], []
    for example in examples:
        rows: dict[str, int] = {}
        for version in example.versions:
            rows[version.label] = len(made)
            one = pair(tokenizer, version.text, example.title, example.passage)
            tag = [-1] * len(one.ids)
            if version.wrong is not None:
                tag[one.text_start : one.text_start + len(one.text_spans)] = [0] * len(one.text_spans)
                for start, end in version.wrong:
                    _tag(tag, one, start, end, 1)
            made.append(one)
            tags.append(tag)
            labels.append(CLASSES.index(version.label) if version.label in CLASSES else len(CLASSES))
        if "attributable" in rows and "contradictory" in rows:
            contrasts.append((rows["attributable"], rows["contradictory"]))
    sequences = padded([one.ids for one in made], [one.types for one in made])
    return Judged(
        sequences,
        torch.tensor(labels),
        _padded_tags(tags, sequences),
        torch.tensor(contrasts, dtype=torch.long).reshape(-1, 2),
    )


def relevance(tokenizer: "Tokenizer", examples: Sequence[Relevance]) -> Sequences:
    """The passages of each example in turn, as many of each as of the one with the fewest."""
    count = min(len(example.passages) for example in examples)
    pairs = [
        pair(tokenizer, example.query, title, text)
        for example in examples
        for title, text in example.passages[:count]
    ]
    return padded([one.ids for one in pairs], [one.types for one in pairs])


def alone(tokenizer: "Tokenizer", texts: Sequence[str]) -> Sequences:
    """Texts for their embeddings."""
    return padded([single(tokenizer, text, LONGEST_ALONE) for text in texts])


def _some(values: Sequence[Value], rng: random.Random) -> list[Value]:
    """One to three of the values, those that are told before those that are not."""
    told = [value for value in values if value.answers]
    untold = [value for value in values if not value.answers]
    count = min(rng.choice(MASKED_TOGETHER), len(values))
    first = told if told and (not untold or rng.random() < 0.8) else untold
    chosen = [rng.choice(first)]
    rest = [value for value in values if value is not chosen[0]]
    chosen += rng.sample(rest, count - 1)
    kept: list[Value] = []
    for value in chosen:
        if all(value.place[1] <= one.place[0] or one.place[1] <= value.place[0] for one in kept):
            kept.append(value)
    return kept


def _pointers(
    pairs: Sequence[Pair], asked: Sequence[tuple[int, int, Value]], longest: int
) -> Pointers | None:
    rows, positions, opened, starts, ends = [], [], [], [], []
    for row, position, value in asked:
        made = pairs[row]
        first = made.passage_start
        start, end = torch.zeros(longest), torch.zeros(longest)
        for answer in value.answers:
            if (tokens := covering(made.passage_spans, *answer)) is not None:
                start[first + tokens[0]] = 1
                end[first + tokens[1]] = 1
        if value.answers and not start.any():
            continue  # what was cut off is not known to be nowhere
        if not value.answers:
            start[NULL] = end[NULL] = 1
        can = torch.zeros(longest, dtype=torch.bool)
        can[first : first + len(made.passage_spans)] = True
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


def _tag(tag: list[int], made: Pair, start: int, end: int, value: int) -> None:
    if (tokens := covering(made.text_spans, start, end)) is not None:
        for token in range(tokens[0], tokens[1] + 1):
            tag[made.text_start + token] = value


def _padded_tags(tags: Sequence[Sequence[int]], sequences: Sequences) -> Tensor:
    out = torch.full(sequences.input_ids.shape, -1)
    for row, tag in enumerate(tags):
        out[row, : len(tag)] = torch.tensor(tag)
    return out
