"""Runs jobs in the process of the server, for language models: their runs wait most of the time."""

from rarr.records import Record
from rarr.serve.job_and_runner import Job, OnStep
from rarr.serve.tasks import Tasks
from rarr.settings import Settings


class InProcess:
    """A `Runner` that runs jobs in the process of the server."""

    def __init__(self, settings: Settings) -> None:
        self._tasks = Tasks(settings)
        self._ready = False

    async def start(self) -> None:
        """Builds the reviser. Raises `RarrError` where something is missing."""
        await self._tasks.build()
        self._ready = True

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs a job, and returns the record of its task. `on_step` is called with each finished node."""
        return await self._tasks.run(job, on_step)

    def ready(self) -> bool:
        """Tells whether the reviser is built."""
        return self._ready

    async def aclose(self) -> None:
        """Closes the revisers and the verifier, with their files and connections."""
        await self._tasks.aclose()
