"""Estimates what a batch takes before it starts, from a sample of its rows."""

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time

from rarr.agent.batches import BatchRow
from rarr.agent.revise import Reviser
from rarr.batches.batch_runner import batch_settings, worker_count
from rarr.batches.column_mapping import Columns
from rarr.batches.cost_model import (
    MEASURED,
    Bottleneck,
    Place,
    TextWork,
    bottleneck,
    cpu_seconds,
    memory_mb,
    seconds,
    with_model_cpu_s,
)
from rarr.batches.input_rows import input_rows
from rarr.errors import InputError
from rarr.records import Estimate, Record
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings

SAMPLE = 20
"""The rows of a sample."""


class BatchEstimate(Record):
    """What all rows of a file are expected to take, counted from a `sample` by their words.

    Embedded models revise the sample, and the time follows from what it took. Language models are not asked:
    their time is that of their answers alone, `concurrency` requests at once, and that of the rules as it was
    measured (`rarr.batches.cost_model`). `seconds` are those of a clock, with `workers` processes, and
    `cpu_seconds` those of one core. `memory_mb` is that of all processes, and `bottleneck` says what bounds
    the rate. `seconds` and `bottleneck` are None where the speed of a model was not measured, and `cost` if a
    price is not known.
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
    cpu_seconds: float
    memory_mb: float
    bottleneck: Bottleneck | None


def estimate_batch(
    source: Path, settings: Settings, columns: Columns, mode: PostprocessMode, workers: int | None
) -> BatchEstimate:
    """Estimates the batch of a file; see `BatchEstimate`. Raises `InputError` for a file without a text."""
    settings = batch_settings(settings)
    rows, words, sample = _sampled(_texts(source, columns))
    if not sample:
        raise InputError(f"{source} has no row with a text: give a row with a text")
    count = worker_count(settings, workers)
    place = Place(workers=count, cores=os.cpu_count() or 1, concurrency=settings.concurrency)
    share = words / sum(_words(row) for row in sample)
    with Reviser(settings) as reviser:
        expected = [reviser.estimate(row.text, row.context) for row in sample]
        if settings.is_embedded:
            work = _embedded_work(reviser, sample, mode, share / rows)
        else:
            work = _model_work(expected, share / rows)
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
        seconds=seconds(MEASURED, rows, work, place),
        cpu_seconds=cpu_seconds(MEASURED, rows, work, place),
        memory_mb=memory_mb(MEASURED, place),
        bottleneck=bottleneck(MEASURED, rows, work, place),
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


def _embedded_work(reviser: Reviser, sample: list[BatchRow], mode: PostprocessMode, share: float) -> TextWork:
    """Revises the sample, the first row once more, since the first run of a process loads its models.

    `share` is what a mean row has of the words of the sample.
    """
    reviser.postprocess(sample[0].text, sample[0].context, sample[0].sources, mode=mode)
    cpu_before, started = process_time(), perf_counter()
    for row in sample:
        reviser.postprocess(row.text, row.context, row.sources, mode=mode)
    cpu_s, clock_s = process_time() - cpu_before, perf_counter() - started
    return TextWork(cpu_s=share * cpu_s, waiting_s=share * max(0.0, clock_s - cpu_s))


def _model_work(expected: Sequence[Estimate], share: float) -> TextWork:
    """Adds up the time of the rules and of the answers. `share` is that of `_embedded_work`."""
    models = [each.model_seconds for each in expected]
    cpu_s = sum(with_model_cpu_s(MEASURED, each.queries) for each in expected)
    return TextWork(
        cpu_s=share * cpu_s, model_s=None if None in models else share * sum(filter(None, models))
    )
