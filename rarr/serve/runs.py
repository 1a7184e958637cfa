"""Shows the runs of a caller, and of no other: their list, their records and their traces."""

import re
import sqlite3
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from rarr.errors import InputError
from rarr.records import RUN_ID, Revision
from rarr.serve.callers import Caller
from rarr.serve.refusals import Refusal
from rarr.serve.request_context import call_of
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.pages.html_rendering import policy_of
from rarr.traces.run_filter import RunFilter
from rarr.traces.trace_reader import Trace, open_store


class RunQuery(BaseModel):
    """Which runs of the caller to list: `text` stands in the original, in any case."""

    limit: int = Field(default=20, ge=1, le=1000)
    text: str = Field(default="", max_length=1000)
    status: Literal["", "done", "failed", "running", "cut short"] = ""
    changed: bool | None = None


def page_headers(html: str) -> dict[str, str]:
    """Makes the headers of a page, which repeat the policy that stands in it.

    The page loads nothing from elsewhere, runs its own script alone, and may stand in no frame.
    """
    return {
        "Content-Security-Policy": f"{policy_of(html)}; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def own_runs(settings: Settings) -> APIRouter:
    """Makes the routes under /v1/runs, which show callers their own runs."""
    router = APIRouter(prefix="/v1/runs", tags=["runs"])
    home = settings.home.expanduser()

    @router.get("")
    async def list_runs(request: Request, chosen: Annotated[RunQuery, Query()]) -> dict[str, Any]:
        """Lists the caller's runs, the newest first."""
        caller = call_of(request.scope).caller
        return {"runs": await in_thread(listed_runs, home, caller, chosen)}

    @router.get("/{run_id}", response_model=Revision)
    async def show_run(request: Request, run_id: str) -> Response:
        """Returns the revision of a run."""
        trace = await in_thread(own_trace, home, call_of(request.scope).caller, run_id)
        if trace.revision is None:
            raise Refusal(404, "unfinished_run", f"this run has no revision: it is {trace.status}")
        return Response(trace.revision.model_dump_json(), media_type="application/json")

    @router.get("/{run_id}/trace", response_class=HTMLResponse)
    async def show_trace(request: Request, run_id: str) -> HTMLResponse:
        """Returns the page of a run: the input and output of all nodes."""
        caller = call_of(request.scope).caller
        html, headers = await in_thread(_page, home, caller, run_id)
        return HTMLResponse(html, headers=headers)

    return router


def listed_runs(home: Path, caller: Caller, query: RunQuery) -> list[dict[str, Any]]:
    """Lists the newest runs of the caller that fit the query."""
    chosen = RunFilter(query.text, query.status or None, query.changed)
    try:
        with open_store(home) as store:
            runs = store.list(query.limit, prefix=f"{caller.name}-", chosen=chosen)
    except InputError:
        raise Refusal(500, "damaged_runs", "its runs cannot be read: tell who runs this server") from None
    return [
        {
            "run_id": run.run_id,
            "started": run.started,
            "seconds": run.seconds,
            "status": run.status,
            "text": run.facts.original[:200],
            "changed": run.changed,
            "edits": run.edits,
            "model_calls": run.calls,
        }
        for run in runs
    ]


def own_trace(home: Path, caller: Caller, run_id: str) -> Trace:
    """Loads a run of the caller. Any other run does not exist for it.

    Raises `Refusal`: 404 if there is no such run, and 500 if it is damaged.
    """
    missing = Refusal(404, "unknown_run", "there is no such run of yours: GET /v1/runs lists them")
    if not (re.fullmatch(RUN_ID, run_id) and caller.owns(run_id)):
        raise missing
    try:
        with open_store(home) as store:
            is_there = run_id in store
        if is_there:
            return Trace.load(run_id, home)
    except (InputError, sqlite3.Error):
        raise Refusal(500, "damaged_run", "this run cannot be read: tell who runs the server") from None
    raise missing


def _page(home: Path, caller: Caller, run_id: str) -> tuple[str, dict[str, str]]:
    from rarr.views.html.trace import page

    html = page(own_trace(home, caller, run_id))
    return html, page_headers(html)
