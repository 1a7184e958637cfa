"""Tells whether the server is up and ready, and what it has done so far."""

from fastapi import APIRouter, Response

from rarr.serve.job_and_runner import Runner
from rarr.serve.jobs_with_fallback import Desk
from rarr.serve.metrics import Metrics
from rarr.serve.refusals import Refusal


def operation(desk: Desk, runner: Runner, metrics: Metrics) -> APIRouter:
    """Makes the routes /healthz, /readyz and /metrics."""
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
