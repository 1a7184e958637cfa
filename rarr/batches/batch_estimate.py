"""Estimates the requests, tokens and cost of a batch before it starts, from a sample of its rows."""

import random
from collections.abc import Iterator
from pathlib import Path

from rarr.agent.batches import BatchRow
from rarr.agent.revise import Reviser
from rarr.batches.batch_runner import batch_settings
from rarr.batches.columns import Columns
from rarr.batches.input_rows import input_rows
from rarr.errors import InputError
from rarr.records import Record
from rarr.settings import Settings

SAMPLE = 20
"""The rows of a sample."""


class BatchEstimate(Record):
    """What all rows of a file are expected to take, counted from a `sample` by their words.

    No model is asked. `cost` is None if a price is not known.
    """

    rows: int
    words: int
    sample: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate_batch(source: Path, settings: Settings, columns: Columns) -> BatchEstimate:
    """Estimates the batch of a file. Raises `InputError` for a file without a text."""
    columns.require_in(source)
    rows, words, sample = _sampled(columns, source)
    if not sample:
        raise InputError(f"{source} has no row with a text: give a row with a text")
    with Reviser(batch_settings(settings)) as reviser:
        expected = [reviser.estimate(row.text, row.context) for row in sample]
    share = words / sum(len(row.text.split()) for row in sample)
    costs = [each.cost for each in expected]
    return BatchEstimate(
        rows=rows,
        words=words,
        sample=len(sample),
        model_calls=round(share * sum(each.model_calls for each in expected)),
        input_tokens=round(share * sum(each.input_tokens for each in expected)),
        output_tokens=round(share * sum(each.output_tokens for each in expected)),
        cost=None if None in costs else share * sum(filter(None, costs)),
    )


def _sampled(columns: Columns, source: Path) -> tuple[int, int, list[BatchRow]]:
    """Counts the rows and their words, and draws a sample: each row has the same chance (Vitter 1985)."""
    chance, sample, words, number = random.Random(0), list[BatchRow](), 0, 0
    for number, row in enumerate(_usable(columns, source), start=1):
        words += len(row.text.split())
        place = number - 1 if number <= SAMPLE else chance.randrange(number)
        if place < SAMPLE:
            sample[place : place + 1] = [row]
    return number, words, sample


def _usable(columns: Columns, source: Path) -> Iterator[BatchRow]:
    for row in input_rows(source):
        if isinstance(usable := columns.row_or_problem(row), BatchRow):
            yield usable
