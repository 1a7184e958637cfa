"""Revises the rows of a pipe into a pipe: each result goes out when it is finished, and nothing is kept."""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any, BinaryIO

from rarr.agent.batches import BatchRow, batch_result
from rarr.batches.batch_runner import BatchRunner, batch_settings
from rarr.batches.column_check import require_columns, without_results
from rarr.batches.column_mapping import Columns, columns_of, error_columns, result_columns
from rarr.batches.counts import BatchCounts, Counting
from rarr.batches.input_rows import InputRow, input_rows, json_rows
from rarr.batches.output_rows import json_line
from rarr.errors import InputError
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings
from rarr.tools.concurrency import bounded_flow, run


def revise_stream(
    source: Path | BinaryIO,
    write: Callable[[bytes], bool],
    *,
    settings: Settings,
    columns: Columns = Columns(),  # noqa: B008  # it is immutable
    mode: PostprocessMode = "revise",
    full: bool = False,
    workers: int | None = None,
    ray: str | None = None,
    ordered: bool = False,
    on_progress: Callable[[Counting], None] | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> BatchCounts:
    """Postprocesses the rows of `source`, and calls `write` with a line of JSON for each as it finishes.

    With `ordered`, the lines come in the order of the rows. `write` returns False once nobody reads any more,
    which ends the run. `on_warning` is called with a line about each row that cannot be used, and at the end
    about each column that no row of a pipe had. The other arguments are those of `revise_file`.
    """
    settings, counting, names = batch_settings(settings), Counting(), result_columns(full=full)
    seen, warn = set[str](), on_warning or (lambda line: None)
    rows = _rows(source, columns)

    async def work() -> bool:
        """Returns False if nobody reads the results any more."""
        async with BatchRunner(settings, {"mode": mode}, workers, ray) as runner:

            async def result(row: InputRow, number: int) -> dict[str, Any]:
                seen.update(row.columns)
                usable = columns.row_or_problem(row)
                if isinstance(usable, BatchRow):
                    values = columns_of(await batch_result(usable, number, runner.run), full=full)
                else:
                    values = error_columns(usable)
                    warn(f"{columns.place(row)}: {usable}")
                return row.output({name: values[name] for name in names})

            async with aclosing(bounded_flow(rows, result, runner.at_once, ordered=ordered)) as results:
                async for row in results:
                    if not await asyncio.to_thread(write, json_line(row)):
                        return False
                    counting.add(row)
                    if on_progress is not None:
                        on_progress(counting)
        return True

    if run(work()) and not counting.rows:
        raise InputError("the input has no row: give a row with a text")
    for option in columns.absent(seen) if seen else ():
        warn(f"no row has the column {getattr(columns, option)!r}, given as {option}")
    return counting.counts(left=0)


def _rows(source: Path | BinaryIO, columns: Columns) -> Iterable[InputRow] | AsyncIterable[InputRow]:
    if not isinstance(source, Path):
        return without_results(json_rows(source))
    if source.is_file():  # and no named pipe, which can be read once
        require_columns(columns, source)
    return without_results(input_rows(source))
