"""Is the main program of a worker process: it builds a reviser, and runs jobs until its pipe ends."""

import asyncio
import os
import signal
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from rarr.errors import RarrError
from rarr.serve.jobs import Job
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
    with asyncio.Runner() as runner:
        tasks = Tasks(settings)
        try:
            runner.run(tasks.build())
        except Exception as error:
            pipe.send(("failed", sendable(error)))
            return
        try:
            pipe.send(("done", None))
            while True:
                job = pipe.recv()
                pipe.send(runner.run(_outcome(tasks, job, pipe)))
        except (EOFError, OSError):  # the server has ended
            pass


def _end_with_the_server() -> None:
    """Ends this process when that of the server has ended, however it did, and in the middle of a job."""
    if (server := parent_process()) is not None:
        server.join()
        os._exit(1)


async def _outcome(tasks: Tasks, job: Job, pipe: Connection) -> tuple[str, Any]:
    try:
        return "done", await tasks.run(job, lambda node: pipe.send(("step", node)))
    except Exception as error:  # one job may fail; the process goes on
        return "failed", sendable(error)


def sendable(error: Exception) -> Exception:
    """Returns a `RarrError` as it is, and any other error as a `RuntimeError` that can be pickled."""
    return error if isinstance(error, RarrError) else RuntimeError(f"{type(error).__name__}: {error}")
