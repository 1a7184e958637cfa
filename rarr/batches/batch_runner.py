"""Runs the rows of a batch: in worker processes, in this process, or in actors of a Ray cluster.

The actors are behind a `Runner`, as the processes are, and not behind Ray Data. So a batch stores results,
continues and keeps its limits in the same way wherever its rows run.
"""

import os
import uuid
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

from rarr.agent.batches import BatchRow
from rarr.batches.ray_actors import RayActors
from rarr.errors import InputError, RarrError
from rarr.records import Record
from rarr.records.postprocessing import Postprocessed
from rarr.serve.in_process import InProcess
from rarr.serve.job_and_runner import Job, Runner, WorkerLostError
from rarr.serve.workers import WorkerPool
from rarr.settings import Settings
from rarr.settings.serving import unserved

TRIES = 2
"""How often a row is tried if its process ends: with other rows, and then alone."""
ENDED = f"the process that ran it ended {TRIES} times: give the workers more memory, or divide the text"


def batch_settings(settings: Settings) -> Settings:
    """Returns the settings of a batch: without those of `rarr serve`, and without traces unless asked for.

    A trace of each row would fill the disk, and corpora of `rarr serve` would be used before that of the
    batch.
    """
    asked = "trace" in settings.model_fields_set
    return unserved(settings if asked else settings.model_copy(update={"trace": False}))


def worker_count(settings: Settings, workers: int | None) -> int:
    """Returns the number of processes: the given one, or one for each core without a language model."""
    return ((os.cpu_count() or 1) if settings.is_embedded else 0) if workers is None else workers


class _RowRunner(NamedTuple):
    """A runner, how many rows to give it at once when it has started, and how it runs a row alone."""

    runner: Runner
    at_once: Callable[[], int]
    run_alone: Callable[[Job], Awaitable[Record]]


def _row_runner(settings: Settings, workers: int | None, ray: str | None) -> _RowRunner:
    if ray is not None:
        if workers == 0:
            raise InputError("0 workers are this process: leave --workers out, or leave --ray out")
        actors = RayActors(settings, ray, workers)
        return _RowRunner(actors, lambda: actors.at_once, actors.run_alone)
    count = worker_count(settings, workers)
    if not count:
        here = InProcess(settings)
        return _RowRunner(here, lambda: settings.concurrency, here.run)
    pool = WorkerPool(settings, count)  # its processes have one row each
    return _RowRunner(pool, lambda: 2 * count, pool.run)


class BatchRunner:
    """Runs rows, `at_once` at the same time.

    `workers` processes run one row each; 0: this process runs them all. None: a process for each core, or
    this process if a language model runs, since it waits most of the time. With `ray`, the address of a
    cluster, `workers` actors of the cluster run the rows; see `RayActors`.
    """

    def __init__(
        self, settings: Settings, options: Mapping[str, Any], workers: int | None, ray: str | None = None
    ) -> None:
        """`settings` are those of `batch_settings`; `options` are arguments of `rarr.postprocess`."""
        self._options = dict(options)
        self._runner, self._at_once, self._run_alone = _row_runner(settings, workers, ray)

    @property
    def at_once(self) -> int:
        """Returns how many rows run or wait: for each process, those that it runs and one that waits."""
        return self._at_once()

    async def run(self, row: BatchRow) -> Postprocessed:
        """Postprocesses a row. A row whose process ends is run again, alone; then `RarrError` is raised."""
        for run in (self._runner.run, self._run_alone):
            job = Job(
                "postprocess",
                row.text,
                uuid.uuid4().hex,
                context=row.context,
                sources=tuple(cast(Any, row.sources) or ()),
                options=self._options,
            )
            try:
                return cast(Postprocessed, await run(job))
            except WorkerLostError:
                continue
        raise RarrError(ENDED)

    async def __aenter__(self) -> Self:
        try:
            await self._runner.start()
        except BaseException:  # also when it is cancelled: `__aexit__` is not called
            await self._runner.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.aclose()
