"""Declares the jobs of the server, and the interface of what runs them: this process or worker processes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rarr.records import Record

Task = Literal["postprocess", "revise", "verify", "cite"]
OnStep = Callable[[str], None]
"""Is called with the name of each node that has finished."""


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
    """The process that ran a job ended before the job was done."""


class DefectError(Exception):
    """A job of another process ended by a defect, an error of the class `name`."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(name, message)
        self.name = name

    def __str__(self) -> str:
        return ": ".join(self.args)


class NoTimeError(Exception):
    """A job would not be done by its deadline, since too many others wait: it was not begun."""


class Runner(Protocol):
    """Runs jobs, several at a time."""

    async def start(self) -> None:
        """Builds what jobs need. Raises `RarrError` where something is missing."""

    async def run(self, job: Job, on_step: OnStep | None = None) -> Record:
        """Runs one job. `on_step` is called with the name of each finished node.

        Returns a `Postprocessed`, a `Revision`, a `Verification` or a `Cited`, by the task. Raises
        `InputError` for a wrong text or passage, `WorkerLostError`, and `NoTimeError` at once.
        """

    def ready(self) -> bool:
        """Tells whether a job could begin now or soon."""

    async def aclose(self) -> None:
        """Closes what `start` built, or ends the processes that it started."""
