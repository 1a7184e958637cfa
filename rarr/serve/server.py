"""Runs the server of `rarr serve`: its routes, its worker processes, its log, and its shutdown at SIGTERM."""

import asyncio
import json
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from types import FrameType
from typing import Any

import uvicorn
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rarr.batches.jobs import InProcessRunner, Runner, Task, WorkerProcesses
from rarr.errors import InputError
from rarr.records import Notice, Record, Revision, Verification
from rarr.serve.chat import FallbackRunner, TextPostprocessor, make_job
from rarr.serve.proxy import Proxy
from rarr.serve.requests import (
    LONGEST_HEAD,
    Call,
    GuardrailBody,
    PostprocessBody,
    ProxyOptions,
    Refusal,
    RequestGate,
    ReviseBody,
    TextBody,
    VerifyBody,
    validated_body,
)
from rarr.settings import Settings, without_server_settings
from rarr.views.pages import form_page, result_page

GUARDRAIL_ROUTE = "/beta/litellm_basic_guardrail_api"
"""The route that LiteLLM calls with texts of requests and answers. Its JSON is that of litellm 1.109.1."""
OWN_ROUTES: Mapping[str, type[TextBody]] = {
    "/v1/revise": ReviseBody,
    "/v1/postprocess": PostprocessBody,
    "/v1/verify": VerifyBody,
}
"""The routes of `rarr` itself, each with the class of its request body."""
IDLE_S = 75
"""Seconds after which an idle connection is closed. Clients and gateways close their connections earlier."""
_NO_FRAMES = {"Content-Security-Policy": "frame-ancestors 'none'"}  # no other site may show the page
_LOGGED_FACTS = ("run_id", "caller", "method", "route", "status", "ms", "mode", "outcome", "passed", "error")
"""The facts that a line of the log may have. There are no others, so the log has no text of a caller."""


class Application:
    """The web application of one server: its routes, jobs and proxy. The HTTP server calls `asgi`."""

    def __init__(self, settings: Settings, runner: Runner) -> None:
        """Makes the routes and the proxy. Raises `SettingsError` if an address or a token cannot be used."""
        self._settings = settings
        self.asgi: ASGIApp = RequestGate(self._answer_request, settings)
        self.jobs = FallbackRunner(runner)
        self.proxy = Proxy(self.jobs, settings)
        self._routes: dict[str, tuple[str, Callable[[Call], Awaitable[Response]]]] = {
            "/": ("GET", self._answer_page),
            "/healthz": ("GET", self._answer_health),
            "/readyz": ("GET", self._answer_health),
            GUARDRAIL_ROUTE: ("POST", self._answer_guardrail),
            **dict.fromkeys(OWN_ROUTES, ("POST", self._answer_own_route)),
        }

    async def _answer_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        call: Call = scope["call"]
        if call.path not in self._routes:
            if not call.path.startswith("/v1/"):
                told = "there is no such route: rarr serve answers at / and under /v1"
                raise Refusal(404, "wrong_route", told)
            return await self.proxy(call, send)
        method, answer = self._routes[call.path]
        call.log["route"] = call.path
        if call.method != method:
            raise Refusal(405, "wrong_route", f"this route takes only {method}", Allow=method)
        return await (await answer(call))(scope, receive, send)

    async def _answer_health(self, call: Call) -> Response:
        return JSONResponse({"status": "ok" if call.path == "/healthz" else "ready"})

    async def _answer_page(self, call: Call) -> Response:
        page = await asyncio.to_thread(form_page, bool(self._settings.serve_token))
        return HTMLResponse(page, headers=_NO_FRAMES)

    async def _answer_own_route(self, call: Call) -> Response:
        kind = OWN_ROUTES[call.path]
        body: Any = call.read_body(kind)
        task: Task = "verify" if kind is VerifyBody else "postprocess"
        own = {"text": body.text, "run_id": call.new_run_id(), "context": body.context}
        job = replace(make_job(task, body, self._settings), **own)
        call.log["run_id"] = job.run_id
        try:
            done = await self.jobs.run_or_original(job)
        except InputError as error:
            raise Refusal(400, "invalid_input", str(error)) from None
        if isinstance(done, Verification):
            undone = [it.code for it in done.warnings if it.code in ("deadline", "failed")]
            call.note_outcome(undone[0] if undone else "finished")
            return _json_response(done)
        call.note_outcome(done.outcome)
        if kind is not ReviseBody:
            return _json_response(done)
        told = Notice(code=done.outcome, message=done.notice, node="")
        known: dict[str, Any] = {"original": job.text, "text": job.text, "warnings": (told,)}
        revision = done.revision or Revision(run_id=job.run_id, changed=False, **known)
        if call.headers.get("accept") == "text/html":  # only the page of this server asks for HTML
            return HTMLResponse(await asyncio.to_thread(result_page, revision, done))
        return _json_response(revision)

    async def _answer_guardrail(self, call: Call) -> Response:
        """Answers LiteLLM's proxy. Postprocesses the texts of an answer. Texts of a request do not change."""
        body = call.read_body(GuardrailBody)
        chosen = body.additional_provider_specific_params or {}
        options = validated_body(ProxyOptions, chosen, "additional_provider_specific_params")
        mode = options.mode or self._settings.serve_mode
        passes = body.input_type == "request" or mode == "off"
        job = make_job("postprocess", options, self._settings, mode=mode)
        work = TextPostprocessor(self.jobs, call, job, body.structured_messages)
        results = await asyncio.gather(*map(work.postprocess, [] if passes else body.texts or []))
        if not any(result.changed for result in results):
            return JSONResponse({"action": "NONE", "texts": None})
        return JSONResponse({"action": "GUARDRAIL_INTERVENED", "texts": [each.text for each in results]})


