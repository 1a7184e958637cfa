"""Puts the routes together, behind the gate."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from rarr.serve.callers import Callers
from rarr.serve.guardrail import guardrail
from rarr.serve.health_and_metrics_routes import operation
from rarr.serve.job_and_runner import Job, Runner
from rarr.serve.jobs_with_fallback import Desk
from rarr.serve.metrics import Metrics
from rarr.serve.page import page_routes
from rarr.serve.proxy import Proxy
from rarr.serve.refusals import Refusal, defect
from rarr.serve.request_admission import Gate
from rarr.serve.revise_verify_cite_routes import own_calls
from rarr.serve.runs import own_runs
from rarr.serve.upstream import Upstream
from rarr.serve.wrong_bodies import wrong_body
from rarr.settings import Settings, installed_version


class Application:
    """The application of one server, with what it has to close. `asgi` is what an HTTP server calls."""

    def __init__(self, settings: Settings, runner: Runner) -> None:
        """Raises `SettingsError` for an address or a token that cannot be used."""
        self._metrics = Metrics()
        callers = Callers(settings)
        self.upstream = Upstream(settings, self._metrics)
        self.desk = Desk(runner, self._count)
        app = FastAPI(title="rarr", version=installed_version(), docs_url=None, redoc_url=None)
        app.add_exception_handler(RequestValidationError, _invalid)
        app.add_exception_handler(HTTPException, _refused)
        app.add_exception_handler(Exception, _defect)
        app.include_router(operation(self.desk, runner, self._metrics))
        app.include_router(own_calls(self.desk, settings))
        app.include_router(own_runs(settings))
        app.include_router(page_routes(settings))
        app.include_router(guardrail(self.desk, settings))
        proxy = Proxy(self.upstream, self.desk, settings)
        app.router.routes.append(Route("/v1/{path:path}", _Asgi(proxy), include_in_schema=False))
        self.asgi: ASGIApp = Gate(app, settings, callers, self._metrics)

    def _count(self, job: Job, outcome: str, seconds: float) -> None:
        self._metrics.jobs.labels(job.task, outcome).inc()
        self._metrics.job_seconds.labels(job.task).observe(seconds)


class _Asgi:
    """Wraps an ASGI application, so that Starlette passes it requests of every method, not GET alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    bodies = getattr(request.scope.get("route"), "dependant", None)
    models = [field.field_info.annotation for field in bodies.body_params] if bodies else []
    model = next(iter(models), None)
    kind = request.headers.get("content-type", "")
    return _response(wrong_body(error.errors(), model, kind))


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
