"""Declares a row of a batch and its result, and gives each row its own result or error."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from rarr.errors import RarrError
from rarr.records.postprocessing import Postprocessed
from rarr.retrievers.given_passages import Given


class BatchRow(NamedTuple):
    """One text of a batch: an answer, what it answers, and passages of its own, which are searched first."""

    text: str
    context: str | None = None
    sources: Sequence[Given] | None = None
    id: str = ""


class BatchResult(NamedTuple):
    """The result of a row. If it failed, `error` says why, and `result` is None or has the untouched text.

    `number` counts the rows from 1.
    """

    row: BatchRow
    number: int
    result: Postprocessed | None
    error: str = ""


async def batch_result(
    row: BatchRow, number: int, postprocess: Callable[[BatchRow], Awaitable[Postprocessed]]
) -> BatchResult:
    """Postprocesses one row. A failure is the error of the result; only a defect of the program is raised."""
    try:
        done = await postprocess(row)
    except RarrError as error:
        return BatchResult(row, number, None, str(error))
    return BatchResult(row, number, done, done.notice if done.outcome in ("failed", "deadline") else "")
