"""Offers rarr's own routes: revise, postprocess, verify and cite, which answer with its records."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from rarr.errors import InputError
from rarr.records import Record, Revision
from rarr.records.citations import CitationPlace, CitationStyle, Cited
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.records.verification import Verification
from rarr.serve.job_and_runner import Job, Task
from rarr.serve.jobs_with_fallback import Desk
from rarr.serve.refusals import Refusal
from rarr.serve.request_context import call_of
from rarr.serve.request_options import TextOptions, Words
from rarr.serve.server_sent_events import KEEP_ALIVE, written
from rarr.settings import Settings

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "the request is wrong: the message says what, and how to fix it"},
    401: {"description": "no token of this server"},
    413: {"description": "the body is too large"},
    429: {"description": "too many requests: Retry-After has the seconds to wait"},
}
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


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


def own_calls(desk: Desk, settings: Settings) -> APIRouter:
    """Makes the routes /v1/revise, /v1/verify and /v1/cite."""
    router = APIRouter(prefix="/v1", tags=["rarr"], responses=_ERRORS)

    async def answer(request: Request, choice: TextOptions, make: Callable[..., Job]) -> Response:
        choice.require_known(settings)
        job = make(
            run_id=call_of(request.scope).caller.new_run(),
            sources=choice.passages(),
            corpus=choice.corpus,
            deadline_s=choice.deadline_s or settings.serve_deadline_s,
        )
        call_of(request.scope).log["run_id"] = job.run_id
        if "text/event-stream" in request.headers.get("accept", ""):
            progress = _progress(desk, job, settings.serve_keep_alive_s)
            return StreamingResponse(progress, media_type="text/event-stream")
        try:
            return _json(await desk.done(job))
        except InputError as error:
            raise Refusal(400, "invalid_input", str(error)) from None

    @router.post("/revise", response_model=Revision, responses=_STREAM)
    async def revise(request: Request, asked: ReviseRequest) -> Response:
        """Researches a text and revises it as little as possible."""
        options = {"search": asked.search} if asked.search else {}
        return await answer(request, asked, _job("revise", asked.text, asked.context, options))

    @router.post("/postprocess", response_model=Postprocessed, responses=_STREAM)
    async def postprocess(request: Request, asked: PostprocessRequest) -> Response:
        """Makes of the answer of a model the text to send out, with a notice and citations."""
        options = {"mode": asked.mode} | ({"search": asked.search} if asked.search else {})
        return await answer(request, asked, _job("postprocess", asked.text, asked.context, options))

    @router.post("/verify", response_model=Verification, responses=_STREAM)
    async def verify(request: Request, asked: VerifyRequest) -> Response:
        """Decides whether the sources support a claim."""
        options = {"search": asked.search} if asked.search else {}
        return await answer(request, asked, _job("verify", asked.claim, asked.question, options))

    @router.post("/cite", response_model=Cited, responses=_STREAM)
    async def cite(request: Request, asked: CiteRequest) -> Response:
        """Puts citations into a text, and changes nothing else."""
        names = ("style", "place", "mark_unsupported")
        options = {name: getattr(asked, name) for name in names}
        options |= {"search": asked.search} if asked.search else {}
        return await answer(request, asked, _job("cite", asked.text, asked.context, options))

    return router


def _job(
    task: Task, text: str, context: str | list[dict[str, Any]] | None, options: dict[str, Any]
) -> Callable[..., Job]:
    return lambda **more: Job(task, text, context=context, options=options, **more)


def _json(record: Record) -> Response:
    return Response(record.model_dump_json(), media_type="application/json")


async def _progress(desk: Desk, job: Job, keep_alive_s: float) -> AsyncIterator[bytes]:
    """Yields server-sent events: the run's id, each node that has finished, then the result or the error."""
    nodes: asyncio.Queue[str | None] = asyncio.Queue()
    running = asyncio.ensure_future(desk.done(job, nodes.put_nowait))
    running.add_done_callback(lambda _: nodes.put_nowait(None))
    try:
        yield written({"run_id": job.run_id}, "run")
        while True:
            try:
                async with asyncio.timeout(keep_alive_s):
                    node = await nodes.get()
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if node is None:
                break
            yield written({"node": node}, "node")
        try:
            yield written(running.result().model_dump(mode="json"), "result")
        except InputError as error:
            yield written({"error": {"code": "invalid_input", "message": str(error)}}, "error")
    finally:
        running.cancel()
