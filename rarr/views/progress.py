"""Shows the current step while a person waits, on a line of the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rarr.tools.concurrency import call_on_interrupt
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.pages.html_rendering import duration
from rarr.tools.text.wording import counted
from rarr.views.shown_text import one_line

_STEPS = ("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate")
_USED = "requests: {task.fields[run].total.model_calls:,}, tokens: {task.fields[run].total.input_tokens:,} in"
_LONGEST = 80  # characters of the line


class Waiting:
    """A line on standard error, if this is `watched`: the step, how far a run is, and what it has used."""

    def __init__(self, *, watched: bool) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TextColumn(_USED, markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not watched,
            redirect_stdout=False,
            redirect_stderr=False,
            speed_estimate_period=3600,  # a row with a model may take a minute
        )
        self._task = self._progress.add_task("starting", total=None, run=Meter())
        self.stop = self._progress.stop  # removes the line, before another is written at an interrupt

    @contextmanager
    def shown(self) -> Iterator[Self]:
        """Shows the line in the block."""
        with call_on_interrupt(self.stop), self._progress:  # an interrupt too gives the cursor back
            yield self

    def step(self, node: str) -> None:
        """Shows the node of a run that has finished last."""
        run = meter()
        far = f"{run.share:.0%} of the text, " if run.share else ""
        step = f", step {_STEPS.index(node) + 1} of {len(_STEPS)}" if node in _STEPS and not far else ""
        self._show(f"{far}{node.replace('_', ' ')}{step}", run=run)

    def _show(self, line: str, **known: Any) -> None:
        self._progress.update(self._task, description=one_line(line, _LONGEST), **known)

    def rows(self, done: int, total: int | None, errors: int = 0, noun: str = "row") -> None:
        """Shows how many rows are finished, how many have errors, and about how long the others take."""
        line = f"{done:,} of {counted(total, noun)}" if total else counted(done, noun)
        self._progress.update(self._task, completed=done, total=total)
        left = self._progress.tasks[0].time_remaining
        line += f", about {duration(left)} left" if left and done != total else ""
        self._show(line + (f", {counted(errors, 'error')}" if errors else ""))

    def indexed(self, done: int, total: int) -> None:
        """Shows how many files of a corpus are indexed."""
        self._show(f"index: {done} of {counted(total, 'file')}")
