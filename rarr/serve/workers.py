"""Runs jobs in worker processes, so that what they compute does not keep the event loop waiting.

A process runs one job at a time. When it dies, its job fails, and another process takes its place.
"""

import asyncio
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from rarr.errors import RarrError, SetupError
from rarr.records import Record
from rarr.serve.job_and_runner import Job, NoTimeError, OnStep, WorkerLostError
from rarr.serve.worker_main import answer_jobs
from rarr.settings import Settings

LATEST = 0.1
"""The weight of the latest job in the mean seconds of a job."""
OVERRUN_S = 10.0
"""Seconds after its deadline at which a job counts as hanging, and its process is killed."""

_STARTS = 2
_PAUSE_S = 1.0
"""Seconds after the first failed replacement of a process; after each further one, so many more."""
_REPLACEMENTS = 3
"""Failed replacements of a process after which jobs no longer wait for it, if there is no other."""


class Worker:
    """One worker process, which runs one job at a time. Its methods block; they belong on a thread."""

    def __init__(self, settings: Settings) -> None:
        # A fork of a process with threads may hang; the server of forks is started before there are any.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rarr.serve.worker_main"])
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=answer_jobs, args=(other, settings), daemon=True)
        self._process.start()
        other.close()  # or the end of the process would not end the pipe

    def wait_ready(self) -> None:
        """Waits until the process has built its reviser. Raises `RarrError` if it cannot."""
        self._receive(None)

    def run(self, job: Job, on_step: OnStep) -> Record:
        """Runs a job, and returns its record. `on_step` is called with each finished node.

        Raises what the job raised, and `WorkerLostError` if the process ended.
        """
        try:
            self._pipe.send(job)
        except OSError:
            raise WorkerLostError from None
        record: Record = self._receive(on_step)
        return record

    def _receive(self, on_step: OnStep | None) -> Any:
        while True:
            try:
                kind, value = self._pipe.recv()
            except (EOFError, OSError):
                raise WorkerLostError from None
            if kind == "failed":
                raise value
            if kind == "done":
                return value
            if on_step is not None:
                on_step(value)

    @property
    def pid(self) -> int | None:
        """Returns the number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Tells whether the process has not ended."""
        return self._process.is_alive()

    def kill(self) -> None:
        """Ends the process at once. A job that it runs fails."""
        self._process.kill()

    def end(self) -> None:
        """Kills the process, and waits for its end."""
        self.kill()
        self._process.join()
        self._pipe.close()


