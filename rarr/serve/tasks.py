"""Runs a job with revisers that are built once: one for each corpus of the server."""

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.errors import InputError
from rarr.records import Passage, Record
from rarr.serve.jobs import Job, OnStep
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser
    from rarr.agent.verify import ClaimVerifier

_STEP: ContextVar[OnStep | None] = ContextVar("step", default=None)
"""The listener of the job that runs: the nodes of a run are reported in the context of its caller."""


class Tasks:
    """Builds a `Reviser` at the first job for a corpus, and runs any number of jobs at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._revisers: dict[str, asyncio.Task[Reviser]] = {}
        self._verifier: ClaimVerifier | None = None

    async def build(self) -> None:
        """Builds the reviser of the first corpus. Raises `RarrError` where something is missing."""
        await self._reviser("")

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job; see `Runner.run`."""
        _STEP.set(on_step)
        if job.task == "verify":
            return await self._verify(job)
        reviser = await self._reviser(job.corpus)
        if job.task == "cite":
            return await reviser.acite(job.text, job.context, run_id=job.run_id, **job.options)
        if job.task == "revise":
            return await reviser.arevise(job.text, job.context, run_id=job.run_id)
        return await reviser.apostprocess(
            job.text,
            job.context,
            [_passage(source) for source in job.sources] or None,
            deadline=job.deadline_s,
            run_id=job.run_id,
            **job.options,
        )

    async def aclose(self) -> None:
        """Closes files and connections."""
        for building in self._revisers.values():
            await (await building).aclose()
        if self._verifier:
            await self._verifier.aclose()

    async def _verify(self, job: Job) -> Record:
        from rarr.agent.verify import ClaimVerifier

        if self._verifier is None:
            self._verifier = await in_thread(ClaimVerifier, self._settings)
        return await self._verifier.averify(job.text, list(job.sources), job.context)

    async def _reviser(self, corpus: str) -> "Reviser":
        name = corpus or next(iter(self._settings.serve_corpora), "")
        if name not in self._revisers:
            self._revisers[name] = asyncio.create_task(in_thread(self._built, name))
        return await asyncio.shield(self._revisers[name])

    def _built(self, name: str) -> "Reviser":
        from rarr.agent.revise import Reviser

        settings = self._settings
        if name:
            settings = settings.model_copy(update={"corpus": self._corpus(name)})
        return Reviser(settings, on_step=_told)

    def _corpus(self, name: str) -> Path:
        try:
            return self._settings.serve_corpora[name]
        except KeyError:
            raise InputError(f"unknown corpus {name!r}: name one that the server was given") from None


def _told(node: str) -> None:
    if on_step := _STEP.get():
        on_step(node)
