"""Shows the runs of a caller, and of no other: their list, their records and their traces."""

import re
import sqlite3
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from rarr.errors import InputError
from rarr.records import RUN_ID, Revision
from rarr.serve.call import call_of
from rarr.serve.callers import Caller
from rarr.serve.refusals import Refusal
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread
from rarr.traces.trace_reader import Trace, open_store

_PAGE = {
    # The page has its script and styles inside. It loads nothing, and nothing may send its text away.
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def own_runs(settings: Settings) -> APIRouter:
    """Makes the routes under /v1/runs, which show callers their own runs."""
    router = APIRouter(prefix="/v1/runs", tags=["runs"])
    home = settings.home.expanduser()

    @router.get("")
    async def list_runs(request: Request, limit: int = Query(20, ge=1, le=1000)) -> dict[str, Any]:
        """Lists the caller's runs, the newest first."""
        caller = call_of(request.scope).caller
        return {"runs": await in_thread(_listed, home, caller, limit)}

    @router.get("/{run_id}", response_model=Revision)
    async def show_run(request: Request, run_id: str) -> Response:
        """Returns the revision of a run."""
        trace = await in_thread(_trace, home, call_of(request.scope).caller, run_id)
        if trace.revision is None:
            raise Refusal(404, "unfinished_run", f"this run has no revision: it is {trace.status}")
        return Response(trace.revision.model_dump_json(), media_type="application/json")

    @router.get("/{run_id}/trace", response_class=HTMLResponse)
    async def show_trace(request: Request, run_id: str) -> HTMLResponse:
        """Returns the page of a run: the input and output of all nodes."""
        caller = call_of(request.scope).caller
        return HTMLResponse(await in_thread(_page, home, caller, run_id), headers=_PAGE)

    return router


def _listed(home: Path, caller: Caller, limit: int) -> list[dict[str, Any]]:
    with open_store(home) as store:
        runs = store.list(limit, prefix=f"{caller.name}-")
    return [
        {
            "run_id": run.run_id,
            "started": run.started,
            "seconds": run.seconds,
            "status": run.status,
            "text": run.facts.original[:200],
            "edits": run.edits,
            "model_calls": run.calls,
        }
        for run in runs
    ]


def _trace(home: Path, caller: Caller, run_id: str) -> Trace:
    """Loads a run of the caller. Any other run does not exist for it."""
    missing = Refusal(404, "unknown_run", "there is no such run of yours: GET /v1/runs lists them")
    if not (re.fullmatch(RUN_ID, run_id) and caller.owns(run_id)):
        raise missing
    try:
        trace = Trace.load(run_id, home)
    except (InputError, sqlite3.Error):
        raise missing from None
    if trace.run_id != run_id:  # the beginning of a name is not enough
        raise missing
    return trace


def _page(home: Path, caller: Caller, run_id: str) -> str:
    from rarr.views.html.trace import page

    return page(_trace(home, caller, run_id))
