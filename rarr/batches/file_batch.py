"""Revises the rows of a file into another file. If the process ends early, the same call continues.

Beside the output file OUT, the folder OUT.batch holds run.json (the settings and inputs of the run) and
results.jsonl (the results; each result is stored when its row is finished).
"""

import asyncio
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing
from functools import partial
from pathlib import Path
from typing import Any

from rarr.agent.wiring.models import require_prices
from rarr.batches.jobs import InProcessRunner, Job, Runner, WorkerProcesses
from rarr.batches.ray import RayActors
from rarr.batches.results import RESULT_COLUMNS, BatchCounts, Columns, ResultStore, TextRow, result_columns
from rarr.batches.rows import ColumnType, InputRow, common_type, file_format, input_rows, write_rows
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings, without_server_settings
from rarr.tools.concurrency import for_each, run
from rarr.tools.storage.files import lock_file

OnProgress = Callable[[int, int, int], None]
"""Called after each row with three numbers: rows done, rows to do, and errors in this run."""


def revise_file(
    source: Path,
    out: Path,
    *,
    settings: Settings | None = None,
    columns: Columns = Columns(),  # noqa: B008  # its fields cannot change
    mode: PostprocessMode = "revise",
    full: bool = False,
    workers: int | None = None,
    ray: str | None = None,
    max_cost: float | None = None,
    on_progress: OnProgress = lambda done, total, errors: None,
    on_interrupt: Callable[[BatchCounts], object] = lambda counts: None,
) -> BatchCounts:
    """Postprocesses the rows of `source`, and writes them with their result columns to `out`.

    The file extensions give the formats: .jsonl, .csv or .parquet. `full` adds the whole record of each run.
    `workers` is the number of processes, or of actors if `ray` is the address of a Ray cluster; 0 means this
    process. None means a worker for each core; with a language model, this process or one actor. At an
    interrupt, writes `out` and calls `on_interrupt` with the counts of the rows; then the process ends.

    If an earlier run of the same call has stored a row's result, skips the row; repeats a row with an error.
    When the results of all runs together have cost `max_cost`, no further row begins. Raises `RarrError`
    before anything is spent: if a file cannot be read or written, if a column is missing, if `out` was made
    with other settings, columns or `full`, or if `max_cost` is given and a model has no price.
    """
    settings = without_server_settings(settings or Settings())  # a batch ignores settings of `rarr serve`
    if "trace" not in settings.model_fields_set:  # a trace of each row would fill the disk
        settings = settings.model_copy(update={"trace": False})
    folder = out.with_name(f"{out.name}.batch")
    file_format(out)
    if source.absolute() == out.absolute() or out.is_dir():
        raise InputError(f"{out} is the input or a folder: give another path for the output")
    if out.exists() and not (folder / run_folder.RUN).exists():
        raise InputError(f"{out} is there already, and no batch has written it: give another path")
    if max_cost is not None:
        require_prices(settings)
    read = {f"--{name}": column or "none" for name, column in columns._asdict().items()}
    kept = {"mode": mode, "--full": "on" if full else "off"}
    described, searched = run_folder.changed_settings(settings), run_folder.corpus_digest(settings)
    inputs = run_folder.run_inputs("rarr batch", "", described | kept | read, searched)
    with lock_file(folder / run_folder.LOCK, f"{out} is being written by another rarr batch: wait for it"):
        run_folder.require_same_inputs(folder, inputs, f"give another -o, or delete it and {out}")
        with closing(_FileBatch(source, out, folder / "results.jsonl", columns, mode, full=full)) as batch:
            batch.read_rows()
            if batch.digests_to_do:
                begin = partial(run_folder.write_inputs, folder, inputs)
                runner = _make_runner(settings, workers, ray)
                try:
                    run(batch.work_on_rows(runner, begin, max_cost, on_progress))
                except (KeyboardInterrupt, SystemExit):
                    begin()  # stores the inputs, so that the same call can continue
                    on_interrupt(batch.write_output())
                    raise
            return batch.write_output()