def listening_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at an address (port 0: any port). Raises `InputError` if it cannot."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=both)
    except OSError as error:
        cure = "name another address with --host and --port"
        raise InputError(f"cannot listen at {host}:{port} ({error.strerror}): {cure}") from None


def _json_response(record: Record) -> Response:
    return Response(record.model_dump_json(), media_type="application/json")


async def serve(settings: Settings, on_ready: Callable[[str], object]) -> None:
    """Serves until the process gets a signal to end. Calls `on_ready` with the address of the server.

    Raises `RarrError` if the settings are wrong, or if the address or a model cannot be used.
    """
    runner = make_runner(settings)
    # A thread makes it, because reading certificates takes a while.
    application = await asyncio.to_thread(Application, settings, runner)
    listening_socket(settings.serve_host, settings.serve_port).close()  # a wrong address fails at once
    async with aclosing(runner), application.proxy.client:
        await runner.start()
        with listening_socket(settings.serve_host, settings.serve_port) as listening:
            host = f"[{settings.serve_host}]" if ":" in settings.serve_host else settings.serve_host
            on_ready(f"http://{host}:{listening.getsockname()[1]}/v1")
            await HttpServer(application, settings).serve(sockets=[listening])


def make_runner(settings: Settings) -> Runner:
    """Makes a runner of worker processes. With a language model, makes a runner in this process instead."""
    plain = without_server_settings(settings)  # without tokens and keys, a worker cannot leak them
    if settings.is_embedded:
        return WorkerProcesses(plain, settings.serve_workers or os.cpu_count() or 1)
    if "concurrency" not in settings.model_fields_set:  # so the run of each request begins at once
        plain = plain.model_copy(update={"concurrency": settings.serve_concurrency})
        plain.model_fields_set.discard("concurrency")  # Ollama has its own default
    return InProcessRunner(plain)


class HttpServer(uvicorn.Server):
    """The HTTP server of an application. Make it inside the event loop that runs it."""

    def __init__(self, application: Application, settings: Settings) -> None:
        self._stopping, self._shutdown_s = application.jobs.stopping, settings.serve_shutdown_s
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
        """Begins the shutdown. After some seconds, requests that still run get their original texts back."""
        self._loop.call_soon_threadsafe(self._loop.call_later, 0.8 * self._shutdown_s, self._stopping.set)
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # so that the command returns its exit status


class JsonLogFormatter(logging.Formatter):
    """Formats a log record as one line of JSON, without API keys and texts of callers."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line: time, level, event, and all facts in `_LOGGED_FACTS` that the record has."""
        day = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        event = record.getMessage()
        if not record.name.startswith("rarr"):  # its arguments and traceback may hold what a caller sent
            event = f"{record.name}: {str(record.msg).partition(chr(10))[0][:200]}"
        line = {"time": f"{day}.{record.msecs:03.0f}Z", "level": record.levelname.lower(), "event": event}
        line |= {name: value for name in _LOGGED_FACTS if (value := getattr(record, name, None)) is not None}
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr() -> None:
    """Writes the log of this process to standard error, as lines of JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLogFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("rarr").setLevel(logging.INFO)
