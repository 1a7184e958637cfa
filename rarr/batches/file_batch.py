"""Revises the rows of a file into another file. Whatever ends the process, the same call continues.

Beside the file OUT, the folder OUT.batch holds run.json (what the run was made with) and results.db (a
result for each row, stored when it is finished).
"""

import asyncio
import os
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from rarr.agent.batches import BatchResult, BatchRow, batch_result
from rarr.agent.wiring.models import require_prices
from rarr.batches.columns import (
    BatchCounts,
    Columns,
    Counting,
    columns_of,
    digest_of,
    error_columns,
    result_columns,
)
from rarr.batches.input_rows import InputRow, format_of, input_rows, require_parquet
from rarr.batches.output_rows import ColumnType, ColumnTypes, write_rows
from rarr.batches.ray import RayActors
from rarr.batches.result_store import Expected, ResultStore, has_results
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.run_fingerprint import corpora, described, run_inputs
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.serve.jobs import Job, Tasks, WorkerLostError
from rarr.serve.worker_processes import WorkerProcesses
from rarr.settings import Settings
from rarr.settings.serving import unserved
from rarr.tools.concurrency import before_end, bounded_flow, run
from rarr.tools.storage.files import locked

RESULTS = "results.db"
ENDED = "the process that ran it ended twice: give the workers more memory, or divide the text"
Runner = RayActors | WorkerProcesses | Tasks


class BatchReport(NamedTuple):
    """What the output file holds, and the rows that cannot be used, with their reasons."""

    counts: BatchCounts
    wrong_rows: list[str]


OnProgress = Callable[[Counting, Expected], None]
"""Is called after each row with the counts of this run and its work."""


def revise_file(
    source: Path,
    out: Path,
    *,
    settings: Settings | None = None,
    columns: Columns = Columns(),  # noqa: B008  # it is immutable
    mode: PostprocessMode = "revise",
    full: bool = False,
    workers: int | None = None,
    ray: str | None = None,
    max_cost: float | None = None,
    on_progress: OnProgress | None = None,
    on_interrupt: Callable[[BatchCounts], object] | None = None,
) -> BatchReport:
    """Postprocesses the rows of `source`, and writes them with the columns of their results to `out`.

    The endings of the names give the formats: .jsonl, .csv and .parquet. `full` adds the whole record of each
    run. `workers` is the number of processes, and `ray` the address of a cluster; see `runner_of`. If an
    interrupt ends the process, `out` is written, and `on_interrupt` called with its counts.

    Rows that have a result from an earlier run of the same call are not done again; those with an error are.
    No row begins when all results of `out`, those of earlier runs too, have cost `max_cost`. Raises
    `RarrError` before anything is spent: for files that cannot be read or written, a missing column, an `out`
    of other settings, other columns or another `full`, and a limit of the cost of a model without a price.
    """
    settings = batch_settings(settings or Settings())
    _require_usable(source, out)
    if max_cost is not None:
        require_prices(settings)
    folder = out.with_name(f"{out.name}.batch")
    if out.exists() and not folder.exists():
        raise InputError(f"{out} is there already, and no batch has written it: give another path")
    with (
        locked(folder / run_folder.LOCK, f"{out} is being written by another rarr batch: wait for it"),
        _removed_if_empty(folder),
    ):
        batch = _FileBatch(source, out, folder, columns, full=full)
        try:
            batch.begin(settings, mode)
            with before_end(lambda: (on_interrupt or (lambda counts: None))(batch.write())):
                runner = runner_of(settings, workers, ray)
                run(batch.work(runner, mode, max_cost, on_progress))
            return BatchReport(batch.write(), batch.wrong)
        finally:
            batch.close()


def batch_settings(settings: Settings) -> Settings:
    """Returns the settings of a batch: without those of `rarr serve`, and without traces unless asked for.

    A trace of each row would fill the disk, and corpora of `rarr serve` would be used before that of the
    batch.
    """
    asked = "trace" in settings.model_fields_set
    return unserved(settings if asked else settings.model_copy(update={"trace": False}))


def runner_of(settings: Settings, workers: int | None, ray: str | None = None) -> Runner:
    """Makes what runs the rows: actors of the Ray cluster at the address `ray`, processes, or this process.

    `workers` is the number of processes or actors; 0: this process. None: a process for each core, or this
    process if a language model runs, since it waits most of the time.
    """
    if ray is not None:
        if workers == 0:
            raise InputError("0 workers are this process: leave --workers out, or leave --ray out")
        return RayActors(settings, ray, workers)
    if workers is None:
        workers = (os.cpu_count() or 1) if settings.is_embedded else 0
    return WorkerProcesses(settings, workers) if workers else Tasks(settings)


async def _postprocessed(runner: Runner, mode: PostprocessMode, row: BatchRow) -> Postprocessed:
    """Postprocesses a row. Raises `RarrError` if its process ended twice."""
    sources = tuple(cast(Any, row.sources) or ())
    name, options = uuid.uuid4().hex, {"mode": mode}
    job = Job("postprocess", row.text, name, context=row.context, sources=sources, options=options)
    try:
        return cast(Postprocessed, await runner.run(job))
    except WorkerLostError:
        raise RarrError(ENDED) from None


