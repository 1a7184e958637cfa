"""The application of a server: its own calls, LiteLLM's guardrail, health and metrics, and the proxy."""

import asyncio
from typing import Any, Literal

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rarr.errors import InputError
from rarr.records import Revision
from rarr.records.citations import CitationPlace, CitationStyle, Cited
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.records.verification import Verification
from rarr.serve.answers import TextWork, conversation
from rarr.serve.gate import Gate, call_of
from rarr.serve.jobs import Desk, Job, Runner, Task
from rarr.serve.metrics import Metrics
from rarr.serve.proxy import Proxy
from rarr.serve.refusals import Refusal, defect
from rarr.serve.request_options import TextOptions, Words, options_of, wrong_value
from rarr.serve.upstream import Upstream
from rarr.settings import Settings, installed_version

GUARDRAIL = "/beta/litellm_basic_guardrail_api"
"""The route of LiteLLM's generic guardrail, whose requests and answers are those of litellm 1.109.1."""
MOST_TEXTS = 1000
"""The most texts of one answer, which are worked on at once."""
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "the request is wrong: the message says what, and how to fix it"},
    401: {"description": "no token of this server"},
    413: {"description": "the body is too large"},
    429: {"description": "too many requests: Retry-After has the seconds to wait"},
}


class ReviseRequest(TextOptions):
    """A text to revise, with the question or earlier turns that it answers."""

    text: Words
    context: str | None = None


class PostprocessRequest(TextOptions):
    """The answer of a model, with the question or the messages of the conversation that it answers."""

    text: Words
    context: str | list[dict[str, Any]] | None = None
    mode: PostprocessMode = "revise"


class CiteRequest(ReviseRequest):
    """A text to cite."""

    style: CitationStyle = "numbered"
    place: CitationPlace = "sentence"
    mark_unsupported: bool = False


class VerifyRequest(TextOptions):
    """A claim to verify against `sources`. Without them, or with a `corpus`, the server searches as well."""

    claim: Words
    question: str | None = None


