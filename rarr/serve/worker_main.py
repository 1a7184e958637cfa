"""Is the main program of a worker process: it builds a reviser, and runs jobs until its pipe ends."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from rarr.errors import RarrError
from rarr.serve.job_and_runner import DefectError, Job
from rarr.serve.tasks import Tasks
from rarr.settings import Settings


def answer_jobs(pipe: Connection, settings: Settings) -> None:
    """Answers jobs from `pipe` with ("step", node) for each node, then ("done", record) or ("failed", error).

    The first answer tells whether the reviser could be built.
    """
    # The server decides when its workers end: an interrupt at the terminal reaches them too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, name="rarr-server-watch", daemon=True).start()
    asyncio.run(_answered(pipe, settings))


async def _answered(pipe: Connection, settings: Settings) -> None:
    """Answers jobs until the server ends. The event loop runs on between jobs.

    A job at its deadline cancels its run and waits no longer for it: the run ends, and writes the end of its
    trace, while the process waits for the next job.
    """
    tasks = Tasks(settings)
    try:
        await tasks.build()
    except Exception as error:
        pipe.send(("failed", sendable(error)))
        return
    with ThreadPoolExecutor(1, "rarr-jobs") as waiting, suppress(EOFError, OSError):  # the server has ended
        pipe.send(("done", None))
        while True:
            job = await asyncio.get_running_loop().run_in_executor(waiting, pipe.recv)
            pipe.send(await asyncio.create_task(_outcome(tasks, job, pipe)))


def _end_with_the_server() -> None:
    """Ends this process when that of the server has ended, however it did, and in the middle of a job."""
    if (server := parent_process()) is not None:
        server.join()
        os._exit(1)


async def _outcome(tasks: Tasks, job: Job, pipe: Connection) -> tuple[str, Any]:
    ended = False

    def tell(node: str) -> None:
        if not ended:  # a run that goes on after its job has no listener any more
            pipe.send(("step", node))

    try:
        return "done", await tasks.run(job, tell)
    except Exception as error:  # one job may fail; the process goes on
        return "failed", sendable(error)
    finally:
        ended = True


def sendable(error: Exception) -> Exception:
    """Returns a `RarrError` as it is, and any other error as a `DefectError`, which can be pickled."""
    return error if isinstance(error, RarrError) else DefectError(type(error).__name__, str(error))
