"""Runs the rows of a batch: in worker processes for embedded models, in this process for language models."""

import os
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, cast

from rarr.agent.batches import BatchRow
from rarr.errors import RarrError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.in_process import InProcess
from rarr.serve.jobs import Job, Runner, WorkerLostError
from rarr.serve.workers import WorkerPool
from rarr.settings import Settings
from rarr.settings.serving import unserved

_TRIES = 2


def worker_count(settings: Settings, workers: int | None) -> int:
    """Returns the number of processes: the given one, or one for each core without a language model."""
    return ((os.cpu_count() or 1) if settings.is_embedded else 0) if workers is None else workers


class BatchRunner:
    """Runs rows, `at_once` at the same time.

    `workers` processes run one row each; 0: this process runs them all. None: a process for each core, or
    this process if a language model runs, since it waits most of the time.
    """

    def __init__(self, settings: Settings, options: Mapping[str, Any], workers: int | None) -> None:
        """`options` are arguments of `rarr.postprocess`, such as its mode."""
        workers = worker_count(settings, workers)
        self._options = dict(options)
        settings = unserved(settings)  # the corpora of rarr serve would come before that of the batch
        self._runner: Runner = WorkerPool(settings, workers) if workers else InProcess(settings)
        # One row more for each process: it is there when the process is free.
        self.at_once = 2 * workers or settings.concurrency

    async def run(self, row: BatchRow) -> Postprocessed:
        """Postprocesses a row. A row whose process ends is run again once; then `RarrError` is raised."""
        for _ in range(_TRIES):
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
                continue
        raise RarrError(f"the process that ran it ended {_TRIES} times: its text may need more memory")

    async def __aenter__(self) -> Self:
        await self._runner.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.aclose()
