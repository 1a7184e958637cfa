"""Runs the rows of a batch in actors of a Ray cluster, in place of worker processes of this machine."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rarr.batches.ray_cluster import connect, enter, require_ray
from rarr.errors import RarrError, SetupError
from rarr.records import Record
from rarr.serve.job_and_runner import Job, OnStep, WorkerLostError
from rarr.serve.tasks import Tasks
from rarr.serve.worker_main import sendable
from rarr.settings import Settings

PLACE_S = 300.0
"""Seconds to wait for a free core of the cluster. Its autoscaler may add a node meanwhile."""

_STARTS = 2
_REPLACEMENTS = 3
"""Failed replacements of an actor after which jobs no longer wait for it, if there is no other."""
_LONGEST_PAUSE_S = 30.0


class TaskActor:
    """The process of an actor. Its methods return errors, since Ray hides what they raise in its own."""

    def __init__(self, settings: Settings, folder: str) -> None:
        enter(folder)
        self._tasks = Tasks(settings)

    async def build(self) -> Exception | None:
        """Builds the reviser, and returns why it cannot be built."""
        try:
            await self._tasks.build()
        except Exception as error:
            return sendable(error)
        return None

    async def run(self, job: Job) -> Record | Exception:
        """Runs a job, and returns its record or its error."""
        try:
            return await self._tasks.run(job)
        except Exception as error:  # one job may fail; the actor goes on
            return sendable(error)

    async def watch(self) -> None:
        """Never returns, so that its caller learns at once when the actor dies."""
        await asyncio.Event().wait()


class RayActors:
    """A `Runner` with `count` actors. A job waits for a free one; an actor that dies is replaced.

    An actor takes one core. It runs one job at a time, and `concurrency` jobs with a language model, since
    they wait most of the time: if one kills the actor, all are lost. None: an actor for each core of the
    cluster, or one with a language model. The address is that of `connect`. Where no actor finds a core for
    `PLACE_S` seconds, jobs fail.
    """

    def __init__(self, settings: Settings, address: str, count: int | None) -> None:
        self._ray, self._settings, self._address, self._count = require_ray(), settings, address, count
        exceptions = self._ray.exceptions
        self._deaths = (exceptions.RayActorError, exceptions.OutOfMemoryError, exceptions.NodeDiedError)
        self._jobs_each = 1 if settings.is_embedded else settings.concurrency
        # An actor for each job that it could begin; None: ask `_failure`.
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        # Of each actor that one job has alone: its free places, which are not in `_free`.
        self._alone: dict[Any, asyncio.Semaphore] = {}
        self._failure: RarrError | None = None
        self._waiting, self._building = 0, 0
        self._ready = asyncio.Event()
        self._living: set[Any] = set()
        self._keepers: list[asyncio.Task[None]] = []
        # A cluster that `connect` starts ends with the thread that started it.
        self._connecting = ThreadPoolExecutor(1, thread_name_prefix="rarr-ray")
        self._connected_here, self._folder = False, ""

    @property
    def at_once(self) -> int:
        """Returns how many jobs to have at once: those that can run, and one more for each actor."""
        return (self._count or 1) * (self._jobs_each + 1)

    async def start(self) -> None:
        """Connects, and returns when an actor is ready. Raises `RarrError` if none can build its reviser.

        Whatever it raises, `aclose` ends what it began.
        """
        await self._on_thread(self._connect)
        self._folder = str(await self._on_thread(Path.cwd))
        if self._count is None:
            cores = (await self._on_thread(self._ray.cluster_resources)).get("CPU", 1)
            self._count = max(1, int(cores)) if self._settings.is_embedded else 1
        self._keepers = [asyncio.create_task(self._keep_one()) for _ in range(self._count)]
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait((ready, *self._keepers), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        for task in self._keepers:
            if task.done() and (error := task.exception()):
                raise error

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job in a free actor, and returns its record. Nodes are not reported from the cluster."""
        actor = await self._next_free()
        try:
            return await self._run_in(actor, job)
        finally:
            self._place_free(actor)

    async def run_alone(self, job: Job) -> Record:
        """Runs a job in an actor that runs no other meanwhile: if it kills the actor, no other is lost."""
        actor = await self._next_free()
        while not await self._emptied(actor):
            actor = await self._next_free()
        try:
            return await self._run_in(actor, job)
        finally:
            del self._alone[actor]
            for _ in range(self._jobs_each):
                self._place_free(actor)

    def ready(self) -> bool:
        """Tells whether an actor is ready, also while all are busy."""
        return bool(self._living)

    async def aclose(self) -> None:
        """Kills the actors, with the jobs that they run, and leaves the cluster."""
        for task in self._keepers:
            task.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        await self._on_thread(self._disconnect)  # after `_connect`, if that is still at work
        self._connecting.shutdown(wait=False)

    def _connect(self) -> None:
        self._connected_here = connect(self._address)

    def _disconnect(self) -> None:
        if self._connected_here:
            self._ray.shutdown()

    async def _run_in(self, actor: Any, job: Job) -> Record:
        try:
            outcome: Record | Exception = await actor.run.remote(job)
        except self._deaths:
            self._living.discard(actor)
            raise WorkerLostError from None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _place_free(self, actor: Any) -> None:
        """Offers the place of an ended job: to the job that wants its actor alone, or to any other."""
        if actor in self._alone:
            self._alone[actor].release()
        elif actor in self._living:
            self._free.put_nowait(actor)

    async def _emptied(self, actor: Any) -> bool:
        """Waits until the other jobs of an actor have ended, and gives it no new one. False if it died."""
        places = self._alone[actor] = asyncio.Semaphore(0)
        for _ in range(self._free.qsize()):
            free = self._free.get_nowait()
            places.release() if free is actor else self._free.put_nowait(free)
        for _ in range(self._jobs_each - 1):
            await places.acquire()
        if actor in self._living:
            return True
        del self._alone[actor]
        return False

    async def _next_free(self) -> Any:
        """Waits for an actor. Raises the last error if none is left, and none could be started again."""
        self._waiting += 1
        try:
            while True:
                if self._failure and not self._living:
                    raise self._failure
                if (actor := await self._free.get()) in self._living:
                    return actor
        finally:
            self._waiting -= 1

    async def _keep_one(self) -> None:
        """Makes an actor, and another one whenever it died. Raises `RarrError` if the first cannot start."""
        actor_class = self._ray.remote(TaskActor).options(num_cpus=1, max_concurrency=self._jobs_each + 1)
        failures = 0
        while True:
            actor = actor_class.remote(self._settings, self._folder)
            try:
                await self._built(actor)
                failures, self._failure = 0, None
                await self._watched(actor)
            except (RarrError, TimeoutError, *self._deaths) as error:
                failures += 1
                self._not_kept(error, failures)
            finally:
                self._living.discard(actor)
                self._ray.kill(actor)
            await asyncio.sleep(min(failures - 1, _LONGEST_PAUSE_S))

    async def _built(self, actor: Any) -> None:
        """Waits until the actor has built its reviser. Raises `RarrError` if it cannot build it, and
        `TimeoutError` if it finds no core.
        """
        try:
            await asyncio.wait_for(actor.__ray_ready__.remote(), PLACE_S)
        except TimeoutError:
            raise TimeoutError(await self._on_thread(self._no_place)) from None
        self._building += 1
        try:
            if error := await actor.build.remote():
                raise error
        finally:
            self._building -= 1

    def _not_kept(self, error: Exception, failures: int) -> None:
        """Raises `RarrError` if the first actor cannot start. Later, wakes the jobs that wait in vain."""
        if isinstance(error, TimeoutError):
            hopeless = not self._living and not self._building
        elif self._ready.is_set():
            hopeless = failures >= _REPLACEMENTS
        else:
            hopeless = isinstance(error, RarrError) or failures == _STARTS
        if hopeless and not self._ready.is_set():
            raise _start_error(error) from None
        if hopeless:
            self._failure = _start_error(error)
            for _ in range(self._waiting):
                self._free.put_nowait(None)

    def _no_place(self) -> str:
        cores, free = (
            int(resources.get("CPU", 0))
            for resources in (self._ray.cluster_resources(), self._ray.available_resources())
        )
        return (
            f"no actor found a core of the Ray cluster in {PLACE_S:.0f} s ({free} of {cores} are free):"
            " end other work of the cluster, or add nodes, and run again"
        )

    async def _watched(self, actor: Any) -> None:
        """Offers an actor for jobs. Raises one of `_deaths` when the actor dies."""
        self._living.add(actor)
        for _ in range(self._jobs_each):
            self._free.put_nowait(actor)
        self._ready.set()
        await actor.watch.remote()

    async def _on_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._connecting, work)


def _start_error(error: Exception) -> RarrError:
    if isinstance(error, RarrError):
        return error
    if isinstance(error, TimeoutError):
        return SetupError(str(error))
    return SetupError(
        "an actor ended several times while it started: give it more memory, and install the same versions"
        " of rarr, ray and Python on every node"
    )
