"""Runs jobs in worker processes, so that what they compute does not keep the event loop waiting."""

import asyncio
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rarr.errors import SetupError
from rarr.records import Record
from rarr.serve.jobs import Job, Tasks, WorkerLostError, sendable
from rarr.settings import Settings
from rarr.tools.concurrency import run

Result = TypeVar("Result")
OVERRUN_S = 10.0
"""Seconds after its deadline at which a job counts as hanging, and its process ends."""
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"


class WorkerProcesses:
    """A `Runner` with a number of processes, each of which runs one job at a time.

    If a process dies, all of them are replaced, and each job that was lost runs once more, alone in a process
    of its own: a job that kills its process costs no other job its result.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self._count = count
        self.at_once = 2 * count
        """How many jobs to have at once: one waits for each process."""
        self._many, self._alone = _Pool(settings, count), _Pool(settings, 1)
        self._one_alone = asyncio.Lock()

    async def start(self) -> None:
        """Starts the processes. Raises `RarrError` if they cannot build their revisers."""
        try:
            builds = await asyncio.to_thread(lambda: [self._many.submit(_build) for _ in range(self._count)])
            errors = await asyncio.gather(*map(asyncio.wrap_future, builds))
        except BrokenProcessPool:
            raise SetupError(
                "a worker process ended while it started: give it more memory, and in your own script call"
                ' this under if __name__ == "__main__"'
            ) from None
        if error := next(filter(None, errors), None):
            raise error

    async def run(self, job: Job) -> Record:
        """Runs a job in a free process, and returns its record. The time in the queue counts."""
        asked = time.monotonic()
        try:
            try:
                return await self._many.outcome(job, asked)
            except BrokenProcessPool:
                async with self._one_alone:
                    return await self._alone.outcome(job, asked)
        except BrokenProcessPool:
            raise WorkerLostError from None

    async def aclose(self) -> None:
        """Kills the processes, with the jobs that they run."""
        for pool in (self._many, self._alone):
            await asyncio.to_thread(pool.end)


class _Pool:
    """Some processes, which are started at the first job, and replaced when one of them has died."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._settings, self._count = settings, count
        self._executor: ProcessPoolExecutor | None = None
        self._submitting = threading.Lock()

    async def outcome(self, job: Job, asked: float) -> Record:
        """Returns the record of a job. Raises its error, and `BrokenProcessPool` if a process died."""
        submitted = await asyncio.to_thread(self.submit, _answer, job, asked)
        outcome = await asyncio.wrap_future(submitted)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def submit(self, work: Callable[..., Result], *arguments: Any) -> "Future[Result]":
        """Gives work to the processes."""
        with self._submitting:
            try:
                return self._started().submit(work, *arguments)
            except BrokenProcessPool:
                # A process that died may have held the lock of the queue, for which the others wait.
                self.end()
                return self._started().submit(work, *arguments)

    def end(self) -> None:
        """Kills the processes and waits for them. Python has a public call for it from 3.14 on."""
        executor, self._executor = self._executor, None
        if executor is not None:
            for process in list((executor._processes or {}).values()):
                process.kill()
            executor.shutdown(wait=True, cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # At an interrupt this process ends at once, and Python's tracker cleans up after it, with a
            # warning.
            if _QUIET not in sys.warnoptions:
                sys.warnoptions.append(_QUIET)
            # A fork of a process with threads may hang; the server of forks is started before there are any.
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload([__name__])
            self._executor = ProcessPoolExecutor(self._count, context, _begin, (self._settings,))
        return self._executor


_tasks: Tasks | None = None
"""What runs the jobs of this process, if it is a worker."""


def _begin(settings: Settings) -> None:
    """Begins the life of a worker process. It cannot fail."""
    global _tasks
    # The server decides when its workers end: an interrupt at the terminal reaches them too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, name="rarr-server-watch", daemon=True).start()
    _tasks = Tasks(settings)


def _end_with_the_server() -> None:
    """Ends this process when that of the server has ended, however it did, and in the middle of a job."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


def _build() -> Exception | None:
    assert _tasks is not None
    try:
        run(_tasks.start())
    except Exception as error:
        return sendable(error)
    return None


def _answer(job: Job, asked: float) -> Record | Exception:
    """Returns the record of a job or its error. `asked` is when the job began to wait.

    A job at its deadline cancels its run, which writes the end of its trace while the next job begins.
    """
    assert _tasks is not None
    with Path(os.devnull).open("w") as nowhere:
        if job.deadline_s is not None:
            left = max(0.01, job.deadline_s - (time.monotonic() - asked))
            job = replace(job, deadline_s=left)
            # This watch needs no lock of Python, which a library may hold for ever.
            faulthandler.dump_traceback_later(left + OVERRUN_S, exit=True, file=nowhere)
        try:
            return run(_tasks.run(job))
        except Exception as error:  # one job may fail; the process goes on
            return sendable(error)
        finally:
            faulthandler.cancel_dump_traceback_later()