def _make_runner(settings: Settings, workers: int | None, ray: str | None) -> Runner:
    if ray is not None and workers == 0:
        raise InputError("0 workers are this process: leave --workers out, or leave --ray out")
    if ray is not None:
        return RayActors(settings, ray, workers)
    if workers is None:
        workers = (os.cpu_count() or 1) if settings.is_embedded else 0
    return WorkerProcesses(settings, workers) if workers else InProcessRunner(settings)


class _FileBatch:
    """One call of `revise_file`: its input, its output, its stored results, and the rows still to do."""

    def __init__(
        self, source: Path, out: Path, store: Path, columns: Columns, mode: PostprocessMode, *, full: bool
    ) -> None:
        self._source, self._out, self._columns, self._mode, self._full = source, out, columns, mode, full
        self.digests_to_do = set[bytes]()
        """The digests of the rows that still need a result. Rows with equal values have the same digest."""
        self._rows, self._types = 0, dict[str, ColumnType | None]()
        self._store = ResultStore(store)

    def read_rows(self) -> None:
        """Reads all rows. Finds columns, their types, and rows to do. Raises `InputError` without a row."""
        for row, usable in self._rows_or_problems():
            self._rows += 1
            for name, value in row.columns.items():
                self._types[name] = common_type(self._types.get(name), value)
            if isinstance(usable, TextRow) and not self._store.is_done(digest := usable.digest):
                self.digests_to_do.add(digest)
        self._columns.require_columns(self._types)
        if not self._rows:
            raise InputError(f"{self._source} has no row: give a row with a text")

    async def work_on_rows(
        self, runner: Runner, begin: Callable[[], None], max_cost: float | None, on_progress: OnProgress
    ) -> None:
        """Makes and stores the results that rows still need. Calls `begin` before the first row."""
        counts, total, options = BatchCounts(), len(self.digests_to_do), {"mode": self._mode}

        async def finish_row(row: TextRow) -> None:
            job = Job("postprocess", row.text, uuid.uuid4().hex, row.context, row.sources, options=options)
            try:
                result: Any = await runner.run(job)
            except RarrError as error:
                result = str(error)
            columns = result_columns(result, full=self._full)
            await asyncio.to_thread(self._store.add_result, row.digest, columns)
            counts.add_row(columns)
            on_progress(counts.rows, total, counts.errors)

        async with aclosing(runner):
            await runner.start()
            await asyncio.to_thread(begin)
            await for_each(self._rows_to_do(counts, max_cost), finish_row, runner.at_once)

    def _rows_to_do(self, counts: BatchCounts, max_cost: float | None) -> Iterator[TextRow]:
        spent = 0.0 if max_cost is None else self._store.total_cost()
        for _, row in self._rows_or_problems():
            cost = counts.cost  # of this run; None if the cost of a row is unknown
            if max_cost is not None and (cost is None or spent + cost >= max_cost):
                return
            if isinstance(row, TextRow) and (digest := row.digest) in self.digests_to_do:
                self.digests_to_do.remove(digest)  # equal rows are worked on once
                yield row

    def write_output(self) -> BatchCounts:
        """Writes rows with a result and unusable rows, in input order. Returns the counts of these rows."""
        counts, stored = BatchCounts(), self._store.stored_result
        names = {name: kind or "string" for name, kind in self._types.items()} | {**RESULT_COLUMNS}
        if not self._full:
            del names["rarr_revision"]

        def rows_with_result() -> Iterator[dict[str, object]]:
            for row, usable in self._rows_or_problems():
                result = result_columns(usable) if isinstance(usable, str) else stored(usable.digest)
                if result is not None:
                    counts.add_row(result, row.place)
                    yield {name: value for name, value in (row.columns | result).items() if name in names}

        write_rows(self._out, rows_with_result(), names, self._source)
        counts.left = self._rows - counts.rows
        return counts

    def close(self) -> None:
        """Closes the file of results."""
        self._store.close()

    def _rows_or_problems(self) -> Iterator[tuple[InputRow, TextRow | str]]:
        for row in input_rows(self._source):
            yield row, self._columns.row_or_problem(row)
