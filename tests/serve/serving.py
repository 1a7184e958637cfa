"""Runs a server of `rarr` in a thread, with a runner whose results are known."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Self

from rarr import Settings
from rarr.batches.jobs import Job, JobResult, Runner, unchanged_result
from rarr.errors import InputError
from rarr.records.postprocessing import AnswerCitation, Postprocessed
from rarr.serve.server import Application, HttpServer, listening_socket
from rarr.testing import ScriptedServer
from rarr.testing.server import Plan

WRONG, RIGHT = "212 metres", "221 metres"
SOURCE = "https://example.org/dam"
ALICE, BOB = "alice-0123456789ab", "bob-0123456789abcdef"


class KnownRunner:
    """Corrects the height of the dam, and cites a source for it. Keeps its jobs.

    A text with the word "wait" takes for ever, one with "refuse" is refused, and "partial" is read in part.
    """

    at_once = 1

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.started, self.cancelled = threading.Event(), threading.Event()
        self.fails: Exception | None = None

    async def start(self) -> None:
        pass

    async def run(self, job: Job) -> JobResult:
        self.jobs.append(job)
        self.started.set()
        if self.fails:
            raise self.fails
        if "wait" in job.text:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()
        if "refuse" in job.text:
            raise InputError("the text is refused: give another")
        return corrected(job) if job.task == "postprocess" else unchanged_result(job, "finished", "done")

    async def aclose(self) -> None:
        pass


def corrected(job: Job) -> Postprocessed:
    mode = job.options.get("mode", "revise")
    text = job.text if mode == "check" else job.text.replace(WRONG, RIGHT)
    at = text.find(RIGHT)
    place = AnswerCitation(start=at, end=at + len(RIGHT), source=SOURCE, title="Dam", evidence_id="p1")
    changed, citations = text != job.text, (place,) if at >= 0 else ()
    known: dict[str, Any] = {"text": text, "original": job.text, "changed": changed, "citations": citations}
    outcome: Any = "partial" if "partial" in text else "finished"
    return Postprocessed(mode=mode, outcome=outcome, notice=f"{changed:d} corrected", **known)


class Served:
    """A server in a thread of this process."""

    def __init__(self, runner: Runner | None = None, **settings: Any) -> None:
        self.settings = Settings(**{"serve_port": 0, "serve_shutdown_s": 2, **settings})
        self.known = KnownRunner()
        self._runner: Runner = runner or self.known
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def __enter__(self) -> Self:
        self._listening = listening_socket(self.settings.serve_host, self.settings.serve_port)
        self.port = self._listening.getsockname()[1]
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.root}/v1"
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self.join()

    def join(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()

    def stop(self) -> None:
        """Does what SIGTERM does."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._server.handle_exit, 15, None)

    def tasks(self) -> int:
        return len(asyncio.all_tasks(self._loop))

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._runner.start()
        application = Application(self.settings, self._runner)
        self._server = HttpServer(application, self.settings)
        async with aclosing(self._runner), application.proxy.client:
            self._ready.set()
            with self._listening as listening:
                await self._server.serve(sockets=[listening])


@contextmanager
def serving(answer: str, plan: Plan = (), **settings: Any) -> Iterator[tuple[Served, ScriptedServer]]:
    """Runs a server, and the server of a model behind it, which always gives the same answer."""
    with (
        ScriptedServer({"": answer}, plan=plan) as upstream,
        Served(serve_upstream_url=upstream.url, **settings) as served,
    ):
        yield served, upstream
