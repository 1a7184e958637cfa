"""The cloze reader alone: the right value of each error is masked, where does the passage say it?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.report import share, table
from benchmarks.shared_data import rows
from rarr.backends.encoder.inputs import MaskedSpan
from rarr.backends.encoder.model import ClozeInput
from rarr.evals import metrics
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Cloze
from recipes.measures.context import TRAINED, Context, Figure, Results
from recipes.measures.handwritten import FILE
from recipes.measures.kept import batches
from recipes.sources import corrections, right_places


class Question(NamedTuple):
    """A masked right value, with the kind of the error that stands there in the wrong version."""

    key: str
    kind: str
    example: Cloze


def measure(context: Context) -> Results:
    """The share of exact spans."""
    all_questions = [question for item in rows(FILE)[: context.limit] for question in questions(item)]
    kept = context.kept("cloze")
    todo = [question for question in all_questions if (question.key,) not in kept]
    for batch in batches(todo):
        pointed = context.encoder.point([masked_input(question.example) for question in batch])
        for question, pointer in zip(batch, pointed, strict=True):
            kept.add((question.key,), exact(question.example, pointer.best))
    hits = [bool(kept[(question.key,)]) for question in all_questions]
    figure = Figure("cloze reader, exact span", TRAINED, metrics.share(hits))
    return Results([figure], {"cloze": by_kind([question.kind for question in all_questions], hits)})


def questions(item: dict[str, Any]) -> Iterator[Question]:
    """The values of an item that its passage has; a reader cannot find the others there."""
    kinds = {place: edit["kind"] for place, edit in zip(right_places(item), item["edits"], strict=True)}
    for example in corrections(item):
        [value] = example.values
        yield Question(f"{item['id']} {value.place[0]}", kinds[value.place], example)


def exact(example: Cloze, best: Span | None) -> bool:
    """Is `best` one of the places of the answer in the passage, apart from marks at either end?"""
    if best is None:
        return False
    answers = {_bare(example.passage, *answer) for answer in example.values[0].answers}
    return _bare(example.passage, best.start, best.end) in answers


def by_kind(kinds: Sequence[str], hits: Sequence[bool]) -> str:
    """A line for each kind of error, the most frequent first."""
    body = [
        [kind, share([hit for hit_kind, hit in zip(kinds, hits, strict=True) if hit_kind == kind])]
        for kind, _ in Counter(kinds).most_common()
    ]
    return table(["kind", "exact span"], [["all", share(hits)], *body])


def masked_input(example: Cloze) -> ClozeInput:
    """The example with its first value masked."""
    value = example.values[0]
    masked = MaskedSpan(Span(*value.place), value.kind)
    return ClozeInput(example.text, example.title, example.passage, masked)


def _bare(passage: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not passage[start].isalnum():
        start += 1
    while start < end and not passage[end - 1].isalnum():
        end -= 1
    return start, end
