"""Gets jobs done in time: at the deadline, and whenever something fails, the original goes out."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, cast

from rarr.errors import InputError, RarrError
from rarr.records import Record
from rarr.records.postprocessing import Outcome
from rarr.serve.fallback_records import original
from rarr.serve.job_and_runner import DefectError, Job, NoTimeError, OnStep, Runner, WorkerLostError

Result = TypeVar("Result", bound=Record)
MARGIN_S = 0.15
"""Seconds before the deadline at which a job gives up by itself, so that its answer comes in time."""

_log = logging.getLogger("rarr.serve")


class Desk:
    """Hands jobs to the runner. A job that fails or is late gives a record with the original text."""

    def __init__(self, runner: Runner, on_outcome: Callable[[Job, str, float], None]) -> None:
        """`on_outcome` is called with each job, its outcome and its seconds."""
        self._runner, self._on_outcome = runner, on_outcome
        self._stopping = asyncio.Event()

    def ready(self) -> bool:
        """True if the runner is ready and the server is not shutting down."""
        return self._runner.ready() and not self._stopping.is_set()

    def stop_after(self, seconds: float) -> None:
        """Hands back the originals of all jobs that are not done after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self._stopping.set)

    async def done(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job, and returns the record of its task.

        At the deadline, after a failure and at shutdown, the record has the original text.
        Raises `InputError` for a wrong text or passage.
        """
        started = asyncio.get_running_loop().time()
        result, outcome = await self._outcome(job, on_step)
        self._on_outcome(job, outcome, asyncio.get_running_loop().time() - started)
        return result

    async def _outcome(self, job: Job, on_step: OnStep | None) -> tuple[Record, str]:
        margin = min(MARGIN_S, (job.deadline_s or 0) / 4)
        given = job if job.deadline_s is None else replace(job, deadline_s=job.deadline_s - margin)
        running = asyncio.ensure_future(self._runner.run(given, on_step))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait(
                {running, stopping}, timeout=job.deadline_s, return_when=asyncio.FIRST_COMPLETED
            )
            if running.done():
                result = running.result()
                return result, getattr(result, "outcome", "finished")
        except InputError:
            raise
        except WorkerLostError:
            return _failed(job, "failed", "not checked: the process that checked it ended")
        except NoTimeError:
            return _failed(job, "deadline", f"not checked: too many answers to check by {job.deadline_s:g} s")
        except RarrError as error:
            return _failed(job, "failed", f"not checked: {error}")
        except Exception as error:  # an answer must go out
            name = error.name if isinstance(error, DefectError) else type(error).__name__
            _log.error("a job failed", extra={"run_id": job.run_id, "error": name})
            return _failed(job, "failed", f"not checked: {name}")
        finally:
            running.cancel()
            stopping.cancel()
        if self._stopping.is_set():
            return _failed(job, "failed", "not checked: the server is shutting down")
        return _failed(job, "deadline", f"not checked: the deadline of {job.deadline_s:g} s came first")


def _failed(job: Job, outcome: Outcome, notice: str) -> tuple[Record, str]:
    return original(job, outcome, notice), outcome


async def as_record(kind: type[Result], desk: Desk, job: Job, on_step: OnStep | None = None) -> Result:
    """Does what `desk.done` does, for a job whose task gives a record of the class `kind`."""
    return cast(Result, await desk.done(job, on_step))
