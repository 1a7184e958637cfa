"""Makes tensors of training examples: the batch of each step of a training, by its task.

B sequences of T tokens, N masked spans, P pairs of sequences. All choices follow from the seed.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.utils.data import Dataset

from rarr.backends.encoder.inputs import NULL, EncoderInput, MaskedSpan, covering_tokens, encoder_input
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Attribution, Cloze, Maskable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLASSES = ("attributable", "extrapolatory", "contradictory")
MASKED_TOGETHER = (1, 1, 2, 3)  # numbers of spans of one text that are masked at once
BUCKET = 8  # batches that are sorted by length together

Batch: TypeAlias = dict[str, Any]
"""`input_ids`, `attention_mask` and `token_type_ids` (B, T), and `targets`, tensors by name."""


class TaskData(NamedTuple):
    """Examples of one kind, what makes a batch of some of them, and the size of a batch."""

    task: "Callable[[Tokenizer, Sequence[Any], random.Random], Batch]"
    examples: Sequence[Any]
    size: int

    def batches(self, tokenizer: "Tokenizer", seed: str) -> Iterator[tuple[Batch, int]]:
        """Yields the batches of all examples in order, each with its number of examples."""
        rng = random.Random(seed)
        for at in range(0, len(self.examples), self.size):
            some = self.examples[at : at + self.size]
            yield self.task(tokenizer, some, rng), len(some)

    def batch(self, tokenizer: "Tokenizer", seed: str, at: int) -> Batch:
        """Makes batch number `at` of endless epochs, which the seed orders; batches have similar lengths."""
        number, size = at // BUCKET, self.size * BUCKET
        epoch, place = divmod(number, max(1, len(self.examples) // size))
        order = list(range(len(self.examples)))
        random.Random(f"{seed} {epoch}").shuffle(order)
        bucket = [self.examples[n] for n in order[place * size : (place + 1) * size]]
        bucket.sort(key=lambda example: len(str(example)))  # so that there is little padding
        starts = list(range(0, len(bucket), self.size))
        random.Random(f"{seed} {number} order").shuffle(starts)
        start = starts[at % BUCKET % len(starts)]
        return self.task(tokenizer, bucket[start : start + self.size], random.Random(f"{seed} {at}"))


class Steps(Dataset[Batch]):
    """The batch of each step of a training; `names` has the data set of each step."""

    def __init__(
        self, sets: Mapping[str, TaskData], names: Sequence[str], tokenizer: "Tokenizer", seed: int
    ) -> None:
        self._sets, self._names, self._tokenizer, self._seed = sets, names, tokenizer, seed

    def __len__(self) -> int:
        """Returns the number of steps."""
        return len(self._names)

    def __getitem__(self, step: int) -> Batch:
        """Makes the batch of a step."""
        name = self._names[step]
        at = self._names[:step].count(name)
        return self._sets[name].batch(self._tokenizer, f"{self._seed} {name}", at)


def attribution(tokenizer: "Tokenizer", examples: Sequence[Attribution], rng: random.Random) -> Batch:
    """Makes a sequence of every version of every example.

    Targets: `classes` (B), the number of a class, or 3 if it is only known to be unsupported; `contrasts`
    (P, 2), the rows of the right and the wrong version of an example; `tags` (B, T) of tokens, 1 if wrong, 0
    if right, and -1 if that is not known.
    """
    made: list[EncoderInput] = []
    tags, classes, contrasts = list[list[int]](), list[int](), list[tuple[int, int]]()
    for example in examples:
        rows: dict[str, int] = {}
        for version in example.versions:
            rows[version.label] = len(made)
            encoded = encoder_input(tokenizer, version.text, example.title, example.passage)
            tag = [-1] * len(encoded.ids)
            if version.wrong is not None:
                start, count = encoded.text_start, len(encoded.text_spans)
                tag[start : start + count] = [0] * count
                for place in version.wrong:
                    if (tokens := covering_tokens(encoded.text_spans, *place)) is not None:
                        tag[start + tokens[0] : start + tokens[1] + 1] = [1] * (tokens[1] + 1 - tokens[0])
            made.append(encoded)
            tags.append(tag)
            classes.append(CLASSES.index(version.label) if version.label in CLASSES else len(CLASSES))
        if "attributable" in rows and "contradictory" in rows:
            contrasts.append((rows["attributable"], rows["contradictory"]))
    pairs = torch.tensor(contrasts, dtype=torch.long).reshape(-1, 2)
    targets = {"classes": torch.tensor(classes), "contrasts": pairs, "tags": _filled(tags, -1)}
    return _sequences(made) | {"targets": targets}


def cloze(tokenizer: "Tokenizer", examples: Sequence[Cloze], rng: random.Random) -> Batch:
    """Masks one to three spans in each text, and points to the places in the passage that state them.

    Targets: `rows` and `positions` (N) of the masks; `open` (N, T), the tokens that may be chosen; `starts`
    and `ends` (N, T), 1 for the right ones. A span that the passage does not state points to `NULL`.
    """
    made: list[EncoderInput] = []
    masks: list[tuple[int, int, Maskable]] = []
    for example in examples:
        chosen = sorted(_some(example.values, rng), key=lambda value: value.place)
        spans = [MaskedSpan(Span(*value.place), value.kind) for value in chosen]
        encoded = encoder_input(tokenizer, example.text, example.title, example.passage, spans)
        places = zip(encoded.masks, chosen, strict=True)
        masks += [(len(made), position, value) for position, value in places if position >= 0]
        made.append(encoded)
    longest = max(len(each.ids) for each in made)
    pointed = [((n, at), _pointers(made[n], it, longest)) for n, at, it in masks]
    # The answer of others may be in the part of the passage that was cut off.
    kept = [(*place, *pointers) for place, pointers in pointed if any(pointers[1])]
    names = ("rows", "positions", "open", "starts", "ends")
    columns = zip(*kept, strict=True) if kept else ([],) * len(names)
    targets = {name: torch.tensor(list(column)) for name, column in zip(names, columns, strict=True)}
    return _sequences(made) | {"targets": targets}


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


def _pointers(encoded: EncoderInput, value: Maskable, longest: int) -> tuple[list[bool], ...]:
    """Returns for each token whether it may be chosen, is a right start, and is a right end."""
    first, last = encoded.passage_start, encoded.passage_start + len(encoded.passage_spans)
    found = [covering_tokens(encoded.passage_spans, *answer) for answer in value.answers]
    starts = {first + tokens[0] for tokens in found if tokens} if value.answers else {NULL}
    ends = {first + tokens[1] for tokens in found if tokens} if value.answers else {NULL}
    opened = {NULL, *range(first, last)}
    return tuple([token in some for token in range(longest)] for some in (opened, starts, ends))


def _sequences(made: Sequence[EncoderInput]) -> Batch:
    return {
        "input_ids": _filled([encoded.ids for encoded in made], 0),
        "attention_mask": _filled([[1] * len(encoded.ids) for encoded in made], 0),
        "token_type_ids": _filled([encoded.types for encoded in made], 0),
    }


def _filled(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows])
