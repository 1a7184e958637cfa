"""Runs jobs with revisers that are built once, one for each corpus of the server."""

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rarr.errors import InputError
from rarr.records import Record
from rarr.records.postprocessing import Postprocessed
from rarr.serve.jobs import Job, OnStep
from rarr.serve.originals import original
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
        """Runs a job, and returns the record of its task. `on_step` is called with each finished node."""
        _STEP.set(on_step)
        if job.task == "verify":
            return await self._verified(job)
        reviser = await self._reviser(job.corpus)
        if job.task == "cite":
            return await self._cited(job, reviser)
        result = await reviser.apostprocess(
            job.text,
            job.context,
            job.sources or None,
            deadline=job.deadline_s,
            run_id=job.run_id,
            **job.options,
        )
        return result if job.task == "postprocess" else _revision(job, result)

    async def aclose(self) -> None:
        """Closes the revisers and the verifier, with their files and connections."""
        for building in self._revisers.values():
            await (await building).aclose()
        if self._verifier:
            await self._verifier.aclose()

    async def _verified(self, job: Job) -> Record:
        from rarr.agent.evidence_search import verify_by_search
        from rarr.agent.verify import ClaimVerifier

        if self._verifier is None:
            self._verifier = await in_thread(ClaimVerifier, self._settings)
        question = _question(job)
        if job.sources and (not job.corpus or job.options.get("search") == "given"):
            return await self._verifier.averify(job.text, list(job.sources), question)
        reviser = await self._reviser(job.corpus)
        return await verify_by_search(reviser, self._verifier, job.text, question, job.sources)

    async def _cited(self, job: Job, reviser: "Reviser") -> Record:
        from rarr.retrievers.given_passages import GivenPassages

        options = dict(job.options)
        alone = options.pop("search", None) == "given" or not reviser.names_sources
        if job.sources:
            window, step = self._settings.window, self._settings.step
            given = await in_thread(
                lambda: GivenPassages(job.sources, window=window, step=step, name="sources")
            )
            reviser = reviser.searching(given, alone=alone)
        return await reviser.acite(job.text, _question(job), run_id=job.run_id, **options)

    async def _reviser(self, corpus: str) -> "Reviser":
        name = corpus or next(iter(self._settings.serve_corpora), "")
        if name and name not in self._settings.serve_corpora:
            raise InputError(f"unknown corpus {name!r}: name one that the server was given")
        building = self._revisers.get(name)
        if building is None or (building.done() and building.exception()):
            building = self._revisers[name] = asyncio.create_task(in_thread(self._built, name))
        return await asyncio.shield(building)

    def _built(self, name: str) -> "Reviser":
        from rarr.agent.revise import Reviser

        corpus: dict[str, Any] = {"corpus": self._settings.serve_corpora[name]} if name else {}
        return Reviser(self._settings.model_copy(update=corpus), on_step=_told)


def _question(job: Job) -> str | None:
    from rarr.agent.postprocessing.conversation import context_of

    return context_of(job.context, job.text)


def _revision(job: Job, result: Postprocessed) -> Record:
    return result.revision or original(job, result.outcome, result.notice)


def _told(node: str) -> None:
    if on_step := _STEP.get():
        on_step(node)
