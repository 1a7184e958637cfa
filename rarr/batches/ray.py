"""Runs the rows of `rarr batch --ray` in actors of a Ray cluster (extra `ray`)."""

import asyncio
import logging
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from rarr.batches.jobs import ENDED_TWICE, InProcessRunner, Job, JobResult, result_or_raise
from rarr.errors import InputError, RarrError, SetupError
from rarr.settings import Settings, set_environment_variable

CONNECT_S = 10.0
"""Seconds to wait for an answer from the address of a cluster."""
CORE_WAIT_S = 300.0
"""Seconds to wait for a free core of the cluster. In this time, an autoscaler may add a node."""


def import_ray() -> Any:
    """Imports and returns the module `ray`. Raises `SetupError` if Ray is not installed."""
    # A cluster of this process must not send data about its use. Ray reads this variable at its import.
    set_environment_variable("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise SetupError('Ray needs a package: pip install "rarr[ray]"') from None
    return ray


def _connect(ray: Any, address: str) -> None:
    options = {"include_dashboard": False} if address == "local" else {}
    try:
        if address not in ("local", "auto"):  # without a cluster there, Ray would end this process
            host, _, port = address.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
        # The results say which rows failed, and why. Ray's own lines would break the progress line.
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        cure = "give the HOST:PORT that ray start printed, auto on a node of the cluster, or local"
        raise InputError(f"no Ray cluster at {address} ({reason}): {cure}") from None
    # Ray prints messages about lost processes to standard output, even with `log_to_driver=False`. No public
    # option stops them, and standard output is for results.
    ray._private.worker._worker_logs_enabled = False


class RunnerActor(InProcessRunner):
    """The runner in an actor (a process of Ray). Call `result_or_error`: Ray wraps raised errors."""

    def __init__(self, settings: Settings, folder: str) -> None:
        # Relative paths in the settings start at the folder of the caller. If a node lacks this folder, only
        # relative paths fail, each with its own error.
        with suppress(OSError):
            os.chdir(folder)
        super().__init__(settings)


class RayActors:
    """Runs jobs in `count` Ray actors (processes on the cluster), each on one core.

    An actor runs one job at a time; with a language model, `concurrency` jobs, since they mostly wait. If an
    actor dies, Ray restarts the actor. Each job of the dead actor runs once more, alone in a new actor. If
    `count` is None, each core of the cluster gets an actor; with a language model, there is only one actor.
    `address` is HOST:PORT, `auto` (the cluster of this machine) or `local` (starts a cluster). If this
    process is already connected to a cluster, `address` is ignored.
    """

    def __init__(self, settings: Settings, address: str, count: int | None) -> None:
        """Connects to the cluster. Raises `InputError` if there is no cluster at the address.

        A `local` cluster ends with the thread that makes this object.
        """
        self._ray = import_ray()
        self._connected_here = not self._ray.is_initialized()
        if self._connected_here:
            _connect(self._ray, address)
        errors = self._ray.exceptions
        self._death_errors = (errors.RayActorError, errors.OutOfMemoryError, errors.NodeDiedError)
        self._settings, self._folder = settings, str(Path.cwd())
        self._jobs_each = 1 if settings.is_embedded else settings.concurrency
        cores = int(self._ray.cluster_resources().get("CPU", 1)) if settings.is_embedded else 1
        self._count = count or max(1, cores)
        self.at_once = self._count * (self._jobs_each + 1)  # jobs that run, and one that waits for each actor
        self._free: asyncio.Queue[Any] = asyncio.Queue()  # an actor is in it once for each free place
        self._single_retry = asyncio.Lock()
        self._actors: list[Any] = []

    async def start(self) -> None:
        """Starts the actors. Raises `RarrError` if an actor finds no free core, or cannot be built."""
        self._actors = [self._new_actor(num_cpus=1) for _ in range(self._count)]
        for actor in self._actors:
            try:
                error = await asyncio.wait_for(actor.result_or_error.remote(None), CORE_WAIT_S)
            except TimeoutError:
                told = f"no actor found a core of the Ray cluster in {CORE_WAIT_S:.0f} s"
                raise SetupError(f"{told}: end other work, or add nodes, and run again") from None
            except self._death_errors:
                cure = "give it more memory, and every node the same versions of rarr, ray and Python"
                raise SetupError(f"an actor ended while it started: {cure}") from None
            if error is not None:
                raise error
        for actor in self._actors * self._jobs_each:
            self._free.put_nowait(actor)

    async def run(self, job: Job) -> JobResult:
        """Waits for a free actor, and runs a job in it. If the actor dies, uses a new actor for this job."""
        actor = await self._free.get()
        try:
            with suppress(*self._death_errors):
                return result_or_raise(await actor.result_or_error.remote(job))
        finally:
            self._free.put_nowait(actor)
        async with self._single_retry:
            alone = self._new_actor(num_cpus=0)  # the other actors use all cores
            try:
                with suppress(*self._death_errors):
                    return result_or_raise(await alone.result_or_error.remote(job))
            finally:
                self._ray.kill(alone)
        raise RarrError(ENDED_TWICE)

    async def aclose(self) -> None:
        """Kills the actors and the jobs that they run, and disconnects from the cluster."""
        for actor in self._actors:
            self._ray.kill(actor)
        if self._connected_here:
            await asyncio.to_thread(self._ray.shutdown)

    def _new_actor(self, num_cpus: int) -> Any:
        options = {"num_cpus": num_cpus, "max_restarts": -1, "max_concurrency": self._jobs_each + 1}
        return self._ray.remote(RunnerActor).options(**options).remote(self._settings, self._folder)
