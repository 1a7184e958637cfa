"""Runs the server: starts its workers, listens, and at SIGTERM finishes what is under way."""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from rarr.serve.app import Application
from rarr.serve.gate import LONGEST_HEAD
from rarr.serve.jobs import Runner, Tasks
from rarr.serve.worker_processes import WorkerProcesses
from rarr.settings import Settings
from rarr.settings.serving import unserved
from rarr.tools.guard.listening import listening_socket

IDLE_S = 75
"""Seconds for which a connection without requests is kept: longer than clients and gateways keep theirs."""
_FACTS = ("run_id", "caller", "method", "route", "status", "ms", "mode", "outcome", "error")
"""The facts that a line of the log may hold. Nothing else is written, whatever a caller sent."""


async def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Serves until the process is told to end. `on_ready` is called with the address.

    Raises `InputError` for settings that cannot be served, and `RarrError` where something is missing.
    """
    runner = made_runner(settings)
    # It refuses settings that are not safe; it reads certificates, which takes a while.
    application = await asyncio.to_thread(Application, settings, runner)
    listening_socket(settings.serve_host, settings.serve_port).close()  # a wrong address is an error at once
    try:
        await runner.start()
        with listening_socket(settings.serve_host, settings.serve_port) as listening:
            host = f"[{settings.serve_host}]" if ":" in settings.serve_host else settings.serve_host
            on_ready(f"http://{host}:{listening.getsockname()[1]}/v1")
            await HttpServer(application, settings).serve(sockets=[listening])
    finally:
        await application.upstream.aclose()
        await runner.aclose()


def made_runner(settings: Settings) -> Runner:
    """Makes worker processes; for a language model, whose runs wait most of the time, this process runs."""
    # Workers get no tokens and no keys, so a worker cannot leak them.
    plain = unserved(settings).model_copy(update={"serve_corpora": settings.serve_corpora})
    if settings.is_embedded:
        return WorkerProcesses(plain, settings.serve_workers or os.cpu_count() or 1)
    return Tasks(plain)


class HttpServer(uvicorn.Server):
    """The HTTP server of an application. It is made in the event loop that runs it."""

    def __init__(self, application: Application, settings: Settings) -> None:
        self._desk, self._shutdown_s = application.desk, settings.serve_shutdown_s
        self._loop = asyncio.get_running_loop()
        super().__init__(
            uvicorn.Config(
                application.asgi,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=IDLE_S,
                timeout_graceful_shutdown=round(settings.serve_shutdown_s + 1),
                h11_max_incomplete_event_size=LONGEST_HEAD,
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins to shut down: requests under way have some seconds, then the originals go out."""
        self._loop.call_soon_threadsafe(self._desk.stop_after, 0.8 * self._shutdown_s)
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # the process ends in order, with the status of the command


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON, without keys and texts."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line: time, level, event, and the known facts of the record."""
        day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        event = record.getMessage()
        if not record.name.startswith("rarr"):  # its arguments and traceback may hold what a caller sent
            event = f"{record.name}: {str(record.msg).partition(chr(10))[0][:200]}"
        line = {"time": f"{day}.{record.msecs:03.0f}Z", "level": record.levelname.lower(), "event": event}
        line |= {name: value for name in _FACTS if (value := getattr(record, name, None)) is not None}
        return json.dumps(line, ensure_ascii=False)


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Makes the log of the process lines of JSON on standard error in the block."""
    root, own = logging.getLogger(), logging.getLogger("rarr")
    before = root.handlers[:], root.level, own.level
    root.handlers[:] = [handler := logging.StreamHandler(sys.stderr)]
    handler.setFormatter(JsonLines())
    root.setLevel(logging.WARNING)
    own.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        own.setLevel(before[2])
