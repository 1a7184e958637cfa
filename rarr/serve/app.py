"""The application of a server: its own calls, LiteLLM's guardrail, health, and the proxy."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rarr.errors import InputError
from rarr.serve.bodies import (
    GuardrailBody,
    PostprocessBody,
    ProxyOptions,
    Refusal,
    ReviseBody,
    TextBody,
    VerifyBody,
    as_given,
    body_of,
    checked,
)
from rarr.serve.gate import Call, Gate
from rarr.serve.jobs import Desk, Job, Runner, Task
from rarr.serve.protocols import turns
from rarr.serve.proxy import Proxy
from rarr.serve.text_work import TextWork
from rarr.serve.upstream import Upstream
from rarr.settings import Settings

GUARDRAIL = "/beta/litellm_basic_guardrail_api"
"""The route of LiteLLM's generic guardrail, whose requests and answers are those of litellm 1.109.1."""


OWN: Mapping[str, tuple[Task, type[TextBody]]] = {
    "/v1/revise": ("revise", ReviseBody),
    "/v1/postprocess": ("postprocess", PostprocessBody),
    "/v1/verify": ("verify", VerifyBody),
}
"""The calls of rarr itself: the task of each, and its body."""


class Application:
    """The application of one server, with what it has to close. `asgi` is what an HTTP server calls."""

    def __init__(self, settings: Settings, runner: Runner) -> None:
        """Raises `SettingsError` for an address or a token that cannot be used."""
        self._settings = settings
        self.asgi: ASGIApp = Gate(self._answer, settings)
        self.upstream, self.desk = Upstream(settings), Desk(runner)
        self._proxy = Proxy(self.upstream, self.desk, settings)
        self._routes: dict[str, tuple[str, Callable[[Call], Awaitable[Response]]]] = {
            "/healthz": ("GET", self._health),
            "/readyz": ("GET", self._readiness),
            GUARDRAIL: ("POST", self._guardrail),
            **dict.fromkeys(OWN, ("POST", self._own)),
        }

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        call: Call = scope["call"]
        if call.path not in self._routes:
            if not call.path.startswith("/v1/"):
                told = "there is no such route: rarr serve answers under /v1, /healthz and /readyz"
                raise Refusal(404, "wrong_route", told)
            await self._proxy(call, send)
            return
        method, answer = self._routes[call.path]
        call.log["route"] = call.path
        if call.method != method:
            raise Refusal(405, "wrong_route", f"this route has another method: send {method}", Allow=method)
        response = await answer(call)
        await response(scope, receive, send)

    async def _health(self, call: Call) -> Response:
        """Answers as long as the server runs."""
        return JSONResponse({"status": "ok"})

    async def _readiness(self, call: Call) -> Response:
        """Answers with 200 while jobs can be taken."""
        if self.desk.is_stopping:
            raise Refusal(503, "not_ready", "the server is shutting down: ask another")
        return JSONResponse({"status": "ready"})

    async def _own(self, call: Call) -> Response:
        """Answers a call of rarr itself with the record of its task."""
        task, kind = OWN[call.path]
        body: Any = body_of(kind, call.header("content-type"), call.body, self._settings)
        job = Job(
            task,
            body.text,
            call.new_run(),
            context=body.context,
            sources=as_given(body.sources),
            corpus=body.corpus,
            deadline_s=body.deadline_s or self._settings.serve_deadline_s,
            options=body.model_dump(include={"mode", "search"}, exclude_none=True),
        )
        call.log["run_id"] = job.run_id
        try:
            record = await self.desk.done(job)
        except InputError as error:
            raise Refusal(400, "invalid_input", str(error)) from None
        return Response(record.model_dump_json(), media_type="application/json")

    async def _guardrail(self, call: Call) -> Response:
        """Works on the texts of an answer, for LiteLLM's proxy. What a user asks passes."""
        body = body_of(GuardrailBody, call.header("content-type"), call.body, self._settings)
        given = body.additional_provider_specific_params or {}
        options = checked(ProxyOptions, given, "rarr", self._settings)
        mode = options.mode or self._settings.serve_mode
        texts = body.texts or []
        if body.input_type == "request" or mode == "off":
            texts = []
        messages = turns({"messages": body.structured_messages})
        work = TextWork(self.desk, call, options, mode, messages, self._settings)
        results = await asyncio.gather(*map(work.result, texts))
        if not any(result.changed for result in results):
            return JSONResponse({"action": "NONE", "texts": None})
        return JSONResponse({"action": "GUARDRAIL_INTERVENED", "texts": [each.text for each in results]})
