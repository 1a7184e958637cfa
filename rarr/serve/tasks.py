"""Runs jobs with revisers that are built once, one for each corpus of the server."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rarr.agent.step_listener import steps_told_to, tell_step
from rarr.components import close_all
from rarr.errors import InputError, SetupError
from rarr.records import Record
from rarr.records.postprocessing import Postprocessed
from rarr.serve.fallback_records import original
from rarr.serve.job_and_runner import Job, OnStep
from rarr.settings import Settings
from rarr.tools.concurrency import by_deadline, in_thread

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

Built = TypeVar("Built")


class Tasks:
    """Builds a `Reviser` at the first job for a corpus, and runs any number of jobs at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._building: dict[object, asyncio.Task[Any]] = {}

    async def build(self) -> None:
        """Builds the reviser of the first corpus. Raises `RarrError` where something is missing."""
        name = self._name("")
        try:
            await self._reviser(name)
        except asyncio.CancelledError:
            self._building[name].cancel()  # or `aclose` would wait for its end
            raise

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job, and returns the record of its task. `on_step` is called with each finished node."""
        with steps_told_to(on_step):
            if job.task in ("postprocess", "revise"):
                return await self._postprocessed(job)
            running = self._verified(job) if job.task == "verify" else self._cited(job)
            result = await by_deadline(running, job.deadline_s)
        return result or original(job, "deadline", "not checked: the deadline came first")

    async def aclose(self) -> None:
        """Closes the revisers and the verifier, with their files and connections."""
        built = await asyncio.gather(*self._building.values(), return_exceptions=True)
        await close_all(each for each in built if not isinstance(each, BaseException))

    async def _postprocessed(self, job: Job) -> Record:
        reviser = await self._served(job)
        result = await reviser.apostprocess(
            job.text,
            job.context,
            job.sources or None,
            deadline=job.deadline_s,
            run_id=job.run_id,
            **job.options,
        )
        return result if job.task == "postprocess" else _revision(job, result)

    async def _verified(self, job: Job) -> Record:
        from rarr.agent.evidence_search import verify_by_search
        from rarr.agent.verify import ClaimVerifier

        verifier = await self._once(ClaimVerifier, lambda: ClaimVerifier(self._settings))
        question = _question(job)
        if job.sources and (not job.corpus or job.options.get("search") == "given"):
            return await verifier.averify(job.text, list(job.sources), question)
        reviser = await self._served(job)
        return await verify_by_search(reviser, verifier, job.text, question, job.sources)

    async def _cited(self, job: Job) -> Record:
        from rarr.retrievers.given_passages import GivenPassages

        reviser = await self._served(job)
        options = dict(job.options)
        alone = options.pop("search", None) == "given" or not reviser.names_sources
        if job.sources:
            window, step = self._settings.window, self._settings.step
            given = await in_thread(
                lambda: GivenPassages(job.sources, window=window, step=step, name="sources")
            )
            reviser = reviser.searching(given, alone=alone)
        return await reviser.acite(job.text, _question(job), run_id=job.run_id, **options)

    async def _served(self, job: Job) -> "Reviser":
        """Returns the reviser of the job. A caller is not told the path of a corpus, and cannot mend it."""
        name = self._name(job.corpus)
        try:
            return await self._reviser(name)
        except InputError as error:
            if not name:
                raise
            raise SetupError(f"the corpus {name!r} of this server cannot be used") from error

    def _name(self, corpus: str) -> str:
        name = corpus or next(iter(self._settings.serve_corpora), "")
        if name and name not in self._settings.serve_corpora:
            raise InputError(f"unknown corpus {name!r}: name one that the server was given")
        return name

    async def _reviser(self, name: str) -> "Reviser":
        from rarr.agent.revise import Reviser

        corpus: dict[str, Any] = {"corpus": self._settings.serve_corpora[name]} if name else {}
        settings = self._settings.model_copy(update=corpus)
        return await self._once(name, lambda: Reviser(settings, on_step=tell_step))

    async def _once(self, key: object, make: Callable[[], Built]) -> Built:
        """Builds on a thread what all jobs with this key use, once, and again after a failure."""
        building = self._building.get(key)
        if building is None or (building.done() and building.exception()):
            building = self._building[key] = asyncio.create_task(in_thread(make))
        built: Built = await asyncio.shield(building)
        return built


def _question(job: Job) -> str | None:
    from rarr.agent.postprocessing.conversation import context_of

    return context_of(job.context, job.text)


def _revision(job: Job, result: Postprocessed) -> Record:
    return result.revision or original(job, result.outcome, result.notice)
