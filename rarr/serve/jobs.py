"""Runs jobs, one text each, with revisers that are built once; the original goes out where a job fails."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rarr.agent.inputs import context_of
from rarr.agent.postprocess import untouched
from rarr.components import close_all
from rarr.errors import InputError, RarrError
from rarr.records import Notice, Record, Revision
from rarr.records.postprocessing import Outcome
from rarr.records.verification import Verification
from rarr.settings import Settings
from rarr.tools.concurrency import by_deadline, in_thread

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

Task = Literal["postprocess", "revise", "verify"]
MARGIN_S = 0.15
"""Seconds before the deadline at which a job gives up by itself, so that its answer comes in time."""

_log = logging.getLogger("rarr.serve")


@dataclass(frozen=True)
class Job:
    """One text to work on. It can be pickled.

    `context` is the question, or the messages of the conversation. `sources` are the passages of the caller.
    `corpus` is the name of a corpus of the server; "": the first one. `deadline_s`: seconds that are left;
    None: no deadline. `options` are arguments of the task alone, such as `mode`.
    """

    task: Task
    text: str
    run_id: str
    context: str | Sequence[Mapping[str, Any]] | None = None
    sources: tuple[str | Mapping[str, str], ...] = ()
    corpus: str = ""
    deadline_s: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


class WorkerLostError(Exception):
    """The process that ran a job ended twice before the job was done."""


def sendable(error: Exception) -> Exception:
    """Returns a `RarrError` as it is, and any other error by its class, so that it can be pickled."""
    return error if isinstance(error, RarrError) else RarrError(f"a defect of rarr, {type(error).__name__}")


class Runner(Protocol):
    """Runs jobs, several at a time: in this process, in worker processes, or on a cluster."""

    async def start(self) -> None:
        """Builds what jobs need. Raises `RarrError` where something is missing."""

    async def run(self, job: Job) -> Record:
        """Runs one job, and returns a `Postprocessed`, `Revision` or `Verification`, by the task.

        Raises `InputError` for a wrong text or passage, and `WorkerLostError`.
        """

    async def aclose(self) -> None:
        """Closes what `start` built, or ends the processes that it started."""


class Tasks:
    """The `Runner` of this process, with a `Reviser` for each corpus of the server.

    `revisers`, by the names of their corpora, take the place of those that it would build.
    """

    def __init__(self, settings: Settings, revisers: "Mapping[str, Reviser] | None" = None) -> None:
        self._settings, self._revisers = settings, dict(revisers or {})
        self._starting = asyncio.Lock()
        self.at_once = settings.concurrency
        """How many jobs to have at once."""

    async def start(self) -> None:
        """Builds the revisers. Raises `RarrError` where something is missing."""
        from rarr.agent.revise import Reviser

        corpora: Mapping[str, Path | None] = self._settings.serve_corpora or {"": self._settings.corpus}
        for name, path in corpora.items():
            settings = self._settings.model_copy(update={"corpus": path})
            self._revisers[name] = await in_thread(Reviser, settings)

    async def run(self, job: Job) -> Record:
        """Runs a job, and returns the record of its task."""
        async with self._starting:
            if not self._revisers:  # in a process that took the place of another
                await self.start()
        reviser = self._revisers[job.corpus or next(iter(self._revisers))]
        if job.task == "verify":
            verified = await by_deadline(self._verified(job, reviser), job.deadline_s)
            return verified or original(job, "deadline", "not checked: the deadline came first")
        options = {"deadline_s": job.deadline_s, "run_id": job.run_id, **job.options}
        done = await reviser.apostprocess(job.text, job.context, job.sources or None, **options)
        if job.task == "postprocess":
            return done
        return done.revision or original(job, done.outcome, done.notice)

    async def aclose(self) -> None:
        """Closes the revisers, with their files and connections."""
        await close_all(self._revisers.values())

    async def _verified(self, job: Job, reviser: "Reviser") -> Record:
        from rarr.agent.verify import ClaimVerifier, averify_by_search

        context = context_of(job.context, job.text)
        if job.sources and (not job.corpus or job.options.get("search") == "given"):
            verifier = ClaimVerifier(components=reviser._components)
            return await verifier.averify(job.text, list(job.sources), context)
        return await averify_by_search(reviser, job.text, context, job.sources)


class Desk:
    """Hands jobs to the runner. A job that fails or is late gives a record with the original text."""

    def __init__(self, runner: Runner) -> None:
        self._runner, self._stopping = runner, asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Tells whether the server is shutting down."""
        return self._stopping.is_set()

    def stop_after(self, seconds: float) -> None:
        """Hands back the originals of all jobs that are not done after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self._stopping.set)

    async def done(self, job: Job) -> Record:
        """Runs a job, and returns the record of its task.

        At the deadline, after a failure and at shutdown, the record has the original text.
        Raises `InputError` for a wrong text or passage.
        """
        margin = min(MARGIN_S, (job.deadline_s or 0) / 4)
        given = job if job.deadline_s is None else replace(job, deadline_s=job.deadline_s - margin)
        running = asyncio.ensure_future(self._runner.run(given))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait(
                {running, stopping}, timeout=job.deadline_s, return_when=asyncio.FIRST_COMPLETED
            )
            if running.done():
                return running.result()
            if self.is_stopping:
                return original(job, "failed", "not checked: the server is shutting down")
            late = f"not checked: the deadline of {job.deadline_s:g} s came first"
            return original(job, "deadline", late)
        except InputError:
            raise
        except WorkerLostError:
            return original(job, "failed", "not checked: the process that checked it ended twice")
        except Exception as error:  # an answer must go out
            _log.error("a job failed", extra={"run_id": job.run_id, "error": type(error).__name__})
            return original(job, "failed", f"not checked: {sendable(error)}")
        finally:
            running.cancel()
            stopping.cancel()


def original(job: Job, outcome: Outcome, notice: str) -> Record:
    """Makes the record of the job's task with its text as it came, and with the reason."""
    text, warnings = job.text, (Notice(code=outcome, message=notice, node=""),)
    if job.task == "postprocess":
        return untouched(text, job.options.get("mode", "revise"), outcome, notice)
    if job.task == "verify":
        return Verification(claim=text, question=None, warnings=warnings)
    return Revision(run_id=job.run_id, original=text, text=text, changed=False, warnings=warnings)