class WorkerPool:
    """A `Runner` with a number of `processes`. Jobs wait until a process is free.

    A job that by the mean seconds of jobs would not be done in time does not wait: it would only keep a
    process from a job that can be done.
    """

    def __init__(self, settings: Settings, processes: int) -> None:
        self._settings, self._count = settings, processes
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="rarr-job")
        self._free: asyncio.Queue[Worker | None] = asyncio.Queue()  # None: ask `_failure`
        self._failure: RarrError | None = None
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._closed = asyncio.Event()
        self._waiting, self._mean_s = 0, 0.0
        self.replaced = 0
        """The number of processes that died and were replaced."""

    async def start(self) -> None:
        """Starts the processes. Raises `RarrError` if they cannot build their revisers."""
        starting = (self._add_first() for _ in range(self._count))
        outcomes = await asyncio.gather(*starting, return_exceptions=True)
        for error in outcomes:
            if error is not None:
                await self.aclose()  # or the processes that did start would never end
                raise error

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job in a free process, and returns its record. `on_step` is called with each finished node.

        A caller that is cancelled leaves a begun job to its end.
        """
        loop = asyncio.get_running_loop()
        asked = loop.time()
        self._require_time(job)
        worker = await self._next_free()
        began = loop.time()
        if job.deadline_s is not None:
            job = replace(job, deadline_s=max(0.01, job.deadline_s - (began - asked)))

        def tell(node: str) -> None:
            if on_step is not None:
                loop.call_soon_threadsafe(on_step, node)

        running = loop.run_in_executor(self._threads, worker.run, job, tell)
        late = None
        if job.deadline_s is not None:
            late = loop.call_later(job.deadline_s + OVERRUN_S, worker.kill)
        self._keep(running)
        running.add_done_callback(partial(self._done, worker, late, began))
        return await asyncio.shield(running)

    def ready(self) -> bool:
        """True if at least one process has built its reviser, also while all are busy."""
        return bool(self._workers)

    @property
    def pids(self) -> Sequence[int]:
        """Returns the numbers of the processes."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

    async def aclose(self) -> None:
        """Kills the processes, with the jobs that they run."""
        self._closed.set()
        workers, self._workers = list(self._workers), set()
        await asyncio.gather(*(asyncio.to_thread(worker.end) for worker in workers))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False)

    def _require_time(self, job: Job) -> None:
        """Raises `NoTimeError` if those that wait leave the job no time."""
        if job.deadline_s is None or not self._free.empty():
            return
        turns = 1 + self._waiting / max(1, len(self._workers))
        if turns * self._mean_s > job.deadline_s:
            raise NoTimeError

    async def _next_free(self) -> Worker:
        """Waits for a process. One that died while it had no job is replaced, and costs no answer.

        Raises the last error if no process is left, and none could be started several times.
        """
        self._waiting += 1
        try:
            while True:
                if self._failure and not self._workers:
                    raise self._failure
                worker = await self._free.get()
                if worker and worker.is_alive:
                    return worker
                if worker:
                    self._lost(worker)
        finally:
            self._waiting -= 1

    def _lost(self, worker: Worker) -> None:
        if not self._closed.is_set():
            self._workers.discard(worker)
            self.replaced += 1
            self._keep(asyncio.ensure_future(self._replace(worker)))

    async def _add_first(self) -> None:
        for _ in range(_STARTS):
            with suppress(WorkerLostError):
                return await self._add()
        raise _ended_while_it_started(_STARTS)

    async def _add(self) -> None:
        worker = await asyncio.to_thread(Worker, self._settings)
        try:
            await asyncio.to_thread(worker.wait_ready)
        except BaseException:
            await asyncio.to_thread(worker.end)
            raise
        if self._closed.is_set():
            await asyncio.to_thread(worker.end)
            return
        self._workers.add(worker)
        self._free.put_nowait(worker)

    def _done(
        self,
        worker: Worker,
        late: asyncio.TimerHandle | None,
        began: float,
        running: "asyncio.Future[Record]",
    ) -> None:
        if late is not None:
            late.cancel()
        if not isinstance(running.exception(), WorkerLostError):
            spent = asyncio.get_running_loop().time() - began
            self._mean_s += (LATEST if self._mean_s else 1.0) * (spent - self._mean_s)
            self._free.put_nowait(worker)
        else:
            self._lost(worker)

    async def _replace(self, dead: Worker) -> None:
        await asyncio.to_thread(dead.end)
        for tries in count(1):
            try:
                await self._add()
            except Exception as error:  # such as a full disk, or no memory, which may pass
                self._not_replaced(error, tries)
            else:
                self._failure = None
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), min(tries * _PAUSE_S, 30))
            if self._closed.is_set():
                return

    def _not_replaced(self, error: Exception, tries: int) -> None:
        """Notes the failure of a replacement after several tries, and wakes the jobs that wait."""
        if tries >= _REPLACEMENTS:
            self._failure = error if isinstance(error, RarrError) else _ended_while_it_started(tries)
            for _ in range(self._waiting):
                self._free.put_nowait(None)

    def _keep(self, task: "asyncio.Future[Any]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _ended_while_it_started(times: int) -> SetupError:
    return SetupError(
        f"a worker process ended {times} times while it started: give it more memory, and in your own"
        ' script call this under if __name__ == "__main__"'
    )
