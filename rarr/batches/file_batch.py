"""Revises the rows of a file into another file. Whatever ends the process, the same call continues.

Beside the file OUT, the folder OUT.batch holds run.json (what the run was made with) and results.db (a
result for each row, stored when it is finished).
"""

import asyncio
import math
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from rarr.agent.batches import BatchResult, BatchRow, batch_result
from rarr.agent.wiring.language_models import require_prices
from rarr.batches.batch_runner import BatchRunner, batch_settings
from rarr.batches.columns import (
    RESULT_COLUMNS,
    BatchCounts,
    Columns,
    Counting,
    Limit,
    columns_of,
    digest_of,
    error_columns,
    result_columns,
)
from rarr.batches.input_rows import UNREAD, InputRow, format_of, input_rows, require_parquet
from rarr.batches.output_rows import ColumnType, ColumnTypes, json_text, write_rows
from rarr.batches.result_store import Expected, ResultStore, has_results
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.run_fingerprint import corpora, described, run_inputs
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings
from rarr.tools.concurrency import before_end, bounded_flow, run
from rarr.tools.storage.files import locked
from rarr.tools.text.wording import counted

RESULTS = "results.db"


class BatchLimits(NamedTuple):
    """Where a run ends before its rows do. Rows under way are finished.

    `max_cost` is that of all results of the output file, those of earlier runs too. `deadline_s` are the
    seconds of this run, with its start.
    """

    max_cost: float | None = None
    deadline_s: float | None = None


class BatchReport(NamedTuple):
    """What the output file holds, and what the user should know: rows that cannot be used, and more."""

    counts: BatchCounts
    wrong_rows: list[str]
    notes: list[str]


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
    limits: BatchLimits = BatchLimits(),  # noqa: B008
    on_progress: OnProgress | None = None,
    on_interrupt: Callable[[BatchCounts], object] | None = None,
) -> BatchReport:
    """Postprocesses the rows of `source`, and writes them with the columns of their results to `out`.

    The endings of the names give the formats: .jsonl, .csv and .parquet. `full` adds the whole record of each
    run. `workers` is the number of processes, and `ray` the address of a cluster; see `BatchRunner`. If an
    interrupt ends the process, `out` is written, and `on_interrupt` called with its counts.

    Rows that have a result from an earlier run of the same call are not done again; those with an error are.
    Raises `RarrError` before anything is spent: for files that cannot be read or written, a missing column,
    an `out` of other settings, other columns or another `full`, and a limit of the cost of a model without a
    price.
    """
    until = None if limits.deadline_s is None else monotonic() + limits.deadline_s
    settings = batch_settings(settings or Settings())
    _require_usable(source, out)
    if limits.max_cost is not None:
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
                runner = BatchRunner(settings, {"mode": mode}, workers, ray)
                run(batch.work(runner, limits.max_cost, until, on_progress))
            return batch.finish(settings)
        finally:
            batch.close()


def _require_usable(source: Path, out: Path) -> None:
    """Raises `RarrError` for names without a format, without pyarrow, and for one file that is both."""
    if "parquet" in (format_of(source), format_of(out)):
        require_parquet()
    if source.absolute() == out.absolute():
        raise InputError(f"{out} is the input: give another path for the output")
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the path of a file")


