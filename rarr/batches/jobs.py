"""Runs jobs in this process or in worker processes. A job is one text to postprocess or verify."""

import asyncio
import faulthandler
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, ValidationError

from rarr.agent.inputs import context_text
from rarr.agent.postprocess import untouched_result
from rarr.errors import InputError, RarrError, SetupError
from rarr.records import Notice, Verification
from rarr.records.postprocessing import Outcome, Postprocessed
from rarr.settings import Settings
from rarr.settings.reading import cure_of
from rarr.tools.concurrency import by_deadline, in_thread, run

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

JobResult = Postprocessed | Verification
"""The result of a job: `Postprocessed` for the task postprocess, `Verification` for verify."""
Task = Literal["postprocess", "verify"]
ENDED_TWICE = "the process that ran it ended twice: give the workers more memory, or divide the text"
OVERRUN_S = 10.0
"""If a job still runs so many seconds after its deadline, its process is ended."""


@dataclass(frozen=True)
class Job:
    """A text, and what to do with it. A job can be pickled.

    `task` is to postprocess the text, or to verify it as a claim. `context` is the question, or the messages
    of the conversation. `sources` are passages that the caller gives. `deadline_s` is the number of seconds
    for the job, or None. `options` are further arguments of the task, such as `mode`.
    """

    task: Task
    text: str
    run_id: str
    context: str | Sequence[Mapping[str, Any]] | None = None
    sources: tuple[str | Mapping[str, Any], ...] = ()
    deadline_s: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def _require_readable_sources(sources: object) -> object:
    from rarr.retrievers.given_passages import given_passage  # not at the top: a batch does not need it

    try:
        for number, source in enumerate(sources if isinstance(sources, list) else (), start=1):
            given_passage(source, number, f"passage {number}")
    except InputError as error:
        raise ValueError(str(error)) from None
    return sources


Sources = Annotated[list[str | dict[str, Any]], BeforeValidator(_require_readable_sources)]
"""Passages that a caller gives: texts, or objects with `text`, `title` and `source` (never opened)."""


def first_wrong_value(error: ValidationError, names: tuple[str, ...] = ()) -> tuple[str, str]:
    """Returns two texts: the place of the first wrong value (such as "deadline_s"), and what to give instead.

    `names` are the permitted keys of the outermost object. For an unknown key, the second text lists them.
    """
    first = error.errors(include_input=False, include_url=False)[0]
    told = f"unknown key: give {', '.join(names)}" if first["type"] == "extra_forbidden" else cure_of(first)
    place = first["loc"]
    if place[-1:] == ("str",):  # a context is a text or a list of messages
        place, told = place[:-1], "give a text, or messages with role and content"
    return ".".join(map(str, place)), told


def picklable_error(error: Exception) -> Exception:
    """Returns a `RarrError`, which can be pickled: `error` itself, or a new error that names its class."""
    return error if isinstance(error, RarrError) else RarrError(f"a defect of rarr, {type(error).__name__}")


def result_or_raise(outcome: JobResult | Exception) -> JobResult:
    """Returns `outcome` if it is the result of a job. If it is an error, raises it."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class Runner(Protocol):
    """The interface of an object that runs jobs: in this process, in worker processes, or on a cluster."""

    at_once: int
    """The number of jobs that a caller should have in the runner at the same time."""

    async def start(self) -> object:
        """Builds all objects that jobs need. Raises `RarrError` if a package, model or source is missing."""

    async def run(self, job: Job) -> JobResult:
        """Runs a job and returns its result. Raises `InputError` for a wrong job, `RarrError` if it fails."""

    async def aclose(self) -> None:
        """Closes the objects that `start` built, or ends the processes that it started."""


class InProcessRunner:
    """A `Runner` that runs jobs in this process, with a reviser that it builds."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._starting = settings, asyncio.Lock()
        self._reviser: Reviser | None = None
        self.at_once = settings.concurrency

    async def start(self) -> "Reviser":
        """Returns the reviser. The first call builds it, and raises `RarrError` if that is not possible."""
        async with self._starting:
            if self._reviser is None:
                self._reviser = await in_thread(_build_reviser, self._settings)
                gc.freeze()  # else each collection visits 200,000 objects of libraries, for 0.1 s
            return self._reviser

    async def run(self, job: Job) -> JobResult:
        reviser = await self.start()
        if job.task == "verify":
            from rarr.agent.verify import averify_by_search  # not at the top: a batch does not need it

            call = averify_by_search(reviser, job.text, context_text(job.context, job.text), job.sources)
            verified = await by_deadline(call, job.deadline_s)
            return verified or unchanged_result(job, "deadline", "not checked: the deadline came first")
        options = {"deadline_s": job.deadline_s, "run_id": job.run_id, **job.options}
        return await reviser.apostprocess(job.text, job.context, job.sources or None, **options)

    async def result_or_error(self, job: Job | None) -> JobResult | Exception | None:
        """Returns the job's result, or an error that can be pickled. If `job` is None, builds the reviser."""
        try:
            await self.start()
            return await self.run(job) if job else None
        except Exception as error:  # the process must survive a failed job
            return picklable_error(error)

    async def aclose(self) -> None:
        """Closes the reviser, with its files and connections."""
        if self._reviser is not None:
            await self._reviser.aclose()


