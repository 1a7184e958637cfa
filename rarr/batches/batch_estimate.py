"""Estimates what a batch takes before it starts, from a sample of its rows."""

import random
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from rarr.agent.batches import BatchRow
from rarr.agent.revise import Reviser
from rarr.batches.batch_runner import worker_count
from rarr.batches.column_mapping import Columns
from rarr.batches.input_rows import input_rows
from rarr.errors import InputError
from rarr.records import Record
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings

SAMPLE = 20
"""The rows of a sample."""


class BatchEstimate(Record):
    """What all rows of a file are expected to take, counted from a `sample` by their words.

    Embedded models revise the sample, and `seconds` follow from the time that it took, with `workers`
    processes. Language models are not asked: `seconds` are those of their answers alone, `at_once` texts at
    the same time, and None where their speed was not measured. `cost` is None if a price is not known.
    """

    rows: int
    words: int
    sample: int
    workers: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float | None


def estimate_batch(
    source: Path, settings: Settings, columns: Columns, mode: PostprocessMode, workers: int | None
) -> BatchEstimate:
    """Estimates the batch of a file; see `BatchEstimate`. Raises `InputError` for a file without a text."""
    rows, words, sample = _sampled(_texts(source, columns))
    if not sample:
        raise InputError(f"{source} has no row with a text: give a row with a text")
    count = worker_count(settings, workers)
    share = words / sum(_words(row) for row in sample)
    with Reviser(settings) as reviser:
        expected = [reviser.estimate(row.text, row.context) for row in sample]
        if settings.is_embedded:
            seconds: float | None = _seconds(reviser, sample, mode) * share / max(1, count)
        else:
            models = [each.model_seconds for each in expected]
            seconds = None if None in models else sum(filter(None, models)) * share / settings.concurrency
    costs = [each.cost for each in expected]
    return BatchEstimate(
        rows=rows,
        words=words,
        sample=len(sample),
        workers=count,
        model_calls=round(share * sum(each.model_calls for each in expected)),
        input_tokens=round(share * sum(each.input_tokens for each in expected)),
        output_tokens=round(share * sum(each.output_tokens for each in expected)),
        cost=None if None in costs else share * sum(filter(None, costs)),
        seconds=seconds,
    )


def _texts(source: Path, columns: Columns) -> Iterator[BatchRow]:
    for row in columns.checked(input_rows(source)):
        made = columns.row_or_problem(row)
        if isinstance(made, BatchRow):
            yield made


def _words(row: BatchRow) -> int:
    return len(row.text.split())


def _sampled(rows: Iterator[BatchRow]) -> tuple[int, int, list[BatchRow]]:
    """Counts the rows and their words, and draws a sample: each row has the same chance (Vitter 1985)."""
    chance, sample, words, number = random.Random(0), list[BatchRow](), 0, 0
    for number, row in enumerate(rows, start=1):
        words += _words(row)
        place = number - 1 if number <= SAMPLE else chance.randrange(number)
        if place < SAMPLE:
            sample[place : place + 1] = [row]
    return number, words, sample


def _seconds(reviser: Reviser, sample: list[BatchRow], mode: PostprocessMode) -> float:
    """Revises the sample, the first row once more, since the first run of a process loads its models."""
    reviser.postprocess(sample[0].text, sample[0].context, sample[0].sources, mode=mode)
    started = perf_counter()
    for row in sample:
        reviser.postprocess(row.text, row.context, row.sources, mode=mode)
    return perf_counter() - started