class GuardrailRequest(BaseModel):
    """What LiteLLM sends, as far as it is read here."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    input_type: Literal["request", "response"]
    texts: list[str] | None = Field(default=None, max_length=MOST_TEXTS)
    structured_messages: list[dict[str, Any]] | None = None
    additional_provider_specific_params: dict[str, Any] | None = None


class GuardrailResponse(BaseModel):
    """What LiteLLM reads. `texts` are as many as came, in their order."""

    action: Literal["NONE", "GUARDRAIL_INTERVENED"]
    texts: list[str] | None = None


class Application:
    """The application of one server, with what it has to close. `asgi` is what an HTTP server calls."""

    def __init__(self, settings: Settings, runner: Runner) -> None:
        """Raises `SettingsError` for an address or a token that cannot be used."""
        metrics = Metrics()

        def count(job: Job, outcome: str, seconds: float) -> None:
            metrics.jobs.labels(job.task, outcome).inc()
            metrics.job_seconds.labels(job.task).observe(seconds)

        self.upstream = Upstream(settings, metrics)
        self.desk = Desk(runner, count)
        app = FastAPI(title="rarr", version=installed_version(), docs_url=None, redoc_url=None)
        app.add_exception_handler(RequestValidationError, _invalid)
        app.add_exception_handler(HTTPException, _refused)
        app.add_exception_handler(Exception, _defect)
        app.include_router(_operation(self.desk, runner, metrics))
        app.include_router(_calls(self.desk, settings))
        proxy = Proxy(self.upstream, self.desk, settings)
        app.router.routes.append(Route("/v1/{path:path}", _Asgi(proxy), include_in_schema=False))
        self.asgi: ASGIApp = Gate(app, settings, metrics)


def _operation(desk: Desk, runner: Runner, metrics: Metrics) -> APIRouter:
    router = APIRouter(tags=["operation"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Answers as long as the server runs."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz() -> dict[str, str]:
        """Answers with 200 while jobs can be taken, and with 503 otherwise."""
        if not desk.ready():
            raise Refusal(503, "not_ready", "no worker process is ready, or the server is shutting down")
        return {"status": "ready"}

    @router.get("/metrics")
    async def show_metrics() -> Response:
        """Returns the counters for Prometheus."""
        metrics.workers_replaced.set(getattr(runner, "replaced", 0))
        return Response(metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return router


def _calls(desk: Desk, settings: Settings) -> APIRouter:
    router = APIRouter(tags=["rarr"], responses=_ERRORS)

    async def answer(
        request: Request, asked: TextOptions, task: Task, text: str, context: Any, **options: Any
    ) -> Response:
        asked.require_known(settings)
        call = call_of(request.scope)
        job = Job(
            task,
            text,
            call.new_run(),
            context=context,
            sources=asked.passages(),
            corpus=asked.corpus,
            deadline_s=asked.deadline_s or settings.serve_deadline_s,
            options=options | ({"search": asked.search} if asked.search else {}),
        )
        call.log["run_id"] = job.run_id
        try:
            record = await desk.done(job)
        except InputError as error:
            raise Refusal(400, "invalid_input", str(error)) from None
        return Response(record.model_dump_json(), media_type="application/json")

    @router.post("/v1/revise", response_model=Revision)
    async def revise(request: Request, asked: ReviseRequest) -> Response:
        """Researches a text and revises it as little as possible."""
        return await answer(request, asked, "revise", asked.text, asked.context)

    @router.post("/v1/postprocess", response_model=Postprocessed)
    async def postprocess(request: Request, asked: PostprocessRequest) -> Response:
        """Makes of the answer of a model the text to send out, with a notice and citations."""
        return await answer(request, asked, "postprocess", asked.text, asked.context, mode=asked.mode)

    @router.post("/v1/verify", response_model=Verification)
    async def verify(request: Request, asked: VerifyRequest) -> Response:
        """Decides whether the sources support a claim."""
        return await answer(request, asked, "verify", asked.claim, asked.question)

    @router.post("/v1/cite", response_model=Cited)
    async def cite(request: Request, asked: CiteRequest) -> Response:
        """Puts citations into a text, and changes nothing else."""
        options = asked.model_dump(include={"style", "place", "mark_unsupported"})
        return await answer(request, asked, "cite", asked.text, asked.context, **options)

    @router.post(GUARDRAIL)
    async def guardrail(request: Request, asked: GuardrailRequest) -> GuardrailResponse:
        """Works on the texts of an answer, for LiteLLM's proxy. What a user asks passes."""
        options = options_of(asked.additional_provider_specific_params or {}, settings)
        mode = options.mode or settings.serve_mode
        if asked.input_type == "request" or mode == "off" or not asked.texts:
            return GuardrailResponse(action="NONE")
        turns = conversation("chat", {"messages": asked.structured_messages})
        chosen = options.model_copy(update={"mode": mode})
        work = TextWork(desk, call_of(request.scope), chosen, turns, settings)
        results = await asyncio.gather(*map(work.result, asked.texts))
        if not any(result.changed for result in results):
            return GuardrailResponse(action="NONE")
        return GuardrailResponse(action="GUARDRAIL_INTERVENED", texts=[result.text for result in results])

    return router


class _Asgi:
    """Wraps an ASGI application, so that Starlette passes it requests of every method, not GET alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def _invalid(request: Request, error: Exception) -> Response:
    """Refuses a wrong body, with the keys that it may have."""
    assert isinstance(error, RequestValidationError)
    [body] = request.scope["route"].dependant.body_params
    model, first = body.field_info.annotation, error.errors()[0]
    inner = [(each["loc"][1:], each) for each in error.errors()]
    if first["type"] == "json_invalid" or not inner[0][0]:
        told = f"it is no JSON object with the header Content-Type: application/json ({first['msg']})"
        return _response(_wrong("body", f"{told}: send an object with {', '.join(model.model_fields)}"))
    return _response(_wrong(*wrong_value("body", inner, model)))


def _wrong(path: str, message: str) -> Refusal:
    return Refusal(400, "invalid_request", f"{path}: {message}", param=path)


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, Refusal):
        if call := request.scope.get("state", {}).get("call"):
            call.log["error"] = error.code
        return _response(error)
    assert isinstance(error, HTTPException)
    messages = {
        400: "there was an error parsing the body: send JSON in UTF-8",
        404: "there is no such route: see /openapi.json",
        405: "this route has another method",
    }
    message = messages.get(error.status_code, str(error.detail))
    return _response(Refusal(error.status_code, "wrong_route", message, headers=error.headers))


async def _defect(request: Request, error: Exception) -> Response:
    """Answers for an error that nothing expected. Starlette raises it again, and the gate logs its class."""
    return _response(defect())


def _response(refusal: Refusal) -> Response:
    return Response(
        refusal.body(), refusal.status_code, headers=refusal.headers, media_type="application/json"
    )
