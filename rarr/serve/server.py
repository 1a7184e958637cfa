"""Runs the server: starts its workers, listens, and at SIGTERM finishes what is under way."""

import asyncio
import os
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rarr.errors import SettingsError
from rarr.serve.app import Application
from rarr.serve.callers import Callers
from rarr.serve.in_process import InProcess
from rarr.serve.job_and_runner import Runner
from rarr.serve.request_admission import LONGEST_HEAD
from rarr.serve.workers import WorkerPool
from rarr.settings import Settings
from rarr.settings.serving import unserved
from rarr.tools.guard.listening import is_loopback, listening_socket

IDLE_S = 75
"""Seconds for which a connection without requests is kept: longer than clients and gateways keep theirs."""


async def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Serves until the process is told to end. `on_ready` is called with the address.

    Raises `InputError` for settings that cannot be served, and `RarrError` where something is missing.
    """
    require_safe(settings)
    listening = listening_socket(settings.serve_host, settings.serve_port)
    try:
        runner = made_runner(settings)
        application = Application(settings, runner)
        try:
            await runner.start()
            host = f"[{settings.serve_host}]" if ":" in settings.serve_host else settings.serve_host
            on_ready(f"http://{host}:{listening.getsockname()[1]}/v1")
            await HttpServer(application, settings).serve(sockets=[listening])
        finally:
            await application.upstream.aclose()
            await runner.aclose()
    finally:
        listening.close()


def require_safe(settings: Settings) -> None:
    """Raises `SettingsError` for a server that other machines could use without a token."""
    if not is_loopback(settings.serve_host) and not Callers(settings).known:
        raise SettingsError(
            f"--host {settings.serve_host} lets other machines in: set RARR_SERVE_TOKEN, which callers send"
        )


def made_runner(settings: Settings) -> Runner:
    """Makes a pool of worker processes; for a language model, a runner in this process."""
    # Workers get no tokens and no keys, so a worker cannot leak them.
    plain = unserved(settings).model_copy(update={"serve_corpora": settings.serve_corpora})
    if settings.is_embedded:
        return WorkerPool(plain, settings.serve_workers or os.cpu_count() or 1)
    return InProcess(plain)


class HttpServer(uvicorn.Server):
    """The HTTP server of an application. It is made in the event loop that runs it."""

    def __init__(self, application: Application, settings: Settings) -> None:
        self._desk, self._shutdown_s = application.desk, settings.serve_shutdown_s
        self._loop = asyncio.get_running_loop()
        super().__init__(
            uvicorn.Config(
                application.asgi,
                http=_protocol(settings.serve_body_timeout_s),
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


def _protocol(head_s: float) -> type[H11Protocol]:
    """Makes the protocol, which closes connections that do not send the head of a request in time."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._head_timer = self.loop.call_later(head_s, self._close_slow)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._head_timer.cancel()
            elif not self.timeout_keep_alive_task and self._head_timer.cancelled():
                self._head_timer = self.loop.call_later(head_s, self._close_slow)

        def connection_lost(self, exc: Exception | None) -> None:
            self._head_timer.cancel()
            super().connection_lost(exc)

        def _close_slow(self) -> None:
            if self.conn.their_state is h11.IDLE:
                self.transport.close()

    return Protocol
