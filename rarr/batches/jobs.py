"""Runs jobs, one text each, here or in worker processes; the original goes out where a job fails."""

import asyncio
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, ValidationError

from rarr.agent.inputs import context_of
from rarr.agent.postprocess import untouched
from rarr.errors import InputError, RarrError, SetupError
from rarr.records import Notice, Verification
from rarr.records.postprocessing import Outcome, Postprocessed
from rarr.settings import Settings
from rarr.settings.reading import cure
from rarr.tools.concurrency import Result, by_deadline, in_thread, run

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

Done = Postprocessed | Verification
"""The record of a job, by its task."""
Task = Literal["postprocess", "verify"]
ENDED = "the process that ran it ended twice: give the workers more memory, or divide the text"
OVERRUN_S = 10.0
"""Seconds after its deadline at which a job counts as hanging, and its process ends."""
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"


@dataclass(frozen=True)
class Job:
    """One text to work on. It can be pickled.

    `context` is the question, or the messages of the conversation. `sources` are the passages of the caller.
    `deadline_s`: seconds that are left; None: no deadline. `options` are arguments of the task alone, such as
    `mode`.
    """

    task: Task
    text: str
    run_id: str
    context: str | Sequence[Mapping[str, Any]] | None = None
    sources: tuple[str | Mapping[str, Any], ...] = ()
    deadline_s: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def _readable(sources: object) -> object:
    from rarr.retrievers.given_passages import given_passage  # the process of a batch does without it

    try:
        for number, source in enumerate(sources if isinstance(sources, list) else (), start=1):
            given_passage(source, number, f"passage {number}")
    except InputError as error:
        raise ValueError(str(error)) from None
    return sources


Sources = Annotated[list[str | dict[str, Any]], BeforeValidator(_readable)]
"""Passages of a caller: texts, or objects with `text`, `title` and `source`, which nobody opens."""


def wrong_value(error: ValidationError, names: tuple[str, ...] = ()) -> tuple[str, str]:
    """Returns where the first wrong value is, such as "deadline_s", and what to give instead.

    `names` are the keys that may stand at the top.
    """
    first = error.errors(include_input=False, include_url=False)[0]
    told = f"unknown key: give {', '.join(names)}" if first["type"] == "extra_forbidden" else cure(first)
    place = first["loc"]
    if place[-1:] == ("str",):  # of several kinds: of a context
        place, told = place[:-1], "give a text, or messages with role and content"
    return ".".join(map(str, place)), told


def sendable(error: Exception) -> Exception:
    """Returns a `RarrError` as it is, and any other error by its class, so that it can be pickled."""
    return error if isinstance(error, RarrError) else RarrError(f"a defect of rarr, {type(error).__name__}")


def raised(outcome: Done | Exception) -> Done:
    """Returns the outcome of a job, or raises it where it is an error."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class Runner(Protocol):
    """Runs jobs, several at a time: in this process, in worker processes, or on a cluster."""

    at_once: int
    """How many jobs to have at once."""

    async def start(self) -> object:
        """Builds what jobs need. Raises `RarrError` where something is missing."""

    async def run(self, job: Job) -> Done:
        """Returns the record of the task. Raises `InputError` for a wrong job, and `RarrError`: it failed."""

    async def aclose(self) -> None:
        """Closes what `start` built, or ends the processes that it started."""


class Tasks:
    """The `Runner` of this process. `reviser` takes the place of the one that it would build."""

    def __init__(self, settings: Settings, reviser: "Reviser | None" = None) -> None:
        self._settings, self._reviser = settings, reviser
        self._starting = asyncio.Lock()
        self.at_once = settings.concurrency

    async def start(self) -> "Reviser":
        """Builds the reviser once, and returns it. Raises `RarrError` where something is missing."""
        async with self._starting:
            if self._reviser is None:
                self._reviser = await in_thread(_built, self._settings)
            return self._reviser

    async def run(self, job: Job) -> Done:
        """Runs a job, and returns its record."""
        reviser = await self.start()
        if job.task == "verify":
            from rarr.agent.verify import averify_by_search  # the process of a batch does without it

            call = averify_by_search(reviser, job.text, context_of(job.context, job.text), job.sources)
            verified = await by_deadline(call, job.deadline_s)
            return verified or original(job, "deadline", "not checked: the deadline came first")
        options = {"deadline_s": job.deadline_s, "run_id": job.run_id, **job.options}
        return await reviser.apostprocess(job.text, job.context, job.sources or None, **options)

    async def outcome(self, job: Job) -> Done | Exception:
        """Returns the record of a job, or its error, which can be pickled."""
        try:
            return await self.run(job)
        except Exception as error:  # one job may fail; the process goes on
            return sendable(error)

    async def aclose(self) -> None:
        """Closes the reviser, with its files and connections."""
        if self._reviser is not None:
            await self._reviser.aclose()


def _built(settings: Settings) -> "Reviser":
    from rarr.agent.revise import Reviser  # a long import, which would keep the event loop waiting

    return Reviser(settings)


def original(job: Job, outcome: Outcome, notice: str) -> Done:
    """Makes the record of the job's task with its text as it came, and with the reason."""
    if job.task == "verify":
        return Verification(claim=job.text, warnings=(Notice(code=outcome, message=notice, node=""),))
    return untouched(job.text, job.options.get("mode", "revise"), outcome, notice)


