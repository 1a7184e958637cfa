"""Serves the page for people at `/`, and draws for it what the calls of `rarr` answered.

The page itself tells nothing and needs no token. Everything that it asks for does.
"""

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from rarr.errors import InputError
from rarr.records import Revision
from rarr.serve.refusals import Refusal
from rarr.serve.request_context import call_of
from rarr.serve.runs import RunQuery, listed_runs, own_trace, page_headers
from rarr.serve.suggested_edit_decisions import decided, require_sound
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread


class ShownRequest(BaseModel):
    """A revision to draw, with what its reader has decided about its suggested edits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    revision: Revision
    context: str | None = None
    accept: list[str] = Field(default=[], max_length=1000)
    refuse: list[str] = Field(default=[], max_length=1000)


def page_routes(settings: Settings) -> APIRouter:
    """Makes the routes. They are made for the page alone, and are not in `/openapi.json`."""
    router = APIRouter(include_in_schema=False)
    home = settings.home.expanduser()

    @router.get("/")
    async def show_page() -> HTMLResponse:
        """Returns the page, which is the same for everybody."""
        html, headers = await in_thread(_page)
        return HTMLResponse(html, headers=headers)

    @router.get("/page/start")
    async def start() -> dict[str, Any]:
        """Tells what a caller can choose, and so whether its token is known."""
        return {"corpora": list(settings.serve_corpora), "keeps_runs": settings.trace}

    @router.post("/page/result")
    async def show_result(request: ShownRequest) -> dict[str, Any]:
        """Draws a revision after the decisions of its reader."""
        try:
            return await in_thread(_result, request, settings.trace)
        except InputError as error:
            raise Refusal(400, "invalid_input", str(error)) from None

    @router.get("/page/runs")
    async def show_runs(request: Request, chosen: Annotated[RunQuery, Query()]) -> dict[str, Any]:
        """Draws the list of the caller's runs."""
        caller = call_of(request.scope).caller
        runs = await in_thread(listed_runs, home, caller, chosen)
        return {"html": await in_thread(_runs, runs, chosen.limit), "count": len(runs)}

    @router.get("/page/runs/{run_id}")
    async def show_run(request: Request, run_id: str) -> dict[str, Any]:
        """Draws a run of the caller, to stand beside another one."""
        trace = await in_thread(own_trace, home, call_of(request.scope).caller, run_id)
        return {"html": await in_thread(_run, trace)}

    return router


@cache
def _page() -> tuple[str, dict[str, str]]:
    from rarr.views.html.served import page

    html = page()
    return html, page_headers(html)


def _result(request: ShownRequest, keeps_runs: bool) -> dict[str, Any]:
    from rarr.views.html.served import result

    require_sound(request.revision)
    revision = decided(request.revision, request.accept, request.refuse)
    choices = (*request.accept, *request.refuse)
    return result(revision, request.context, decided=choices, keeps_runs=keeps_runs)


def _runs(runs: list[dict[str, Any]], limit: int) -> str:
    from rarr.views.html.served import run_list

    return run_list(runs, limit)


def _run(trace: Any) -> str:
    from rarr.views.html.served import run

    return run(trace)