def _state_of(path: Path) -> object:
    """Returns what changes with a file: its size and time; None for a file that cannot be found."""
    try:
        return (state := path.stat()).st_size, state.st_mtime_ns
    except OSError:
        return None


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
        self._types, self._wrong, self._notes = ColumnTypes(), list[str](), list[str]()
        self._expected = Expected(0, 0, 0)
        self._ended_by: Limit | None = None
        self._writing = threading.Lock()  # the thread that ends an interrupted process writes too
        self._inputs: dict[str, Any] = {}
        self._input_state: object = None
        self._store = ResultStore(folder / RESULTS)
        self._counting = Counting()

    def begin(self, settings: Settings, mode: PostprocessMode) -> None:
        """Reads all rows once. Raises `InputError` before anything is spent."""
        self._input_state = _state_of(self._source)
        self._columns.require_in(self._source)
        searched = corpora([settings.corpus], settings.max_file_mb)
        read = {f"--{name}": column or "none" for name, column in self._columns._asdict().items()}
        kept = {"mode": mode, "--full": "on" if self._full else "off"}
        self._inputs = run_inputs("", described(settings) | kept | read, searched)
        run_folder.check(self._folder, self._inputs, "give another -o, or delete this folder")
        self._expected = self._store.expect(self._noted_digests())
        if not self._expected.rows and not self._wrong:
            raise InputError(f"{self._source} has no row: give a row with a text")
        run_folder.begin(self._folder, self._inputs)

    async def work(
        self, runner: BatchRunner, max_cost: float | None, until: float | None, on_progress: OnProgress | None
    ) -> None:
        """Works on the rows that have no result, and stores each result."""
        if not self._expected.left:
            return
        async with AsyncExitStack() as stack:
            if not await self._started(runner, stack, until):
                self._ended_by = "deadline"
                return
            rows = self._rows_to_do(max_cost, until)
            work = partial(batch_result, postprocess=runner.run)
            async for result in bounded_flow(rows, work, runner.at_once):
                self._counting.add(await asyncio.to_thread(self._keep, result))
                if on_progress is not None:
                    on_progress(self._counting, self._expected)

    async def _started(self, runner: BatchRunner, stack: AsyncExitStack, until: float | None) -> bool:
        """Starts the runner, and returns False if the deadline comes first."""
        left_s = None if until is None else until - monotonic()
        if left_s is not None and left_s <= 0:
            return False
        try:
            async with asyncio.timeout(left_s) as limit:
                await stack.enter_async_context(runner)
        except TimeoutError:
            if not limit.expired():
                raise
            return False
        return True

    def _keep(self, result: BatchResult) -> dict[str, Any]:
        """Stores a result, and returns its columns."""
        columns = columns_of(result, full=self._full)
        self._store.add(digest_of(result.row), columns, result.error)
        return columns

    def finish(self, settings: Settings) -> BatchReport:
        """Writes the output file, and reports on it."""
        counts = self.write()
        notes = self._notes + [
            f"the column {name!r} has values of several types: it is JSON" for name in self._mixed()
        ]
        if gone := self._expected.gone:
            notes.append(
                f"the input lacks the rows of {counted(gone, 'earlier result')}, which stay in {self._folder}"
            )
        if self._input_state != _state_of(self._source):
            notes.append(f"{self._source} changed during the run: run again for the rows that are new")
        if self._inputs["corpora"] != corpora([settings.corpus], settings.max_file_mb):
            notes.append(
                f"{settings.corpus} changed during the run: give another -o for results of one state"
            )
        return BatchReport(counts, self._wrong, notes)

    def write(self) -> BatchCounts:
        """Writes all rows that have a result or a problem, in the order of the input."""
        counting = Counting()
        names = self._types.by_name() | result_columns(full=self._full)
        if UNREAD in names:
            names[UNREAD] = names.pop(UNREAD)  # it is the last column
        with self._writing:
            write_rows(self._out, self._finished_rows(names, counting), names, self._source)
        left = self._expected.rows + len(self._wrong) - counting.rows
        return counting.counts(left, self._ended_by)

    def close(self) -> None:
        """Closes the file of results."""
        with self._writing:
            self._store.close()

    def _mixed(self) -> list[str]:
        return self._types.mixed() if format_of(self._out) == "parquet" else []

    def _noted_digests(self) -> Iterator[bytes]:
        """Yields the digest of each usable row. Notes column types and wrong rows."""
        for row, usable in self._rows():
            self._types.add(row.output({}))
            if isinstance(usable, BatchRow):
                yield digest_of(usable)
            else:
                self._wrong.append(f"{row.place}: {usable}")

    def _rows(self) -> Iterator[tuple[InputRow, BatchRow | str]]:
        """Yields each row of the input with what it holds, or with the reason why it cannot be used."""
        for row in input_rows(self._source):
            usable = self._columns.row_or_problem(row)
            taken = [name for name in row.columns if name in RESULT_COLUMNS or name == UNREAD]
            if taken:  # its value would be replaced
                values = json_text({name: row.columns.pop(name) for name in taken})
                row = row._replace(unread=row.unread or values)
            yield row, usable

    def _rows_to_do(self, max_cost: float | None, until: float | None) -> Iterator[BatchRow]:
        spent = 0.0 if max_cost is None else self._store.cost()
        for _, row in self._rows():
            if max_cost is not None and spent + self._cost() >= max_cost:
                self._ended_by = "max_cost"
                return
            if until is not None and monotonic() > until:
                self._ended_by = "deadline"
                return
            if isinstance(row, BatchRow) and self._store.start(digest_of(row)):
                yield row

    def _cost(self) -> float:
        """Returns the cost of this run; infinity if that of a row is not known."""
        return math.inf if self._counting.cost is None else self._counting.cost

    def _finished_rows(self, names: Mapping[str, ColumnType], counting: Counting) -> Iterator[dict[str, Any]]:
        for row, usable in self._rows():
            if isinstance(usable, BatchRow):
                result = self._store.columns(digest_of(usable))
            else:
                result = error_columns(usable)
            if result is not None:
                counting.add(result, row.place)
                columns = row.output(result)
                yield {name: value for name, value in columns.items() if name in names}
