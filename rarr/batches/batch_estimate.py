"""Estimates what a batch takes before it starts, from a sample of its rows."""

import os
import random
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from rarr.agent.batches import BatchResult, BatchRow, batch_result
from rarr.agent.revise import Reviser
from rarr.batches.batch_runner import batch_settings, worker_count
from rarr.batches.column_check import require_columns
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
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.settings import Settings
from rarr.tools.concurrency import run
from rarr.tools.text.plurals_and_articles import counted

SAMPLE = 20
"""The rows of a sample."""


class BatchEstimate(Record):
    """What all rows of a file are expected to take, counted from a `sample` by their words.

    Rows of the sample that fail are left out, and not counted in `sample`.

    Embedded models revise the sample, and the time follows from what it took. Language models are not asked,
    and the time of their answers is not known; that of the rules was measured (`rarr.batches.cost_model`).
    `seconds` are those of a clock, with `workers` processes, and `cpu_seconds` those of one core. `memory_mb`
    is that of all processes, and `bottleneck` says what bounds the rate. `seconds` and `bottleneck` are None
    where a language model is asked, and `cost` if a price is not known.
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
    """Estimates the batch of a file; see `BatchEstimate`.

    Raises `InputError` for a file without a text, and if every row of the sample fails.
    """
    settings = batch_settings(settings)
    rows, words, drawn = _sampled(_texts(source, columns))
    if not drawn:
        raise InputError(f"{source} has no row with a text: give a row with a text")
    count = worker_count(settings, workers)
    place = Place(workers=count, cores=os.cpu_count() or 1, concurrency=settings.concurrency)
    with Reviser(settings) as reviser:
        revised = _revised(reviser, drawn, mode) if settings.is_embedded else _Revised(drawn)
        expected = [reviser.estimate(row.text, row.context) for row in revised.rows]
    share = words / sum(map(_words, revised.rows))
    work = (
        _embedded_work(revised, share / rows) if settings.is_embedded else _model_work(expected, share / rows)
    )
    costs = [each.cost for each in expected]
    return BatchEstimate(
        rows=rows,
        words=words,
        sample=len(revised.rows),
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
    require_columns(columns, source)
    for row in input_rows(source):
        if isinstance(usable := columns.row_or_problem(row), BatchRow):
            yield usable


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


class _Revised(NamedTuple):
    """Rows of a sample that have a result, and the seconds that the sample took, of a core and of a clock."""

    rows: list[BatchRow]
    cpu_s: float = 0.0
    clock_s: float = 0.0


def _revised(reviser: Reviser, sample: list[BatchRow], mode: PostprocessMode) -> _Revised:
    """Revises a sample, and leaves out the rows that fail. Raises `InputError` if all of them do."""

    def postprocessed(row: BatchRow) -> Awaitable[Postprocessed]:
        return reviser.apostprocess(row.text, row.context, row.sources, mode=mode)

    def result(row: BatchRow) -> BatchResult:
        return run(batch_result(row, 1, postprocessed))

    any(not result(row).error for row in sample)  # the first run of a process loads its models
    cpu_before, started = process_time(), perf_counter()
    results = [result(row) for row in sample]
    cpu_s, clock_s = process_time() - cpu_before, perf_counter() - started
    if all(each.error for each in results):
        first = f"the first, row {results[0].row.id}: {results[0].error}"
        raise InputError(f"none of {counted(len(sample), 'row')} can be revised, {first}")
    return _Revised([each.row for each in results if not each.error], cpu_s, clock_s)


def _embedded_work(revised: _Revised, share: float) -> TextWork:
    """`share` is what a mean row has of the words of the sample."""
    waiting_s = max(0.0, revised.clock_s - revised.cpu_s)
    return TextWork(cpu_s=share * revised.cpu_s, waiting_s=share * waiting_s)


def _model_work(expected: Sequence[Estimate], share: float) -> TextWork:
    """Adds up the time of the rules; that of answers is not known. `share` is that of `_embedded_work`."""
    asks = any(each.model_calls for each in expected)
    cpu_s = sum(with_model_cpu_s(MEASURED, each.queries) for each in expected)
    return TextWork(cpu_s=share * cpu_s, model_s=None if asks else 0.0)
