"""Runs the rows of a batch: in worker processes, in this process, or in actors of a Ray cluster."""

import os
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, cast

from rarr.agent.batches import BatchRow
from rarr.batches.ray import RayActors
from rarr.errors import InputError, RarrError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.jobs import Job, Tasks, WorkerLostError
from rarr.serve.worker_processes import WorkerProcesses
from rarr.settings import Settings
from rarr.settings.serving import unserved

ENDED = "the process that ran it ended twice: give the workers more memory, or divide the text"


def batch_settings(settings: Settings) -> Settings:
    """Returns the settings of a batch: without those of `rarr serve`, and without traces unless asked for.

    A trace of each row would fill the disk, and corpora of `rarr serve` would be used before that of the
    batch.
    """
    asked = "trace" in settings.model_fields_set
    return unserved(settings if asked else settings.model_copy(update={"trace": False}))


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
        self._settings = settings
        if workers is None and ray is None:
            workers = (os.cpu_count() or 1) if settings.is_embedded else 0
        self._runner: RayActors | WorkerProcesses | Tasks
        if ray is not None:
            if workers == 0:
                raise InputError("0 workers are this process: leave --workers out, or leave --ray out")
            self._runner = RayActors(settings, ray, workers)
        elif workers:
            self._runner = WorkerProcesses(settings, workers)
        else:
            self._runner = Tasks(settings)
        self._workers = workers

    @property
    def at_once(self) -> int:
        """Returns how many rows run or wait, once it has started: one waits for each process."""
        if isinstance(self._runner, RayActors):
            return self._runner.at_once
        return 2 * self._workers if self._workers else self._settings.concurrency

    async def run(self, row: BatchRow) -> Postprocessed:
        """Postprocesses a row. A row whose process ends is run again, alone; then `RarrError` is raised."""
        job = Job(
            "postprocess",
            row.text,
            uuid.uuid4().hex,
            context=row.context,
            sources=tuple(cast(Any, row.sources) or ()),
            options=self._options,
        )
        try:
            return cast(Postprocessed, await self._runner.run(job))
        except WorkerLostError:
            assert not isinstance(self._runner, Tasks)
        try:
            return cast(Postprocessed, await self._runner.run_alone(job))
        except WorkerLostError:
            raise RarrError(ENDED) from None

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