class WorkerProcesses:
    """A `Runner` with a number of processes, each of which runs one job at a time.

    If a process dies, all of them are replaced, and each job that was lost runs once more, alone in a process
    of its own: a job that kills its process costs no other job its result.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self._count = count
        self.at_once = 2 * count  # one waits for each process
        self._many, self._alone = _Pool(settings, count), _Pool(settings, 1)
        self._one_alone = asyncio.Lock()

    async def start(self) -> None:
        """Starts the processes. Raises `RarrError` if they cannot build their revisers."""
        try:
            await asyncio.gather(*(self._many.call(_start) for _ in range(self._count)))
        except BrokenProcessPool:
            told = "a worker process ended while it started: give it more memory, and in your own script"
            raise SetupError(f'{told} call this under if __name__ == "__main__"') from None

    async def run(self, job: Job) -> Done:
        """Runs a job in a free process, and returns its record. The time in the queue counts."""
        asked = time.monotonic()
        with suppress(BrokenProcessPool):
            return raised(await self._many.call(_outcome, job, asked))
        async with self._one_alone:
            with suppress(BrokenProcessPool):
                return raised(await self._alone.call(_outcome, job, asked))
        raise RarrError(ENDED)

    async def aclose(self) -> None:
        """Kills the processes, with the jobs that they run."""
        for pool in (self._many, self._alone):
            await asyncio.to_thread(pool.end)


class _Pool:
    """Some processes, which are started at the first call, and replaced when one of them has died."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._settings, self._count = settings, count
        self._executor: ProcessPoolExecutor | None = None
        self._submitting = threading.Lock()

    async def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Calls the function in a process. Raises what it raises, and `BrokenProcessPool`."""
        return await asyncio.wrap_future(await asyncio.to_thread(self._submit, function, *arguments))

    def _submit(self, function: Callable[..., Result], *arguments: object) -> "Future[Result]":
        with self._submitting:
            try:
                return self._started().submit(function, *arguments)
            except BrokenProcessPool:
                # A process that died may have held the lock of the queue, for which the others wait.
                self.end()
                return self._started().submit(function, *arguments)

    def end(self) -> None:
        """Kills the processes and waits for them. Python has a public call for it from 3.14 on."""
        executor, self._executor = self._executor, None
        if executor is not None:
            for process in list((executor._processes or {}).values()):
                process.kill()
            executor.shutdown(wait=True, cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # At an interrupt this process ends at once; Python's tracker cleans up after it, with a warning.
            if _QUIET not in sys.warnoptions:
                sys.warnoptions.append(_QUIET)
            # A fork of a process with threads may hang; the server of forks is started before there are any.
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload([__name__, "rarr.agent.revise"])  # imported once for all
            self._executor = ProcessPoolExecutor(self._count, context, _begin, (self._settings,))
        return self._executor


_tasks: Tasks
"""What runs the jobs of this process; set only in a worker."""


def _begin(settings: Settings) -> None:
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


def _start() -> None:
    run(_tasks.start())


def _outcome(job: Job, asked: float) -> Done | Exception:
    """Returns the record of a job, or its error. `asked`: when the waiting began.

    A job at its deadline cancels its run, which writes the end of its trace while the next job begins.
    """
    with Path(os.devnull).open("w") as nowhere:
        if job.deadline_s is not None:
            left = max(0.01, job.deadline_s - (time.monotonic() - asked))
            job = replace(job, deadline_s=left)
            # This watch needs no lock of Python, which a library may hold for ever.
            faulthandler.dump_traceback_later(left + OVERRUN_S, exit=True, file=nowhere)
        try:
            return run(_tasks.outcome(job))
        finally:
            faulthandler.cancel_dump_traceback_later()
