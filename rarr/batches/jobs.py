"""Runs jobs, one text each, here or in worker processes; the original goes out where a job fails."""

import asyncio
import faulthandler
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
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

Done = Postprocessed | Verification
"""The record of a job, by its task."""
Task = Literal["postprocess", "verify"]
ENDED = "the process that ran it ended twice: give the workers more memory, or divide the text"
OVERRUN_S = 10.0
"""Seconds after its deadline at which a job counts as hanging, and its process ends."""


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
    told = f"unknown key: give {', '.join(names)}" if first["type"] == "extra_forbidden" else cure_of(first)
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

            call = averify_by_search(reviser, job.text, context_text(job.context, job.text), job.sources)
            verified = await by_deadline(call, job.deadline_s)
            return verified or original(job, "deadline", "not checked: the deadline came first")
        options = {"deadline_s": job.deadline_s, "run_id": job.run_id, **job.options}
        return await reviser.apostprocess(job.text, job.context, job.sources or None, **options)

    async def start_error(self) -> Exception | None:
        """Builds the reviser. Returns the error if that fails; else None."""
        try:
            await self.start()
        except Exception as error:
            return sendable(error)
        return None

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
    return untouched_result(job.text, job.options.get("mode", "revise"), outcome, notice)


class WorkerProcesses:
    """A `Runner` with a number of processes, each of which runs one job at a time.

    A job whose process dies runs once more, in a new one. It costs no other job anything: each process has a
    pipe of its own, while those of a `ProcessPoolExecutor` share queues with locks, which one that is killed
    in the middle of a result leaves locked for ever.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self.at_once = 2 * count  # one waits for each process
        self._threads = ThreadPoolExecutor(count, "rarr-worker")  # each waits for a process
        self._workers = [_Worker(settings) for _ in range(count)]
        self._free = SimpleQueue[_Worker]()
        for worker in self._workers:
            self._free.put(worker)

    async def start(self) -> None:
        """Starts the processes. Raises `RarrError` if they cannot build their revisers."""
        try:
            errors = await asyncio.gather(*(self._answer(None) for _ in self._workers))
        except EOFError:
            told = "a worker process ended while it started: give it more memory, and in your own script"
            raise SetupError(f'{told} call this under if __name__ == "__main__"') from None
        for error in filter(None, errors):
            raise error

    async def run(self, job: Job) -> Done:
        """Runs a job in a free process, and returns its record. The time in the queue counts."""
        asked = time.monotonic()
        for _ in range(2):
            with suppress(EOFError):
                return raised(await self._answer((job, asked)))
        raise RarrError(ENDED)

    async def aclose(self) -> None:
        """Kills the processes, with the jobs that they run."""
        self._threads.shutdown(wait=False, cancel_futures=True)  # no job begins now
        for worker in self._workers:
            worker.kill()
        await asyncio.to_thread(self._threads.shutdown)

    async def _answer(self, call: "_Call") -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer_of_one, call)

    def _answer_of_one(self, call: "_Call") -> Any:
        worker = self._free.get()
        try:
            return worker.answer(call)
        finally:
            self._free.put(worker)


_Call = tuple[Job, float] | None
"""A job, and when its waiting began. None: build the reviser."""


class _Worker:
    """A process with a pipe of its own. It starts at the first call, and at the first after its end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._started: tuple[BaseProcess, Connection] | None = None

    def answer(self, call: _Call) -> Any:
        """Returns the outcome of the job, or the error of the start. Raises `EOFError`: the process ended."""
        process, pipe = self._started = self._started or self._start()
        try:
            pipe.send(call)
            return pipe.recv()
        except (EOFError, OSError):
            self._started = None
            process.kill()
            process.join()
            pipe.close()
            raise EOFError from None

    def kill(self) -> None:
        """Kills the process, with its job."""
        if self._started:
            process, _ = self._started
            process.kill()

    def _start(self) -> tuple[BaseProcess, Connection]:
        # A fork of a process with threads may hang; the server of forks is started before there are any.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__, "rarr.agent.revise"])  # imported once for all
        near, far = context.Pipe()
        with far:  # its only other end is that of the process
            process = context.Process(target=_work, args=(self._settings, far))
            process.start()
        return process, near


_tasks: Tasks
"""What runs the jobs of this process; set only in a worker."""


def _work(settings: Settings, pipe: Connection) -> None:
    """Runs in the worker process: answers calls until the server ends."""
    global _tasks
    # The server decides when its workers end: an interrupt at the terminal reaches them too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, name="rarr-server-watch", daemon=True).start()
    _tasks = Tasks(settings)
    with suppress(EOFError, OSError):
        while True:
            call: _Call = pipe.recv()
            pipe.send(_outcome(*call) if call else run(_tasks.start_error()))


def _end_with_the_server() -> None:
    """Ends this process when that of the server has ended, however it did, and in the middle of a job."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


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
