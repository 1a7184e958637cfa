"""Shows the progress of a command on a line of the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.pages.html_rendering import duration
from rarr.tools.text.wording import counted
from rarr.views.shown_text import one_line

_STEPS = ("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate")
_USED = "requests: {task.fields[run].total.model_calls:,}, tokens: {task.fields[run].total.input_tokens:,} in"


class ProgressLine:
    """The progress line on standard error: the last step, the finished share of the text, and the usage."""

    def __init__(self, *, visible: bool) -> None:
        """Makes the line. If `visible` is false (standard error is no terminal), the line stays hidden."""
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TextColumn(_USED, markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not visible,
            redirect_stdout=False,
            redirect_stderr=False,
            speed_estimate_period=3600,  # a row with a model may take a minute
        )
        self._task = self._progress.add_task("starting", total=None, run=Meter())
        self.stop = self._progress.stop  # removes the line before a message at an interrupt

    @contextmanager
    def display(self) -> Iterator[Self]:
        """Shows the line during the `with` block."""
        with self._progress:
            yield self

    def show_step(self, node: str) -> None:
        """Shows the name of `node`, which the run finished last."""
        run = meter()
        far = f"{run.share:.0%} of the text, " if run.share else ""
        step = f", step {_STEPS.index(node) + 1} of {len(_STEPS)}" if node in _STEPS and not far else ""
        self._show_line(f"{far}{node.replace('_', ' ')}{step}", run=run)

    def _show_line(self, line: str, **known: Any) -> None:
        self._progress.update(self._task, description=one_line(line, 80), **known)

    def show_rows(self, done: int, total: int | None, errors: int = 0, noun: str = "row") -> None:
        """Shows how many of the `total` rows are finished, how many failed, and the time that remains."""
        line = f"{done:,} of {counted(total, noun)}" if total else counted(done, noun)
        self._progress.update(self._task, completed=done, total=total)
        left = self._progress.tasks[0].time_remaining
        line += f", about {duration(left)} left" if left and done != total else ""
        self._show_line(line + (f", {counted(errors, 'error')}" if errors else ""))

    def show_files(self, done: int, total: int) -> None:
        """Shows how many of the `total` files of a corpus are indexed."""
        self._show_line(f"index: {done} of {counted(total, 'file')}")