def _require_usable(source: Path, out: Path) -> None:
    """Raises `RarrError` for names without a format, without pyarrow, and for one file that is both."""
    if "parquet" in (format_of(source), format_of(out)):
        require_parquet()
    if source.absolute() == out.absolute():
        raise InputError(f"{out} is the input: give another path for the output")
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the path of a file")


@contextmanager
def _removed_if_empty(folder: Path) -> Iterator[None]:
    """Removes a new folder after an error before the first result: a corrected call begins afresh.

    The caller holds the lock of the folder, or it might remove the folder of another call.
    """
    new = not (folder / run_folder.RUN).exists()
    try:
        yield
    except RarrError:
        if new and not has_results(folder / RESULTS):
            shutil.rmtree(folder, ignore_errors=True)
        raise


class _FileBatch:
    """One call of `revise_file`."""

    def __init__(self, source: Path, out: Path, folder: Path, columns: Columns, *, full: bool) -> None:
        self._source, self._out, self._folder = source, out, folder
        self._columns, self._full = columns, full
        self.wrong: list[str] = []
        """The rows that cannot be used, with their reasons."""
        self._types = ColumnTypes()
        self._expected = Expected(0, 0)
        self._writing = threading.Lock()  # the thread that ends an interrupted process writes too
        self._store = ResultStore(folder / RESULTS)
        self._counting = Counting()

    def begin(self, settings: Settings, mode: PostprocessMode) -> None:
        """Reads all rows once. Raises `InputError` before anything is spent."""
        searched = corpora([settings.corpus], settings.max_file_mb)
        read = {f"--{name}": column or "none" for name, column in self._columns._asdict().items()}
        kept = {"mode": mode, "--full": "on" if self._full else "off"}
        inputs = run_inputs("", described(settings) | kept | read, searched)
        run_folder.check(self._folder, inputs, "give another -o, or delete this folder")
        self._expected = self._store.expect(self._noted_digests())
        self._columns.require_in(self._types.by_name())
        if not self._expected.rows and not self.wrong:
            raise InputError(f"{self._source} has no row: give a row with a text")
        run_folder.begin(self._folder, inputs)

    async def work(
        self,
        runner: Runner,
        mode: PostprocessMode,
        max_cost: float | None,
        on_progress: OnProgress | None,
    ) -> None:
        """Works on the rows that have no result, and stores each result."""
        if not self._expected.left:
            return
        async with AsyncExitStack() as stack:
            stack.push_async_callback(runner.aclose)
            await runner.start()
            rows = self._rows_to_do(max_cost)
            work = partial(batch_result, postprocess=partial(_postprocessed, runner, mode))
            async for result in bounded_flow(rows, work, runner.at_once):
                self._counting.add(await asyncio.to_thread(self._keep, result))
                if on_progress is not None:
                    on_progress(self._counting, self._expected)

    def _keep(self, result: BatchResult) -> dict[str, Any]:
        """Stores a result, and returns its columns."""
        columns = columns_of(result, full=self._full)
        self._store.add(digest_of(result.row), columns, result.error)
        return columns

    def write(self) -> BatchCounts:
        """Writes all rows that have a result or a problem, in the order of the input."""
        counting = Counting()
        names = self._types.by_name() | result_columns(full=self._full)
        with self._writing:
            write_rows(self._out, self._finished_rows(names, counting), names, self._source)
        left = self._expected.rows + len(self.wrong) - counting.rows
        return counting.counts(left)

    def close(self) -> None:
        """Closes the file of results."""
        with self._writing:
            self._store.close()

    def _noted_digests(self) -> Iterator[bytes]:
        """Yields the digest of each usable row. Notes column types and wrong rows."""
        for row, usable in self._rows():
            self._types.add(row.columns)
            if isinstance(usable, BatchRow):
                yield digest_of(usable)
            else:
                self.wrong.append(f"{row.place}: {usable}")

    def _rows(self) -> Iterator[tuple[InputRow, BatchRow | str]]:
        """Yields each row of the input with what it holds, or with the reason why it cannot be used."""
        for row in input_rows(self._source):
            yield row, self._columns.row_or_problem(row)

    def _rows_to_do(self, max_cost: float | None) -> Iterator[BatchRow]:
        spent = 0.0 if max_cost is None else self._store.cost()
        for _, row in self._rows():
            cost = self._counting.cost  # of this run; None if that of a row is not known
            if max_cost is not None and (cost is None or spent + cost >= max_cost):
                return
            if isinstance(row, BatchRow) and self._store.start(digest_of(row)):
                yield row

    def _finished_rows(self, names: Mapping[str, ColumnType], counting: Counting) -> Iterator[dict[str, Any]]:
        for row, usable in self._rows():
            if isinstance(usable, BatchRow):
                result = self._store.columns(digest_of(usable))
            else:
                result = error_columns(usable)
            if result is not None:
                counting.add(result, row.place)
                columns = row.columns | result
                yield {name: columns[name] for name in columns if name in names}