def _build_reviser(settings: Settings) -> "Reviser":
    from rarr.agent.revise import Reviser  # the long import would block the event loop

    return Reviser(settings)


def unchanged_result(job: Job, outcome: Outcome, notice: str) -> JobResult:
    """Makes the result of a job that did not finish: the text is unchanged, and `notice` says why."""
    if job.task == "verify":
        return Verification(claim=job.text, warnings=(Notice(code=outcome, message=notice, node=""),))
    return untouched_result(job.text, job.options.get("mode", "revise"), outcome, notice)


class WorkerProcesses:
    """A `Runner` with `count` processes. Each process runs one job at a time.

    If a process dies, its job runs once more in a new process. Each process has its own pipe. The reason: a
    process that is killed while it sends would lock the shared queue of a `ProcessPoolExecutor` for ever.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self.at_once = 2 * count  # for each process, one job runs and one job waits

        def block_interrupts() -> None:  # a process inherits this: the parent decides when it ends
            resource_tracker.ensure_running()  # its start would unblock the signal
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))

        self._threads = ThreadPoolExecutor(count, "rarr-worker", block_interrupts)  # each waits for a process
        self._workers = [_Worker(settings) for _ in range(count)]
        self._free = SimpleQueue[_Worker]()
        for worker in self._workers:
            self._free.put(worker)

    async def start(self) -> None:
        """Starts the processes. Raises `RarrError` if they cannot build their revisers."""
        try:
            errors = await asyncio.gather(*(self._call_worker(None) for _ in self._workers))
        except EOFError:
            told = "a worker process ended while it started: give it more memory, and in your own script"
            raise SetupError(f'{told} call this under if __name__ == "__main__"') from None
        for error in filter(None, errors):
            raise error

    async def run(self, job: Job) -> JobResult:
        """Runs a job in a free process. The job's deadline includes the wait for a free process."""
        asked = time.monotonic()
        for _ in range(2):
            with suppress(EOFError):
                return result_or_raise(await self._call_worker((job, asked)))
        raise RarrError(ENDED_TWICE)

    async def aclose(self) -> None:
        """Kills the processes and the jobs that they run."""
        self._threads.shutdown(wait=False, cancel_futures=True)  # from here on, no job begins
        for worker in self._workers:
            worker.kill()
        await asyncio.to_thread(self._threads.shutdown)

    async def _call_worker(self, call: "_Call") -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._call_free_worker, call)

    def _call_free_worker(self, call: "_Call") -> Any:
        worker = self._free.get()
        try:
            return worker.answer(call)
        finally:
            self._free.put(worker)


_Call = tuple[Job, float] | None
"""A job, and the time when it began to wait for a process. None asks a process to build its reviser."""


class _Worker:
    """A worker process with its own pipe. `answer` starts the process if it does not run."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._started: tuple[BaseProcess, Connection] | None = None

    def answer(self, call: _Call) -> Any:
        """Sends a job. Returns its result or its error. Raises `EOFError` if the process ends first."""
        try:
            self._started = self._started or self._start()
            self._started[1].send(call)
            return self._started[1].recv()
        except (EOFError, OSError):
            if self._started:
                process, pipe = self._started
                self._started = None
                process.kill()
                process.join()
                pipe.close()
            raise EOFError from None

    def kill(self) -> None:
        if self._started:
            self._started[0].kill()

    def _start(self) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("forkserver")  # a fork of a process with threads may hang
        context.set_forkserver_preload([__name__, "rarr.agent.revise"])  # one import for all workers
        near, far = context.Pipe()
        with far:  # only the new process keeps this end open
            process = context.Process(target=_run_worker, args=(self._settings, far))
            process.start()
        return process, near


def _run_worker(settings: Settings, pipe: Connection) -> None:
    """The main function of a worker process: runs the jobs of the parent process until the parent ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="rarr-server-watch", daemon=True).start()
    runner = InProcessRunner(settings)
    with suppress(EOFError, OSError):
        while True:
            call: _Call = pipe.recv()
            pipe.send(_run_job(runner, *call) if call else run(runner.result_or_error(None)))


def _end_with_parent() -> None:
    """Ends this process as soon as its parent process has ended, even during a job."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


def _run_job(runner: InProcessRunner, job: Job, asked: float) -> JobResult | Exception | None:
    """Returns the result of a job, or its error. `asked`: the time when the job began to wait.

    At the deadline, the run of the job is cancelled. The next job may begin while the run writes its trace.
    """
    with Path(os.devnull).open("w") as nowhere:
        if job.deadline_s is not None:
            left = max(0.01, job.deadline_s - (time.monotonic() - asked))
            job = replace(job, deadline_s=left)
            # A library may hold Python's lock for ever. This timer ends the process without the lock.
            faulthandler.dump_traceback_later(left + OVERRUN_S, exit=True, file=nowhere)
        try:
            return run(runner.result_or_error(job))
        finally:
            faulthandler.cancel_dump_traceback_later()
